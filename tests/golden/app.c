/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What kernel.elf has loaded in the golden reports on several images: never
 * run, only looked at, and committed as app.elf for the same reason. It was
 * made by
 *
 *     gcc -g -O1 -ffreestanding -fno-omit-frame-pointer -fpie -static-pie \
 *         -fno-asynchronous-unwind-tables -fcf-protection=none -nostdlib \
 *         -fdebug-prefix-map=$PWD=/app -Wl,-e,app_main \
 *         -Wl,--build-id=0xaabbccddeeff00112233445566778899aabbccdd \
 *         -Wl,-z,noseparate-code,-z,max-page-size=4096 app.c -o app.elf
 */
#define HERE __attribute__((noinline, noclone, used))

static volatile unsigned long requests[16];

/* The kernel has a function of this name, too. */
HERE unsigned long walk(unsigned long depth)
{
    unsigned long sum = depth;

    while (depth-- > 0)
        sum += requests[depth & 15];
    return sum;
}

HERE void handle(unsigned long number)
{
    requests[number & 15] = walk(number);
}

HERE void app_main(void)
{
    for (;;)
        handle(requests[0]++);
}

/* Its call is the last of the code: what it returns to is in no image. */
__asm__(".pushsection .text.last, \"ax\"\n"
        ".type app_exit, @function\n"
        "app_exit:\n"
        "    push %rbp\n"
        "    mov %rsp, %rbp\n"
        "    call handle\n"
        ".size app_exit, . - app_exit\n"
        ".popsection\n");
