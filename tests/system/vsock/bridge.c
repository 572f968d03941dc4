/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes, sockets and recordings; see bridge.h. */
#include "bridge.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "guest/pipeline.h"
#include "run_alone.h"

#define ARGS_MAX   32
#define ANSWER_MS  5000 /* for the line after CONNECT */
#define PATH_BYTES 100
#define PATHS_MAX  64

char bridge_vhost_path[PATH_BYTES], bridge_uds_path[PATH_BYTES];

static char dir[] = "/tmp/tprof-vsock-XXXXXX";
static pid_t owner; /* of (dir): it outlives the test cases */

const char *bridge_path(const char *name)
{
    static char paths[PATHS_MAX][PATH_BYTES];
    static size_t count;
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%.40s/%.50s", dir, name);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(paths[i], path) == 0)
            return paths[i];
    }
    CHECK(count < PATHS_MAX);
    memcpy(paths[count], path, sizeof path);
    return paths[count++];
}

static void remove_dir(void)
{
    struct dirent *entry;

    if (getpid() != owner)
        return;
    DIR *d = opendir(dir);

    while (d != NULL && (entry = readdir(d)) != NULL)
        unlink(bridge_path(entry->d_name));
    if (d != NULL)
        closedir(d);
    rmdir(dir);
}

/* Before any case, in the process that waits for them all. */
__attribute__((constructor)) static void make_dir(void)
{
    owner = getpid();
    if (mkdtemp(dir) == NULL)
        perror(dir);
    snprintf(bridge_vhost_path, PATH_BYTES, "%s/vhost", dir);
    snprintf(bridge_uds_path, PATH_BYTES, "%s/vsock", dir);
    atexit(remove_dir);
}

/* --- Processes -------------------------------------------------------------
 */

/* Run (argv) with its output in (log), or where ours goes. */
static pid_t start(const char *const *argv, const char *log)
{
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (log != NULL) {
        int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
            dup2(fd, STDERR_FILENO) < 0)
            _exit(126);
        close(fd);
    }
    execv(argv[0], (char *const *)(uintptr_t)argv);
    perror(argv[0]);
    _exit(127);
}

unsigned process_fds(pid_t pid)
{
    char path[64];
    unsigned count = 0;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *d = opendir(path);

    CHECK(d != NULL);
    while (readdir(d) != NULL)
        count++;
    closedir(d);
    return count - 2; /* . and .. */
}

uint64_t process_kib(pid_t pid)
{
    char path[64];
    unsigned long all, resident;

    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");

    CHECK(f != NULL);
    CHECK_EQ(fscanf(f, "%lu %lu", &all, &resident), 2);
    fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

bool process_lives(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};

    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0);
    return info.si_pid == 0;
}

void process_kill(pid_t pid)
{
    CHECK(kill(pid, SIGKILL) == 0);
    CHECK(waitpid(pid, NULL, 0) == pid);
}

