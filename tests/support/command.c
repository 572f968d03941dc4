/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct wiregen wire;

/* The folder */

/* So long that a report breaks its lines before a path in it, not after. */
static char dir[] = "/tmp/test_collector_command.XXXXXX";

static void remove_dir(void)
{
    char command[64];

    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    if (chdir("/") != 0 || system(command) != 0)
        perror(dir);
}

void enter_dir(void)
{
    CHECK(mkdtemp(dir) != NULL && chdir(dir) == 0);
    CHECK_EQ(atexit(remove_dir), 0);
}

const char *bytes_of(const char *name, size_t *size)
{
    static char bytes[1 << 20];
    FILE *f = fopen(name, "r");

    CHECK(f != NULL);
    *size = fread(bytes, 1, sizeof bytes - 1, f);
    bytes[*size] = '\0';
    fclose(f);
    return bytes;
}

const char *text_of(const char *name)
{
    size_t size;

    return bytes_of(name, &size);
}

void write_file(const char *name, const void *bytes, size_t size)
{
    char fresh[32]; /* guests are processes of their own, in one folder */
    FILE *f;

    (void)snprintf(fresh, sizeof fresh, "new.%d", (int)getpid());
    f = fopen(fresh, "w");
    CHECK(f != NULL && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
    CHECK_EQ(rename(fresh, name), 0);
}

void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

bool contains(const char *name, const char *what)
{
    return strstr(text_of(name), what) != NULL;
}

int occurrences(const char *name, const char *what)
{
    int n = 0;

    for (const char *at = text_of(name); (at = strstr(at, what)); at++)
        n++;
    return n;
}

void check_contains(const char *file, int line, const char *name,
                    const char *what)
{
    if (!contains(name, what))
        check_failed(file, line, "%s has no '%s', but: %s", name, what,
                     text_of(name));
}

static long size_of(const char *name)
{
    FILE *f = fopen(name, "r");
    long size = 0;

    if (f == NULL)
        return 0;
    if (fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    fclose(f);
    return size;
}

void wait_for_size(const char *name, long size)
{
    for (int i = 0; i < 1000; i++) {
        if (size_of(name) >= size)
            return;
        (void)poll(NULL, 0, 10);
    }
    check_failed(__FILE__, __LINE__, "%s did not grow", name);
}

const char *status_of(pid_t pid)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return text_of(path);
}

pid_t parent_of(pid_t pid)
{
    char path[64], text[512] = "";
    const char *behind;
    int fd;

    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (read(fd, text, sizeof text - 1) < 0)
        text[0] = '\0';
    (void)close(fd);
    behind = strrchr(text, ')'); /* of the name */
    return behind == NULL || behind[2] == 'Z'
               ? 0
               : (pid_t)strtol(behind + 4, NULL, 10);
}

int grandchildren_of(pid_t pid, pid_t *list, int most)
{
    DIR *proc = opendir("/proc");
    const struct dirent *entry;
    int count = 0;

    CHECK(proc != NULL);
    while ((entry = readdir(proc)) != NULL && count < most) {
        pid_t of = (pid_t)strtol(entry->d_name, NULL, 10);
        pid_t parent = of > 0 ? parent_of(of) : 0;

        if (parent > 1 && parent_of(parent) == pid)
            list[count++] = of;
    }
    (void)closedir(proc);
    return count;
}

/* The collector */

bool has_landlock(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
}

int split_words(char *line, char **argv, int most)
{
    int argc = 0;

    for (char *w = strtok(line, " "); w != NULL; w = strtok(NULL, " ")) {
        CHECK(argc < most);
        argv[argc++] = w;
    }
    return argc;
}

static int output_file(const char *name)
{
    return open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

/* Where the kernel has no Landlock, each command says so: that is not what
 * cases look for. */
static const char *mode_for(const char *line)
{
    bool chosen = strstr(line, "--sandbox") != NULL;

    return chosen || has_landlock() ? "" : " --sandbox=off";
}

/* Standard error at (terminal), and if (all) the others, too. */
static void lead(int terminal, bool all)
{
    dup2(all ? terminal : output_file("out"), STDOUT_FILENO);
    dup2(terminal >= 0 ? terminal : output_file("err"), STDERR_FILENO);
    if (all)
        dup2(terminal, STDIN_FILENO);
}

static pid_t start(const char *line, int terminal, bool traced)
{
    char copy[512];
    char *argv[64] = {(char[]){"collector"}};

    CHECK(snprintf(copy, sizeof copy, "%s%s", line, mode_for(line)) <
          (int)sizeof copy);
    split_words(copy, argv + 1, 62);
    fflush(stdout);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        lead(terminal, traced && terminal >= 0);
        if (terminal < 0) /* checks look for sentences, and not for lines */
            (void)setenv("COLUMNS", "100", 0);
        alarm(30);
        if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(98);
        execv(COLLECTOR, argv);
        _exit(99);
    }
    return pid;
}

pid_t start_collector_at(const char *line, int terminal)
{
    return start(line, terminal, false);
}

pid_t start_stopped_collector(const char *line, int terminal)
{
    return start(line, terminal, true);
}

pid_t start_collector(const char *line)
{
    return start_collector_at(line, -1);
}

int join_collector(pid_t pid)
{
    int status;

    CHECK_EQ(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status))
        check_failed(__FILE__, __LINE__, "the collector's wait status is %x",
                     (unsigned)status);
    return WEXITSTATUS(status);
}

