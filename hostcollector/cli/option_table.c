/* SPDX-License-Identifier: BSD-2-Clause */
/* The options: which there are, what they are like, and what --help says. */
#include "cli/option_table.h"

#include <stddef.h>
#include <string.h>

#include "guest/source/source.h"
#include "util/text.h"

#define LIVE   (COMMAND_LIVE | COMMAND_RUN) /* sampling and a report */
#define ATTACH COMMAND_LIVE                 /* ... to a guest that runs */
#define RUN    COMMAND_RUN
#define RECORD COMMAND_RECORD
#define REPORT COMMAND_REPORT
#define BRIDGE COMMAND_BRIDGE
#define CHECK  COMMAND_CHECK
#define TOP    COMMAND_TOP
#define NOTE   COMMAND_ANNOTATE
#define DIFF   COMMAND_DIFF
#define PGO    COMMAND_PGO
#define STACKS COMMAND_STACKS
#define PUSH   COMMAND_PUSH
#define SERVE  COMMAND_SERVE
#define PACK   COMMAND_COMPACT
#define AT(m)  offsetof(struct options, m)

static const struct option_row rows[] = {
    {"watch", 0, "DIR", SERVE, OPTION_TEXT, AT(watch), 0, 0,
     "attach to what has a Unix socket in DIR, as they come: serial ports, and "
     "where its name ends in .vsock as --vsock-uds does"},
    {"guests", 0, "FILE", SERVE, OPTION_GUESTS, 0, 0, 0,
     "guests, one a line, like --vsock 3 --elf app.elf; SIGHUP has FILE read "
     "again"},
    {"guests", 0, "FILE", ATTACH | RECORD | STACKS, OPTION_GUESTS, 0, 0, 0,
     "guests, one a line, like --vsock 3 --elf app.elf"},
    {"name", 0, "NAME", ATTACH | RECORD | TOP | STACKS | SERVE, OPTION_GUEST, 0,
     0, 0, "what reports and files call the guest before it"},
    {"vsock", 0, NULL, RUN, OPTION_FLAG, AT(by_vsock), 0, 0,
     "by virtio-vsock, not by a serial port"},
    {"input", 0, "FILE", ATTACH | REPORT, OPTION_TEXT, AT(input), 0, 0,
     "a recording, or bytes from a one-way channel"},
    {"spool", 0, "DIR", REPORT, OPTION_TEXT, AT(windows), 0, 0,
     "windows that collector serve has kept in DIR; they have no names: "
     "--symbols or --elf gives them"},
    {"guest", 0, "NAME", REPORT, OPTION_TEXT, AT(windows_guest), 0, 0,
     "of this guest (default: the only one in DIR)"},
    {"since", 0, "WHEN", REPORT, OPTION_TEXT, AT(since), 0, 0,
     "windows that begin then or later: -1h, -90m, today, @1700000000 or "
     "2026-11-24T10:00, which is UTC with a Z behind it (default: all)"},
    {"until", 0, "WHEN", REPORT, OPTION_TEXT, AT(until), 0, 0,
     "windows that begin before that (default: all)"},
    {"build", 0, "ID", REPORT, OPTION_TEXT, AT(build), 0, 0,
     "of the image whose build-id begins so (default: that of the first "
     "window)"},
    {"elf", 0, "FILE", CHECK, OPTION_GUEST, 0, 0, 0,
     "the image to look at, and again for another"},
    {"elf", 0, "FILE", LIVE | RECORD | REPORT | TOP | STACKS, OPTION_GUEST, 0,
     0, 0,
     "the guest's image with symbols, and again for each that it loads (a "
     "recording knows its own)"},
    {"elf", 0, "FILE", SERVE, OPTION_GUEST, 0, 0, 0,
     "the guests' image, and again for each other that they run or load: it "
     "tells how busy they are, and names functions in their pages"},
    {"elf", 0, "FILE", NOTE | PGO | PUSH, OPTION_GUEST, 0, 0, 0,
     "the guest's image, and again for each that it loads (default: those that "
     "the recording names)"},
    {"symbols", 0, "DIR",
     LIVE | RECORD | REPORT | TOP | STACKS | NOTE | PGO | DIFF | PUSH | SERVE,
     OPTION_SYMBOLS, 0, 0, 0,
     "where images are by build-id, of a guest without --elf: "
     "DIR/.build-id/12/3456 and .debug; and again for another folder; behind "
     "them /usr/lib/debug. If DIR is a file: symbols as nm prints them, for an "
     "image without a symbol table (System.map, the guest's /proc/kallsyms)"},
    {"source", 0, "DIR", LIVE | REPORT | TOP, OPTION_TEXT, AT(sources), 0, 0,
     "where source files are, for pages and the key l of top (default: of a "
     "recording where they were compiled, of a guest nowhere)"},
    {"source", 0, "DIR", NOTE, OPTION_TEXT, AT(sources), 0, 0,
     "where sources are, if not where they were compiled"},
    {"duration", 'd', "SECONDS", LIVE | RECORD, OPTION_SECONDS, AT(duration_s),
     1, 0, "stop after so long (default: at Ctrl-C, or when the guest ends)"},
    {"max-size", 0, "SIZE", RECORD, OPTION_TEXT, AT(max_size), 0, 0,
     "stop when a recording has so many bytes, such as 500M, 64K at least "
     "(default: no limit)"},
    {"duration", 'd', "SECONDS", STACKS, OPTION_SECONDS, AT(duration_s), 1, 0,
     "how long to wait for a guest's cores (default: 2)"},
    {"registers", 0, NULL, STACKS, OPTION_FLAG, AT(registers), 0, 0,
     "registers, too, with --gdb, --qmp or --memory"},
    {"count", 'n', "N", STACKS, OPTION_COUNT, AT(looks), 1, 1000000,
     "look so often (default: once)"},
    {"interval", 'i', "SECONDS", STACKS, OPTION_SECONDS, AT(interval_s), 1, 0,
     "from one look to the next (default: 1)"},
    {"wait", 0, "SECONDS", STACKS, OPTION_SECONDS, AT(wait_s), 0, 0,
     "how long a guest may take to answer (default: 2)"},
    {"wait", 0, "SECONDS", ATTACH | RUN | RECORD | TOP, OPTION_SECONDS,
     AT(wait_s), 0, 0,
     "how long to wait for a guest to come, at least 2, or to come back "
     "(default: for ever, and 10)"},
    {"force-vsock", 0, NULL, ATTACH | RECORD | TOP | STACKS | SERVE,
     OPTION_FLAG, AT(force_vsock), 0, 0,
     "use vsock though there is no /dev/vhost-vsock here: in a container on a "
     "host that has it"},
    {"privileged", 0, NULL, ATTACH | RECORD | TOP | STACKS | SERVE, OPTION_FLAG,
     AT(privileged), 0, 0,
     "connect by vsock from a port below 1024, for guests that want that "
     "(TPROF_DEVICE_PRIVILEGED); takes CAP_NET_BIND_SERVICE"},
    {"peer", 0, "UID", ATTACH | RECORD | TOP | STACKS | SERVE, OPTION_PEER, 0,
     0, 0,
     "talk with this user's sockets, too, or with any user's (default: your "
     "own and root's)"},
    {"rate", 0, "HZ", LIVE | RECORD | TOP | STACKS, OPTION_COUNT, AT(rate_hz),
     1, 50000,
     "samples a second on each core, 1 to 50000 (default: the guest's config, "
     "else 997)"},
    {"rate", 0, "HZ", SERVE, OPTION_COUNT, AT(rate_hz), 1, 50000,
     "samples a second on each core, 1 to 50000 (default: 97)"},
    {"depth", 0, "N", LIVE | RECORD | TOP | STACKS | SERVE, OPTION_COUNT,
     AT(depth), 1, 127,
     "callers to record, 1 to 127 (default: the guest's config, else 64)"},
    {"budget", 0, "PERCENT", SERVE, OPTION_TEXT, AT(budget), 0, 0,
     "percent of a core's time that sampling may take, such as 0.1, before the "
     "rate falls (default: any)"},
    {"spool", 0, "DIR", SERVE, OPTION_TEXT, AT(spool), 0, 0,
     "keep what comes in DIR, in a recording for each guest and window"},
    {"window", 0, "TIME", SERVE, OPTION_TEXT, AT(window), 0, 0,
     "how long a window is, from 1s to 1h (default: 10s)"},
    {"spool-size", 0, "SIZE", SERVE, OPTION_TEXT, AT(spool_size), 0, 0,
     "where DIR has more, the oldest windows of the guests that have most go "
     "(default: 1G)"},
    {"spool-age", 0, "TIME", SERVE, OPTION_TEXT, AT(spool_age), 0, 0,
     "windows go that are older (default: 7d)"},
    {"listen", 0, "ADDRESS", SERVE, OPTION_TEXT, AT(listen), 0, 0,
     "show a page, /metrics and /healthz by HTTP at ADDRESS, such as "
     "127.0.0.1:9797, or unix:PATH for yourself and root"},
    {"token-file", 0, "FILE", SERVE, OPTION_TEXT, AT(token_file), 0, 0,
     "only to whoever sends the token in the first line of FILE; addresses "
     "that others reach want one"},
    {"page-code", 0, NULL, SERVE, OPTION_FLAG, AT(shows_code), 0, 0,
     "show source lines and code in guests' pages, also to clients without a "
     "token (default: only with --token-file)"},
    {"unwind", 0, "auto|tables|fp", ATTACH | RECORD | TOP | STACKS,
     OPTION_CHOICE, AT(unwind), 0, 0,
     "how callers are found without an agent: by unwind tables, else by the "
     "code (auto, the default); by tables alone; or along frame pointers"},
    {"output", 'o', "FILE", TOP, OPTION_OUTPUT, 0, 0, 0,
     "record into FILE, from the beginning; without it the key r records into "
     "tprof.tprof"},
    {"output", 'o', "FILE", LIVE | RECORD | REPORT, OPTION_OUTPUT, 0, 0, 0,
     "write FILE in the format of its suffix, or FORMAT:FILE; - is standard "
     "output; may be repeated"},
    {"output", 'o', "FILE", DIFF, OPTION_OUTPUT, 0, 0, 0,
     "write FILE: .txt, .html or .json by its suffix, or txt:FILE; - is "
     "standard output; may be repeated"},
    {"output", 'o', "FILE", NOTE, OPTION_OUTPUT, 0, 0, 0,
     "write FILE: .txt, .json or .html by its suffix, or json:FILE; - is "
     "standard output; may be repeated"},
    {"output", 'o', "FILE", STACKS, OPTION_OUTPUT, 0, 0, 0,
     "write FILE: .txt or .json by its suffix, or json:FILE; - is standard "
     "output; may be repeated"},
    {"format", 0, "txt|json", STACKS, OPTION_TEXT, AT(format), 0, 0,
     "the format of files whose suffix names none; without -o that of standard "
     "output"},
    {"format", 0, "txt|json|html", NOTE, OPTION_TEXT, AT(format), 0, 0,
     "the format of files whose suffix names none; without -o that of standard "
     "output"},
    {"output", 'o', "FILE", PGO, OPTION_OUTPUT, 0, 0, 0,
     "write FILE, not to standard output"},
    {"format", 0, "F", LIVE | RECORD | REPORT, OPTION_FORMAT, AT(format), 0, 0,
     "the format of files whose suffix names none; without -o that of standard "
     "output. One of"},
    {"force", 0, NULL, LIVE | RECORD | REPORT | NOTE | DIFF | PGO | STACKS,
     OPTION_FLAG, AT(force), 0, 0,
     "let -o overwrite a file that tprof has not written"},
    {"core", 0, "LIST", LIVE | REPORT | NOTE | DIFF | PGO | STACKS,
     OPTION_CORES, 0, 0, 0, "only these cores: 3, or 0,2-5; may be repeated"},
    {"time", 0, "A..B", STACKS, OPTION_SPAN, 0, 0, 0,
     "of a recording: the last stacks from second A to B"},
    {"time", 0, "A..B", LIVE | REPORT | NOTE | DIFF | PGO, OPTION_SPAN, 0, 0, 0,
     "only from second A to B; either may be left out"},
    {"exclude", 0, "NAME", LIVE | REPORT | NOTE | DIFF | PGO, OPTION_EXCLUDE, 0,
     0, 0,
     "leave out samples with the function NAME in their stack, or if none is "
     "called so, with NAME in the name of one; may be repeated"},
    {"memory", 0, "FILE|SIZE", REPORT | STACKS, OPTION_MEMORY, AT(memory), 0, 0,
     "FILE: a dead guest's memory, as QEMU's dump-guest-memory or pmemsave "
     "write it, or a snapshot; SIZE: what this command may take, such as 512M; "
     "the rest is folded into [others] (default: 1G)"},
    {"memory", 0, "SIZE", SERVE, OPTION_SIZE, AT(memory), 0, 0,
     "what guests and their open windows may take, such as 512M (default: 1G)"},
    {"memory", 0, "SIZE", LIVE | RECORD | TOP | NOTE | DIFF | PGO | PUSH,
     OPTION_SIZE, AT(memory), 0, 0,
     "what guests and reports may take, such as 512M; the rest is folded into "
     "[others] (default: 1G)"},
    {"top", 0, "N", LIVE | REPORT, OPTION_COUNT, AT(top), 1, 1000000,
     "functions in a table (default: 8 in the first, those of less than 1 % "
     "left out)"},
    {"fail-if", 0, "CHANGE", DIFF, OPTION_FAIL_IF, 0, 0, 0,
     "exit status 4 if a share surely changed by more: 'NAME +3%' of all, "
     "'NAME +3% of the rest', or -3%; or what a unit of work takes: "
     "'work:COUNTER +3%', 'NAME +3% per COUNTER'; may be repeated"},
    {"top", 0, "N", DIFF, OPTION_COUNT, AT(top), 1, 1000000,
     "functions that changed, and functions that did not (default: those worth "
     "a line)"},
    {"annotate", 0, "N", LIVE | REPORT, OPTION_COUNT, AT(page_code), 0,
     OPTIONS_PAGE_CODE,
     "of how many functions, the busiest, a page has source lines and code, 0 "
     "to 1000 (default: 10)"},
    {"all", 0, NULL, DIFF, OPTION_FLAG, AT(all), 0, 0,
     "every function, also with too few samples to judge"},
    {"tree", 0, NULL, DIFF, OPTION_FLAG, AT(tree), 0, 0,
     "also the call paths that changed beyond chance"},
    {"by-core", 0, NULL, DIFF, OPTION_FLAG, AT(by_core), 0, 0,
     "also what changed on each core"},
    {"all", 0, NULL, CHECK, OPTION_FLAG, AT(all), 0, 0,
     "every compile unit (default: the 20 largest)"},
    {"all", 0, NULL, NOTE, OPTION_FLAG, AT(all), 0, 0,
     "every line and block, also those without samples"},
    {"all", 0, NULL, LIVE | REPORT, OPTION_FLAG, AT(all), 0, 0,
     "every function, branch and core, and --details"},
    {"details", 0, NULL, LIVE | REPORT, OPTION_FLAG, AT(details), 0, 0,
     "ranges, accounts, lateness, cost and a table of each core, too (FILE.txt "
     "always has them)"},
    {"function", 0, "NAME", LIVE | REPORT, OPTION_TEXT, AT(function), 0, 0,
     "its lines, callers and callees; NAME may be a part"},
    {"inverted", 0, NULL, LIVE | REPORT, OPTION_FLAG, AT(inverted), 0, 0,
     "call trees inside out: below a function its caller"},
    {"callers-of", 0, "NAME", LIVE | REPORT, OPTION_TEXT, AT(callers_of), 0, 0,
     "the same, of functions with NAME in their names"},
    {"sort", 0, "self|total|late|name", LIVE | REPORT, OPTION_CHOICE, AT(sort),
     0, 0, "the order of functions (default: self)"},
    {"idle", 0, NULL, LIVE | REPORT, OPTION_FLAG, AT(idle), 0, 0,
     "where cores wait: tables and trees of idle time"},
    {"of", 0, "busy|all", LIVE | REPORT | NOTE, OPTION_CHOICE, AT(of), 0, 0,
     "what 100 % is: busy time (default), or all time"},
    {"color", 0, "auto|always|never", LIVE | REPORT | NOTE | DIFF | STACKS,
     OPTION_CHOICE, AT(colour), 0, 0,
     "colour in text (default: auto, on a terminal unless NO_COLOR is set)"},
    {"no-pager", 0, NULL, LIVE | REPORT | NOTE, OPTION_FLAG, AT(no_pager), 0, 0,
     "no $TPROF_PAGER, $PAGER or less for a terminal"},
    {"to", 0, "URL", PUSH, OPTION_TEXT, AT(to), 0, 0,
     "the receiver: KIND+https://HOST/, or a folder"},
    {"as", 0, "KIND", PUSH, OPTION_KIND, AT(as), 0, 0,
     "what the receiver is, where its URL does not say"},
    {"from", 0, "PATH", PUSH, OPTION_INPUT, 0, 0, 0,
     "a recording, or a folder of recordings; may be repeated, also without "
     "--from"},
    {"label", 0, "KEY=VALUE", PUSH, OPTION_LABEL, 0, 0, 0,
     "what else is told of all samples; may be repeated"},
    {"host", 0, "NAME", PUSH, OPTION_TEXT, AT(host), 0, 0,
     "the guests' host (default: this machine's name)"},
    {"format", 0, "FORMAT", PUSH, OPTION_TEXT, AT(format), 0, 0,
     "what a folder gets (default: the recordings, as they are)"},
    {"follow", 0, NULL, PUSH, OPTION_FLAG, AT(follow), 0, 0,
     "wait for further recordings, until Ctrl-C"},
    {"wait", 0, "SECONDS", PUSH, OPTION_SECONDS, AT(wait_s), 0, 0,
     "how long to try a receiver that takes nothing (default: 60)"},
    {"headers", 0, "FILE", PUSH, OPTION_TEXT, AT(headers), 0, 0,
     "headers of requests, one a line: X-Api-Key: ..."},
    {"ca", 0, "FILE", PUSH, OPTION_TEXT, AT(ca), 0, 0,
     "certificates to trust (default: the system's)"},
    {"cert", 0, "FILE", PUSH, OPTION_TEXT, AT(cert), 0, 0,
     "certificate that tells the receiver who we are"},
    {"key", 0, "FILE", PUSH, OPTION_TEXT, AT(key), 0, 0,
     "its private key (default: in the file of --cert)"},
    {"vhost-user", 0, "SOCKET", BRIDGE, OPTION_TEXT, AT(vhost_user), 0, 0,
     "where QEMU connects: -chardev socket,path=SOCKET"},
    {"uds", 0, "PATH", BRIDGE, OPTION_TEXT, AT(uds), 0, 0,
     "where everybody else connects"},
    {"cid", 0, "N", BRIDGE, OPTION_COUNT, AT(cid), 3, UINT32_MAX - 1,
     "the guest's CID, 3 or more (default: 3)"},
    {"peer", 0, "UID", BRIDGE, OPTION_PEER, 0, 0, 0,
     "let this user in or any (default: you and root)"},
    {"no-names", 0, NULL, LIVE | RECORD | REPORT | TOP, OPTION_FLAG,
     AT(no_names), 0, 0,
     "leave names and lines out of recordings; a report then needs the image"},
    {"sandbox", 0, "MODE",
     LIVE | RECORD | REPORT | BRIDGE | CHECK | TOP | NOTE | DIFF | PGO |
         STACKS | PUSH | SERVE | PACK,
     OPTION_SANDBOX, 0, 0, 0,
     "required: end where the kernel lacks a part of it; off: trust guests and "
     "files (default: auto, tell what is lacking)"},
    {"sandbox-report", 0, NULL, ATTACH, OPTION_FLAG, AT(sandbox_report), 0, 0,
     "what this kernel lets the sandbox refuse"},
    {"version", 'V', NULL, ATTACH, OPTION_FLAG, AT(version), 0, 0,
     "the collector's version"},
    {"help", 'h', NULL,
     LIVE | RECORD | REPORT | BRIDGE | CHECK | TOP | NOTE | DIFF | PGO |
         STACKS | PUSH | SERVE | PACK,
     OPTION_FLAG, AT(help), 0, 0, "this text"},
};

