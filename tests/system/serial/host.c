/* SPDX-License-Identifier: BSD-2-Clause */
/* The process of the guest, the socket, and what is said; see host.h. */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "hear.h"
#include "profile/decode/decode.h"
#include "util/crc.h"

#define PATH_SIZE 256
#define ARGS_MAX  48
#define EXIT_SKIP 77
#define NUDGE_MS  300

static char dir[] = "/tmp/tprof-whole-XXXXXX";
static pid_t owner; /* of (dir): it outlives the test cases */

static const char *const names[] = {"socket", "pid",   "console",
                                    "record", "extra", "memory"};

static void remove_dir(void)
{
    char path[PATH_SIZE];

    if (getpid() != owner)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

/* Before any case, in the process that waits for them all. */
__attribute__((constructor)) static void make_dir(void)
{
    owner = getpid();
    if (mkdtemp(dir) == NULL)
        perror(dir);
    atexit(remove_dir);
}

const char *host_path(const char *name)
{
    static char paths[sizeof names / sizeof *names][PATH_SIZE];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        snprintf(paths[i], sizeof paths[i], "%s/%s", dir, name);
        return paths[i];
    }
    check_failed(__FILE__, __LINE__, "%s would not be removed", name);
}

uint32_t host_draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

uint64_t host_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void host_sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

void host_init(struct host *h)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* with the process that runs all cases */
    memset(h, 0, sizeof *h);
    h->sock = -1;
    h->socket_path = host_path("socket");
    h->pid_path = host_path("pid");
    h->console_path = host_path("console");
    h->record_path = host_path("record");
    unlink(h->socket_path);
    unlink(h->pid_path);
    h->record = open(h->record_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(h->record >= 0);
    h->decode = decode_new(&host_events, h);
    CHECK(h->decode != NULL);
}

/* --- The guest's process ------------------------------------------------- */

static void exec_boot(const struct host *h, const char *const *argv)
{
    int fd = open(h->console_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    /* boot hands the signal on to QEMU */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
        execv(argv[0], (char *const *)(uintptr_t)argv);
    perror(argv[0]);
    _exit(127);
}

static void boot(struct host *h, const char *elf, const char *const *options,
                 bool has_port)
{
    const char *argv[ARGS_MAX] = {SERIAL_BOOT, "--pidfile", h->pid_path};
    size_t n = 3;

    if (has_port) {
        argv[n++] = "--serial";
        argv[n++] = h->socket_path;
    }
    h->cores = 1;
    for (; *options != NULL && strcmp(*options, "--") != 0; options++) {
        if (strcmp(argv[n - 1], "--cpus") == 0)
            h->cores = (uint32_t)strtoul(*options, NULL, 10);
        h->is_icount |= strcmp(*options, "--icount") == 0;
        argv[n++] = *options;
    }
    argv[n++] = elf;
    while (*options != NULL && n < ARGS_MAX - 1)
        argv[n++] = *options++;
    argv[n] = NULL;
    h->boot = fork();
    CHECK(h->boot >= 0);
    if (h->boot == 0)
        exec_boot(h, argv);
}

void host_boot(struct host *h, const char *elf, const char *const *options)
{
    boot(h, elf, options, true);
}

void host_boot_without_port(struct host *h, const char *elf,
                            const char *const *options)
{
    boot(h, elf, options, false);
}

static void show_console(const struct host *h)
{
    char text[4096];
    FILE *f = fopen(h->console_path, "r");

    if (f == NULL)
        return;
    size_t n = fread(text, 1, sizeof text, f);
    printf("the guest's console:\n%.*s\n", (int)n, text);
    fclose(f);
}

/* Ends the case if the guest has ended, which nobody wanted. */
static void check_alive(struct host *h)
{
    int status;

    if (h->boot <= 0 || waitpid(h->boot, &status, WNOHANG) != h->boot)
        return;
    h->boot = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP)
        SKIP("no qemu-system-x86_64");
    show_console(h);
    check_failed(__FILE__, __LINE__, "the guest has ended: status 0x%x",
                 (unsigned)status);
}

pid_t host_qemu(const struct host *h)
{
    char line[32];
    long pid = 0;
    FILE *f;

    for (int i = 0; i < HOST_PATIENCE_MS / 10 && pid <= 0; i++) {
        f = fopen(h->pid_path, "r");
        if (f != NULL) {
            if (fgets(line, sizeof line, f) != NULL)
                pid = strtol(line, NULL, 10);
            fclose(f);
        }
        if (pid <= 0)
            host_sleep_ms(10);
    }
    CHECK(pid > 0);
    return (pid_t)pid;
}

/*
 * Under icount the thread of QEMU's CPUs takes and drops the big lock so often,
 * and is preempted so often where it has just taken it, that on a loaded
 * machine QEMU's main thread may wait for it for a minute; and without that
 * thread nobody comes or goes. A stop and go lets both try again at once, and
 * the guest's clock, which counts instructions, does not see it.
 */
static void nudge(const struct host *h)
{
    pid_t qemu = h->is_icount && h->boot > 0 ? host_qemu(h) : 0;

    if (qemu > 0 && kill(qemu, SIGSTOP) == 0)
        kill(qemu, SIGCONT);
}

