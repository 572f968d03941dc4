/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program with guests that have loaded an application: recordings that are
 * read elsewhere, guests that have it at different places, and one that is
 * rebuilt. The images are those of tests/golden; files and a child process play
 * the guests.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

/* Of app.elf and kernel.elf, from readelf and objdump. */
#define LINKED     0x1f1u
#define SIZE       0x76u
#define IN_HANDLE  0x46u /* less LINKED */
#define TEXT       0x200000u
#define IN_RECEIVE 0xd9u /* less TEXT */

static void build_app(const char *path, const char *id)
{
    copy_image(path, APP, APP_ID, id);
}

/* A folder with both images, and an empty one inside it. */
static void enter_dir_with_images(void)
{
    enter_dir();
    CHECK_EQ(mkdir("elsewhere", 0700), 0);
    copy_image("kernel.elf", KERNEL, KERNEL_ID, KERNEL_ID);
    build_app("app.elf", APP_ID);
}

/* The guest's frames, put into (wire) */

static uint64_t kernel_slide;
static bool has_build_id = true;

static void hello(uint8_t boot)
{
    uint8_t boot_id[WIRE_BOOT_ID_SIZE] = {boot};

    wire.seq = 0;
    wiregen_open(&wire, WIRE_HELLO);
    wiregen_field(&wire, WIRE_HELLO_WIRE_VERSION, TPROF_WIRE_VERSION, 2);
    wiregen_field(&wire, WIRE_HELLO_ARCH, WIRE_ARCH_X86_64, 1);
    wiregen_field_bytes(&wire, WIRE_HELLO_BOOT_ID, boot_id, sizeof boot_id);
    wiregen_field(&wire, WIRE_HELLO_CORES, 1, 2);
    wiregen_field(&wire, WIRE_HELLO_TSC_HZ, 1000000000, 8);
    if (has_build_id)
        wiregen_field_bytes(&wire, WIRE_HELLO_BUILD_ID, KERNEL_ID, 20);
    wiregen_field(&wire, WIRE_HELLO_TEXT_START, TEXT + kernel_slide, 8);
    wiregen_field(&wire, WIRE_HELLO_TEXT_SIZE, 0x127, 8);
    wiregen_field(&wire, WIRE_HELLO_ANCHOR, TEXT + 0x127 + kernel_slide, 8);
    wiregen_field(&wire, WIRE_HELLO_RATE_HZ, 997, 4);
    wiregen_field(&wire, WIRE_HELLO_DICT_SLOTS, 4096, 4);
    wiregen_close(&wire);
}

static void map_app(uint64_t slide, const char *id)
{
    wiregen_map(&wire, &(struct wiregen_map){.start = slide + LINKED,
                                             .size = SIZE,
                                             .link_start = LINKED,
                                             .name = "app",
                                             .build_id = id});
}

/* (kernel) samples in the kernel, (app) in an application moved by (slide). */
static void samples_of(uint64_t kernel, uint64_t app, uint64_t slide)
{
    uint64_t n = kernel + app;
    struct wiregen_samples s = {.shift = 4, .period = 8000, .epoch = 1};

    wiregen_samples_begin(&wire, &s);
    wiregen_stack(&wire, &(struct wiregen_stack){.id = 1});
    wiregen_stack(
        &wire,
        &(struct wiregen_stack){
            .id = 2, .base = (int64_t)(slide + LINKED - TEXT - kernel_slide)});
    for (uint64_t i = 0; i < kernel; i++)
        wiregen_short(&wire, 1, 8000, IN_RECEIVE, 0);
    for (uint64_t i = 0; i < app; i++)
        wiregen_short(&wire, 2, 8000, IN_HANDLE, 0);
    wiregen_samples_end(&wire, (uint64_t[4]){n, 0, 0, 0});
    wiregen_stats(&wire, &(struct wiregen_stats){.flags = WIRE_STATS_FINAL |
                                                          WIRE_STATS_STARTED,
                                                 .counters = {n, 0, 0, 0}});
}

