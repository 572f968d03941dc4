/* SPDX-License-Identifier: BSD-2-Clause */
/* What the collector says to somebody who typed something else than it takes.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

#define CHECK_SAYS(line, status, words)                                        \
    do {                                                                       \
        CHECK_EQ(collector(line), status);                                     \
        CHECK_STR(text_of("err"), words "\n");                                 \
    } while (0)

/* A recording of no samples. */
static void write_recording(const char *name)
{
    write_text(name, "tprofrec\1");
}

TEST(a_file_without_a_command_is_told_where_it_goes)
{
    enter_dir();
    copy_image("k.elf", KERNEL, KERNEL_ID, NULL);
    write_recording("a.tprof");
    write_recording("b");
    write_file("k.efi", "MZ\x90\0\3\0\0\0\4", 9);
    CHECK_SAYS("a.tprof", 2,
               "collector: 'a.tprof' is a recording: type 'collector report "
               "a.tprof'");
    CHECK_SAYS("b", 2,
               "collector: 'b' is a recording: type 'collector report b'");
    CHECK_SAYS("gone.tprof", 2,
               "collector: what is 'gone.tprof'? 'collector report gone.tprof' "
               "reports on a recording");
    CHECK_SAYS("k.elf --serial x", 2,
               "collector: 'k.elf' is an image: type --elf k.elf");
    CHECK_SAYS("record k.efi", 2,
               "collector record: 'k.efi' is an image: type --elf k.efi");
}

static void say_nothing(int listener)
{
    (void)listener;
}

TEST(a_socket_without_an_option_is_told_which)
{
    enter_dir();
    join_guest(start_guest("port", say_nothing));
    CHECK_SAYS("port", 2, "collector: 'port' is a socket: type --serial port");
}

TEST(what_is_no_recording_is_told_as_what_it_is)
{
    enter_dir();
    write_text("empty", "");
    copy_image("k.elf", KERNEL, KERNEL_ID, NULL);
    CHECK_SAYS("report empty", 1,
               "collector report: empty: is empty (0 "
               "bytes)");
    CHECK_SAYS(
        "report k.elf", 1,
        "collector report: k.elf: is an image, not a recording. 'collector "
        "check k.elf' examines an image; --elf k.elf names it for a report");
    CHECK_SAYS("report gone.tprof", 1,
               "collector report: gone.tprof: No such file or directory");
    write_file("vm.core", "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0\x3e", 19);
    CHECK_SAYS("report vm.core", 1,
               "collector report: vm.core: is a core file, not a recording. "
               "For a report on a guest's memory, type --memory vm.core");
    CHECK_SAYS("vm.core", 2,
               "collector: 'vm.core' is a core file: type 'collector report "
               "--memory vm.core'");
    CHECK_SAYS("report .", 1,
               "collector report: .: is a folder: name a recording in it; "
               "'collector report --spool .' reports on windows of collector "
               "serve");
    CHECK_SAYS("annotate Scheduler.Next", 2,
               "collector annotate: which recording? no tprof.tprof is here; "
               "type: collector annotate "
               "Scheduler.Next FILE");
    CHECK_SAYS("annotate gone.tprof", 1,
               "collector annotate: gone.tprof: No such file or directory");
    CHECK_SAYS("report /dev/null", 1,
               "collector report: /dev/null: is neither a file nor a pipe; use "
               "--serial for a port");
    CHECK_SAYS(
        "--serial .", 1,
        "collector: .: is neither a Unix socket, nor a terminal, nor a file: "
        "name the path of QEMU's -chardev socket,path=... or of its pty");
    write_text("words", "Is this a recording? It is a file of words.\n");
    CHECK_SAYS("report words", 1,
               "collector report: words: no guest's data in it: is this "
               "a recording, or a captured stream?");
}

TEST(a_guest_that_never_comes_is_not_waited_for_without_end)
{
    enter_dir();
    CHECK_SAYS(
        "--serial port --wait 2", 1,
        "collector: waiting for a guest at port\n"
        "collector: no guest connected within 2 s: nothing ever listened at "
        "port: is QEMU started with -chardev "
        "socket,path=port,server=on,wait=off?");
    CHECK_SAYS(
        "--serial gone/port --wait 0.1", 1,
        "collector: waiting: there is no folder gone\n"
        "collector: no guest connected within 2 s: gone/port: there is no "
        "folder gone");
    CHECK_SAYS("--serial localhost:5555", 2,
               "collector: --serial takes a Unix socket, a pty or a file, not "
               "TCP: type 'socat UNIX-LISTEN:/tmp/port TCP:localhost:5555', "
               "and --serial /tmp/port");
}

