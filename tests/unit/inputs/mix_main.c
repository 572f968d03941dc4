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
