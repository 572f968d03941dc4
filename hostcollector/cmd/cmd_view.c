/* SPDX-License-Identifier: BSD-2-Clause */
/* collector view: write the page of a recording, and open it in a browser. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/annotate_part.h"
#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/option_kinds.h"
#include "cli/signals.h"
#include "session/sampling.h"
#include "session/session_options.h"
#include "util/text.h"

#define NAME "collector view"

/* Room for the name of a user and a host, escaped. */
#define WORD_ROOM 256
/* Room for the path of a page. */
#define PAGE_ROOM (2 * (size_t)PATH_MAX)

#define AT(m) offsetof(struct options, m)

static const struct option_row own_output_rows[] = {
    {"output", 'o', "FILE", &option_output, 0, 0, 0,
     "the page (default: in the user's cache, named when written)"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Recordings and images:"),
    OPTION_ROWS(input_rows, AT(from)),
    OPTION_ROWS(elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(source_rows, AT(from)),
    OPTION_TITLE("What to show:"),
    OPTION_ROWS(core_rows, AT(selection)),
    OPTION_ROWS(time_rows, AT(selection)),
    OPTION_ROWS(report_rows, AT(shown)),
    OPTION_ROWS(of_rows, AT(shown)),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(own_output_rows, AT(output)),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " view", .groups = groups, .word = session_recording_word};

static const struct help help = {
    &options,
    "collector view [FILE] [option...]\n"
    "\n"
    "Writes the page of a recording (default: tprof.tprof) and opens the page "
    "in the browser, by xdg-open or open. In an ssh session it prints what to "
    "type on your own machine.",
    "  collector view\n"
    "  collector view monday.tprof\n"
    "  collector view monday.tprof --core 2 -o core2.html\n",
    CMD_STATUS};

/* Is (program) in a folder of PATH whose name ends in (end)? */
static bool is_in_path(const char *program, const char *end)
{
    const char *path = getenv("PATH");
    size_t length = strlen(end);
    char file[PATH_MAX];

    while (path != NULL && *path != '\0') {
        size_t n = strcspn(path, ":");

        (void)snprintf(file, sizeof file, "%.*s/%s", (int)n, path, program);
        if (n >= length && strncmp(path + n - length, end, length) == 0 &&
            access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

/* --- The place of the page ------------------------------------------------ */

/* Is the browser a snap package? Such a browser reads neither /tmp nor a folder
 * whose name begins with a dot. */
static bool reads_no_cache(void)
{
    return is_in_path("firefox", "snap/bin") ||
           is_in_path("chromium", "snap/bin");
}

/* Make the folder (base)/(below), and write its path into (folder). */
static bool make_folder(char folder[PATH_MAX], const char *base,
                        const char *below)
{
    if (base == NULL || base[0] != '/')
        return false;
    (void)snprintf(folder, PATH_MAX, "%.3000s%s", base, below);
    return mkdir(folder, 0700) == 0 || access(folder, W_OK | X_OK) == 0;
}

/* Write the folder of pages into (folder): the user's cache, or a new folder in
 * /tmp; "": the current one. */
static void find_folder(char folder[PATH_MAX])
{
    const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME");

    if (!reads_no_cache()) {
        if (make_folder(folder, cache, "") &&
            make_folder(folder, cache, "/tprof"))
            return;
        if (make_folder(folder, home, "/.cache") &&
            make_folder(folder, home, "/.cache/tprof"))
            return;
        (void)snprintf(folder, PATH_MAX, "/tmp/tprof-XXXXXX");
        if (mkdtemp(folder) != NULL)
            return;
    }
    folder[0] = '\0';
}

/* The path of the page of (recording), for free(): "a/b.tprof" has b.html in
 * the folder of pages. NULL if there is no memory. */
static char *page_name(const char *recording)
{
    const char *name =
        strcmp(recording, "-") == 0 ? "tprof" : text_base_name(recording);
    size_t length = strlen(name), end = strlen(".tprof");
    char folder[PATH_MAX], *page = malloc(PAGE_ROOM);

    if (page == NULL)
        return NULL;
    if (length > end && strcmp(name + length - end, ".tprof") == 0)
        length -= end;
    find_folder(folder);
    (void)snprintf(page, PAGE_ROOM, "%s%s%.*s.html", folder,
                   folder[0] != '\0' ? "/" : "", (int)length, name);
    return page;
}

static int plan_view(struct outputs *out, void *config, struct err *e)
{
    struct options *o = config;

    if (o->from.input == NULL)
        o->from.input = session_default_recording(o->output.quiet);
    if (o->from.input == NULL)
        return err_set(e, "which recording? no tprof.tprof is here; type: " NAME
                          " FILE");
    if (o->output.count > 1)
        return err_set(e, "one page at a time: '%s' or '%s'?",
                       o->output.paths[0], o->output.paths[1]);
    if (o->output.count == 0) {
        o->output.paths[0] = o->output.copies[0] = page_name(o->from.input);
        if (o->output.paths[0] == NULL)
            return err_memory(e);
        o->output.count = 1;
    }
    o->output.formats[0] = "html";
    if (strcmp(o->output.paths[0], "-") == 0)
        return err_set(e, "a browser needs a file: -o FILE");
    if (outputs_plan(out, o, false, e) != 0)
        return -1;
    outputs_plan_code(out, o);
    return 0;
}

/* --- The browser ---------------------------------------------------------- */

/* The program that opens a page in the browser. NULL if there is none, or no
 * screen of this machine in front of the user. */
static const char *opener(void)
{
    bool has_screen =
        getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;

    if (getenv("SSH_CONNECTION") != NULL || !has_screen)
        return NULL;
    return is_in_path("xdg-open", "") ? "xdg-open"
           : is_in_path("open", "")   ? "open"
                                      : NULL;
}

/* In the child: become (program) once a byte comes. */
static void open_page(const char *program, const char *page, int go)
{
    char byte;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setsid(); /* Ctrl-C is not for the browser */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null >= 0; fd++)
        (void)dup2(null, fd);
    if (read(go, &byte, 1) == 1)
        (void)execlp(program, program, page, (char *)NULL);
    _exit(1);
}

/* Start a process that opens (page) by (program) after a byte is written into
 * the returned descriptor. It starts here because the sandbox lets this process
 * start nothing later. Returns -1 on failure. */
static int start_opener(const char *program, const char *page)
{
    int go[2];

    if (program == NULL || pipe2(go, O_CLOEXEC) != 0)
        return -1;
    pid_t child = fork();

    if (child == 0) {
        (void)close(go[1]);
        open_page(program, page, go[0]);
    }
    (void)close(go[0]);
    if (child > 0)
        return go[1];
    (void)close(go[1]);
    return -1;
}

/* "scp -P 2222 'me@10.0.0.2:/tmp/a.html' .": SSH_CONNECTION has the addresses
 * and ports of the client and of this machine. */
static void print_copy(const char *connection, const char *page)
{
    char host[WORD_ROOM] = "", port[8] = "", user[WORD_ROOM] = "";
    const char *name = getenv("USER");
    bool usual;

    (void)sscanf(connection, "%*s %*s %200s %7s", host, port);
    usual = port[0] == '\0' || strcmp(port, "22") == 0;
    if (name != NULL)
        (void)snprintf(user, sizeof user, "%.200s@", name);
    char *line = NULL, *plain;
    size_t size;
    FILE *out = open_memstream(&line, &size);

    if (out == NULL)
        return;
    (void)fprintf(out, "scp %s%s%s'%s%s%s%s:%s' .", usual ? "" : "-P ",
                  usual ? "" : port, usual ? "" : " ", user,
                  strchr(host, ':') != NULL ? "[" : "", host,
                  strchr(host, ':') != NULL ? "]" : "", page);
    if (fclose(out) == 0 && (plain = malloc(4 * size + 1)) != NULL) {
        (void)fprintf(stderr,
                      "this is an ssh session: copy the page to your own "
                      "machine. Type there:\n  %s\n",
                      text_escape(plain, 4 * size + 1, line));
        free(plain);
    }
    free(line);
}

/* Say where (page) is, if no program opens it. */
static void print_place(const char *page)
{
    const char *connection = getenv("SSH_CONNECTION");
    char plain[2 * PAGE_ROOM];

    if (connection != NULL)
        print_copy(connection, page);
    else
        (void)fprintf(stderr,
                      "no program opens a browser here (xdg-open, open): open "
                      "%s yourself\n",
                      text_escape(plain, sizeof plain, page));
}

/* Write the path of (page) from the root into (path). */
static void find_path(char path[PAGE_ROOM], const char *page)
{
    char folder[PATH_MAX];

    if (page[0] == '/' || getcwd(folder, sizeof folder) == NULL)
        (void)snprintf(path, PAGE_ROOM, "%s", page);
    else
        (void)snprintf(path, PAGE_ROOM, "%s/%s", folder, page);
}

static int work_view(void *config, struct outputs *out)
{
    const struct options *o = config;
    const struct sampling_job job = {.command = NAME,
                                     .options = o,
                                     .outputs = out,
                                     .part = annotate_page_part(o)};
    char page[PAGE_ROOM];

    find_path(page, o->output.paths[0]);
    struct err e;
    /* if standard input is closed, a pipe could get its number */
    int go = signals_fill_standard(&e) == 0 ? start_opener(opener(), page) : -1;
    int result = sampling_run(&job);

    if (result == EXIT_DONE && (go < 0 || write(go, "", 1) != 1))
        print_place(page);
    if (go >= 0)
        (void)close(go);
    return result;
}

static int run_view(int argc, char **argv)
{
    static const struct command_plan planned = {NAME, &help, plan_view,
                                                work_view};
    struct options o = OPTIONS_DEFAULT;

    o.shown.page_code = OPTIONS_PAGE_USUAL;
    int result = command_main(&planned, &o, &o.from.guests, argc, argv);

    options_fini(&o);
    return result;
}

const struct subcommand cmd_view = {"view", &options, run_view};