int end_collector(pid_t pid)
{
    CHECK_EQ(kill(pid, SIGTERM), 0);
    return join_collector(pid);
}

int collector(const char *line)
{
    return join_collector(start_collector(line));
}

/* Guests */

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    CHECK_EQ(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_EQ(listen(fd, 8), 0);
    return fd;
}

pid_t start_guest(const char *path, void (*play)(int listener))
{
    int listener = listen_at(path);

    fflush(stdout);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        alarm(30);
        signal(SIGPIPE, SIG_IGN);
        play(listener);
        _exit(0); /* without remove_dir(): the folder is the parent's */
    }
    close(listener);
    return pid;
}

void join_guest(pid_t guest)
{
    int status;

    CHECK_EQ(waitpid(guest, &status, 0), guest);
    CHECK_EQ(status, 0);
}

int meet(int listener)
{
    int fd = accept(listener, NULL, NULL);

    CHECK(fd >= 0);
    return fd;
}

int meet_uds(int listener)
{
    int fd = meet(listener);
    char line[32] = "";

    for (size_t i = 0; i < sizeof line - 1 && !strchr(line, '\n'); i++)
        CHECK_EQ(read(fd, line + i, 1), 1);
    CHECK_STR(line, "CONNECT 7077\n");
    CHECK_EQ(write(fd, "OK 5\n", 5), 5);
    return fd;
}

bool hear(int fd)
{
    char bytes[64];

    return read(fd, bytes, sizeof bytes) > 0;
}

void say(int fd)
{
    CHECK_EQ(write(fd, wire.bytes, wire.size), (ssize_t)wire.size);
    wire.size = 0;
}

void say_hello(int fd, uint8_t boot, const char *build_id)
{
    wiregen_hello(&wire, &(struct wiregen_hello){.boot = boot,
                                                 .cores = 1,
                                                 .tsc_hz = 1000000000,
                                                 .text_start = 0x400000,
                                                 .build_id = build_id});
    say(fd);
}

void say_samples(int fd, uint64_t n, uint64_t before)
{
    struct wiregen_samples s = {.shift = 4, .period = 8000, .epoch = 1};

    wiregen_samples_begin(&wire, &s);
    wiregen_stack(&wire, &(struct wiregen_stack){.id = 1});
    for (uint64_t i = 0; i < n; i++)
        wiregen_short(&wire, 1, 8000, 0x100, 0);
    wiregen_samples_end(&wire, (uint64_t[4]){before + n, 0, 0, 0});
    say(fd);
}

void say_last_words(int fd, uint64_t samples)
{
    wiregen_stats(&wire, &(struct wiregen_stats){
                             .flags = WIRE_STATS_FINAL | WIRE_STATS_STARTED,
                             .counters = {samples, 0, 0, 0}});
    wiregen_open(&wire, WIRE_STATUS);
    wiregen_field(&wire, WIRE_CONTROL_STATE, WIRE_STATE_STOPPED, 1);
    wiregen_close(&wire);
    say(fd);
}

void begin_session(int fd, uint8_t boot, const char *build_id, uint64_t n)
{
    say_hello(fd, boot, build_id);
    CHECK(hear(fd));
    say_samples(fd, n, 0);
}

void end_session(int fd, uint64_t samples)
{
    CHECK(hear(fd));
    say_last_words(fd, samples);
    while (hear(fd))
        continue;
}

void play_in_order(int listener, uint64_t n)
{
    int fd = meet(listener);

    begin_session(fd, 1, NULL, n);
    end_session(fd, n);
}

/* Images */

void copy_image(const char *path, const char *from, const char *old,
                const char *id)
{
    size_t size;
    const char *elf = bytes_of(from, &size);
    const char *at = memmem(elf, size, old, 20);
    char *copy = malloc(size);

    CHECK(at != NULL && copy != NULL);
    memcpy(copy, elf, size);
    if (id != NULL)
        memcpy(copy + (at - elf), id, 20);
    else
        memset(copy + (at - elf) - 4, 'x', 4); /* the note's name, "GNU" */
    write_file(path, copy, size);
    free(copy);
}