static void samples(uint64_t n, uint64_t slide)
{
    samples_of(n, 3 * n, slide);
}

static void write_wire(const char *name)
{
    write_file(name, wire.bytes, wire.size);
    wiregen_fini(&wire);
    wire = (struct wiregen){0};
}

static void write_guest(const char *name, uint64_t n, uint64_t slide,
                        const char *id)
{
    hello(1);
    if (id != NULL)
        map_app(slide, id);
    samples(n, slide);
    write_wire(name);
}

TEST(report_finds_recorded_images_from_another_folder)
{
    enter_dir_with_images();
    write_guest("port", 30, 0x40000000, APP_ID);
    CHECK_EQ(collector("record --serial port --elf kernel.elf --elf app.elf "
                       "--no-names -o elsewhere/r.tprof"),
             0);
    CHECK_EQ(chdir("elsewhere"), 0);
    CHECK_EQ(collector("report r.tprof"), 0);
    CHECK(!contains("out", "\n! "));
    CHECK_CONTAINS("out", "Images: app 75.0 %, kernel.elf 25.0 % of the busy");
    CHECK_CONTAINS("out", " handle [app] ");

    /* one that is gone costs its names, and is named */
    CHECK_EQ(rename("../app.elf", "../gone"), 0);
    CHECK_EQ(collector("report r.tprof"), 0);
    CHECK_CONTAINS("out", "/app.elf: No such file or directory. Name all of");
    CHECK_CONTAINS("out", " kernel::bus::receive ");
    CHECK_CONTAINS("out", " app+0x237\n");

    /* and if it is the kernel's, no other is taken for it */
    CHECK_EQ(rename("../gone", "../app.elf"), 0);
    CHECK_EQ(rename("../kernel.elf", "../gone"), 0);
    CHECK_EQ(collector("report r.tprof"), 0);
    CHECK_CONTAINS("out", "No such file or directory. Name the");
    CHECK_CONTAINS("out", " handle [app] ");
    CHECK_CONTAINS("out", " 0x2000d9\n");
    build_app("../app.elf", NULL); /* nor if nothing speaks against it */
    CHECK_EQ(collector("report r.tprof"), 0);
    CHECK_CONTAINS("out",
                   "shows whether the image that the guest loaded as app is");
    CHECK_CONTAINS("out", " 0x2000d9\n");

    /* what is given comes before what was recorded, and may be the rest */
    build_app("../app.elf", APP_ID);
    CHECK_EQ(collector("report r.tprof --elf ../gone"), 0);
    CHECK_CONTAINS("out", " kernel::bus::receive ");
    CHECK_CONTAINS("out", " handle [app] ");
    CHECK(!contains("out", "\n! "));
    CHECK_EQ(rename("../gone", "../kernel.elf"), 0);
    CHECK_EQ(rename("../app.elf", "../gone"), 0);
    build_app("../app.elf", REBUILT_ID);
    CHECK_EQ(collector("report r.tprof --elf ../gone"), 0);
    CHECK_CONTAINS("out", " kernel::bus::receive ");
    CHECK_CONTAINS("out", " handle [app] ");
    CHECK(!contains("out", "\n! "));
}

#define NAMELESS "of the busy time was in app (build"

/* As Makefiles name them. Catches: a system call of realpath() for such paths
 * alone that ends the process */
TEST(paths_may_lead_up_again)
{
    enter_dir_with_images();
    write_guest("port", 30, 0x40000000, APP_ID);
    CHECK_EQ(collector("record --serial elsewhere/../port --elf "
                       "elsewhere/../kernel.elf --elf elsewhere/../app.elf -o "
                       "elsewhere/../r.tprof"),
             0);
    CHECK_EQ(collector("report elsewhere/../r.tprof --elf "
                       "elsewhere/../kernel.elf --symbols elsewhere/../. "
                       "--source elsewhere/../. -o elsewhere/../r.html"),
             0);
    CHECK_EQ(access("r.html", F_OK), 0);
}