/* Accepts, and says nothing. */
static void play_dumb(int listener)
{
    int fd = accept(listener, NULL, NULL);

    while (hear(fd))
        continue;
}

TEST(a_guest_that_says_nothing_is_given_up) /* catches: a hang in CI */
{
    enter_dir();
    pid_t guest = start_guest("port", play_dumb);

    CHECK_EQ(collector("--serial port --wait 2.5"), 1);
    join_guest(guest);
    CHECK_CONTAINS("err", "still waiting, 2.5 s in all (--wait).\n"
                          "    Why, the likeliest first:\n"
                          "    - the guest is not up yet, or is paused;\n"
                          "    - tprof_init() failed: the guest");
    CHECK_CONTAINS("err",
                   "\ncollector: no guest connected within 2.5 s: port: no "
                   "guest answered: does a guest run there");
}

TEST(ctrl_c_tells_that_nobody_ever_listened)
{
    enter_dir();
    pid_t pid = start_collector("--serial port -o a.tprof");

    wait_for_size("a.tprof", 40); /* it is up */
    wait_for_size("err", 10);
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(join_collector(pid), 1);
    CHECK_CONTAINS("err", "collector: nothing ever listened at port: is QEMU "
                          "started with -chardev");
}

static void play_50(int listener)
{
    play_in_order(listener, 50);
}

