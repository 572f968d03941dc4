/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/mcp/mcp_parts.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fleet/mcp/mcp_parts.h"

#define ROWS_MAX   60
#define ROWS_USUAL 15

/* An argument: a text of struct mcp_ask, or the number of rows. */
struct argument {
    const char *name;
    size_t at; /* of a text; ROWS: a number */
    const char *help;
};

#define ROWS    SIZE_MAX
#define TEXT(m) offsetof(struct mcp_ask, m)

static const struct argument
    recording = {"recording", TEXT(recording),
                 "a recording of list_recordings (default: the newest)"},
    before = {"before", TEXT(recording), "a recording of list_recordings"},
    after = {"after", TEXT(after),
             "a recording to compare with (default: the newest)"},
    guest = {"guest", TEXT(guest),
             "a guest of the spool, instead of a recording"},
    since = {"since", TEXT(since),
             "of a guest: the first moment, such as -1h or 14:00"},
    until = {"until", TEXT(until), "of a guest: the last moment"},
    at = {"at", TEXT(at),
          "of a guest: compare before and since this moment (default: "
          "compare its last two builds)"},
    function = {"function", TEXT(function),
                "a function's name, or a part of one"},
    thread = {"thread", TEXT(thread), "only samples of this thread"},
    image = {"image", TEXT(image),
             "an image of list_recordings (default: the first)"},
    rows = {"rows", ROWS, "most rows of a table, 1 to 60 (default: 15)"};

#define ARGUMENTS 6

struct tool {
    const char *name, *help;
    size_t command; /* offset in struct mcp_config */
    const struct argument *arguments[ARGUMENTS];
    const struct argument *needed;
};

#define COMMAND(m) offsetof(struct mcp_config, m)
#define LIST       SIZE_MAX /* answered here */

#define HOW_TO_READ                                                            \
    " SELF is a function's own share of the busy time in percent, TOTAL its "  \
    "share with its callees. +- is the error of the share: the true share "    \
    "lies within it in 95 of 100 runs. The first line counts samples and "     \
    "losses."

static const struct tool tools[] = {
    {.name = "list_recordings",
     .help = "Lists the recordings, guests and images that can be asked about.",
     .command = LIST},
    {.name = "report",
     .help = "Shows on which functions a kernel's cores spend their "
             "time." HOW_TO_READ,
     .command = COMMAND(report),
     .arguments = {&recording, &guest, &since, &until, &thread, &rows}},
    {.name = "function",
     .help = "Shows one function: its share, lines, callers and "
             "callees." HOW_TO_READ,
     .command = COMMAND(report),
     .arguments = {&function, &recording, &guest, &since, &until, &rows},
     .needed = &function},
    {.name = "annotate",
     .help = "Shows a function's source lines and machine code, each with its "
             "share of the samples (default: the busiest function).",
     .command = COMMAND(annotate),
     .arguments = {&function, &recording}},
    {.name = "diff",
     .help = "Compares two recordings, or two times of a guest: the functions "
             "whose share changed by more than chance.",
     .command = COMMAND(diff),
     .arguments = {&before, &after, &guest, &at, &rows}},
    {.name = "check",
     .help = "Reads a kernel's image, and says which names, lines and callers "
             "a profile will show, and what to change for the rest.",
     .command = COMMAND(check),
     .arguments = {&image}},
};

#define TOOLS (sizeof tools / sizeof tools[0])

/* Returns the JSON schema of the arguments of (t); NULL without memory. */
static json_t *schema_of(const struct tool *t)
{
    json_t *all = json_object(), *needed = json_array();

    for (size_t i = 0; i < ARGUMENTS && t->arguments[i] != NULL; i++) {
        const struct argument *a = t->arguments[i];

        (void)json_object_set_new(
            all, a->name,
            json_pack("{ss ss}", "type", a->at == ROWS ? "integer" : "string",
                      "description", a->help));
    }
    if (t->needed != NULL) /* json_string() is report/json_text.h's */
        (void)json_array_append_new(needed, json_pack("s", t->needed->name));
    return json_pack("{ss so so sb}", "type", "object", "properties", all,
                     "required", needed, "additionalProperties", 0);
}

json_t *mcp_tools_list(void)
{
    json_t *list = json_array();

    for (size_t i = 0; i < TOOLS; i++)
        (void)json_array_append_new(
            list, json_pack("{ss ss so s{sb sb}}", "name", tools[i].name,
                            "description", tools[i].help, "inputSchema",
                            schema_of(&tools[i]), "annotations", "readOnlyHint",
                            1, "openWorldHint", 0));
    return json_pack("{so}", "tools", list);
}

static const struct tool *find_tool(const char *name)
{
    for (size_t i = 0; i < TOOLS; i++)
        if (strcmp(name, tools[i].name) == 0)
            return &tools[i];
    return NULL;
}

