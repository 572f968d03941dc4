/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the golden reports are of: never run, only looked at. kernel.elf is
 * committed, since other compilers would give other addresses. It was made by
 *
 *     gcc -g -O1 -ffreestanding -fno-omit-frame-pointer -fno-pic -no-pie \
 *         -fno-asynchronous-unwind-tables -fcf-protection=none -nostdlib \
 *         -static -fdebug-prefix-map=$PWD=/kernel -Wl,-Ttext=0x200000 \
 *         -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 \
 *         -Wl,-z,noseparate-code,-z,max-page-size=4096 kernel.c -o kernel.elf
 */
#define HERE __attribute__((noinline, noclone, used))

const char tprof_anchor[1] = {0};
volatile unsigned long cells[64];

/* Inlined into its callers: shown as a frame of its own. */
static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    return x ^ cells[x & 63];
}

HERE unsigned long checksum(unsigned long n)
{
    unsigned long sum = 0;

    for (unsigned long i = 0; i < n; i++)
        sum += mix(i);
    return sum;
}

HERE unsigned long walk(unsigned long depth)
{
    if (depth == 0)
        return checksum(64);
    return walk(depth - 1) + 1;
}

/* Names as C++, Rust and Free Pascal compilers write them. */
HERE unsigned long ring_push(unsigned long) __asm__("_ZN4ring4pushEm");
HERE unsigned long ring_push(unsigned long x)
{
    cells[x & 63] = x;
    return walk(3) + x;
}

HERE void receive(void) __asm__("_ZN6kernel3bus7receive17h0123456789abcdefE");
HERE void receive(void)
{
    cells[0] += ring_push(cells[1]);
}

HERE void idle(void)
{
    __asm__ volatile("sti; hlt");
    cells[4]++;
}

/* No size, no type, no debug information, no frame. */
__asm__(".text\n"
        "copy_words:\n"
        "    mov %rdi, %rax\n"
        "copy_next:\n"
        "    mov %rax, (%rdi)\n"
        "    add $8, %rdi\n"
        "    dec %rsi\n"
        "    jnz copy_next\n"
        "    ret\n"
        /* would clear the screen of who reads the report */
        "\"rude\033[2Jname\":\n"
        "    push %rbp\n"
        "    mov %rsp, %rbp\n"
        "    call copy_words\n"
        "    pop %rbp\n"
        "    ret\n"
        ".globl thread_entry\n"
        "thread_entry:\n"
        "    call \"rude\033[2Jname\"\n"
        "    ret\n");
void copy_words(volatile unsigned long *to, unsigned long n);
void thread_entry(void);

HERE void thread(void)
{
    for (;;) {
        receive();
        thread_entry();
        copy_words(cells, 64);
        idle();
    }
}

void _start(void)
{
    thread();
}
