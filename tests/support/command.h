/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector as a user runs it: the program, in a folder of the case's own,
 * with guests at Unix sockets that child processes play.
 *
 *     TEST(report_counts_the_samples)
 *     {
 *         enter_dir();
 *         pid_t guest = start_guest("port", play_50_samples);
 *
 *         CHECK_EQ(collector("--serial port -d 0.3"), 0);
 *         join_guest(guest);
 *         CHECK_CONTAINS("out", "50 samples of 1 core");
 *     }
 *
 * For programs of command_test() (tests/system/command/CMakeLists.txt). Every
 * function fails the case where it cannot do what it says.
 */
#ifndef TPROF_COMMAND_H
#define TPROF_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "check.h"
#include "tprof_wire.h"
#include "wiregen.h"

/* Is this program compiled with a sanitizer? The collector is, too, then, and
 * does not enter its sandbox. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* The folder */

/* Make an empty folder and change to it. It is removed, with all that is in
 * it, when the case has passed; a case that fails leaves it behind. */
void enter_dir(void);

/* The contents of the file (name), at most 1 MiB, with a NUL behind them; they
 * live until the next call of any function here that reads a file. */
const char *text_of(const char *name);
const char *bytes_of(const char *name, size_t *size);

/* Write the file (name). An old one is replaced, not overwritten: whoever has
 * it open keeps the old contents. */
void write_text(const char *name, const char *text);
void write_file(const char *name, const void *bytes, size_t size);

bool contains(const char *name, const char *what);
int occurrences(const char *name, const char *what);

/* The file (name) contains (what); if not, its contents are printed. */
#define CHECK_CONTAINS(name, what)                                             \
    check_contains(__FILE__, __LINE__, (name), (what))
void check_contains(const char *file, int line, const char *name,
                    const char *what);

/* Wait until the file (name) holds (size) bytes, 10 s at most. A recording
 * that has grown to that holds the samples before. */
void wait_for_size(const char *name, long size);

/* What /proc says of the process (pid); lives as text_of()'s does. */
const char *status_of(pid_t pid);

/* Whose child is (pid), which is no zombie; 0: nobody's. */
pid_t parent_of(pid_t pid);

/* The children of children of (pid), (most) at most, in (list). Returns how
 * many. */
int grandchildren_of(pid_t pid, pid_t *list, int most);

/* The collector */

/* Has the kernel Landlock? Where it has not, a line that names no --sandbox is
 * run with --sandbox=off. */
bool has_landlock(void);

/* Start the collector with the words of (line); its output goes to the files
 * out and err. It is killed after 30 s. */
pid_t start_collector(const char *line);

/* The same, with standard error at the descriptor (terminal). */
pid_t start_collector_at(const char *line, int terminal);

/* The same as start_collector(), traced by this process and stopped before the
 * program begins; standard input, output and error are (terminal), unless that
 * is -1. */
pid_t start_stopped_collector(const char *line, int terminal);

/* Wait for its end. Returns its exit status; a signal fails the case. */
int join_collector(pid_t pid);

/* The same, after it is told to end. */
int end_collector(pid_t pid);

/* Start it and wait for its end. */
int collector(const char *line);

/* Put the words of (line), which is changed, into (argv). Returns how many. */
int split_words(char *line, char **argv, int most);

/* Guests */

/* A child process plays the guest at the Unix socket (path), which listens when
 * this returns. (play) accepts; its return ends the process. */
pid_t start_guest(const char *path, void (*play)(int listener));

/* Wait for the guest's end; none of its checks may have failed. */
void join_guest(pid_t guest);

/* Accept the collector. meet_uds() also answers as VMMs do where they offer
 * vsock at a Unix socket: "CONNECT 7077", "OK 5". Both return the connection.
 */
int meet(int listener);
int meet_uds(int listener);

/* Returns true when a command came, false when the collector has left. */
bool hear(int fd);

/* The frames that a guest is about to say, and say() says and forgets. */
extern struct wiregen wire;
void say(int fd);

/* Text begins at 0x400000. (build_id): 20 bytes, or NULL for any. */
void say_hello(int fd, uint8_t boot, const char *build_id);

/* (n) samples of the address 0x400100, after (before) others of this boot. */
void say_samples(int fd, uint64_t n, uint64_t before);

/* The final counters, and that sampling has stopped. */
void say_last_words(int fd, uint64_t samples);

/* HELLO, and (n) samples when START comes. */
void begin_session(int fd, uint8_t boot, const char *build_id, uint64_t n);

/* Last words when STOP comes; returns when the collector has left. */
void end_session(int fd, uint64_t samples);

/* Accept the collector, and both of these. */
void play_in_order(int listener, uint64_t n);

/* Images: KERNEL, SAMPLED and APP are their paths, with these build-ids */

#define KERNEL_ID                                                              \
    "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23" \
    "\x45\x67"
#define SAMPLED_ID                                                             \
    "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23" \
    "\x45\xc1"
#define APP_ID                                                                 \
    "\xaa\xbb\xcc\xdd\xee\xff\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb" \
    "\xcc\xdd"
/* of another build of either */
#define REBUILT_ID                                                             \
    "\x5a\xbb\xcc\xdd\xee\xff\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb" \
    "\xcc\xdd"

/* Copy the image (from), whose build-id is (old), to (path) with the build-id
 * (id) in its place. (id) NULL: with none. */
void copy_image(const char *path, const char *from, const char *old,
                const char *id);

#endif
