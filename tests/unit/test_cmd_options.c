/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: what is understood, and what is said when it is not. */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/option_table.h"
#include "diff/diff_runs.h"

/* Configs of commands begin with a struct options, and have more behind it. */
static union {
    struct options options;
    struct diff_config diff;
    unsigned char room[1u << 15];
} config = {.options = OPTIONS_DEFAULT};
static struct err e;

#define o config.options

/* Parse (line), words separated by single blanks. */
static int parse(const struct subcommand *command, const char *line)
{
    static char copy[256];
    char *argv[64];
    int argc = 0;

    (void)snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok(copy, " "); w != NULL; w = strtok(NULL, " "))
        argv[argc++] = w;
    e.text[0] = 0;
    options_fini(&o);
    memset(&config, 0, sizeof config);
    o = (struct options)OPTIONS_DEFAULT;
    int result = option_parse(&config, command->options, argc, argv, &e);

    return result == OPTION_READ ? guests_finish(&o.from.guests, &e) : result;
}

static void check_refused(const struct subcommand *command, const char *line,
                          const char *want)
{
    CHECK_EQ(parse(command, line), -1);
    CHECK_STR(e.text, want);
}

TEST(options_reach_their_fields)
{
    CHECK_EQ(parse(&cmd_live, "--serial /tmp/s --elf=app.elf -d 5 --rate "
                              "1000 --depth 8 -o a.folded -ob.txt"),
             0);
    CHECK_EQ(o.from.guests.count, 1);
    CHECK_STR(o.from.guests.list[0].kind, "serial");
    CHECK_STR(o.from.guests.list[0].where, "/tmp/s");
    CHECK_STR(o.from.guests.list[0].elfs->path, "app.elf");
    CHECK(o.duration_s == 5);
    CHECK_EQ(o.from.rate_hz, 1000);
    CHECK_EQ(o.from.depth, 8);
    CHECK_EQ(o.output.count, 2);
    CHECK_STR(o.output.paths[0], "a.folded");
    CHECK_STR(o.output.paths[1], "b.txt");
    CHECK_EQ(o.selection.cores.count, 0);
    CHECK(!o.shown.all && o.from.input == NULL && o.output.format == NULL);

    CHECK_EQ(parse(&cmd_report, "x.tprof --core 3 --all --top 5 -o -"), 0);
    CHECK_STR(o.from.input, "x.tprof");
    CHECK(core_set_has(&o.selection.cores, 3) &&
          !core_set_has(&o.selection.cores, 2));
    CHECK_EQ(o.shown.top, 5);
    CHECK(o.shown.all);
    CHECK_STR(o.output.paths[0], "-");
}

/* Catches: a unit that is taken for another, a dot of the span read as one of
 * the number */
TEST(times_have_units)
{
    CHECK_EQ(parse(&cmd_live, "-d 500ms --wait 2m"), 0);
    CHECK(o.duration_s == .5 && o.from.wait_s == 120);
    CHECK_EQ(parse(&cmd_live, "-d 1s --wait 1.5h"), 0);
    CHECK(o.duration_s == 1 && o.from.wait_s == 5400);
    CHECK_EQ(parse(&cmd_report, "--time 1s..2s"), 0);
    CHECK(o.selection.time.from_s == 1 && o.selection.time.to_s == 2);
    CHECK_EQ(parse(&cmd_report, "--time 500ms..1m"), 0);
    CHECK(o.selection.time.from_s == .5 && o.selection.time.to_s == 60);
    CHECK_EQ(parse(&cmd_live, "-d 1x"), -1);
    CHECK_EQ(parse(&cmd_live, "-d 2000000000"), -1);
    CHECK_EQ(parse(&cmd_report, "--time 1s..2x"), -1);
}