TEST(image_without_a_file_is_named_once) /* catches: alarm for little */
{
    enter_dir_with_images();
    for (uint64_t n = 1; n <= 3; n += 2) {
        hello(1);
        map_app(0x40000000, APP_ID);
        map_app(0x50000000, APP_ID);
        samples_of(200 - n, n, 0x50000000);
        write_wire("port");
        CHECK_EQ(collector("report port --details --elf kernel.elf"), 0);
        CHECK_EQ(contains("out", "\n! "), n == 3);
        CHECK_EQ(occurrences("out", NAMELESS), 1);
    }
}

/* Catches: by its mere name */
TEST(kernel_file_is_not_taken_for_an_application)
{
    enter_dir_with_images();
    hello(1);
    wiregen_map(&wire, &(struct wiregen_map){.start = 0x40000000 + LINKED,
                                             .size = SIZE,
                                             .link_start = LINKED,
                                             .name = "kernel"});
    samples(30, 0x40000000);
    write_wire("port");
    CHECK_EQ(collector("report port --elf kernel.elf"), 0);
    CHECK_CONTAINS("out", "time was in kernel (no build-id), which the guest");
    CHECK_CONTAINS("out", " kernel+0x237\n");
}

TEST(kernel_file_of_another_build_is_an_error)
{
    enter_dir_with_images();
    write_guest("port", 30, 0x40000000, APP_ID);
    CHECK_EQ(collector("record --serial port --elf kernel.elf --elf app.elf"),
             0);
    copy_image("other.elf", KERNEL, KERNEL_ID, REBUILT_ID);
    CHECK_EQ(collector("report tprof.tprof --elf other.elf"), 1);
    CHECK_CONTAINS("err", "but other.elf is build 5abb");
    CHECK_EQ(rename("kernel.elf", "right.elf"), 0);
    CHECK_EQ(collector("report tprof.tprof --elf right.elf"), 0);
    CHECK_CONTAINS("out", " handle [app] "); /* as recorded */
}

TEST(guests_add_up_wherever_their_application_is)
{
    enter_dir_with_images();
    write_guest("one", 10, 0x40000000, APP_ID);
    write_guest("two", 15, 0x50000000, APP_ID);
    write_guest("three", 20, 0x50000000, REBUILT_ID);
    CHECK_EQ(collector("--serial one --serial two --elf kernel.elf "
                       "--elf app.elf"),
             0);
    CHECK_CONTAINS("out", "kernel.elf on 2 guests: busy 100.0 % (96.3-100.0), "
                          "idle 0.0 %, 100 samples\n");
    /* 75 of them in one row, though at two places */
    CHECK_CONTAINS("out", "   75.0   65.7-82.5    75.0   65.7-82.5        "
                          "handle [app]");
    /* nor does it matter where the kernel does */
    kernel_slide = 0x7e000000;
    write_guest("moved", 15, 0x50000000, APP_ID);
    kernel_slide = 0;
    CHECK_EQ(collector("--serial one --serial moved --elf kernel.elf "
                       "--elf app.elf"),
             0);
    CHECK_CONTAINS("out",
                   "kernel.elf on 2 guests: busy 100.0 % (96.3-100.0), ");
    CHECK_CONTAINS("out", "   25.0   17.5-34.3    25.0   17.5-34.3        "
                          "kernel::bus::receive ");
    CHECK_EQ(collector("--serial one --serial moved"), 0); /* nor the files */
    CHECK_CONTAINS("out", "   25.0   17.5-34.3    25.0   17.5-34.3        "
                          "0x2000d9");
    /* of another build it is another image, for which there is no file */
    CHECK_EQ(collector("--serial one --serial three --elf kernel.elf "
                       "--elf app.elf"),
             0);
    CHECK(!contains("out", "kernel.elf on 2 guests"));
    CHECK_CONTAINS("out",
                   "75.0 % of the busy time was in app, which is build 5abb");
    write_guest("none", 20, 0x50000000, NULL); /* has not loaded it yet */
    CHECK_EQ(collector("--serial one --serial none --elf kernel.elf "
                       "--elf app.elf"),
             0);
    CHECK(!contains("out", "kernel.elf on 2 guests"));
}

