/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A debugger's stub that lies to `collector --gdb`, and a monitor that lies to
 * `collector --qmp`. Both guests run the image KERNEL. Whatever they say, the
 * collector ends within its time, with clear words or samples, needs little
 * memory, and the guest runs afterwards.
 */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "played_stub.h"

#define PATIENCE_S 25    /* that the collector has for all of it */
#define MEMORY_KB  65536 /* that the process at the other end may take */
#define AT_ONCE    8     /* lies */

/* What this process learns of the guest that a child plays. */
static struct seen {
    atomic_bool runs;
    atomic_bool let_go; /* by "D" */
    atomic_long peak_kb;
    atomic_int open; /* of orders whose sender was not confined */
    char order[64];  /* one of these */
} * seen;

static void share(void)
{
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(seen != MAP_FAILED);
}

/* A field of what /proc says of the process at the other end; -1: it has gone.
 */
static long long peer_has(int fd, const char *name, int base)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    char path[32], line[128];
    long long value = -1;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return -1;
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)peer.pid);
    FILE *f = fopen(path, "re");

    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtoll(line + strlen(name), NULL, base);
    if (f != NULL)
        (void)fclose(f);
    return value;
}

static void note_peak(int fd)
{
    long kb = (long)peer_has(fd, "VmHWM:", 10);

    if (kb > seen->peak_kb)
        seen->peak_kb = kb;
}

/* What the guest does at (question). */
static void obey(const char *question)
{
    if (strncmp(question, "vCont;c", 7) == 0)
        seen->runs = true;
    else if (question[0] == 'D')
        seen->runs = seen->let_go = true;
    else if (question[0] == STUB_INTERRUPT)
        seen->runs = false;
}

/* Send (bytes) over and over, every (ms), until the collector goes; and obey it
 * all the while. */
