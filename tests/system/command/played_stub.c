/* SPDX-License-Identifier: BSD-2-Clause */
#include "played_stub.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command.h"

#define PC         0x20006eu /* in KERNEL's walk() */
#define RSP        0x201200u /* in its .bss */
#define EFER_LMA   0x400u
#define QEMU_BYTES 608u /* of registers, as QEMU sends them */

/* Bytes of KERNEL at (address), all in one of its segments; its stack and what
 * else is not in the file is 0. Returns whether they are there. */
static bool load(uint64_t address, size_t size, uint8_t *to)
{
    static uint8_t file[65536];
    static size_t file_size;
    Elf64_Ehdr head;

    if (file_size == 0) {
        FILE *f = fopen(KERNEL, "rbe");

        file_size = f != NULL ? fread(file, 1, sizeof file, f) : 0;
        if (file_size < sizeof head)
            _exit(1);
        (void)fclose(f);
    }
    memcpy(&head, file, sizeof head);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr p;

        memcpy(&p, file + head.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type != PT_LOAD || address < p.p_vaddr ||
            address - p.p_vaddr + size > p.p_memsz)
            continue;
        memset(to, 0, size);
        if (p.p_filesz != 0)
            memcpy(to, file + p.p_offset + (address - p.p_vaddr), size);
        return true;
    }
    return false;
}

void stub_put(char *text, size_t at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        static const char digits[] = "0123456789abcdef";
        uint8_t byte = (uint8_t)(value >> 8 * i);

        text[2 * (at + i)] = digits[byte >> 4];
        text[2 * (at + i) + 1] = digits[byte & 15];
    }
}

void stub_registers(char *text)
{
    memset(text, '0', 2 * (size_t)QEMU_BYTES);
    text[2 * (size_t)QEMU_BYTES] = '\0';
    stub_put(text, 7 * 8, RSP);
    stub_put(text, 16 * 8, PC);
    stub_put(text, STUB_EFER, EFER_LMA);
}

static void say_memory(char *text, const char *question)
{
    uint8_t bytes[4096];
    unsigned long address, size;

    memcpy(text, "E14", sizeof "E14");
    if (sscanf(question, "m%lx,%lx", &address, &size) != 2 ||
        size > sizeof bytes || !load(address, size, bytes))
        return;
    for (size_t i = 0; i < size; i++)
        (void)sprintf(text + 2 * i, "%02x", bytes[i]);
}

const char *stub_truth(const char *question)
{
    static char text[STUB_TEXT];

    text[0] = '\0';
    if (strncmp(question, "qSupported", 10) == 0)
        strcpy(text, "PacketSize=1000;vContSupported+;multiprocess+");
    else if (strcmp(question, "qfThreadInfo") == 0)
        strcpy(text, "mp01.01,p01.02");
    else if (strcmp(question, "qsThreadInfo") == 0)
        strcpy(text, "l");
    else if (question[0] == 'g')
        stub_registers(text);
    else if (question[0] == 'm')
        say_memory(text, question);
    else if (question[0] == 'H' || question[0] == 'D')
        strcpy(text, "OK");
    else if (question[0] == STUB_INTERRUPT)
        strcpy(text, "T02thread:p01.01;");
    return text;
}

void stub_send(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);

        if (n <= 0)
            return; /* the collector has gone, and may have said something */
        bytes += n;
        size -= (size_t)n;
    }
}

void stub_say(int fd, const char *body)
{
    char text[STUB_TEXT + 8];
    uint8_t sum = 0;

    for (const char *c = body; *c != '\0'; c++)
        sum = (uint8_t)(sum + (uint8_t)*c);
    stub_send(fd, text,
              (size_t)snprintf(text, sizeof text, "+$%s#%02x", body, sum));
}

bool stub_hear(int fd, char *body, size_t most)
{
    size_t size = 0;
    bool begun = false;
    char c;

    while (read(fd, &c, 1) == 1) {
        if (!begun && c == STUB_INTERRUPT) {
            body[0] = c;
            body[1] = '\0';
            return true;
        }
        if (begun && c == '#') {
            body[size] = '\0';
            char sum[2]; /* two digits */

            return read(fd, &sum[0], 1) == 1 && read(fd, &sum[1], 1) == 1;
        }
        if (begun && size + 1 < most)
            body[size++] = c;
        begun |= c == '$';
    }
    return false;
}