TEST(file_of_one_guest_may_be_given_for_all)
{
    enter_dir_with_images();
    build_app("other.elf", REBUILT_ID);
    write_guest("one", 10, 0x40000000, APP_ID);
    write_guest("two", 15, 0x50000000, REBUILT_ID);
    CHECK_EQ(collector("--elf kernel.elf --elf app.elf --elf other.elf "
                       "--serial one --serial two"),
             0);
    CHECK(!contains("out", "is no image of this guest"));
    CHECK(!contains("out", "the symbols of the file"));
    CHECK_EQ(collector("--serial one --elf kernel.elf --elf other.elf "
                       "--serial two --elf app.elf --elf kernel.elf"),
             0);
    CHECK_CONTAINS("out", "app (build aabb");
    CHECK_CONTAINS("out", "app, which is build 5abb");
    CHECK_EQ(collector("report one --elf kernel.elf --elf app.elf --elf "
                       "other.elf"),
             0);
    CHECK_CONTAINS("out", "other.elf (build 5abb");
    CHECK_CONTAINS("out", "is no image of this guest: it runs");
}

TEST(files_without_the_kernel_are_an_error) /* not one that may be any build */
{
    enter_dir_with_images();
    build_app("nameless.elf", NULL);
    write_guest("one", 10, 0x40000000, APP_ID);
    CHECK_EQ(collector("report one --elf app.elf --elf nameless.elf"), 1);
    CHECK_CONTAINS("err", "the guest runs build 0123456789");
    CHECK_CONTAINS("err",
                   "with --elf; no other --elf file is that build either\n");
    CHECK_EQ(collector("report one --elf app.elf --elf kernel.elf"), 0);
    CHECK(!contains("out", "\n! The"));
}

/* Between the boots of play_two_boots(), and the application's in the second.
 */
static void (*change)(void);
static const char *changed_id;

/* Its next boot is of another kind: what is said in it belongs to the next
 * report. */
static void play_two_boots(int listener)
{
    int fd = meet_uds(listener);

    hello(1);
    map_app(0x40000000, APP_ID);
    say(fd);
    CHECK(hear(fd));
    samples(5, 0x40000000);
    say(fd);
    change();
    close(fd);
    fd = meet_uds(listener);
    hello(2);
    map_app(0x40000000, changed_id);
    samples(100, 0x40000000);
    say(fd);
    CHECK(!hear(fd) || !hear(fd)); /* the collector begins anew */
    close(fd);
    fd = meet_uds(listener);
    hello(2);
    map_app(0x40000000, changed_id);
    say(fd);
    CHECK(hear(fd));
    samples(10, 0x40000000);
    say(fd);
    while (hear(fd))
        continue;
}

/* The collector's run, by (line), on a guest that plays so at the socket vm. */
static void run_guest(void (*play)(int listener), const char *line)
{
    pid_t guest = start_guest("vm", play);

    CHECK_EQ(collector(line), 0);
    join_guest(guest);
}

/* ... with its outputs (more). */
static void run_two_boots(void (*between)(void), const char *id,
                          const char *more)
{
    char line[128];

    change = between;
    changed_id = id;
    (void)snprintf(line, sizeof line,
                   "--vsock-uds vm --elf kernel.elf --elf app.elf -d 1.5 %s",
                   more);
    run_guest(play_two_boots, line);
    CHECK_CONTAINS("err", "the guest rebooted into another image, or its image "
                          "is at another address");
    CHECK_CONTAINS("out", "==== vm ====\nkernel.elf: 20 samples");
    CHECK_CONTAINS("out", "==== vm.2 ====\nkernel.elf: 40 samples");
    CHECK(!contains("out", "the symbols of the file"));
}

static void rebuild(void)
{
    build_app("app.elf", REBUILT_ID);
}

static void move(void)
{
    kernel_slide = 0x7e000000;
}

