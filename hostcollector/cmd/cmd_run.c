/* SPDX-License-Identifier: BSD-2-Clause */
/* collector run: starts QEMU, samples its guest, and reports. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "annotate/annotate_part.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/option_kinds.h"
#include "cmd/qemu_line.h"
#include "guard/magic.h"
#include "session/sampling.h"
#include "session/session_options.h"

#define NAME         "collector run"
#define BRIDGE_TRY   100u      /* attempts to find the sockets; pause */
#define BRIDGE_NS    50000000L /* so long */
#define FOLDER_MAX   64        /* of TMPDIR */
#define SIGNALLED    128       /* added to a signal's number, as shells do */
#define PATIENCE_S   10u       /* time for QEMU to end after SIGTERM */
/* With --duration, time for the guest to boot, before which its duration does
 * not begin. */
#define FIRST_WAIT_S 60
#define WORDS        "words" /* file in the folder with the bridge's messages */
#define WORDS_MAX    (1u << 16) /* bytes of the messages that are shown */

/*
 * The first process is not confined, because it must wait for the other
 * processes and end them. It reads no data of the guest. A second process
 * samples in the sandbox. A third process is the bridge, if there is one.
 */
struct qemu_run {
    struct options options;
    bool by_vsock; /* connect by vsock, not by a serial port */
    struct outputs outputs;
    struct qemu_line line;
    char folder[FOLDER_MAX + 16];
    char where[FOLDER_MAX +
               32]; /* socket in that folder that leads to the guest */
    pid_t bridge, qemu;
    int status; /* QEMU's exit status, converted to this command's */
};

/* The sampling process and QEMU, to which signals are passed on. 0: none. */
static volatile sig_atomic_t sampler, guest;

#define AT(m) offsetof(struct qemu_run, options.m)

