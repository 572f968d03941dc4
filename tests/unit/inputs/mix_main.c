/* SPDX-License-Identifier: BSD-2-Clause */
/* What mix.c's functions hang together by, and what a kernel has of tprof. */
volatile unsigned sink;

unsigned framed_other(unsigned x);
unsigned bare_other(unsigned x);
void _start(void);

#ifdef AGENT
const char tprof_anchor[] = "tprof 9.8.7";
__asm__(".globl tprof_wire_version\n.set tprof_wire_version, 0x203");
const int tprof_vsock = 1;
#ifdef MEMORY
/* what tprof_memory.ld would link, but for 2 cores: 32 + 2 x 128 + 96 KiB */
__asm__(".bss\n.globl __tprof_memory, __tprof_memory_end\n"
        "__tprof_memory: .skip 0x60000\n__tprof_memory_end:\n.text");
__asm__(".globl tprof_init_image, tprof_start_cpu\n"
        ".set tprof_init_image, 1\n.set tprof_start_cpu, 1");
#endif

/* Code that a kernel drops after boot, and keeps elsewhere. */
__attribute__((section(".init.text"), noinline)) static void early(void)
{
    sink = 1;
}
#endif

__attribute__((noreturn)) void _start(void)
{
#ifdef AGENT
    early();
    sink += (unsigned)tprof_anchor[sink & 3] + (unsigned)tprof_vsock;
#endif
    for (;;)
        sink = framed_other(sink) + bare_other(sink);
}
