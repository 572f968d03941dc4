/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that reads recordings for push. */
#include "fleet/push/push_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "export/stores/report_window.h"
#include "guard/descriptor.h"
#include "guard/opener.h"
#include "guard/side_process.h"
#include "image/file/folders.h"
#include "session/guest_report.h"

#define COMMAND "collector push"

/* Limits of recordings and of images of one process. Any harm that a recording
 * did to the process ends with the process. */
#define RECORDINGS_MAX 256u
#define IMAGES_MAX     64u
#define GRACE_MS       1000

/* A recording to read. The message carries the recording's descriptor. A byte
 * each follows with the descriptors of the files to write. */
struct push_request {
    char path[PATH_MAX];
    char guest[256];
};

struct push_answer {
    int status; /* an enum exit_code, or PUSH_READER_UNWRITTEN */
    bool last;  /* the process ends now */
};

/* The process that reads */

/* Receive the file for (format), and add it to (out). False if none came. */
static bool add_output(struct outputs *out, int socket,
                       const struct render_ops *format)
{
    char byte;
    int fd;

    if (descriptor_receive(socket, &byte, 1, &fd) != 1 || fd < 0)
        return false;
    FILE *file = fdopen(fd, "w");

    if (file == NULL) {
        (void)close(fd);
        return false;
    }
    out->list[out->count++] = (struct output){
        .path = format->name, .format = format, .given = file, .fd = -1};
    return true;
}

static bool add_outputs(struct outputs *out, const struct push_reader *r)
{
    bool good = add_output(out, r->socket, &render_window);

    for (size_t i = 0; good && receiver_part(r->receiver, i) != NULL; i++)
        good = add_output(out, r->socket, receiver_part(r->receiver, i));
    return good;
}

/* Close the files. Returns (status); PUSH_READER_UNWRITTEN if a file could not
 * be written. */
static int close_outputs(struct outputs *out, int status)
{
    for (unsigned i = 0; i < out->count; i++) {
        bool bad =
            fflush(out->list[i].given) != 0 || ferror(out->list[i].given) != 0;

        if (fclose(out->list[i].given) != 0 || bad)
            status = PUSH_READER_UNWRITTEN;
    }
    return status;
}

/* The state of the process. */
struct serving {
    const struct push_reader *reader;
    struct options options;
    struct origin origin; /* has all but the guest */
    struct images images; /* of all recordings so far */
    struct messages tell;
};

static void on_note(void *context, const struct guest_run *r, const char *line)
{
    struct serving *s = context;

    (void)r;
    messages_line(&s->tell, "collector", NULL, line);
}

/* Write the report on (r). Returns 0; -1 with (e) filled, also if (r) has
 * failed. */
static int write_report(struct serving *s, struct guest_run *r,
                        struct outputs *out, struct err *e)
{
    struct guest_report g;
    int result = -1;

    *e = r->e;
    if (!guest_run_has_report(r) || guest_report_make(&g, r, 0, e) != 0)
        return -1;
    if (outputs_open(out, e) == 0)
        result = outputs_write(out, &g.is, e);
    (void)outputs_close(out, true, NULL);
    guest_report_fini(&g);
    images_forget(&s->images, s->options.from.memory / 16);
    return r->failed ? -1 : result;
}

/* Exit code for the end of (r). (written): there is a whole report. */
static int status_of(const struct guest_run *r, bool written)
{
    if (r->other_kernel)
        return EXIT_OTHER_IMAGE;
    if (!written)
        return EXIT_FAILED;
    return guest_run_has_samples(r) ? EXIT_DONE : EXIT_EMPTY;
}

/* Search images also beside the recording (path), where collector serve keeps
 * a copy of each image. */
static void use_kept_images(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];

    if (slash == NULL || (size_t)(slash - path) >= sizeof folder) {
        image_kept_in(".");
        return;
    }
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    image_kept_in(folder);
}

/* Read the recording (path). Returns an enum exit_code. */
static int read_one(struct serving *s, const char *path, struct outputs *out)
{
    uint64_t memory = s->options.from.memory;
    const struct guest_run_config config = {
        .options = &s->options,
        .input = path,
        .number = 1,
        .alone = true,
        .supervised = true,
        .origin = &s->origin,
        .memory_max = memory - memory / 2,
        .view_max = memory / 2,
        .images = &s->images,
        .context = s,
        .say = on_note,
    };
    enum guest_run_fault fault;
    struct err e;

    use_kept_images(path);
    struct guest_run *r = guest_run_new(&config, &fault, &e);

    if (r == NULL) {
        messages_line(&s->tell, COMMAND, NULL, e.text);
        return fault == GUEST_RUN_IMAGE ? EXIT_NO_IMAGE : EXIT_FAILED;
    }
    /* a part of a window must not be sent as the whole window: no signal */
    (void)guest_run_read(r, -1, &e);
    bool written = write_report(s, r, out, &e) == 0;
    int status = status_of(r, written);

    if (!written)
        messages_line(&s->tell, COMMAND, NULL, e.text);
    guest_run_free(r);
    return status;
}

static int serve_one(struct serving *s, const struct push_request *q,
                     int recording)
{
    struct outputs out = {0};
    int status = EXIT_FAILED;

    opener_preopen(q->path, recording);
    if (add_outputs(&out, s->reader))
        status = read_one(s, q->path, &out);
    opener_preopen(q->path, -1);
    return close_outputs(&out, status);
}