TEST(spans_of_time_may_be_open)
{
    CHECK_EQ(parse(&cmd_report, "--time 1.5..4"), 0);
    CHECK(o.selection.time.from_s == 1.5 && o.selection.time.to_s == 4);
    CHECK_EQ(parse(&cmd_report, "--time 2..5"), 0);
    CHECK(o.selection.time.from_s == 2 && o.selection.time.to_s == 5);
    CHECK_EQ(parse(&cmd_report, "--time 2.."), 0);
    CHECK(o.selection.time.from_s == 2 && o.selection.time.to_s == 0);
    CHECK_EQ(parse(&cmd_report, "--time ..0.5"), 0);
    CHECK(o.selection.time.from_s == 0 && o.selection.time.to_s == 0.5);

    static const char *const bad[] = {
        "--time 5",     "--time 5..2",   "--time a..b",  "--time -1..2",
        "--time 1..2x", "--time 1...2x", "--time 1..nan"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_EQ(parse(&cmd_report, bad[i]), -1);
}

TEST(mistakes_say_what_to_type)
{
    check_refused(&cmd_live, "--elff x",
                  "no option '--elff'; did you mean --elf? "
                  "'collector help live' lists all");
    check_refused(&cmd_live, "--vsok 3",
                  "no option '--vsok'; did you mean --vsock? "
                  "'collector help live' lists all");
    check_refused(&cmd_live, "--dur=5",
                  "no option '--dur'; did you mean --duration? "
                  "'collector help live' lists all");
    check_refused(&cmd_record, "--zzz",
                  "no option '--zzz'; 'collector help record' lists all");
    check_refused(&cmd_report, "-d 5", /* not a report's */
                  "no option '-d'; 'collector help report' lists all");
    check_refused(&cmd_live, "--rate", "--rate wants HZ after it");
    check_refused(&cmd_live, "--all=1", "--all takes no argument");
    check_refused(&cmd_live, "x.tprof",
                  "what is 'x.tprof'? 'collector report x.tprof' reports on "
                  "a recording");
    check_refused(&cmd_report, "a b", "one recording at a time: 'a' or 'b'?");
    check_refused(&cmd_live, "-d 0", "--duration: more than 0 seconds, please");
    check_refused(&cmd_live, "-d inf",
                  "--duration: 'inf' is no time; type it as 500ms, 10s or 2m");
}

/* Catches: "what is 'a.elf'?", about the word behind the one that is wrong */
TEST(an_argument_is_missed_where_it_is_missing)
{
    check_refused(&cmd_live, "-o --elf a.elf",
                  "-o wants FILE after it, not the option --elf (a file of "
                  "that name is ./-...)");
    check_refused(&cmd_live, "--serial --elf=a.elf",
                  "--serial wants PATH after it, not the option --elf=a.elf "
                  "(a file of that name is ./-...)");
    check_refused(&cmd_live, "-d", "-d wants SECONDS after it");
    CHECK_EQ(parse(&cmd_live, "-o - --elf -x -o=--elf"), 0);
    CHECK_STR(o.output.paths[0], "-");
}

TEST(a_span_does_not_end_before_it_begins)
{
    check_refused(&cmd_report, "--time 5..1",
                  "--time: '5..1' ends before it begins");
    check_refused(&cmd_report, "--time 2..2",
                  "--time: '2..2' ends before it begins");
    check_refused(&cmd_report, "--time 5..x",
                  "--time: '5..x' is not a span of time; type it as 2..5, "
                  "2.., ..5 or 500ms..2s");
}

TEST(mistyped_commands_are_guessed)
{
    check_refused(&cmd_live, "reprot",
                  "no command 'reprot': did you mean 'report'? "
                  "'collector --help' lists all");
    check_refused(&cmd_live, "recor",
                  "no command 'recor': did you mean 'record'? "
                  "'collector --help' lists all");
    check_refused(&cmd_record, "report", /* not a command there */
                  "what is 'report'? 'collector help record' tells what to "
                  "type");
}

TEST(numbers_keep_their_bounds)
{
    CHECK_EQ(parse(&cmd_live, "--rate 1"), 0);
    CHECK_EQ(parse(&cmd_live, "--rate 100000"), 0);
    check_refused(&cmd_live, "--rate 100001",
                  "--rate: '100001' is not a number from 1 to 100000");
    CHECK_EQ(parse(&cmd_live, "--rate 0"), -1);
    CHECK_EQ(parse(&cmd_live, "--rate 1k"), 0);
    CHECK_EQ(o.from.rate_hz, 1000);
    CHECK_EQ(parse(&cmd_live, "--rate 1kx"), -1);
    CHECK_EQ(parse(&cmd_live, "--rate 1.5"), -1);
    CHECK_EQ(parse(&cmd_live, "--rate 99999999999999999999"), -1);
    CHECK_EQ(parse(&cmd_live, "--depth 128"), -1);
    CHECK_EQ(parse(&cmd_report, "--core -1"), -1);
}

/* The cores from 0 to 15 that are wanted, as bits. */
static unsigned cores(void)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < 16; i++)
        bits |= core_set_has(&o.selection.cores, i) ? 1u << i : 0;
    return bits;
}

