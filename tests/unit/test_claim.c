/* SPDX-License-Identifier: BSD-2-Clause */
/* Output files where no new file can be created: what was there stays. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/claim.h"

static char folder[] = "/tmp/tprof-claim-XXXXXX";
static bool full; /* no file can be created */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;

    va_end(args);
    if (!full || (flags & O_CREAT) == 0 || access(path, F_OK) == 0)
        return __real_open(path, flags, mode);
    errno = EDQUOT;
    return -1;
}

static void remove_folder(void)
{
    char command[64];

    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(command) != 0)
        perror(folder);
}

static void write_bytes(const char *path, char byte, int size)
{
    FILE *f = fopen(path, "w");

    CHECK(f != NULL);
    for (int i = 0; i < size; i++)
        (void)fputc(byte, f);
    CHECK_EQ(fclose(f), 0);
}

static void check_file(const char *path, char byte, off_t size)
{
    struct stat st;
    FILE *f = fopen(path, "r");

    CHECK(f != NULL && fgetc(f) == byte);
    CHECK(fstat(fileno(f), &st) == 0 && st.st_size == size);
    (void)fclose(f);
}

static void claim_on_full_disk(const char *path)
{
    struct err e = {""};

    claim_force();
    full = true;
    CHECK_EQ(claim_file(path, 0600, CLAIM_RECORDING, &e), -1);
    CHECK_STR(e.text + strlen(e.text) - 19, "Disk quota exceeded");
    full = false;
}

TEST(recording_stays_if_no_new_file_can_be_created) /* catches: it is gone */
{
    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    CHECK_EQ(atexit(remove_folder), 0);
    write_bytes("large", 'l', 5000);
    claim_on_full_disk("large");
    check_file("large", 'l', 5000);
    CHECK(access("large.old", F_OK) != 0);

    write_bytes("small", 's', 20);
    write_bytes("small.old", 'o', 5000);
    claim_on_full_disk("small");
    check_file("small", 's', 20);
    check_file("small.old", 'o', 5000);
}

TEST(small_file_leaves_nothing_but_its_copy) /* catches: a file under two names
                                              */
{
    struct err e = {""};
    struct stat before, st;

    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    CHECK_EQ(atexit(remove_folder), 0);
    write_bytes("small", 's', 20);
    write_bytes("small.old", 'o', 5000);
    claim_force();
    int held = open("small", O_RDONLY);
    int fd = claim_file("small", 0600, CLAIM_RECORDING, &e);

    CHECK(fd >= 0 && fstat(held, &before) == 0 && before.st_nlink == 0);
    CHECK(stat("small", &st) == 0 && st.st_size == 0);
    CHECK_EQ(claim_undo("small"), 0);
    check_file("small", 's', 20);
    check_file("small.old", 'o', 5000);
    (void)close(fd);
    (void)close(held);
}
