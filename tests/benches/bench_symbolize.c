/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast addresses get their names; bench_symbolize.sh runs it.
 *
 *     bench_symbolize pick ELF N       N addresses, uniform over all functions
 *     bench_symbolize run ELF          names those on standard input, as
 *                                      `addr2line -a -i -f` prints them
 *     bench_symbolize time N COMMAND   seconds of the fastest of N runs
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "image/file/image.h"
#include "image/names/symbolize.h"
#include "util/err.h"

#define MAX_ADDRESSES 1000000u

static struct image *open_image(const char *path)
{
    struct image *img;
    struct err e;

    if (image_open(&img, path, &e) != 0) {
        fprintf(stderr, "%s\n", e.text);
        exit(1);
    }
    return img;
}

static uint64_t draw(uint64_t below)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static int pick(const char *path, unsigned long n)
{
    struct image *img = open_image(path);
    const struct image_text *t = image_text_at(img, 0);

    while (n > 0) {
        uint64_t at = t->address + draw(t->size);

        if (image_find_function(img, at) !=
            NULL) { /* not between two of them */
            printf("0x%" PRIx64 "\n", at);
            n--;
        }
    }
    image_close(img);
    return 0;
}

static void print_chain(uint64_t pc, const struct symbol *s)
{
    printf("0x%016" PRIx64 "\n", pc);
    for (; s != NULL; s = s->inlined_into)
        printf("%s\n%s:%" PRIu32 "\n", s->function,
               s->file != NULL ? s->file : "??", s->line);
}

static int run(const char *path)
{
    static uint64_t pcs[MAX_ADDRESSES];
    struct image *img = open_image(path);
    struct symbolizer *s = symbolizer_new(img, 0);
    char line[64];
    size_t n = 0;

    if (s == NULL)
        return 1;
    while (n < MAX_ADDRESSES && fgets(line, sizeof line, stdin) != NULL)
        pcs[n++] = strtoull(line, NULL, 16);
    symbolizer_prepare(s, pcs, n);
    for (size_t i = 0; i < n; i++)
        print_chain(pcs[i], symbolize(s, pcs[i]));
    symbolizer_free(s);
    image_close(img);
    return 0;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* From before fork to after exit: what somebody waits for. */
static double once(const char *command)
{
    double start = seconds();
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "%s: failed\n", command);
        exit(1);
    }
    return seconds() - start;
}

static int fastest(unsigned long n, const char *command)
{
    double best = 1e9;

    while (n-- > 0) {
        double t = once(command);

        if (t < best)
            best = t;
    }
    printf("%.4f\n", best);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "pick") == 0)
        return pick(argv[2], strtoul(argv[3], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "run") == 0)
        return run(argv[2]);
    if (argc == 4 && strcmp(argv[1], "time") == 0)
        return fastest(strtoul(argv[2], NULL, 10), argv[3]);
    fprintf(stderr, "usage: see the top of bench_symbolize.c\n");
    return 2;
}
