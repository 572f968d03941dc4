/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push: sends recordings to stores. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/option_kinds.h"
#include "fleet/push/push_session.h"
#include "fleet/push/receivers/receiver.h"
#include "guest/labels.h"
#include "session/session_options.h"

#define AT(m) offsetof(struct push_config, m)

static int read_label(void *field, const struct option_row *row,
                      const char *value, struct err *e)
{
    struct push_config *o = field;

    if (o->label_count == ORIGIN_LABELS)
        return err_set(e, "--%s: more than %u", row->name, ORIGIN_LABELS);
    if (!labels_read(&o->labels[o->label_count], value))
        return err_set(e, "--%s: '%s' is not like zone=a", row->name, value);
    o->label_count++;
    return OPTION_READ;
}

static int read_recordings(void *field, const struct option_row *row,
                           const char *value, struct err *e)
{
    (void)row;
    return session_recordings_add(field, value, e);
}

static int take_recordings(void *config, const char *word, struct err *e)
{
    struct push_config *o = config;

    return session_recordings_add(&o->inputs, word, e);
}

static void receiver_choices(const struct option_row *row,
                             char text[OPTION_CHOICES])
{
    (void)row;
    (void)snprintf(text, OPTION_CHOICES, "%s", receiver_names());
}

static const struct option_kind option_label = {.read = read_label};
static const struct option_kind option_recordings = {.read = read_recordings};
static const struct option_kind option_receiver = {.read = option_read_text,
                                                   .choices = receiver_choices};

static const struct option_row own_rows[] = {
    {"to", 0, "URL", &option_text, AT(to), 0, 0,
     "the receiver: KIND+https://HOST/, or a folder"},
    {"as", 0, "KIND", &option_receiver, AT(as), 0, 0,
     "what the receiver is, where its URL does not say"},
    {"from", 0, "PATH", &option_recordings, AT(inputs), 0, 0,
     "a recording, or a folder of them; also without --from"},
    {"label", 0, "KEY=VALUE", &option_label, 0, 0, 0,
     "a label of all samples; may be repeated"},
    {"host", 0, "NAME", &option_text, AT(host), 0, 0,
     "the guests' host (default: this machine's name)"},
    {"format", 0, "FORMAT", &option_text, AT(format), 0, 0,
     "what a folder gets (default: the recordings, as they are)"},
    {"follow", 0, NULL, &option_flag, AT(follow), 0, 0,
     "wait for further recordings, until Ctrl-C"},
    {"wait", 0, "SECONDS", &option_seconds, AT(from.wait_s), 0, 0,
     "how long to try a receiver that takes nothing (default: 60)"},
    {"headers", 0, "FILE", &option_text, AT(headers), 0, 0,
     "headers of requests, one a line: X-Api-Key: ..."},
    {"ca", 0, "FILE", &option_text, AT(ca), 0, 0,
     "certificates to trust (default: the system's)"},
    {"cert", 0, "FILE", &option_text, AT(cert), 0, 0,
     "certificate that tells the receiver who we are"},
    {"key", 0, "FILE", &option_text, AT(key), 0, 0,
     "its private key (default: in the file of --cert)"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_ROWS(recorded_elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(own_rows, 0),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " push", .groups = groups, .word = take_recordings};

static const struct help help = {
    &options,
    "collector push --to URL [FOLDER|FILE...] [option...]\n"
    "\n"
    "Sends recordings to a store. A folder is a queue: each *.tprof file in "
    "the folder is sent once, the oldest first. A file beside the recording "
    "marks the recording as sent. The name of a recording gives its guest: "
    "web1.tprof, or web1.TIME.tprof, where TIME consists of digits. Windows of "
    "collector serve take the names of functions from the images that serve "
    "found or has copied into the folder, or from --symbols or --elf.\n"
    "\n"
    "  --to ./profiles                         a folder\n"
    "  --to clickhouse+http://127.0.0.1:8123/  the tables of clickhouse.sql\n"
    "  --to KIND+https://HOST/                 KIND is pyroscope, "
    "pyroscope-folded,\n"
    "                                          pyroscope-push, parca, coroot, "
    "otlp,\n"
    "                                          otlp-json or s3",
    "  collector push --to ./profiles\n"
    "  collector push --to pyroscope+http://127.0.0.1:4040/ monday.tprof\n"
    "  collector push --to otlp+http://127.0.0.1:4318/ --follow spool\n",
    "Exit status: 0 all was sent, 1 something was not, 2 the command line is "
    "wrong."};

static int refuse_options(struct push_config *o, struct err *e)
{
    const char *word = o->inputs.count == 0 && o->to != NULL && !o->follow
                           ? session_default_recording(false)
                           : NULL;

    if (word != NULL)
        o->inputs.list[o->inputs.count++] = word;
    if (o->to == NULL)
        return err_set(e, "where to? type: collector push --to URL FOLDER");
    if (o->inputs.count == 0)
        return err_set(e, "what? type: collector push --to %s FOLDER", o->to);
    if (o->key != NULL && o->cert == NULL)
        return err_set(e, "--key is that of a --cert: name both");
    return 0;
}

static int run_push(int argc, char **argv)
{
    struct push_config o = {.from = GUEST_CONFIG_DEFAULT};
    struct err e = {""};
    int result = option_parse(&o, &options, argc, argv, &e);

    if (result == OPTION_HELP)
        result = help_print(&help);
    else if (result < 0 || refuse_options(&o, &e) != 0)
        result = EXIT_USAGE;
    else
        result = push_session_run(&o, &e);
    if (e.text[0] != '\0')
        (void)fprintf(stderr, "collector push: %s\n", e.text);
    guests_fini(&o.from.guests);
    return result;
}

const struct subcommand cmd_push = {"push", &options, run_push};
