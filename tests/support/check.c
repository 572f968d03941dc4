/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs test cases, one process each; see check.h. */
#include "check.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_SKIP            77
#define CASE_TIMEOUT_SECONDS 120

static struct check_case *first_case;
static struct check_case **last_link = &first_case;

void check_add(struct check_case *c)
{
    *last_link = c;
    last_link = &c->next;
}

/* _exit: a case that stops half-way frees nothing, which is no leak to report.
 */
void check_failed(const char *file, int line, const char *fmt, ...)
{
    va_list args;

    printf("%s:%d: check failed: ", file, line);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    _exit(1);
}

void check_skip(const char *fmt, ...)
{
    va_list args;

    printf("SKIP: ");
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    _exit(EXIT_SKIP);
}

void check_eq(const char *file, int line, const char *a_text, long long a,
              const char *b_text, long long b)
{
    if (a != b)
        check_failed(file, line, "%s == %s: %lld (0x%llx) != %lld (0x%llx)",
                     a_text, b_text, a, (unsigned long long)a, b,
                     (unsigned long long)b);
}

void check_str(const char *file, int line, const char *a_text, const char *a,
               const char *b_text, const char *b)
{
    bool same = a && b ? strcmp(a, b) == 0 : a == b;

    if (!same)
        check_failed(file, line, "%s == %s:\n  \"%s\"\n  \"%s\"", a_text,
                     b_text, a ? a : "(NULL)", b ? b : "(NULL)");
}

void check_mem(const char *file, int line, const char *a_text, const void *a,
               const char *b_text, const void *b, size_t len)
{
    const unsigned char *x = a;
    const unsigned char *y = b;

    for (size_t i = 0; i < len; i++)
        if (x[i] != y[i])
            check_failed(file, line, "%s == %s: byte %zu: 0x%02x != 0x%02x",
                         a_text, b_text, i, (unsigned)x[i], (unsigned)y[i]);
}

/* Returns the case's exit status; 1 for one that was killed. */
static int run_case(const struct check_case *c)
{
    int status;

    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0) {
        perror("fork");
        return 1;
    }
    if (pid == 0) {
        alarm(CASE_TIMEOUT_SECONDS);
        c->run();
        exit(0); /* not _exit: the leak check runs at exit */
    }
    if (waitpid(pid, &status, 0) != pid) {
        perror("waitpid");
        return 1;
    }
    if (WIFSIGNALED(status)) {
        printf("killed by signal %d (%s)\n", WTERMSIG(status),
               strsignal(WTERMSIG(status)));
        return 1;
    }
    return WEXITSTATUS(status);
}

static bool wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]))
            return true;
    return argc < 2;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    bool list = argc == 2 && strcmp(argv[1], "--list") == 0;

    for (const struct check_case *c = first_case; c; c = c->next) {
        if (list) {
            puts(c->name);
            continue;
        }
        if (!wanted(c->name, argc, argv))
            continue;
        int status = run_case(c);
        if (status == 0)
            passed++;
        else if (status == EXIT_SKIP)
            skipped++;
        else
            failed++;
        printf("%-4s %s\n",
               status == 0           ? "ok"
               : status == EXIT_SKIP ? "skip"
                                     : "FAIL",
               c->name);
    }
    if (list)
        return 0;
    if (passed + failed + skipped == 0) {
        printf("no case matches\n");
        return 1;
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed ? 1 : skipped ? EXIT_SKIP : 0;
}