/* Enter the sandbox. False if the sandbox is required and impossible. */
static bool enter_sandbox(struct serving *s)
{
    const struct guest_config *from = &s->options.from;
    struct outputs none = {0};
    struct err e;
    bool good = confine_prepare_sampling(from, &none, &e) == 0 &&
                confine_sampling(from, &e) == 0;

    if (!good || e.text[0] != '\0')
        messages_line(&s->tell, COMMAND, NULL, e.text);
    return good;
}

/* Run the reading process until the asking process has closed its end. */
static _Noreturn void serve(const struct push_reader *r,
                            const struct origin *origin)
{
    static struct serving s;
    static struct push_request q;
    struct push_answer a = {.status = EXIT_FAILED};
    unsigned count = 0;
    int recording;

    s = (struct serving){.reader = r,
                         .options = {.from = r->options->from},
                         .origin = *origin,
                         .tell = {.alone = true}};
    s.origin.guest = q.guest;
    if (!enter_sandbox(&s))
        _exit(EXIT_FAILED);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    while (!a.last && descriptor_receive(r->socket, &q, sizeof q, &recording) ==
                          sizeof q) {
        a.status = serve_one(&s, &q, recording);
        a.last = ++count == RECORDINGS_MAX || s.images.count > IMAGES_MAX ||
                 a.status == EXIT_NO_IMAGE || a.status == EXIT_OTHER_IMAGE;
        /* the sandbox allows no sendmsg() */
        if (write(r->socket, &a, sizeof a) != sizeof a)
            break;
    }
    images_fini(&s.images);
    _exit(0);
}

/* The process that asks */

/* Start the process, unless the process and its helper run. */
static int start(struct push_reader *r, const struct origin *origin,
                 struct err *e)
{
    int ends[2];

    if (r->child != 0 && r->helped && !opener_is_shared())
        push_reader_end(r);
    if (r->child != 0)
        return 0;
    if (confine_prepare_push(&r->options->from, e) != 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return err_sys(e, "socketpair");
    (void)fflush(NULL); /* otherwise both processes would write the buffers */
    r->helped = opener_is_shared();
    r->child = fork();
    r->socket = ends[r->child == 0];
    if (r->child == 0) {
        /* Close all descriptors but one. Others lead to the senders, which know
         * the credentials, and hold the locks of folders. */
        opener_keep(r->socket);
        serve(r, origin);
    }
    (void)close(ends[1]);
    if (r->child > 0)
        return 0;
    r->child = 0;
    (void)close(ends[0]);
    return err_sys(e, "fork");
}

/* Send the recording and the files. Fails if the process has ended. */
static int send_request(const struct push_reader *r, const struct parcel *p,
                        const char *path, FILE *window)
{
    static struct push_request q;
    /* opened with the rights of the user; -1: the process reports the reason */
    int recording = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int result;

    (void)snprintf(q.path, sizeof q.path, "%s", path);
    (void)snprintf(q.guest, sizeof q.guest, "%s", p->origin->guest);
    result = descriptor_send(r->socket, &q, sizeof q, recording);
    if (recording >= 0)
        (void)close(recording);
    if (result == 0)
        result = descriptor_send(r->socket, "", 1, fileno(window));
    for (size_t i = 0; result == 0 && receiver_part(r->receiver, i) != NULL;
         i++)
        result = descriptor_send(r->socket, "", 1, fileno(p->parts[i]));
    return result;
}

/* Wait for the answer. False if the process has ended. */
static bool receive_answer(const struct push_reader *r, struct push_answer *a)
{
    struct pollfd end = {.fd = r->socket, .events = POLLIN};
    int none;

    while (poll(&end, 1, push_tell_rest_ms(r->tell)) <= 0)
        push_tell_alive(r->tell);
    return descriptor_receive(r->socket, a, sizeof *a, &none) == sizeof *a;
}

/* Status of a process that has ended without an answer. */
static int reap(struct push_reader *r, struct err *e)
{
    pid_t child = r->child;
    int status = 0;
    pid_t ended;

    r->child = 0;
    (void)close(r->socket);
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended == child && WIFSIGNALED(status)) {
        (void)err_set(e, "the process that reads it was killed: %s",
                      strsignal(WTERMSIG(status)));
        return PUSH_READER_KILLED;
    }
    return EXIT_FAILED;
}

int push_reader_read(struct push_reader *r, const struct parcel *p,
                     const char *path, FILE *window, struct err *e)
{
    struct push_answer a;

    if (start(r, p->origin, e) != 0)
        return PUSH_READER_FAILED;
    if (send_request(r, p, path, window) != 0 || !receive_answer(r, &a))
        return reap(r, e);
    if (a.last)
        push_reader_end(r);
    return a.status;
}

void push_reader_end(struct push_reader *r)
{
    struct pollfd end = {.fd = r->socket, .events = POLLIN};

    if (r->child == 0)
        return;
    /* let the process exit by itself, which takes no time */
    (void)shutdown(r->socket, SHUT_WR);
    (void)poll(&end, 1, GRACE_MS);
    (void)close(r->socket);
    side_process_end(r->child);
    r->child = 0;
}