void host_kill(struct host *h)
{
    CHECK(kill(host_qemu(h), SIGKILL) == 0);
    CHECK(waitpid(h->boot, NULL, 0) == h->boot);
    h->boot = 0;
}

void host_wait_end(struct host *h)
{
    int status = 0;

    CHECK(waitpid(h->boot, &status, 0) == h->boot);
    h->boot = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP)
        SKIP("no qemu-system-x86_64");
    if (status != 0)
        show_console(h);
    CHECK_EQ(status, 0);
}

uint64_t host_console(const struct host *h, const char *start, const char *word)
{
    char line[1024], key[64];
    FILE *f = fopen(h->console_path, "r");
    const char *at = NULL;

    CHECK(f != NULL);
    snprintf(key, sizeof key, " %s ", word);
    while (at == NULL && fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, start, strlen(start)) == 0)
            at = strstr(line, key + (strcmp(start, word) == 0));
    }
    fclose(f);
    if (at == NULL)
        show_console(h);
    CHECK(at != NULL);
    return at ? strtoull(at + strcspn(at, "0123456789"), NULL, 10) : 0;
}

/* --- The socket ---------------------------------------------------------- */

/* To QEMU's socket of the port tprof.0. Returns -1 when it is not there. */
static int connect_port(const struct host *h)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int sock = socket(AF_UNIX, SOCK_STREAM, 0);

    CHECK(strlen(h->socket_path) < sizeof addr.sun_path);
    memcpy(addr.sun_path, h->socket_path, strlen(h->socket_path));
    CHECK(sock >= 0);
    if (connect(sock, (struct sockaddr *)&addr, sizeof addr) == 0)
        return sock;
    close(sock);
    return -1;
}

void host_attach(struct host *h)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;

    h->seq = 0;
    do {
        h->sock = h->connect != NULL ? h->connect() : connect_port(h);
        if (h->sock >= 0)
            return;
        check_alive(h);
        host_sleep_ms(10);
    } while (host_now_ms() < end);
    check_failed(__FILE__, __LINE__, "no connection to the guest: %s",
                 strerror(errno));
}

/* A frame that is cut must not wait for bytes of the next session. */
void host_detach(struct host *h)
{
    close(h->sock);
    h->sock = -1;
    host_end(h);
}

bool host_send_bytes(struct host *h, const void *bytes, size_t size)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;
    const uint8_t *at = bytes;

    while (size > 0 && host_now_ms() < end) {
        struct pollfd p = {.fd = h->sock, .events = POLLOUT};

        if (poll(&p, 1, 100) != 1)
            continue;
        ssize_t n = send(h->sock, at, size, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0 && errno != EAGAIN)
            return false;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return size == 0;
}

/* A frame to the guest (WIRE.md 2, 7). */
struct message {
    uint8_t bytes[128];
    size_t size;
};

static void put(struct message *m, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        m->bytes[m->size++] = (uint8_t)(value >> 8 * i);
}

static void put_field(struct message *m, uint32_t tag, uint64_t value)
{
    put(m, tag, 1);
    put(m, sizeof value, 1);
    put(m, value, sizeof value);
}

static struct message begin(const struct host *h, uint32_t type)
{
    struct message m = {.size = 0};

    put(&m, WIRE_MAGIC, 2);
    put(&m, type, 1);
    put(&m, 0, 1);
    put(&m, h->seq, 2);
    put(&m, 0, 2);
    return m;
}

static void say(struct host *h, struct message *m)
{
    size_t body = m->size - WIRE_FRAME_HEADER;

    m->bytes[WIRE_FRAME_LENGTH] = (uint8_t)body;
    put(m, crc32c(m->bytes, m->size), 4);
    h->seq++;
    CHECK(host_send_bytes(h, m->bytes, m->size));
}

void host_start(struct host *h, uint32_t rate_hz, uint32_t depth,
                uint64_t period)
{
    struct message m = begin(h, WIRE_START);

    if (rate_hz)
        put_field(&m, WIRE_CONTROL_RATE_HZ, rate_hz);
    if (depth)
        put_field(&m, WIRE_CONTROL_DEPTH, depth);
    if (period)
        put_field(&m, WIRE_CONTROL_PERIOD_TSC, period);
    say(h, &m);
}

void host_stop(struct host *h)
{
    struct message m = begin(h, WIRE_STOP);

    for (int i = 0; i < HOST_CORES_MAX; i++)
        h->core[i].final = false;
    say(h, &m);
}

void host_reset(struct host *h)
{
    struct message m = begin(h, WIRE_RESET);

    say(h, &m);
}

void host_ping(struct host *h, uint64_t cookie)
{
    struct message m = begin(h, WIRE_PING);

    put_field(&m, WIRE_PING_COOKIE, cookie);
    say(h, &m);
}