static const struct option_row own_rows[] = {
    {"vsock", 0, NULL, &option_flag, offsetof(struct qemu_run, by_vsock), 0, 0,
     "by virtio-vsock, not by a serial port"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Guests and images:"),
    OPTION_ROWS(own_rows, 0),
    OPTION_ROWS(elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(source_rows, AT(from)),
    OPTION_TITLE("What to sample:"),
    OPTION_ROWS(duration_rows, offsetof(struct qemu_run, options)),
    OPTION_ROWS(wait_rows, AT(from)),
    OPTION_ROWS(rate_rows, AT(from)),
    OPTION_ROWS(depth_rows, AT(from)),
    OPTION_TITLE("What to show:"),
    OPTION_ROWS(core_rows, AT(selection)),
    OPTION_ROWS(time_rows, AT(selection)),
    OPTION_ROWS(report_rows, AT(shown)),
    OPTION_ROWS(of_rows, AT(shown)),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(output_rows, AT(output)),
    OPTION_ROWS(markdown_rows, AT(output)),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_ROWS(names_rows, offsetof(struct qemu_run, options)),
    OPTION_ROWS(text_rows, AT(output)),
    OPTION_ROWS(pager_rows, AT(shown)),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {.command = " run", .groups = groups};

static const struct help help = {
    &options,
    "collector run [option...] qemu-system-x86_64 ... -kernel FILE\n"
    "\n"
    "Starts QEMU with a virtio-serial port tprof.0 added to its command "
    "line, samples the guest until it ends, and reports. --vsock adds a "
    "virtio-vsock device by 'collector bridge' instead. --elf is by "
    "default the file of -kernel. Ctrl-C and --duration end the guest, "
    "too. With -nographic, Ctrl-C goes to the guest, and Ctrl-A X ends "
    "QEMU. The exit status is QEMU's; if QEMU's is 0, it is the "
    "collector's.",
    "  collector run qemu-system-x86_64 -nographic -kernel kernel.elf\n"
    "  collector run -d 10s qemu-system-x86_64 -M microvm -kernel kernel.elf\n"
    "  collector run -o page.html qemu-system-x86_64 -kernel kernel.elf\n",
    NULL};

static void say(const char *text)
{
    (void)fprintf(stderr, NAME ": %s\n", text);
}

/* Processes */

/* Fork a child that ends when this process ends. */
static pid_t fork_child(void)
{
    pid_t child = fork();

    if (child == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    return child;
}

/* Become QEMU. The number of an error goes to (fd). */
_Noreturn static void become_qemu(char **words, int fd)
{
    (void)execvp(words[0], words);
    int error = errno;

    _exit(write(fd, &error, sizeof error) == sizeof error ? 127 : 126);
}

/* Start QEMU. Returns 0; -1 with (e) filled. */
static int start_qemu(struct qemu_run *r, struct err *e)
{
    int ends[2], error = 0;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_sys(e, "pipe");
    r->qemu = fork_child();
    if (r->qemu == 0)
        become_qemu(r->line.words, ends[1]);
    (void)close(ends[1]);
    if (r->qemu < 0)
        error = errno;
    else if (read(ends[0], &error, sizeof error) != sizeof error)
        error = 0; /* it runs */
    (void)close(ends[0]);
    if (error == 0)
        return 0;
    if (r->qemu > 0)
        (void)waitpid(r->qemu, NULL, 0);
    r->qemu = 0;
    return err_set(e, "%s: %s", r->line.words[0], strerror(error));
}

static bool is_there(const char *folder, const char *name)
{
    char path[FOLDER_MAX + 32];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* Start the bridge, and wait for it: QEMU fails if no bridge listens. */
static int start_bridge(struct qemu_run *r, struct err *e)
{
    char vhost[FOLDER_MAX + 32], vsock[FOLDER_MAX + 32], said[FOLDER_MAX + 32],
        peer[] = "--vhost-user", uds[] = "--uds";
    char *words[] = {peer, vhost, uds, vsock, NULL};
    const struct timespec pause = {0, BRIDGE_NS};

    (void)snprintf(vhost, sizeof vhost, "%s/" QEMU_LINE_VHOST, r->folder);
    (void)snprintf(vsock, sizeof vsock, "%s/" QEMU_LINE_VSOCK, r->folder);
    (void)snprintf(said, sizeof said, "%s/" WORDS, r->folder);
    r->bridge = fork_child();
    if (r->bridge == 0) {
        /* read only after a failure */
        if (dup2(open(said, O_WRONLY | O_CREAT | O_CLOEXEC, 0600),
                 STDERR_FILENO) < 0)
            _exit(EXIT_FAILED);
        _exit(cmd_bridge.run(4, words));
    }
    for (unsigned i = 0; r->bridge > 0 && i < BRIDGE_TRY; i++) {
        if (is_there(r->folder, QEMU_LINE_VHOST) &&
            is_there(r->folder, QEMU_LINE_VSOCK))
            return 0;
        (void)nanosleep(&pause, NULL);
    }
    return err_set(e, "the bridge did not start");
}

/* Show the bridge's messages, which may explain why no sample came. */
static void show_bridge(const struct qemu_run *r)
{
    char path[FOLDER_MAX + 32], line[1024];
    size_t shown = 0;

    (void)snprintf(path, sizeof path, "%s/" WORDS, r->folder);
    FILE *said = fopen(path, "r");

    while (said != NULL && shown < WORDS_MAX &&
           fgets(line, sizeof line, said) != NULL) {
        (void)fputs(line, stderr);
        shown += strlen(line);
    }
    if (said != NULL)
        (void)fclose(said);
}

/* Start the sampling process. Block signals until that process catches them,
 * because QEMU may end at once. */
static pid_t start_sampling(struct qemu_run *r)
{
    sigset_t ends, before;

    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigaddset(&ends, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &ends, &before);
    pid_t child = fork_child();

    if (child != 0) {
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        return child;
    }
    const struct sampling_job job = {.command = NAME,
                                     .options = &r->options,
                                     .outputs = &r->outputs,
                                     .part = annotate_page_part(&r->options),
                                     .supervised = true,
                                     .keys_taken = r->line.takes_keys &&
                                                   isatty(STDIN_FILENO) == 1};
    int status = sampling_run(&job);

    (void)fflush(NULL);
    _exit(status);
}

/* Pass a signal on. The terminal sends Ctrl-C to all its processes, but other
 * signals come to this process only. */
static void pass_on(int number)
{
    if (sampler != 0)
        (void)kill(sampler, number);
    else if (guest != 0)
        (void)kill(guest, SIGTERM);
}

static void on_alarm(int number)
{
    (void)number;
    if (guest != 0)
        (void)kill(guest, SIGKILL);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = pass_on};
    struct sigaction late = {.sa_handler = on_alarm};

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
    (void)sigaction(SIGALRM, &late, NULL);
}

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status)
                             : SIGNALLED + WTERMSIG(status);
}

/* Wait for QEMU and the sampling process. When one ends, end the other. Returns
 * the status of the sampling process. */
static int wait_for_both(struct qemu_run *r)
{
    int status, result = EXIT_FAILED;

    while (guest != 0 || sampler != 0) {
        pid_t child = waitpid(-1, &status, 0);

        if (child < 0 && errno != EINTR)
            break;
        if (child == guest && child > 0) {
            guest = 0;
            r->status = status_of(status);
            if (sampler !=
                0) /* the sampler first reads the samples that came before */
                (void)kill(sampler, SIGTERM);
        } else if (child == sampler && child > 0) {
            sampler = 0;
            result = status_of(status);
            if (guest != 0) {
                (void)kill(guest, SIGTERM);
                (void)alarm(PATIENCE_S);
            }
        }
    }
    return result;
}

/* Beginning and end */

/* Name the guest's image, and the way to connect. */
static int name_guest(struct qemu_run *r, struct err *e)
{
    struct guests *g = &r->options.from.guests;
    enum magic kind =
        r->line.kernel != NULL ? magic_of_file(r->line.kernel) : MAGIC_NONE;

    (void)snprintf(r->where, sizeof r->where, "%s/%s", r->folder,
                   r->by_vsock ? QEMU_LINE_VSOCK : QEMU_LINE_PORT);
    if (g->elfs == NULL && (kind == MAGIC_ELF || kind == MAGIC_PE) &&
        guests_option(g, "elf", r->line.kernel, e) != 0)
        return -1;
    if (guests_option(g, r->by_vsock ? "vsock-uds" : "serial", r->where, e) !=
        0)
        return -1;
    return guests_finish(g, e);
}

static void remove_folder(const struct qemu_run *r)
{
    static const char *const names[] = {QEMU_LINE_PORT, QEMU_LINE_VHOST,
                                        QEMU_LINE_VSOCK, WORDS};
    char path[FOLDER_MAX + 32];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", r->folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(r->folder);
}

/* Prepare the folder and the command line. Returns 0; -1 with (e) filled. */
static int prepare(struct qemu_run *r, char **words, struct err *e)
{
    const char *temporary = getenv("TMPDIR");

    if (temporary == NULL || strlen(temporary) > FOLDER_MAX)
        temporary = "/tmp"; /* the path of a socket must be short */
    (void)snprintf(r->folder, sizeof r->folder, "%s/tprof.XXXXXX", temporary);
    if (mkdtemp(r->folder) == NULL)
        return err_sys(e, r->folder);
    if (qemu_line_make(&r->line, words, r->folder, r->by_vsock, e) != 0 ||
        name_guest(r, e) != 0 ||
        outputs_plan(&r->outputs, &r->options, true, e) != 0)
        return -1;
    outputs_plan_code(&r->outputs, &r->options);
    if (r->options.duration_s > 0)
        r->options.from.first_wait_s = FIRST_WAIT_S;
    return 0;
}

static int run_guest(struct qemu_run *r, struct err *e)
{
    if (r->by_vsock && start_bridge(r, e) != 0) {
        show_bridge(r);
        return EXIT_FAILED;
    }
    if (start_qemu(r, e) != 0)
        return EXIT_FAILED;
    catch_signals();
    guest = r->qemu;
    sampler = start_sampling(r);
    if (sampler < 0) {
        sampler = 0;
        (void)kill(r->qemu, SIGTERM);
    }
    int status = wait_for_both(r);

    if (status != EXIT_DONE)
        show_bridge(r);
    return r->status != 0 ? r->status : status;
}

static int refuse(const char *why)
{
    say(why);
    return EXIT_USAGE;
}

/* Read the options, and start QEMU's command line after them. Returns the exit
 * status, with (e) filled if there is a message to print. */
static int begin(struct qemu_run *r, int argc, char **argv, struct err *e)
{
    int words = option_words_begin(&options, argc, argv);
    int result = option_parse(r, &options, words, argv, e);

    if (result == OPTION_HELP)
        return help_print(&help);
    if (result < 0 || guests_finish(&r->options.from.guests, e) != 0) {
        say(e->text);
        return EXIT_USAGE;
    }
    if (words < argc && strcmp(argv[words], "--") == 0)
        words++;
    if (words == argc)
        return refuse("what is to be run? type: collector run "
                      "qemu-system-x86_64 ... -kernel FILE");
    result = prepare(r, argv + words, e) == 0 ? run_guest(r, e) : EXIT_USAGE;
    if (e->text[0] != '\0')
        say(e->text);
    return result;
}

static int run_run(int argc, char **argv)
{
    struct qemu_run r = {.options = OPTIONS_DEFAULT};
    struct err e = {""};

    r.options.shown.page_code = OPTIONS_PAGE_USUAL;
    int result = begin(&r, argc, argv, &e);

    if (r.bridge > 0 && kill(r.bridge, SIGTERM) == 0)
        (void)waitpid(r.bridge, NULL, 0);
    if (r.folder[0] != '\0')
        remove_folder(&r);
    qemu_line_fini(&r.line);
    options_fini(&r.options);
    return result;
}

const struct subcommand cmd_run = {"run", &options, run_run};
