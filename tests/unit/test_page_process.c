/* SPDX-License-Identifier: BSD-2-Clause */
/* The process of collector serve that has a guest's page written, and the
 * processes that write pages. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "fleet/serve/web_process.h"
#include "fleet/web/reports.h"
#include "guard/descriptor.h"

static const char *paths[] = {"a.elf", "b.elf"};
static struct serve_images images = {.paths = paths, .count = 2};
static struct status *status;
static char text[4096];

/* Descriptors of this process other than the standard ones. */
static int descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    int count = -1; /* the folder itself */

    CHECK(folder != NULL);
    while ((entry = readdir(folder)) != NULL)
        count += entry->d_name[0] != '.' && atoi(entry->d_name) > 2;
    (void)closedir(folder);
    return count;
}

/* Parts of this process's memory that other processes see change. */
static int shared_parts(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    int count = 0;

    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL)
        count += strstr(line, " rw-s ") != NULL;
    (void)fclose(maps);
    return count;
}

/* Write a page that says what was asked and what its process has. */
static int describe(const struct serve_page *page)
{
    (void)printf("%s %s %s %s %s code %d:", page->spool, page->guest,
                 page->since, page->until != NULL ? page->until : "now",
                 page->build != NULL ? page->build : "any", page->has_code);
    for (size_t i = 0; i < page->elf_count; i++)
        (void)printf(" %s", page->elfs[i]);
    (void)printf("; %d descriptors, %d shared", descriptors(), shared_parts());
    return 0;
}

/* Write a page unless there are images. */
static int refuse_images(const struct serve_page *page)
{
    (void)printf("page with %zu images%s", page->elf_count,
                 page->elf_count != 0 ? " of another build" : "");
    (void)fputs(page->elf_count != 0 ? "of another build\n" : "", stderr);
    return page->elf_count != 0;
}

static int refuse(const struct serve_page *page)
{
    (void)fprintf(stderr, "no windows of %s", page->guest);
    return 1;
}

/* Ask for a page of the guest "web", which (write) writes. The text of the
 * answer is in (text). Returns whether it is a page. */
static bool ask(struct serve_config *o,
                int (*write)(const struct serve_page *page))
{
    const struct reports_question q = {.guest = "web", .since = "-1h"};
    struct reports_answer a;
    int ends[2], fd = -1;
    pid_t child;

    o->spool = "spool";
    o->listen = "127.0.0.1:1";
    o->write_page = write;
    CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        page_process_run(o, status, &images, ends[1]);
        _exit(0);
    }
    (void)close(ends[1]);
    CHECK_EQ(descriptor_send(ends[0], &q, sizeof q, -1), 0);
    CHECK_EQ(descriptor_receive(ends[0], &a, sizeof a, &fd), (ssize_t)sizeof a);
    ssize_t size = pread(fd, text, sizeof text - 1, 0);

    CHECK(size >= 0);
    text[size] = '\0';
    (void)close(fd);
    (void)close(ends[0]);
    CHECK_EQ(waitpid(child, NULL, 0), child);
    return a.done;
}

static void begin(void)
{
    struct err e;

    status = status_new(2, 0, &e);
    CHECK(status != NULL);
    status_put(status, 1,
               &(struct status_guest){
                   .name = "web", .state = STATUS_SAMPLING, .images = {2}});
}

/* Catches: a process that is taken over by a window and speaks to clients,
 * guests or the collector by an inherited descriptor or by shared memory */
TEST(page_is_written_by_a_process_that_has_nothing_else)
{
    struct serve_config o = {.shows_code = true};

    begin();
    CHECK(dup(STDOUT_FILENO) > 2);
    CHECK(ask(&o, describe));
    CHECK_STR(text, "spool web -1h now any code 1: b.elf; 0 descriptors, 0 "
                    "shared");
    o.shows_code = false;
    CHECK(ask(&o, describe));
    CHECK(strstr(text, "code 0: b.elf;") != NULL);
    status_free(status);
}

/* Catches: half of a refused page, the refusal of an earlier try */
TEST(page_is_tried_again_without_images)
{
    struct serve_config o = {.shows_code = true};

    begin();
    CHECK(ask(&o, refuse_images));
    CHECK_STR(text, "page with 0 images");
    CHECK(!ask(&o, refuse));
    CHECK_STR(text, "no windows of web");
    status_free(status);
}