#define ROWS (sizeof rows / sizeof rows[0])

/* Sources come first. serve takes those only that have an agent. */
const struct option_row *option_row(size_t i)
{
    static struct option_row sources[SOURCE_KINDS];

    if (i >= SOURCE_KINDS)
        return i - SOURCE_KINDS < ROWS ? &rows[i - SOURCE_KINDS] : NULL;
    const struct source_kind *kind = &source_kinds[i];
    bool served = kind->need != SOURCE_NEEDS_SAMPLER;

    sources[i] = (struct option_row){.name = kind->name,
                                     .argument = kind->argument,
                                     .commands = ATTACH | RECORD | TOP |
                                                 STACKS | (served ? SERVE : 0),
                                     .kind = OPTION_GUEST,
                                     .help = kind->help};
    return &sources[i];
}

const char *option_command(enum command_bit command)
{
    return command == RUN      ? " run"
           : command == RECORD ? " record"
           : command == REPORT ? " report"
           : command == BRIDGE ? " bridge"
           : command == CHECK  ? " check"
           : command == TOP    ? " top"
           : command == NOTE   ? " annotate"
           : command == DIFF   ? " diff"
           : command == PGO    ? " pgo"
           : command == STACKS ? " stacks"
           : command == PUSH   ? " push"
           : command == PACK   ? " compact"
           : command == SERVE  ? " serve"
                               : "";
}

const struct option_row *option_nearest(const char *name, size_t len,
                                        unsigned commands)
{
    const struct option_row *best = NULL;
    const struct option_row *row;
    unsigned best_distance = 3;

    for (size_t i = 0; (row = option_row(i)) != NULL; i++) {
        /* a beginning counts as one slip: --dur */
        bool begins = len >= 2 && strncmp(row->name, name, len) == 0;
        unsigned d = begins ? 1 : text_edits(name, len, row->name);

        if ((row->commands & commands) != 0 && d < best_distance) {
            best = row;
            best_distance = d;
        }
    }
    return best;
}

const struct option_row *option_find(const char *word, size_t len,
                                     unsigned commands)
{
    const struct option_row *row;

    for (size_t i = 0; (row = option_row(i)) != NULL; i++) {
        bool is_long = word[1] == '-' && strlen(row->name) == len - 2 &&
                       strncmp(row->name, word + 2, len - 2) == 0;
        bool is_short = len == 2 && row->letter != 0 && word[1] == row->letter;

        if ((row->commands & commands) != 0 && (is_long || is_short))
            return row;
    }
    return NULL;
}