TEST(cores_are_listed) /* catches: only the last --core counting */
{
    CHECK_EQ(parse(&cmd_report, "x"), 0);
    CHECK_EQ(cores(), 0xffff);
    CHECK_EQ(parse(&cmd_report, "--core 0,2-4,9"), 0);
    CHECK_EQ(cores(), 0x21d);
    CHECK_EQ(parse(&cmd_report, "--core 0,2..4,9"), 0);
    CHECK_EQ(cores(), 0x21d);
    CHECK_EQ(parse(&cmd_report, "--core 2."), -1);
    CHECK_EQ(parse(&cmd_report, "--core 2..1"), -1);
    CHECK_EQ(parse(&cmd_live, "--core 1 --core 3-3 --core=5,6"), 0);
    CHECK_EQ(cores(), 0x6a);
    CHECK_EQ(parse(&cmd_report, "--core 65535"), 0);
    CHECK_EQ(cores(), 0);
    CHECK_EQ(parse(&cmd_report, "--core 0,2,4,6,8,10,12,14,16,18,20,22,24,"
                                "26,28,30"),
             0);
    check_refused(&cmd_report, "--core 0,2x",
                  "--core: '0,2x' is no list of cores from 0 to 65535: type it "
                  "as 3, or 0,2-5");

    static const char *const bad[] = {
        "--core -1",
        "--core 1,",
        "--core ,1",
        "--core 3-1",
        "--core 1-",
        "--core 1--2",
        "--core 65536",
        "--core 1...2",
        "--core 1,,2",
        "--core 99999999999999999999",
        "--core 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_EQ(parse(&cmd_report, bad[i]), -1);
}

TEST(memory_is_a_size) /* catches: a factor of 1000, numbers that wrap */
{
    CHECK_EQ(parse(&cmd_report, "x"), 0);
    CHECK_EQ(o.from.memory, 1073741824);
    CHECK_EQ(parse(&cmd_live, "--memory 16M"), 0);
    CHECK_EQ(o.from.memory, 16777216);
    CHECK_EQ(parse(&cmd_record, "--memory 20000k"), 0);
    CHECK_EQ(o.from.memory, 20480000);
    CHECK_EQ(parse(&cmd_report, "--memory 256G"), 0);
    CHECK_EQ(o.from.memory, 274877906944);
    CHECK_EQ(parse(&cmd_report, "--memory 16777216"), 0);
    CHECK_EQ(parse(&cmd_report, "--memory 1.5g"), 0);
    CHECK_EQ(o.from.memory, 1610612736);
    check_refused(&cmd_report, "--memory 15M",
                  "--memory: '15M' is not a size from 16M to 256G; type it as "
                  "512M or 4G");

    static const char *const bad[] = {
        "--memory 257G", "--memory 1T",  "--memory -1G",
        "--memory G",    "--memory 1GB", "--memory 18446744073709551615",
        "--memory 1.5X", "--memory 0",   "--memory 17179869185G"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_EQ(parse(&cmd_report, bad[i]), -1);
}

TEST(memory_may_be_a_dead_guests) /* catches: a size that is a file */
{
    CHECK_EQ(parse(&cmd_report, "--memory vm.core --memory 32M"), 0);
    CHECK_STR(o.from.input, "vm.core");
    CHECK(o.from.input_is_memory);
    CHECK_EQ(o.from.memory, 33554432);
    CHECK_EQ(parse(&cmd_report, "--memory ./512M"), 0);
    CHECK_STR(o.from.input, "./512M");
    CHECK_EQ(parse(&cmd_report, "x"), 0);
    CHECK(!o.from.input_is_memory);
    check_refused(&cmd_report, "x --memory vm.core",
                  "one guest at a time: 'x' or 'vm.core'?");
    CHECK_EQ(parse(&cmd_live, "--memory vm.core"), -1);
}

TEST(too_many_files_are_refused)
{
#define FILES_15                                                               \
    "-o 1 -o 2 -o 3 -o 4 -o 5 -o 6 -o 7 -o 8 -o 9 -o 10 -o 11 -o 12 -o 13 -o " \
    "14 -o 15"
    CHECK_EQ(parse(&cmd_live, FILES_15 " -o 16"), 0);
    CHECK_EQ(parse(&cmd_live, FILES_15 " -o 16 -o 17"), -1);
}

TEST(a_file_may_name_its_format)
{
    CHECK_EQ(parse(&cmd_live, "-o -:folded -o csv:- -o txt:a:b -o c:\\x "
                              "-o a:b:json -o x/y"),
             0);
    CHECK_STR(o.output.paths[0], "-");
    CHECK_STR(o.output.formats[0], "folded");
    CHECK_STR(o.output.paths[1], "-");
    CHECK_STR(o.output.formats[1], "csv");
    CHECK_STR(o.output.paths[2], "a:b");
    CHECK_STR(o.output.formats[2], "txt");
    CHECK_STR(o.output.paths[3], "c:\\x");
    CHECK(o.output.formats[3] == NULL);
    CHECK_STR(o.output.paths[4], "a:b");
    CHECK_STR(o.output.formats[4], "json");
    CHECK_STR(o.output.paths[5], "x/y");
    CHECK(o.output.formats[5] == NULL);
    check_refused(&cmd_live, "-o folded:", "-o folded:: into which file?");
}

TEST(help_lists_what_a_command_knows_and_no_more)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    help_options(out, cmd_record.options);
    CHECK(fclose(out) == 0);
    CHECK(strstr(text, "-d, --duration SECONDS") != NULL);
    CHECK(strstr(text, "--serial PATH") != NULL);
    CHECK(strstr(text, "perfdata") != NULL); /* the last of a long list */
    CHECK(strstr(text, "--core") == NULL);
    free(text);
}

/* What `collector NAME --help` writes, in (text). */
static void read_help(const struct subcommand *command, char *text, size_t size)
{
    static char word[] = "--help";
    char *argv[] = {word, NULL};
    FILE *out = tmpfile();

    CHECK(out != NULL && dup2(fileno(out), STDOUT_FILENO) >= 0);
    CHECK_EQ(command->run(1, argv), EXIT_DONE);
    CHECK(fflush(stdout) == 0 && fseek(out, 0, SEEK_SET) == 0);
    size_t length = fread(text, 1, size, out);
    CHECK(length < size);
    text[length] = '\0';
    (void)fclose(out);
}

/* Does it fit 80 columns, and hold (word)? */
static void check_help(const struct subcommand *command, const char *word)
{
    static char text[32768];

    CHECK(command != NULL);
    read_help(command, text, sizeof text);
    CHECK(strstr(text, word) != NULL);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strlen(line) > 80)
            check_failed(__FILE__, __LINE__, "%s: %s", command->name, line);
}

