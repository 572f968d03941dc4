/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that several commands share. Each row, with its help, exists once. */
#ifndef TPROF_SESSION_SESSION_OPTIONS_H
#define TPROF_SESSION_SESSION_OPTIONS_H

#include "cli/option_kinds.h"
#include "cli/options.h"

/* A guest's address, image or name: for struct guests. */
extern const struct option_kind option_guest;

/* A file of guests: for struct guests. */
extern const struct option_kind option_guests;

/* For OPTION_MADE: the ways to a guest. session_source() lists all ways; the
 * other function leaves out the ways that need no agent. */
const struct option_row *session_source(size_t i);
const struct option_row *session_source_with_agent(size_t i);

/* Read a word without an option as the recording of a command. For struct
 * option_set, with a config that begins with a struct options. */
int session_recording_word(void *config, const char *word, struct err *e);

/* The file that collector record writes unless -o names one. */
#define SESSION_RECORDING "tprof.tprof"

/* Return SESSION_RECORDING if that file exists. Unless (quiet), print on stderr
 * that it is read. NULL if there is no such file. */
const char *session_default_recording(bool quiet);

/* Add one more recording. Returns OPTION_READ; -1 with (e) filled. */
int session_recordings_add(struct option_words *recordings, const char *word,
                           struct err *e);

/* For struct guest_config. */
extern const struct option_row guests_file_rows[];  /* --guests */
extern const struct option_row guest_name_rows[];   /* --name */
extern const struct option_row input_rows[];        /* --input */
extern const struct option_row elf_rows[];          /* --elf */
extern const struct option_row recorded_elf_rows[]; /* --elf */
extern const struct option_row symbols_rows[];      /* --symbols */
extern const struct option_row source_rows[];       /* --source */
extern const struct option_row wait_rows[];         /* --wait */
/* --force-vsock, --privileged, --peer */
extern const struct option_row connect_rows[];
extern const struct option_row rate_rows[];        /* --rate */
extern const struct option_row depth_rows[];       /* --depth */
extern const struct option_row unwind_rows[];      /* --unwind */
extern const struct option_row dead_memory_rows[]; /* --memory */
extern const struct option_row memory_rows[];      /* --memory */

/* For struct selection. */
extern const struct option_row core_rows[]; /* --core */
extern const struct option_row time_rows[]; /* --time, --exclude */

/* For struct shown. */
/* --top, --annotate, --all, --details, --function, --inverted, --callers-of,
 * --raw, --sort, --idle, --latency, --by, --thread, --request */
extern const struct option_row report_rows[];
extern const struct option_row of_rows[];    /* --of */
extern const struct option_row pager_rows[]; /* --no-pager */

/* For struct output_config. */
extern const struct option_row output_rows[];   /* --output, --format */
extern const struct option_row markdown_rows[]; /* --markdown */
extern const struct option_row force_rows[];    /* --force, --quiet */
extern const struct option_row text_rows[];     /* --color, --width */

/* For struct options. */
extern const struct option_row duration_rows[]; /* --duration */
extern const struct option_row names_rows[];    /* --no-names, --no-code */

#endif