int process_wait(pid_t pid, int ms)
{
    uint64_t end = host_now_ms() + (uint64_t)ms;
    int status;

    while (process_lives(pid)) {
        if (host_now_ms() > end)
            check_failed(__FILE__, __LINE__, "process %d does not end",
                         (int)pid);
        host_sleep_ms(5);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* --- The bridge and the guest ----------------------------------------------
 */

/* Does somebody listen on (path)? To try it would be to be taken for QEMU. */
static bool is_listening(const char *path)
{
    char line[512];
    bool found = false;
    FILE *f = fopen("/proc/net/unix", "r");

    CHECK(f != NULL);
    while (!found && fgets(line, sizeof line, f) != NULL) {
        /* the fourth word is the flags; a listener has this one */
        found =
            strstr(line, path) != NULL && strstr(line, " 00010000 ") != NULL;
    }
    fclose(f);
    return found;
}

pid_t bridge_start(void)
{
    char cid[16];
    const char *argv[] = {VSOCK_COLLECTOR,   "bridge", "--vhost-user",
                          bridge_vhost_path, "--uds",  bridge_uds_path,
                          "--cid",           cid,      NULL};
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;

    snprintf(cid, sizeof cid, "%d", BRIDGE_GUEST_CID);
    unlink(bridge_vhost_path);
    unlink(bridge_uds_path);
    pid_t pid = start(argv, NULL);

    while (!is_listening(bridge_vhost_path) || !is_listening(bridge_uds_path)) {
        CHECK(process_lives(pid));
        CHECK(host_now_ms() < end);
        host_sleep_ms(5);
    }
    return pid;
}

static int connect_agent(void)
{
    return bridge_try(AGENT_PORT);
}

void bridge_boot(struct host *h, const char *elf, const char *const *options)
{
    const char *argv[ARGS_MAX] = {"--vsock", bridge_vhost_path};
    size_t n = 2;

    while (*options != NULL && n < ARGS_MAX - 1)
        argv[n++] = *options++;
    host_init(h);
    h->connect = connect_agent;
    host_boot_without_port(h, elf, argv);
}

int bridge_dial(const char *path)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(sock >= 0);
    memcpy(addr.sun_path, path, strlen(path));
    if (connect(sock, (struct sockaddr *)&addr, sizeof addr) == 0)
        return sock;
    close(sock);
    return -1;
}

int bridge_try(uint32_t port)
{
    char line[32];
    int sock = bridge_dial(bridge_uds_path);
    size_t len = (size_t)snprintf(line, sizeof line, "CONNECT %u\n", port);

    if (sock < 0)
        return -1;
    if (send(sock, line, len, MSG_NOSIGNAL) != (ssize_t)len)
        goto fail;
    /* byte by byte: what comes behind the line is the guest's */
    for (size_t i = 0; i < sizeof line; i++) {
        struct pollfd p = {.fd = sock, .events = POLLIN};

        if (poll(&p, 1, ANSWER_MS) != 1 || recv(sock, &line[i], 1, 0) != 1)
            goto fail;
        if (line[i] != '\n')
            continue;
        if (strncmp(line, "OK ", 3) == 0)
            return sock;
        break;
    }
fail:
    close(sock);
    return -1;
}

int bridge_connect(uint32_t port)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;
    int sock;

    while ((sock = bridge_try(port)) < 0) {
        if (host_now_ms() > end)
            check_failed(__FILE__, __LINE__, "nobody at port %u", port);
        host_sleep_ms(10);
    }
    return sock;
}

void bridge_write(int sock, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    while (size > 0) {
        ssize_t n = send(sock, at, size, MSG_NOSIGNAL);

        CHECK(n > 0);
        at += n;
        size -= (size_t)n;
    }
}

void bridge_read(int sock, void *bytes, size_t size)
{
    uint8_t *at = bytes;

    while (size > 0) {
        struct pollfd p = {.fd = sock, .events = POLLIN};

        CHECK(poll(&p, 1, HOST_PATIENCE_MS) == 1);
        ssize_t n = recv(sock, at, size, 0);

        CHECK(n > 0);
        at += n;
        size -= (size_t)n;
    }
}

void bridge_wait_close(int sock)
{
    uint8_t byte;
    struct pollfd p = {.fd = sock, .events = POLLIN};

    CHECK(poll(&p, 1, HOST_PATIENCE_MS) == 1);
    CHECK(recv(sock, &byte, 1, 0) <= 0);
    close(sock);
}

uint8_t bridge_pattern(uint32_t seed, uint64_t at)
{
    return (uint8_t)(((uint32_t)at * 2654435761u + seed * 40503u) >> 24);
}

void bridge_echo(int sock, uint32_t seed, size_t size)
{
    uint8_t *out = malloc(size), *in = malloc(size);

    CHECK(out != NULL && in != NULL);
    for (size_t i = 0; i < size; i++)
        out[i] = bridge_pattern(seed, i);
    pid_t writer = fork(); /* or both sides would wait for credit */

    CHECK(writer >= 0);
    if (writer == 0) {
        bridge_write(sock, out, size);
        shutdown(sock, SHUT_WR);
        _exit(0);
    }
    bridge_read(sock, in, size);
    CHECK_MEM(in, out, size);
    CHECK_EQ(process_wait(writer, HOST_PATIENCE_MS), 0);
    bridge_wait_close(sock); /* nothing more, and it hangs up, too */
    free(out);
    free(in);
}