TEST(help_of_each_command_fits_a_terminal) /* catches: texts that run over */
{
    const struct subcommand *command;

    for (size_t i = 0; (command = cmd_at(i)) != NULL; i++)
        if (command->options != NULL)
            check_help(command, "  -h, --help  ");
    check_help(&cmd_live, "collector report\n");
}

TEST(help_of_serve_has_no_guest_without_agent)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    help_options(out, cmd_serve.options);
    CHECK(fclose(out) == 0);
    CHECK(strstr(text, "--serial PATH") != NULL);
    CHECK(strstr(text, "--gdb") == NULL && strstr(text, "--qmp") == NULL);
    free(text);
}

/* A config of a command's own type, and the field of (name) in it. */
static union {
    max_align_t align;
    char bytes[4096];
} own;

static const void *own_field(const struct subcommand *command, const char *name)
{
    size_t offset;

    CHECK(option_find(command->options, name, strlen(name), &offset) != NULL);
    return own.bytes + offset;
}

/* Parse (line) into it. */
static int parse_own(const struct subcommand *command, const char *line)
{
    static char copy[256];
    char *argv[8];
    int argc = 0;

    (void)snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok(copy, " "); w != NULL; w = strtok(NULL, " "))
        argv[argc++] = w;
    e.text[0] = 0;
    memset(&own, 0, sizeof own);
    return option_parse(&own, command->options, argc, argv, &e);
}

