/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording -> a parcel for a receiver. */
#include "fleet/push/push_parcel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "export/stores/report_window.h"
#include "fleet/push/queue.h"
#include "guest/labels.h"
#include "util/io.h"
#include "util/text.h"

int push_parcel_check_names(const struct push_config *o, struct err *e)
{
    for (const struct elf_path *elf = o->from.guests.elfs; elf; elf = elf->next)
        if (strncmp(elf->path, "/dev/fd/", 8) == 0 ||
            strncmp(elf->path, "/proc/self/fd/", 14) == 0) /* by zsh */
            return err_set(e,
                           "--elf %s: name a file, not <(...): push opens "
                           "it for each recording",
                           elf->path);
    return 0;
}

int push_parcel_check(const struct push_config *o, struct err *e)
{
    for (const struct elf_path *elf = o->from.guests.elfs; elf;
         elf = elf->next) {
        int fd = open(elf->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

        if (fd < 0)
            return err_set(e, "--elf %s: %s", elf->path, strerror(errno));
        (void)close(fd);
    }
    return 0;
}

/* The meaning of (error), which occurred with a temporary file. Fills (e). */
static enum push_made not_written(int error, struct err *e)
{
    (void)err_set(e, "a temporary file: %s%s", strerror(error),
                  io_no_room(error)
                      ? "; recordings wait until there is room in " P_tmpdir
                      : "");
    return io_no_room(error) ? PUSH_NO_ROOM : PUSH_FAILED;
}

/* The meaning of (status), an end of reading. */
static enum push_made made_of_exit(int status, struct err *e)
{
    switch (status) {
    case EXIT_DONE:
        return PUSH_MADE;
    case EXIT_EMPTY:
        return PUSH_NO_SAMPLES;
    case PUSH_READER_FAILED:
        return PUSH_FAILED;
    case PUSH_READER_KILLED:
        return PUSH_KILLED;
    case PUSH_READER_UNWRITTEN:
        /* the usual reason; the process has shown it */
        return not_written(ENOSPC, e);
    case EXIT_NO_IMAGE:
        return PUSH_NO_IMAGE;
    case EXIT_OTHER_IMAGE:
        (void)err_set(e, "it waits for the image of its kernel");
        return PUSH_OTHER_IMAGE;
    default:
        return PUSH_UNREADABLE;
    }
}

/* Read the numbers of the window that the process has written. False if they
 * are invalid. */
static bool read_window(struct parcel *p, FILE *window)
{
    struct window *w = &p->window;

    rewind(window);
    if (fread(w, sizeof *w, 1, window) != 1 || fgetc(window) != EOF ||
        w->build_id_len > sizeof w->build_id)
        return false;
    w->labels[sizeof w->labels - 1] = '\0';
    p->labelled = *p->origin;
    for (const char *text = w->labels;
         text < w->labels + sizeof w->labels && *text != '\0';
         text += strlen(text) + 1)
        labels_add(&p->labelled, text);
    p->origin = &p->labelled;
    return true;
}

/* Create files for the parts. A recording that is sent unchanged is its own
 * only part. */
static enum push_made open_parts(struct parcel *p, const char *path,
                                 const struct receiver *r, struct err *e)
{
    if (receiver_part(r, 0) == NULL) {
        p->suffix = "tprof";
        p->parts[0] = fopen(path, "re");
        if (p->parts[0] == NULL)
            (void)err_sys(e, path);
        return p->parts[0] != NULL ? PUSH_MADE : PUSH_FAILED;
    }
    p->suffix = receiver_part(r, 0)->suffix;
    for (size_t i = 0; receiver_part(r, i) != NULL; i++) {
        p->parts[i] = tmpfile();
        if (p->parts[i] == NULL)
            return not_written(errno, e);
    }
    return PUSH_MADE;
}

static enum push_made make(struct parcel *p, const char *path,
                           struct push_reader *r, FILE *window, struct err *e)
{
    enum push_made made = open_parts(p, path, r->receiver, e);

    if (made == PUSH_MADE)
        made = made_of_exit(push_reader_read(r, p, path, window, e), e);
    return made == PUSH_MADE && !read_window(p, window) ? PUSH_UNREADABLE
                                                        : made;
}

enum push_made push_parcel_make(struct parcel *p, const char *path,
                                struct push_reader *r, struct err *e)
{
    if (queue_is_gone(path))
        return PUSH_GONE;
    FILE *window = tmpfile();
    enum push_made made =
        window == NULL ? not_written(errno, e) : make(p, path, r, window, e);

    if (window != NULL)
        (void)fclose(window);
    if (made != PUSH_MADE && queue_is_gone(path)) { /* removed meanwhile */
        e->text[0] = '\0';
        made = PUSH_GONE;
    }
    return made;
}

void push_parcel_fini(struct parcel *p)
{
    for (size_t i = 0; i < RECEIVER_PARTS; i++)
        if (p->parts[i] != NULL)
            (void)fclose(p->parts[i]);
}

void push_origin_begin(struct push_origin *p, const struct push_config *o)
{
    if (gethostname(p->host, sizeof p->host - 1) != 0)
        p->host[0] = '\0';
    p->is = (struct origin){
        .guest = p->guest,
        .host = o->host != NULL ? o->host : p->host,
        .label_count = o->label_count,
    };
    memcpy(p->is.labels, o->labels, sizeof o->labels);
}

void push_origin_name(struct push_origin *p, const char *path)
{
    const char *name = text_base_name(path), *end = strrchr(name, '.');
    size_t length =
        end != NULL && end != name ? (size_t)(end - name) : strlen(name);
    size_t digits = 0;

    while (digits < length &&
           strchr("0123456789TZ-", name[length - digits - 1]))
        digits++;
    if (digits > 0 && digits + 1 < length && name[length - digits - 1] == '.')
        length -= digits + 1;
    (void)snprintf(p->guest, sizeof p->guest, "%.*s", (int)length, name);
}