/* As EFI applications do at each boot */
TEST(samples_of_a_kernel_that_moves_add_up)
{
    enter_dir_with_images();
    run_two_boots(move, APP_ID, "");
    CHECK_CONTAINS("out", "kernel.elf on 2 guests: busy 100.0 %");
    CHECK_CONTAINS("out", "   25.0   15.8-37.2    25.0   15.8-37.2        "
                          "kernel::bus::receive ");
}

/* Catches: a file that is used though the guest ran another one */
TEST(names_in_a_recording_yield_to_the_right_file_alone)
{
    enter_dir_with_images();
    write_guest("port", 30, 0x40000000, APP_ID);
    CHECK_EQ(collector("record --serial port --elf kernel.elf --elf app.elf "
                       "-o r.tprof"),
             0);
    CHECK_EQ(rename("kernel.elf", "k"), 0);
    build_app("app.elf", REBUILT_ID);
    CHECK_EQ(collector("report r.tprof"), 0);
    CHECK(!contains("out", "\n! "));
    CHECK_CONTAINS("out", " handle [app] ");
    CHECK_CONTAINS("out", " kernel::bus::receive ");
    CHECK_EQ(collector("report r.tprof --elf k"), 0);
    CHECK(!contains("out", "\n! "));
    CHECK_CONTAINS("out", "k: ");
    CHECK_CONTAINS("out", " handle [app] ");
    CHECK_EQ(collector("report r.tprof --elf k --elf app.elf"), 0);
    CHECK_CONTAINS("out", " handle [app] ");
    CHECK_CONTAINS("out", "app.elf (build 5abb");

    /* names are added to a recording that has none, and taken away */
    CHECK_EQ(collector("report r.tprof --no-names -o bare.tprof"), 0);
    CHECK_EQ(collector("report bare.tprof"), 0);
    CHECK_CONTAINS("out", "No such file or directory. Name the");
    CHECK_EQ(collector("report bare.tprof --elf k -o named.tprof"), 0);
    CHECK_EQ(unlink("k"), 0);
    CHECK_EQ(collector("report named.tprof"), 0);
    CHECK_CONTAINS("out", " kernel::bus::receive ");
    CHECK_EQ(collector("report r.tprof -o again.tprof"), 0);
    CHECK_EQ(collector("report again.tprof"), 0);
    CHECK_CONTAINS("out", " kernel::bus::receive ");
    CHECK_CONTAINS("out", " handle [app] ");
}

/* Catches: names of a kernel that was built after the recording */
TEST(rebuilt_kernel_is_known_though_the_guest_has_no_build_id)
{
    enter_dir_with_images();
    has_build_id = false;
    write_guest("port", 30, 0x40000000, APP_ID);
    has_build_id = true;
    CHECK_EQ(collector("record --serial port --elf kernel.elf -o named.tprof"),
             0);
    CHECK_EQ(collector("record --serial port --elf kernel.elf --no-names "
                       "-o r.tprof"),
             0);
    CHECK_EQ(collector("report r.tprof"), 0);
    CHECK_CONTAINS("out", " kernel::bus::receive ");

    copy_image("kernel.elf", KERNEL, KERNEL_ID, REBUILT_ID);
    CHECK_EQ(collector("report r.tprof"), 0);
    CHECK_CONTAINS("out", " is build 5abbccddeeff");
    CHECK_CONTAINS("out", " 0x2000d9\n");
    /* whose names the recording has is read from there */
    CHECK_EQ(collector("annotate receive named.tprof"), 0);
    CHECK_CONTAINS("out", "\nFrom the recording, without files: code.\n");
    CHECK_EQ(collector("report r.tprof --elf kernel.elf"), 0);
    CHECK_CONTAINS("out", " kernel::bus::receive ");
}

/* A folder with a file kernel.c, of which line 52 is "    this is line 52". */
static void write_source(void)
{
    CHECK_EQ(mkdir("source", 0700), 0);
    FILE *out = fopen("source/kernel.c", "w");

    CHECK(out != NULL);
    for (int line = 1; out != NULL && line <= 100; line++)
        (void)fprintf(out, "    this is line %d\n", line);
    CHECK(out != NULL && fclose(out) == 0);
}