TEST(check_takes_images_with_or_without_elf) /* catches: the second lost */
{
    CHECK_EQ(parse_own(&cmd_check, "--elf a --all b"), 0);
    struct guests g = *(const struct guests *)own_field(&cmd_check, "--elf");

    CHECK(*(const bool *)own_field(&cmd_check, "--all"));
    CHECK(g.elfs != NULL && g.elfs->next != NULL);
    CHECK_STR(g.elfs->path, "a");
    CHECK_STR(g.elfs->next->path, "b");
    guests_fini(&g);
    CHECK_EQ(parse_own(&cmd_check, "--top 3"), -1);
    CHECK(strstr(e.text, "'collector help check'") != NULL);
}

TEST(annotate_takes_a_function_before_the_recording) /* catches: the other */
{
    CHECK_EQ(parse(&cmd_annotate, "run.tprof"), 0);
    CHECK(o.shown.function == NULL);
    CHECK_STR(o.from.input, "run.tprof");
    CHECK_EQ(parse(&cmd_annotate, "walk --source src run.tprof --all"), 0);
    CHECK_STR(o.shown.function, "walk");
    CHECK_STR(o.from.input, "run.tprof");
    CHECK_STR(o.from.sources, "src");
    CHECK(o.shown.all);
    CHECK_EQ(parse(&cmd_annotate, "walk run.tprof other.tprof"), -1);
    CHECK(strstr(e.text, "one recording at a time") != NULL);
    CHECK_EQ(parse(&cmd_annotate, "--serial port"), -1);
}

TEST(help_stands_in_a_column_of_its_own) /* catches: "neverwhat colour" */
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    help_options(out, cmd_report.options);
    CHECK(fclose(out) == 0);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        CHECK(strlen(line) < 30 || line[29] == ' ' ||
              strchr(line + 29, ' ') == NULL);
    free(text);
}

TEST(help_wins_over_what_follows)
{
    CHECK_EQ(parse(&cmd_live, "--help --nonsense"), OPTION_HELP);
    CHECK_EQ(parse(&cmd_live, "--version --nonsense"), OPTION_LAST);
}

static const struct guest_spec *guest(size_t i)
{
    CHECK(i < o.from.guests.count);
    return &o.from.guests.list[i];
}

/* (want): the paths, with blanks between; "none". */
static void check_elfs(const struct elf_path *elfs, const char *want)
{
    char text[256] = "";

    for (; elfs != NULL; elfs = elfs->next)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                       text[0] != '\0' ? " " : "", elfs->path);
    CHECK_STR(text[0] != '\0' ? text : "none", want);
}

static void check_guest(size_t i, const char *kind, const char *where,
                        const char *elfs, const char *name)
{
    CHECK_STR(guest(i)->kind, kind);
    CHECK_STR(guest(i)->where, where);
    check_elfs(guest(i)->elfs, elfs);
    CHECK_STR(guest(i)->name, name);
}

TEST(guests_have_their_own_image_and_name)
{
    CHECK_EQ(parse(&cmd_live,
                   "--vsock 3 --elf a --vsock 4:99 --elf b --name db "
                   "--vsock-uds /run/vm.sock --serial /tmp/x/tprof.0"),
             0);
    CHECK_EQ(o.from.guests.count, 4);
    check_guest(0, "vsock", "3", "a", "cid3");
    check_guest(1, "vsock", "4:99", "b", "db");
    check_guest(2, "vsock-uds", "/run/vm.sock", "none", "vm.sock");
    check_guest(3, "serial", "/tmp/x/tprof.0", "none", "tprof.0");
}

TEST(one_image_may_serve_all)
{
    CHECK_EQ(parse(&cmd_live, "--vsock 3 --vsock 4 --elf a"), 0);
    check_guest(0, "vsock", "3", "a", "cid3"); /* the only --elf at all */
    check_guest(1, "vsock", "4", "a", "cid4");
    CHECK_EQ(parse(&cmd_live, "--elf a --vsock 3 --vsock 4 --elf b"), 0);
    check_guest(0, "vsock", "3", "a", "cid3"); /* before the first source */
    check_guest(1, "vsock", "4", "b", "cid4");
    CHECK_EQ(parse(&cmd_report, "x.tprof --elf a"), 0);
    check_elfs(o.from.guests.elfs, "a");
}