/* A command of the shell, with the collector's name in $C. */
static int shell(const char *command)
{
    CHECK_EQ(setenv("C", COLLECTOR, 1), 0);
    int status = system(command);

    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(a_recording_may_come_by_a_pipe)
{
    char *whole;

    enter_dir();
    pid_t guest = start_guest("port", play_50);

    CHECK_EQ(collector("record --serial port -d 0.3 -o a.tprof"), 0);
    join_guest(guest);
    CHECK_EQ(collector("report a.tprof --format folded"), 0);
    whole = strdup(text_of("out"));
    CHECK_CONTAINS("out", " 50\n");
    CHECK_EQ(shell("cat a.tprof | $C report - --format folded >piped"), 0);
    CHECK_STR(text_of("piped"), whole);
    CHECK_EQ(shell("$C report - <a.tprof >piped"), 0);
    CHECK(!contains("piped", "collector report -"));
    CHECK_EQ(shell("$C report - --format folded <a.tprof >piped"), 0);
    CHECK_STR(text_of("piped"), whole);
    CHECK_EQ(shell("cat a.tprof | $C report /dev/stdin --format folded >piped"),
             0);
    CHECK_STR(text_of("piped"), whole);
    /* byte by byte at first: the beginning comes in pieces */
    CHECK_EQ(shell("(for i in 1 2 3 4 5 6 7 8 9; do dd bs=1 count=1 "
                   "2>/dev/null; sleep 0.03; done; cat) <a.tprof | $C report "
                   "- --format folded >piped"),
             0);
    CHECK_STR(text_of("piped"), whole);
    CHECK_EQ(shell("$C report - </dev/null 2>err"), 1);
    CHECK_CONTAINS("err", "standard input: is a terminal, not a recording: "
                          "type 'collector report FILE'");
    CHECK_EQ(shell(": | $C report - 2>err"), 1);
    CHECK_CONTAINS("err", "standard input: is empty (0 bytes)");
    free(whole);
}

TEST(ctrl_c_is_heard_while_a_pipe_is_silent)
{
    enter_dir();
    CHECK_EQ(mkfifo("pipe", 0600), 0);
    pid_t pid = start_collector("report pipe");
    int fd = open("pipe", O_WRONLY); /* returns when it is read */

    CHECK(fd >= 0 && write(fd, "tprofrec", 8) == 8);
    CHECK_EQ(kill(pid, SIGINT), 0);
    CHECK_EQ(join_collector(pid), 1);
    CHECK_CONTAINS("err", "pipe: no guest's data in it");
    close(fd);
}

/* Introduces itself, and is never interrupted. */
static void play_none(int listener)
{
    play_in_order(listener, 0);
}

TEST(no_samples_have_a_status_of_their_own) /* catches: emptiness is success */
{
    enter_dir();
    pid_t guest = start_guest("port", play_none);

    CHECK_EQ(collector("record --serial port -d 0.3 -o none.tprof"), 3);
    join_guest(guest);
    CHECK_EQ(collector("report none.tprof"), 3);
    guest = start_guest("port2", play_none);
    CHECK_EQ(collector("--serial port2 -d 0.3"), 3);
    join_guest(guest);
    CHECK_CONTAINS("out", "no samples");
    guest = start_guest("port3", play_50);
    CHECK_EQ(collector("record --serial port3 -d 0.3 -o some.tprof"), 0);
    join_guest(guest);
    CHECK_EQ(collector("report some.tprof --core 0"), 0);
    CHECK_EQ(collector("report some.tprof --core 7"), 3);
    CHECK_CONTAINS("out", "There are samples of");
    CHECK_EQ(collector("report some.tprof --time 100.."), 3);
    CHECK_CONTAINS(
        "out",
        ": no samples from second 100 on, because the samples end after ");
    CHECK_EQ(collector("report some.tprof -o x.txt --core 7"), 3);
    CHECK_CONTAINS("x.txt", "no samples");
    CHECK_EQ(collector("report --help"), 0);
    CHECK_CONTAINS("out", "3 no samples");
}

TEST(vsock_without_a_device_is_no_mistake_of_the_line)
{
    enter_dir();
    if (access("/dev/vhost-vsock", F_OK) == 0)
        SKIP("this host has /dev/vhost-vsock");
    CHECK_EQ(collector("--vsock 3"), 1);
    CHECK_CONTAINS("err", "this host has no /dev/vhost-vsock: modprobe");
    CHECK_EQ(collector("--vsock 2"), 2);
    CHECK_EQ(collector("--vsock 3:x"), 2);
    CHECK_CONTAINS("err", "--vsock: 'x' is not a port");
}

TEST(help_and_version_are_found_where_people_look)
{
    enter_dir();
    CHECK_EQ(collector("help"), 0);
    CHECK_CONTAINS("out", "  collector --serial tprof.sock --elf kernel.elf");
    CHECK_EQ(collector("--help"), 0);
    CHECK_CONTAINS("out", "'collector help COMMAND' explains a command");
    CHECK_EQ(collector(""), 2);
    CHECK_CONTAINS("out", "'collector help COMMAND' explains a command");
    CHECK_EQ(collector("help live"), 0);
    CHECK_CONTAINS("out", "--sandbox-report");
    CHECK_EQ(collector("help report"), 0);
    CHECK_CONTAINS("out", "collector report [FILE] [option...]");
    CHECK_CONTAINS("out", "What to show:");
    CHECK_EQ(collector("check --help"), 0);
    CHECK_CONTAINS("out", "collector check --elf FILE");
    CHECK_EQ(collector("help help"), 0);
    CHECK_SAYS("help chekc", 2,
               "collector help: no command 'chekc': did you mean 'check'? "
               "'collector --help' lists all");
    CHECK_EQ(collector("help rec"), 2);
    CHECK_CONTAINS("err", "did you mean 'record'?");
    CHECK_EQ(collector("-V"), 0);
    CHECK_CONTAINS("out", "collector 0.");
    CHECK_EQ(collector("--elf k --version"), 0);
    CHECK_CONTAINS("out", "collector 0.");
}

TEST(diff_says_which_recordings_it_wants)
{
    static const char want[] =
        "collector diff: which recordings? type: collector diff BEFORE AFTER, "
        "or collector diff BEFORE... -- AFTER...\n";

    enter_dir();
    write_recording("a.tprof");
    write_recording("b.tprof");
    CHECK_EQ(collector("diff a.tprof"), 2);
    CHECK_STR(text_of("err"), want);
    CHECK_EQ(collector("diff a.tprof b.tprof a.tprof"), 2);
    CHECK_STR(text_of("err"), want);
    CHECK_EQ(collector("diff a.tprof b.tprof --"), 2);
    CHECK_STR(text_of("err"), want);
    CHECK_SAYS(
        "diff a.tprof gone.tprof -o b.tprof", 2,
        "collector diff: -o b.tprof: diff writes .txt, .json, .html and .md");
    CHECK_SAYS(
        "diff a.tprof b.tprof -o x.csv", 2,
        "collector diff: -o x.csv: diff writes .txt, .json, .html and .md");
    CHECK_SAYS("diff a.tprof b.tprof -o txt:b.tprof", 2,
               "collector diff: -o b.tprof: is read by this command, and "
               "would be overwritten: name another file");
    CHECK_EQ(collector("diff a.tprof gone.tprof"), 1);
    CHECK_CONTAINS("err", "collector diff: a.tprof: ");
}