/* Catches: annotate that needs files, and files of a live guest that are read
 * though the user has named no folder */
TEST(recording_has_code_and_with_source_its_lines)
{
#define RECORD "record --serial port --elf kernel.elf --elf app.elf "
    enter_dir_with_images();
    write_source();
    write_guest("port", 30, 0x40000000, APP_ID);
    CHECK_EQ(collector(RECORD "--source source -o all.tprof"), 0);
    CHECK_EQ(collector(RECORD "-o code.tprof"), 0);
    CHECK_EQ(collector(RECORD "--no-code --source source -o bare.tprof"), 0);
    CHECK_EQ(rename("kernel.elf", "k"), 0);
    CHECK_EQ(rename("app.elf", "a"), 0);
    CHECK_EQ(rename("source", "s"), 0);

    CHECK_EQ(collector("annotate receive all.tprof"), 0);
    CHECK_CONTAINS("out",
                   "\nFrom the recording, without files: code and source "
                   "lines.\n");
    CHECK_CONTAINS("out", "    this is line 5");
    CHECK_CONTAINS("out", "  push    rbp ");
    CHECK_EQ(collector("annotate handle all.tprof"), 0);
    CHECK_CONTAINS("out", "\nFrom the recording, without files: code.\n");
    CHECK_EQ(collector("annotate receive code.tprof"), 0);
    CHECK_CONTAINS("out", "\nFrom the recording, without files: code.\n");
    CHECK(!contains("out", "this is line"));
    CHECK_EQ(collector("annotate receive bare.tprof"), 0);
    CHECK(!contains("out", "From the recording"));
    CHECK_CONTAINS("out", "bytes: not in the recording. Give the guest's");

    /* a copy keeps both, and --source is preferred */
    CHECK_EQ(collector("report all.tprof -o copy.tprof"), 0);
    CHECK_EQ(collector("annotate receive copy.tprof"), 0);
    CHECK_CONTAINS("out", "    this is line 5");
    CHECK_CONTAINS("out", "  push    rbp ");
    CHECK_EQ(collector("annotate receive all.tprof --source s"), 0);
    CHECK_CONTAINS("out", "\nFrom the recording, without files: code.\n");
    CHECK_CONTAINS("out", "    this is line 5");
#undef RECORD
}

/* Catches: a text of the user that gets into a page for others. The image says
 * that it was compiled in the folder where annotate runs. */
TEST(recording_alone_does_not_choose_which_source_is_read)
{
    enter_dir_with_images();
    copy_image("kernel.elf", KERNEL, "kernel.c\0/kernel\0\x97\0",
               "kernel.c\0./././.\0\x97\0");
    write_source();
    CHECK_EQ(rename("source/kernel.c", "kernel.c"), 0);
    write_guest("port", 30, 0x40000000, APP_ID);
    CHECK_EQ(collector("record --serial port --elf kernel.elf -o r.tprof"), 0);
    CHECK_EQ(collector("annotate receive r.tprof"), 0);
    CHECK_CONTAINS("out", "    this is line 5"); /* the image is there */

    CHECK_EQ(rename("kernel.elf", "k"), 0);
    CHECK_EQ(collector("annotate receive r.tprof"), 0);
    CHECK_CONTAINS("out", "\nFrom the recording, without files: code.\n");
    CHECK(!contains("out", "this is line"));
    CHECK_EQ(collector("annotate receive r.tprof --source elsewhere"), 0);
    CHECK(!contains("out", "this is line"));
    CHECK_EQ(collector("report r.tprof -o r.html"), 0);
    CHECK(!contains("r.html", "this is line"));
    CHECK_EQ(collector("annotate receive r.tprof --source ."), 0);
    CHECK_CONTAINS("out", "    this is line 5");
}