/* Catches: an image that is given, and never used */
TEST(a_guest_that_is_looked_at_from_outside_has_one_image)
{
    CHECK_EQ(parse(&cmd_live, "--gdb g --elf k --vsock 3 --elf k --elf a"), 0);
    check_refused(&cmd_live, "--gdb g --elf kernel --elf app",
                  "--gdb g: without an agent the addresses of further images "
                  "are unknown. Name only the kernel with --elf, not "
                  "app");
    check_refused(&cmd_stacks, "--elf kernel --elf app --qmp q",
                  "--qmp q: without an agent the addresses of further images "
                  "are unknown. Name only the kernel with --elf, not "
                  "app");
}

TEST(a_guest_may_have_several_images)
{
    CHECK_EQ(parse(&cmd_live, "--vsock 3 --elf kernel --elf app"), 0);
    check_guest(0, "vsock", "3", "kernel app", "cid3");
    CHECK_EQ(parse(&cmd_report, "--elf kernel x.tprof --elf app"), 0);
    check_elfs(o.from.guests.elfs, "kernel app");
    CHECK_EQ(parse(&cmd_live, "--elf k --elf a --elf b --vsock 3 --vsock 4"),
             0);
    check_guest(0, "vsock", "3", "k a b", "cid3");
    check_guest(1, "vsock", "4", "k a b", "cid4");
    /* given for one of them only: everybody's, as one --elf is */
    CHECK_EQ(parse(&cmd_live, "--vsock 3 --vsock 4 --elf k --elf a"), 0);
    check_guest(0, "vsock", "3", "k a", "cid3");
    check_guest(1, "vsock", "4", "k a", "cid4");
    /* each its own */
    CHECK_EQ(parse(&cmd_live, "--vsock 3 --elf k --elf a --vsock 4 --elf k "
                              "--name db --elf b --vsock 5"),
             0);
    check_guest(0, "vsock", "3", "k a", "cid3");
    check_guest(1, "vsock", "4", "k b", "db");
    check_guest(2, "vsock", "5", "none", "cid5");
    /* what is everybody's is for those only that have none */
    CHECK_EQ(parse(&cmd_live, "--elf k --elf a --vsock 3 --vsock 4 --elf j"),
             0);
    check_guest(0, "vsock", "3", "k a", "cid3");
    check_guest(1, "vsock", "4", "j", "cid4");
    /* unless there is but one guest */
    CHECK_EQ(parse(&cmd_live, "--elf k --vsock 3 --elf a --elf b"), 0);
    check_guest(0, "vsock", "3", "k a b", "cid3");
}

TEST(names_differ_and_fit_file_names)
{
    CHECK_EQ(parse(&cmd_live, "--serial /a/x --serial /b/x --vsock 3 "
                              "--serial /c/w;rm --serial /d/.."),
             0);
    CHECK_STR(guest(0)->name, "a");
    CHECK_STR(guest(1)->name, "b");
    CHECK_STR(guest(2)->name, "cid3");
    CHECK_STR(guest(3)->name, "w_rm");
    CHECK_STR(guest(4)->name, "_.");
    CHECK_EQ(parse(&cmd_live, "--serial /v/1/x --serial /w/1/x --serial x "
                              "--serial /x --serial /v/2/x"),
             0);
    CHECK_STR(guest(0)->name, "1-1");
    CHECK_STR(guest(1)->name, "1-2");
    CHECK_STR(guest(2)->name, "x-3"); /* no folder tells it from the next */
    CHECK_STR(guest(3)->name, "x-4");
    CHECK_STR(guest(4)->name, "2");
    check_refused(&cmd_live, "--vsock 3 --name a --vsock 4 --name a",
                  "two guests are called 'a': give each a --name");
    CHECK_EQ(parse(&cmd_live, "--vsock 3 --name ../x"), -1);
    CHECK_EQ(parse(&cmd_live, "--vsock 3 --name .x"), -1);
    CHECK_EQ(parse(&cmd_live, "--name a --vsock 3"), -1);
}

