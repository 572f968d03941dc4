/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers the facts of an image for `collector check`. */
#ifndef TPROF_CHECK_GATHER_H
#define TPROF_CHECK_GATHER_H

#include "check/facts.h"
#include "util/err.h"

struct image;

/*
 * Gather the facts of (img), which must outlive the result. The time is
 * proportional to the size of code and debug information: one second for a few
 * hundred MB.
 * Stores the facts in (*out). Release them with check_facts_fini().
 * Returns 0; -1 if there is no memory.
 */
int check_gather(struct check_facts *out, struct image *img);

void check_facts_fini(struct check_facts *s);

/*
 * Check that tprof can run in the kernel with the facts (s), whose image is at
 * (path).
 * Returns 0; -1 with (e) filled if tprof would damage the kernel, or would not
 * be loaded completely, or if tprof_init() fails unless the kernel sets
 * config.text.
 */
int check_refuse(const struct check_facts *s, const char *path, struct err *e);

/* Parts of check_gather(), in other files.
 *
 * check_agent() finds the parts of tprof in (img), whose (code) must be
 * settled.
 *
 * check_agent_code() adds the agent's code to (out), as far as symbols show it.
 * Returns 0; -1 if there is no memory.
 *
 * check_loading() finds the loaders that boot (img), and the sections that they
 * do not load.
 *
 * The other functions find the language of a compile unit and of a symbol. */
struct spans;
struct dwarf_about;
struct image_function;
void check_agent(struct check_agent_facts *out, const struct image *img,
                 const struct spans *code);
int check_agent_code(const struct image *img, struct spans *out);
void check_loading(struct check_loading_facts *out, const struct image *img);
enum check_language check_unit_language(const struct dwarf_about *unit);
/* (pe): the image is a PE file. (go): the image has Go's tables. */
enum check_language check_symbol_language(const struct image_function *f,
                                          bool pe, bool go);
/* Returns true if the Pascal symbol (name) belongs to Free Pascal's run-time
 * library. */
bool check_symbol_of_runtime(const char *name);
/* Returns true if (u) was compiled with an option that keeps frame pointers.
 * There is no advice for functions of (u) that have no frame nevertheless. */
bool check_keeps_frames(const struct check_unit *u);

#endif