void bridge_end_own(struct host *h)
{
    close(bridge_connect(1));
    host_wait_end(h);
}

/* --- The collector ---------------------------------------------------------
 */

/* bridge_path() of (name) with (end) behind it. */
static const char *path_of(const char *name, const char *end)
{
    char whole[64];

    snprintf(whole, sizeof whole, "%s%s", name, end);
    return bridge_path(whole);
}

pid_t collector_start(const char *name, const char *elf,
                      const char *const *options)
{
    const char *argv[ARGS_MAX] = {
        VSOCK_COLLECTOR, "record", "--vsock-uds", bridge_uds_path,
        "--elf",         elf,      "-o",          path_of(name, ".tprof")};
    size_t n = 8;

    while (*options != NULL && n < ARGS_MAX - 1)
        argv[n++] = *options++;
    unlink(argv[7]);
    return start(argv, path_of(name, ".log"));
}

const char *collector_recording(const char *name)
{
    return path_of(name, ".tprof");
}

long collector_recorded(const char *name)
{
    struct stat s;

    return stat(collector_recording(name), &s) == 0 ? (long)s.st_size : 0;
}

bool collector_said(const char *name, const char *words)
{
    char line[1024];
    bool said = false;
    FILE *f = fopen(path_of(name, ".log"), "r");

    while (f != NULL && !said && fgets(line, sizeof line, f) != NULL)
        said = strstr(line, words) != NULL;
    if (f != NULL)
        fclose(f);
    return said;
}

static void show_log(const char *name)
{
    char line[1024];
    FILE *f = fopen(path_of(name, ".log"), "r");

    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        printf("%s: %s", name, line);
    if (f != NULL)
        fclose(f);
}

void collector_until_said(const char *name, const char *words)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;

    while (!collector_said(name, words)) {
        if (host_now_ms() > end) {
            show_log(name);
            check_failed(__FILE__, __LINE__, "%s never said: %s", name, words);
        }
        host_sleep_ms(5);
    }
}

void collector_until_recorded(const char *name, long size)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;

    while (collector_recorded(name) < size) {
        if (host_now_ms() > end) {
            show_log(name);
            check_failed(__FILE__, __LINE__, "%s does not record", name);
        }
        host_sleep_ms(5);
    }
}

void collector_end(pid_t pid, const char *name, long size)
{
    collector_until_recorded(name, size);
    CHECK(kill(pid, SIGINT) == 0);
    CHECK_EQ(process_wait(pid, HOST_PATIENCE_MS), 0);
}

/* --- Recordings ------------------------------------------------------------
 */

static struct recorded sum_up(const struct profile *p)
{
    struct recorded r = {
        .least_samples = UINT64_MAX,
        .complete = p->core_count > 0,
        .boots = p->boots,
        .sessions = p->sessions,
    };

    CHECK_EQ(p->health.lost_frames, 0);
    CHECK_EQ(p->health.skipped, 0);
    for (size_t i = 0; i < p->core_count; i++) {
        const struct account *a = &p->cores[i].account;

        CHECK_EQ(a->violations, 0);
        CHECK_EQ(a->lost, 0);
        r.ticks += account_ticks(a);
        r.samples += a->samples;
        if (a->samples < r.least_samples)
            r.least_samples = a->samples;
        r.missed += a->missed;
        r.complete = r.complete && a->complete;
        r.cores++;
    }
    return r;
}

struct recorded recorded_read(const char *name)
{
    const char *path = path_of(name, ".tprof");
    const struct pipeline_config config = {.rate_hz = 0};
    struct recorded r;
    enum pipeline_end end;
    struct err e = {""};
    struct source *source = source_replay(path, &e);
    struct pipeline *p = source ? pipeline_new(source, &config, &e) : NULL;

    if (p == NULL || run_alone(p, 0, -1, &end, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s: %s", path, e.text);
    const struct profile *profile = pipeline_profile(p);

    CHECK(profile != NULL);
    r = sum_up(profile);
    pipeline_free(p);
    return r;
}