TEST(told_source_is_in_no_folder_above_the_named_one) /* catches: likewise */
{
    enter_dir_with_images();
    copy_image("kernel.elf", KERNEL, "kernel.c\0/kernel\0\x97\0",
               "kernel.c\0../././\0\x97\0");
    write_source();
    CHECK_EQ(rename("source/kernel.c", "kernel.c"), 0);
    write_guest("port", 30, 0x40000000, APP_ID);
    CHECK_EQ(collector("record --serial port --elf kernel.elf -o r.tprof"), 0);
    CHECK_EQ(collector("annotate receive r.tprof --source elsewhere"), 0);
    CHECK_CONTAINS("out", "    this is line 5"); /* the image is there */

    CHECK_EQ(rename("kernel.elf", "k"), 0);
    CHECK_EQ(collector("annotate receive r.tprof --source elsewhere"), 0);
    CHECK_CONTAINS("out", "\nFrom the recording, without files: code.\n");
    CHECK(!contains("out", "this is line"));
}

TEST(rebuilt_application_gets_a_report_of_its_own)
{
    enter_dir_with_images();
    run_two_boots(rebuild, REBUILT_ID, "-o r.tprof");
    CHECK_CONTAINS("out", " handle [app] ");
    CHECK(!contains("out", "kernel.elf on 2 guests"));

    /* what was said of it is in the first recording, too, and left out */
    CHECK_EQ(collector("report r.tprof"), 0);
    CHECK_CONTAINS("out", "kernel.elf: 20 samples");
    CHECK_CONTAINS("out", "After a reboot the guest runs another image");
    CHECK_CONTAINS("out", " handle [app] "); /* whose file is another build */
    CHECK_EQ(collector("report r.vm.2.tprof"), 0);
    CHECK_CONTAINS("out", "kernel.elf: 40 samples");
    CHECK_CONTAINS("out", " handle [app] ");
}

/* It is overwritten in place meanwhile, as cp and objcopy do. */
static void play_overwritten(int listener)
{
    int fd = meet_uds(listener);

    hello(1);
    map_app(0x40000000, APP_ID);
    say(fd);
    CHECK(hear(fd));
    CHECK_EQ(truncate("kernel.elf", 0), 0);
    CHECK_EQ(truncate("app.elf", 0), 0);
    samples(5, 0x40000000);
    say(fd);
    while (hear(fd))
        continue;
}

TEST(overwritten_image_costs_nothing) /* catches: SIGBUS, false idle time */
{
    enter_dir_with_images();
    run_guest(play_overwritten, "--vsock-uds vm --elf kernel.elf "
                                "--elf app.elf -d 1");
    CHECK_CONTAINS("out", "kernel.elf: 20 samples");
    CHECK_CONTAINS("out", " kernel::bus::receive ");
    CHECK_CONTAINS("out", " handle [app] ");
    CHECK(!contains("out", "\nNote: the image"));
}

#define GIB ((off_t)1 << 30)

/* Make kernel.elf a file of 6 GiB, nearly all of it a hole: all of its segments
 * of 5 GiB, its sections of 4. */
static void make_sparse(void)
{
    size_t size;
    char *elf = malloc(1 << 20);
    const char *bytes = bytes_of("kernel.elf", &size);
    Elf64_Ehdr *eh = (void *)elf;

    CHECK(elf != NULL && size <= 1 << 20);
    memcpy(elf, bytes, size);
    for (unsigned i = 0; i < eh->e_phnum; i++) {
        Elf64_Phdr *ph = (Elf64_Phdr *)(void *)(elf + eh->e_phoff) + i;

        if (ph->p_type == PT_LOAD)
            ph->p_filesz = ph->p_memsz = (Elf64_Xword)(5 * GIB);
    }
    for (unsigned i = 0; i < eh->e_shnum; i++) {
        Elf64_Shdr *sh = (Elf64_Shdr *)(void *)(elf + eh->e_shoff) + i;

        if (sh->sh_type != SHT_NULL && sh->sh_type != SHT_STRTAB)
            sh->sh_size = (Elf64_Xword)(4 * GIB);
    }
    write_file("kernel.elf", elf, size);
    CHECK_EQ(truncate("kernel.elf", 6 * GIB), 0);
    free(elf);
}