void host_send_junk_frame(struct host *h, uint64_t *random)
{
    static const uint8_t types[] = {WIRE_START, WIRE_PING, WIRE_RESET, 77};
    uint64_t x = *random = *random * 6364136223846793005u + 1;
    struct message m = begin(h, types[x >> 60 & 3]);

    for (uint32_t i = 0; i < (x >> 40) % 90; i++)
        put(&m, (x >> i % 50) * 0x9e37u >> 7, 1);
    say(h, &m);
}

/* --- Listening ----------------------------------------------------------- */

static void feed(struct host *h, const void *bytes, size_t size)
{
    struct err e = {""};

    h->bytes += size;
    CHECK_EQ(write(h->record, bytes, size), size);
    if (decode_feed(h->decode, bytes, size, &e) != 0)
        check_failed(__FILE__, __LINE__, "%s", e.text);
}

size_t host_hear(struct host *h, int ms, size_t max)
{
    static uint8_t bytes[1 << 16];
    uint64_t end = host_now_ms() + (uint64_t)ms;
    size_t heard = 0;

    for (;;) {
        uint64_t now = host_now_ms();
        struct pollfd p = {.fd = h->sock, .events = POLLIN};
        size_t want = sizeof bytes;

        if (max && max - heard < want)
            want = max - heard;
        if (now > end || want == 0)
            return heard;
        if (poll(&p, 1, (int)(end - now)) != 1)
            continue;
        ssize_t n = recv(h->sock, bytes, want, 0);

        if (n <= 0) { /* the guest is gone: its bytes are all here */
            host_detach(h);
            return heard;
        }
        feed(h, bytes, (size_t)n);
        heard += (size_t)n;
        if (ms == 0)
            return heard;
    }
}

void host_end(struct host *h)
{
    struct err e = {""};

    CHECK_EQ(decode_end(h->decode, &e), 0);
}

void host_read_file(struct host *h, const char *path, size_t from)
{
    static uint8_t bytes[1 << 16];
    int fd = open(path, O_RDONLY);
    ssize_t n;

    CHECK(fd >= 0);
    CHECK(lseek(fd, (off_t)from, SEEK_SET) == (off_t)from);
    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        feed(h, bytes, (size_t)n);
    close(fd);
    host_end(h);
}

/* One more look at what comes, for (ms) at most. False: nothing came. */
static bool hear_next(struct host *h, int ms)
{
    struct pollfd p = {.fd = h->sock, .events = POLLIN};

    for (int i = 0; h->sock < 0 && i < HOST_PATIENCE_MS / 10; i++) {
        check_alive(h); /* no socket: the guest is about to end */
        host_sleep_ms(10);
    }
    CHECK(h->sock >= 0);
    if (poll(&p, 1, ms) == 1)
        return host_hear(h, 0, 0) > 0;
    check_alive(h);
    return false;
}

void host_until(struct host *h, host_condition is_true, uint64_t value)
{
    uint64_t end = host_now_ms() + HOST_PATIENCE_MS;

    while (!is_true(h, value)) {
        if (host_now_ms() > end) {
            show_console(h);
            host_print(h);
            check_failed(__FILE__, __LINE__, "what was waited for never came");
        }
        if (!hear_next(h, NUDGE_MS))
            nudge(h);
    }
}

void host_meet(struct host *h)
{
    uint64_t hellos = h->hellos;

    host_attach(h);
    host_until(h, host_has_hellos, hellos + 1);
}

/* A HELLO that was meant for the host before may come first: then the agent
 * has not seen us yet, and what we say is lost. It says HELLO again. */
static bool is_answered(const struct host *h, uint64_t statuses)
{
    return h->status_count > statuses || h->hellos > h->hellos_answered;
}

void host_begin(struct host *h, uint32_t rate_hz, uint32_t depth,
                uint64_t period)
{
    uint64_t statuses = h->status_count;

    while (h->status_count == statuses) {
        h->hellos_answered = h->hellos;
        host_start(h, rate_hz, depth, period);
        host_until(h, is_answered, statuses);
    }
}

static bool has_stopped(const struct host *h, uint64_t statuses)
{
    return h->status_count > statuses && h->status.state == WIRE_STATE_STOPPED;
}

/* A core to which this machine gives nothing for three eighths of a second is
 * taken for gone, and its last STATS are not final (control.c): a STOP that
 * comes later finds it again. */
void host_finish(struct host *h)
{
    for (int i = 0; i < 20 && (i == 0 || !host_has_finals(h, 0)); i++) {
        uint64_t statuses = h->status_count;

        host_stop(h);
        host_until(h, has_stopped, statuses);
    }
    CHECK(host_has_finals(h, 0));
}

static uint64_t guest_now(const struct host *h)
{
    uint64_t now = 0;

    for (int i = 0; i < HOST_CORES_MAX; i++) {
        if (h->core[i].last_tsc > now)
            now = h->core[i].last_tsc;
    }
    return now;
}

static bool is_guest_time(const struct host *h, uint64_t tsc)
{
    return guest_now(h) >= tsc;
}

void host_hear_guest_time(struct host *h, double seconds)
{
    CHECK(h->guest.tsc_hz > 0);
    host_until(h, host_has_samples, 1);
    host_until(h, is_guest_time,
               guest_now(h) + (uint64_t)(seconds * (double)h->guest.tsc_hz));
}