static const struct argument *find_argument(const struct tool *t,
                                            const char *name)
{
    for (size_t i = 0; i < ARGUMENTS && t->arguments[i] != NULL; i++)
        if (strcmp(name, t->arguments[i]->name) == 0)
            return t->arguments[i];
    return NULL;
}

/* Store (value) as the argument (a). Returns 0; -1 with (e) filled. */
static int read_argument(struct mcp_ask *ask, const struct argument *a,
                         const json_t *value, struct err *e)
{
    const char *text = json_string_value(value);
    json_int_t number = json_integer_value(value);

    if (a->at == ROWS) {
        if (number < 1 || number > ROWS_MAX)
            return err_set(e, "%s: a number from 1 to %d", a->name, ROWS_MAX);
        ask->rows = (uint32_t)number;
        return 0;
    }
    if (text == NULL || strlen(text) != json_string_length(value))
        return err_set(e, "%s: a text", a->name);
    memcpy((char *)ask + a->at, &text, sizeof text);
    return 0;
}

static int read_arguments(struct mcp_ask *ask, const struct tool *t,
                          const json_t *arguments, struct err *e)
{
    const char *name;
    json_t *value;

    if (arguments != NULL && !json_is_object(arguments))
        return err_set(e, "arguments: an object");
    json_object_foreach((json_t *)(uintptr_t)arguments, name, value)
    {
        const struct argument *a = find_argument(t, name);

        if (a == NULL)
            return err_set(e, "%s has no argument '%s'", t->name, name);
        if (read_argument(ask, a, value, e) != 0)
            return -1;
    }
    if (t->needed != NULL &&
        json_object_get(arguments, t->needed->name) == NULL)
        return err_set(e, "%s needs the argument '%s'", t->name,
                       t->needed->name);
    return 0;
}

/* Find the image that (ask) names, or the first one. */
static int choose_image(struct mcp_ask *ask, struct err *e)
{
    const struct elf_path *p = ask->config->from.guests.elfs;

    if (p == NULL)
        return err_set(e, "the user named no image: collector mcp takes "
                          "--elf FILE");
    while (p != NULL && ask->image != NULL && strcmp(p->path, ask->image) != 0)
        p = p->next;
    if (p == NULL)
        return err_set(e, "no image '%s': list_recordings has the names",
                       ask->image);
    ask->image = p->path;
    return 0;
}

/* Replace names by paths of files that the user allows. Returns 0; -1 with (e)
 * filled. */
static int choose_files(struct mcp_ask *ask, const struct tool *t,
                        const struct mcp_files *f, struct err *e)
{
    bool compares = find_argument(t, "after") != NULL;

    if (find_argument(t, "image") != NULL)
        return choose_image(ask, e);
    if (ask->guest != NULL || ask->since != NULL || ask->at != NULL) {
        if (ask->recording != NULL || ask->after != NULL)
            return err_set(e, "a recording or a guest, not both");
        return ask->config->spool != NULL
                   ? 0
                   : err_set(e, "the user named no spool: collector mcp takes "
                                "--spool DIR");
    }
    if (compares && ask->recording == NULL)
        return err_set(e, "diff needs 'before', or a guest of the spool");
    ask->recording = mcp_files_path(f, ask->recording, e);
    if (compares)
        ask->after = mcp_files_path(f, ask->after, e);
    return ask->recording == NULL || (compares && ask->after == NULL) ? -1 : 0;
}

static void answer_list(struct mcp_answer *a, const struct mcp_config *c,
                        const struct mcp_files *f)
{
    int fd = memfd_create("list", MFD_CLOEXEC);
    FILE *out = fd >= 0 ? fdopen(dup(fd), "w") : NULL;

    if (out != NULL) {
        mcp_files_write(out, f, c);
        (void)fclose(out);
        mcp_answer_take(a, fd);
    }
    if (fd >= 0)
        (void)close(fd);
}

int mcp_tools_call(struct mcp_answer *a, const struct mcp_config *c,
                   const char *name, const json_t *arguments, struct err *e)
{
    const struct tool *t = find_tool(name);
    struct mcp_ask ask = {.config = c, .rows = ROWS_USUAL};
    struct mcp_files files = {0};
    struct err why;
    mcp_command command;

    if (t == NULL)
        return err_set(e, "no tool '%s'", name);
    if (read_arguments(&ask, t, arguments, e) != 0)
        return -1;
    if (mcp_files_find(&files, c, &why) != 0 ||
        (t->command != LIST && choose_files(&ask, t, &files, &why) != 0)) {
        mcp_answer_refuse(a, &why);
    } else if (t->command == LIST) {
        answer_list(a, c, &files);
    } else {
        memcpy(&command, (const char *)c + t->command, sizeof command);
        mcp_answer_run(a, command, &ask);
    }
    mcp_files_fini(&files);
    return 0;
}