/* Catches: minutes for nothing. It takes 0.02 s; with sanitizers, which have
 * notes on each byte of memory, 5 s. */
TEST(image_of_6_gib_that_is_a_hole_costs_no_minute)
{
    struct timespec before, after;

    enter_dir_with_images();
    write_guest("one", 10, 0x40000000, APP_ID);
    make_sparse();
    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    CHECK_EQ(collector("check --elf kernel.elf"), 1); /* no text bounds */
    CHECK_CONTAINS("out", "A profile of kernel.elf will show");
    CHECK_EQ(collector("report one --elf kernel.elf --elf app.elf"), 0);
    CHECK_CONTAINS("out", "kernel.elf: 40 samples");
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(SANITIZED || after.tv_sec - before.tv_sec < 5);
}

/* Make (path) of kernel.elf by objcopy with (options). */
static void make(const char *path, const char *options)
{
    char line[256];

    (void)snprintf(line, sizeof line, "objcopy %s kernel.elf %s", options,
                   path);
    CHECK_EQ(system(line), 0);
}

/* All are of one build, and one of them tells most, wherever it stands. */
TEST(most_detailed_of_several_files_is_used)
{
    enter_dir_with_images();
    write_guest("one", 10, 0x40000000, APP_ID);
    make("kernel.stripped", "--strip-all");
    make("kernel.debug", "--only-keep-debug");
    make("kernel.efi", "--target efi-app-x86_64 -j .text -j .note.gnu.build-id "
                       "--strip-all");
    CHECK_EQ(
        collector("report one --elf kernel.efi --elf kernel.stripped --elf "
                  "kernel.debug --elf kernel.elf"),
        0);
    CHECK_CONTAINS("out", "kernel.elf: 40 samples");
    CHECK(!contains("out", "Note: the "));
    CHECK_EQ(collector("report one --elf kernel.elf --elf kernel.debug --elf "
                       "kernel.stripped --elf kernel.efi"),
             0);
    CHECK_CONTAINS("out", "kernel.elf: 40 samples");

    /* names without code are better than code without names */
    CHECK_EQ(collector("report one --details --elf kernel.stripped "
                       "--elf kernel.debug"),
             0);
    CHECK_CONTAINS("out", "kernel.debug: 40 samples");
    CHECK_CONTAINS("out", " kernel::bus::receive ");
    CHECK_CONTAINS("out", "\n! kernel.debug: the image holds no code, as after "
                          "objcopy --only-keep-debug");
    CHECK_CONTAINS("out", "\nCore 0: busy or idle is not known, 40 samples");
}

/* catches: a sandbox in which the file beside cannot be opened */
TEST(debug_file_beside_the_image_gives_its_names)
{
    enter_dir_with_images();
    write_guest("one", 10, 0x40000000, APP_ID);
    make("kernel.debug", "--only-keep-debug");
    make("stripped", "--strip-all --add-gnu-debuglink=kernel.debug");
    CHECK_EQ(collector("report one --details --elf stripped --elf app.elf"), 0);
    CHECK_CONTAINS("out", " kernel::bus::receive ");
    CHECK_CONTAINS("out", "\nNote: The debug information of stripped is from "
                          "./kernel.debug.");
    CHECK_EQ(collector("check --elf stripped"), 1); /* no text bounds */
    CHECK_CONTAINS("out", "\n  debug file     ./kernel.debug\n");
    CHECK_EQ(rename("kernel.debug", "gone"), 0);
    CHECK_EQ(collector("report one --details --elf stripped --elf app.elf"), 0);
    CHECK_CONTAINS(
        "out",
        "Note: the DWARF was stripped into a separate file, and no such");
    write_text("kernel.debug", "no image");
    CHECK_EQ(collector("report one --details --elf stripped --elf app.elf"), 0);
    CHECK_CONTAINS(
        "out",
        "Note: the DWARF was stripped into a separate file, and no such");
}