/* A --guests file with (text), parsed as (parse) does. */
static int parse_file(const char *text)
{
    char path[] = "/tmp/test_cmd_options.XXXXXX";
    char line[64];
    int fd = mkstemp(path);
    size_t size = strlen(text);

    CHECK(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    close(fd);
    snprintf(line, sizeof line, "--guests %s", path);
    int result = parse(&cmd_record, line);

    unlink(path);
    return result;
}

TEST(a_file_has_a_guest_a_line)
{
    CHECK_EQ(parse_file("# guests\n"
                        "\n"
                        "--vsock 3 --elf a.elf\n"
                        "\tname=b elf=b.elf vsock=4 # in any order\r\n"
                        "--serial=/tmp/s#1\n"
                        "elf=k --elf a vsock=5 elf=b\n"),
             0);
    CHECK_EQ(o.from.guests.count, 4);
    check_guest(0, "vsock", "3", "a.elf", "cid3");
    check_guest(1, "vsock", "4", "b.elf", "b");
    check_guest(2, "serial", "/tmp/s#1", "none", "s_1");
    check_guest(3, "vsock", "5", "k a b", "cid5");
}

TEST(a_line_that_is_wrong_is_named)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"--vsock 3\nvsock 4\n", ":2: what is 'vsock'? a line is like: "},
        {"\n\nelf=a\n", ":3: the guest's source is missing: a line is like: "},
        {"vsock=3 serial=x\n",
         ":1: this line names two guests, '3' and 'x': write one guest a line"},
        {"vsock=3 vsock=4\n",
         ":1: this line names two guests, '3' and '4': write one guest a line"},
        {"--vsock\n", ":1: what stands after '--vsock'? "},
        {"--vsock=\n", ":1: what stands after '--vsock'? "},
        {"--vsock 3 name=a/b\n", ":1: --name: 'a/b' is no name"},
        {"# none\n", ": names no guest; a line is like: "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_EQ(parse_file(cases[i].text), -1);
        if (strstr(e.text, cases[i].want) == NULL)
            CHECK_STR(e.text, cases[i].want);
    }
    CHECK_EQ(parse(&cmd_live, "--guests /nonexistent"), -1);
    CHECK_EQ(parse(&cmd_live, "--guests /dev/zero"), -1);
}

TEST(another_user_may_be_trusted) /* catches: a bridge without the option */
{
    CHECK_EQ(parse(&cmd_record, "--serial /tmp/s --peer 1000"), 0);
    CHECK(o.from.peers.other && o.from.peers.uid == 1000 && !o.from.peers.any);
    CHECK_EQ(parse_own(&cmd_bridge, "--peer any"), 0);
    CHECK(((const struct peer_rule *)own_field(&cmd_bridge, "--peer"))->any);
    check_refused(
        &cmd_live, "--peer alice",
        "--peer: 'alice' is not a user's number. Type the number that "
        "'id -u NAME' prints, or any");
}

TEST(waiting_may_be_declined)
{
    CHECK_EQ(parse(&cmd_live, "--vsock 3"), 0);
    CHECK(o.from.wait_s < 0);
    CHECK_EQ(parse(&cmd_live, "--vsock 3 --wait 0"), 0);
    CHECK(o.from.wait_s == 0);
    CHECK_EQ(parse(&cmd_live, "--vsock 3 --wait -1"), -1);
}

TEST(recordings_have_two_sides)
{
    CHECK_EQ(parse(&cmd_diff, "a b"), 0);
    CHECK_EQ(config.diff.inputs.count, 2);
    CHECK_EQ(config.diff.before_count, 0); /* two may do without -- */
    CHECK_EQ(parse(&cmd_diff, "a --top 3 b -- c -o x.json d e"), 0);
    CHECK_EQ(config.diff.inputs.count, 5);
    CHECK_EQ(config.diff.before_count, 2);
    CHECK_STR(config.diff.inputs.list[4], "e");
    CHECK_EQ(o.shown.top, 3);
    check_refused(&cmd_diff, "a -- b -- c",
                  "one -- divides the recordings: type collector diff "
                  "BEFORE... -- AFTER...");
    CHECK_EQ(parse(&cmd_diff, "-- b"), -1);
    CHECK_EQ(parse(&cmd_diff, "a b --fail-if f+3%"), -1);
    /* elsewhere -- is no word */
    CHECK_EQ(parse(&cmd_report, "a -- b"), -1);
}