static _Noreturn void flood(int fd, const char *bytes, int ms)
{
    char body[256];

    for (;;) {
        struct pollfd p = {.fd = fd,
                           .events = POLLIN | (ms == 0 ? POLLOUT : 0)};

        if (poll(&p, 1, ms == 0 ? -1 : ms) > 0 && (p.revents & POLLIN) != 0) {
            if (!stub_hear(fd, body, sizeof body))
                _exit(0);
            obey(body);
            note_peak(fd);
            continue;
        }
        if (send(fd, bytes, strlen(bytes), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
            errno != EAGAIN)
            _exit(0);
    }
}

/* Lies */

static void slowly(int fd, const char *question)
{
    (void)question;
    stub_send(fd, "$", 1);
    flood(fd, "0", 300);
}

static void endlessly(int fd, const char *question)
{
    (void)question;
    stub_send(fd, "$", 1);
    flood(fd, "00000000000000000000000000000000", 0);
}

static void by_4_mib(int fd, const char *question)
{
    static char text[4u << 20];

    (void)question;
    memset(text, '0', sizeof text);
    text[0] = '$';
    (void)send(fd, text, sizeof text, MSG_NOSIGNAL); /* or what is taken */
}

static void not_at_all(int fd, const char *question)
{
    (void)fd;
    (void)question;
}

static void with_stops_only(int fd, const char *question)
{
    (void)question;
    flood(fd, "$T02thread:p01.01;#00", 0);
}

static void with_acknowledgements(int fd, const char *question)
{
    (void)question;
    flood(fd, "++++++++++++++++++++++++++++++++", 0);
}

static void in_half(int fd, const char *question)
{
    const char *text = stub_truth(question);

    stub_send(fd, "$", 1);
    stub_send(fd, text, strlen(text) / 2);
    seen->runs = true; /* QEMU's guest has ended with it */
    _exit(0);
}

static void by_an_error(int fd, const char *question)
{
    (void)question;
    stub_say(fd, "E01");
}

static void by_the_end_of_the_guest(int fd, const char *question)
{
    (void)question;
    stub_say(fd, "W00");
}

static void by_too_few(int fd, const char *question)
{
    (void)question;
    stub_say(fd, "00112233445566778899");
}

/* Ten more bytes than were asked for. */
static void by_too_many(int fd, const char *question)
{
    char text[STUB_TEXT + 32];

    (void)snprintf(text, sizeof text, "%s00112233445566778899",
                   stub_truth(question));
    stub_say(fd, text);
}

/* Each "0*~" is 97 zeros. */
static void folded(int fd, const char *question)
{
    char text[8192 - 8];

    (void)question;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "0*~"[i % 3];
    text[sizeof text - 1] = '\0';
    stub_say(fd, text);
}

static void with_a_wrong_checksum(int fd, const char *question)
{
    const char *text = stub_truth(question);

    stub_send(fd, "$", 1);
    stub_send(fd, text, strlen(text));
    stub_send(fd, "#zz", 3);
}

static void with_notifications(int fd, const char *question)
{
    static const char note[] = "%Stop:T05thread:p01.01;#00";

    stub_send(fd, note, sizeof note - 1);
    stub_say(fd, stub_truth(question));
}

static void twice(int fd, const char *question)
{
    stub_say(fd, stub_truth(question));
    stub_say(fd, stub_truth(question));
}

static void by_chance(int fd, const char *question)
{
    char text[STUB_TEXT];
    static uint64_t seed = 1;

    (void)question;
    stub_registers(text);
    for (unsigned i = 0; i < 17; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        stub_put(text, (size_t)8 * i, seed);
    }
    stub_say(fd, text);
}

/* As many as there are numbers. */
static void without_end(int fd, const char *question)
{
    static unsigned next = 3;
    char text[STUB_TEXT] = "m";
    size_t size = 1;

    (void)question;
    for (unsigned i = 0; i < 400; i++)
        size +=
            (size_t)snprintf(text + size, sizeof text - size, "%x,", next++);
    text[4000] = '\0';
    stub_say(fd, text);
}

static void by_names(int fd, const char *question)
{
    (void)question;
    stub_say(fd, "m,,,,p-1.-1,,0123456789012345678901234567890123456789,*,$");
}

/* Every other core that is selected has gone. */
static void sometimes(int fd, const char *question)
{
    static unsigned asked;

    stub_say(fd, asked++ % 7 == 5 ? "E22" : stub_truth(question));
}

static void by_sizes(int fd, const char *question)
{
    (void)question;
    stub_say(fd, "PacketSize=ffffffffffffffffffff;PacketSize=-1");
}

static void as_a_narrow_core(int fd, const char *question)
{
    char text[STUB_TEXT];

    (void)question;
    stub_registers(text);
    stub_put(text, STUB_EFER, 0);
    stub_say(fd, text);
}

/* At each question that begins with (at), from the (from)th on, the stub
 * answers like (lie). Then the collector ends with (status), and says (words)
 * by standard output or error. */
static const struct lie {
    const char *name, *at;
    unsigned from;
    void (*lie)(int fd, const char *question);
    int status;
    const char *words;
    bool goes; /* the stub does; nobody can let its guest go */
} lies[] = {
    {"it does not lie", "?", 0, not_at_all, 0, " samples of 2 cores", false},
    {"a first answer that never ends", "q", 0, endlessly, 1,
     "sends more than a packet holds", false},
    {"a first answer byte by byte", "q", 0, slowly, 1, "does not answer",
     false},
    {"registers byte by byte", "g", 6, slowly, 1, "is too slow", false},
    {"memory byte by byte", "m", 20, slowly, 1, "is too slow", false},
    {"memory of 4 MiB", "m", 20, by_4_mib, 1, "sends more than a packet holds",
     false},
    {"memory that was not asked for", "m", 0, by_too_many, 0,
     " samples of 2 cores", false},
    {"memory that unfolds to 260 KB", "m", 0, folded, 1,
     "does not run that image", false},
    {"no memory", "m", 0, by_an_error, 1, "does not run that image", false},
    {"registers of ten bytes", "g", 6, by_too_few, 1, "sends other registers",
     false},
    {"registers that unfold to 260 KB", "g", 6, folded, 0,
     " samples of 2 cores", false},
    {"registers by chance", "g", 12, by_chance, 0, " samples of 2 cores",
     false},
    {"registers that end in the middle", "g", 6, in_half, 1,
     "the guest has ended", true},
    {"registers of a core that runs no 64-bit code", "g", 0, as_a_narrow_core,
     1, "runs no 64-bit code yet", false},
    {"threads without end", "q", 1, without_end, 0, " samples of ", false},
    {"threads that have no names", "qfThreadInfo", 0, by_names, 0,
     " samples of ", false},
    {"no threads", "qfThreadInfo", 0, by_an_error, 1, "reports no cores",
     false},
    {"cores that come and go", "H", 4, sometimes, 1, "has no core", false},
    {"sizes of packets that no number holds", "qSupported", 0, by_sizes, 0,
     " samples of 2 cores", false},
    {"it never stops", "\3", 3, not_at_all, 1, "does not answer", false},
    {"it stops twice each time", "\3", 0, twice, 0, " samples of 2 cores",
     false},
    {"it only says that it has stopped", "g", 6, with_stops_only, 1,
     "is too slow", false},
    {"it only acknowledges", "g", 6, with_acknowledgements, 1,
     "sends more than a packet holds", false},
    {"the guest ends, and its stub answers", "\3", 3, by_the_end_of_the_guest,
     1, "the guest has ended", false},
    {"wrong checksums", "", 0, with_a_wrong_checksum, 0, " samples of 2 cores",
     false},
    {"notifications", "g", 0, with_notifications, 0, " samples of 2 cores",
     false},
    {"each answer twice", "m", 20, twice, 1, "", false},
    {"errors and nothing else", "", 1, by_an_error, 1, "reports no cores",
     false},
};

static const struct lie *told;

static _Noreturn void play(int listener)
{
    char body[256];
    unsigned asked = 0;
    int fd = meet(listener);

    seen->runs = false; /* as QEMU's, when somebody comes */
    while (stub_hear(fd, body, sizeof body)) {
        bool is_lie = strncmp(body, told->at, strlen(told->at)) == 0 &&
                      asked++ >= told->from && body[0] != 'D' && body[0] != 'v';

        obey(body);
        note_peak(fd);
        if (is_lie)
            told->lie(fd, body);
        else if (body[0] != 'v')
            stub_say(fd, stub_truth(body));
    }
    _exit(0);
}

static void play_stub(int listener)
{
    play(listener);
}

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Why lie (l) was not met as it should be; NULL if it was. */
static const char *judge(const struct lie *l, int status, double took)
{
    if (status != l->status)
        return "another exit status";
    if (!contains("out", l->words) && !contains("err", l->words))
        return "no such words";
    if (took > PATIENCE_S)
        return "it takes too long";
    if (!SANITIZED && seen->peak_kb > MEMORY_KB)
        return "it takes too much memory";
    if (!l->goes && !seen->runs)
        return "the guest stands still";
    return NULL;
}

/* Have the collector meet lie (l), in a folder of its own. Returns whether all
 * was as it should be. */
static bool meet_lie(const struct lie *l)
{
    char name[32];
    double from = now();

    (void)snprintf(name, sizeof name, "%td", l - lies);
    CHECK(mkdir(name, 0700) == 0 && chdir(name) == 0);
    share();
    told = l;
    pid_t guest = start_guest("port", play_stub);
    int status =
        collector("--gdb port --elf " KERNEL " -d 2 --rate 20 --wait 2");
    double took = now() - from;

    join_guest(guest);

    const char *why = judge(l, status, took);

    printf("%-46s %4.1f s %6ld KB, status %d%s%s\n%s", l->name, took,
           (long)seen->peak_kb, status, why != NULL ? " <- " : "",
           why != NULL ? why : "", why != NULL ? text_of("err") : "");
    return why == NULL;
}

TEST(a_stub_that_lies_is_told_or_borne)
{
    size_t count = sizeof lies / sizeof lies[0], running = 0;
    unsigned bad = 0;
    int status;

    enter_dir();
    for (size_t i = 0; i < count || running > 0;) {
        if (i < count && running < AT_ONCE) {
            (void)fflush(stdout);
            if (fork() == 0) {
                bool good = meet_lie(&lies[i]);

                (void)fflush(stdout);
                _exit(!good);
            }
            i++;
            running++;
            continue;
        }
        CHECK(wait(&status) > 0);
        bad += status != 0;
        running--;
    }
    CHECK_EQ(bad, 0);
}
