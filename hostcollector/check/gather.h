/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks over a whole image: what will a profile of it show? */
#ifndef TPROF_CHECK_GATHER_H
#define TPROF_CHECK_GATHER_H

#include "check/facts.h"
#include "util/err.h"

struct image;

/*
 * Look over (img), which must outlive the result. Takes time in proportion to
 * code and debug information: a second for a few hundred MB.
 *
 * Returns 0 and the facts in (*out), to be released by check_facts_fini(); -1
 * if there is no memory.
 */
int check_gather(struct check_facts *out, struct image *img);

void check_facts_fini(struct check_facts *s);

/* Returns 0; -1 with (e) filled if (s), of the image at (path), is of a kernel
 * that tprof would damage, or in which it would not be loaded whole. */
int check_refuse(const struct check_facts *s, const char *path, struct err *e);

/* Parts of it, in files of their own. check_agent(): which parts of tprof are
 * in (img), whose (code) is settled. check_agent_code(): add what is the
 * agent's code, as far as symbols tell it, to (out); -1 if there is no memory.
 * check_loading(): who boots (img), and what is not loaded then. The others:
 * the language of a compile unit, and of a symbol. */
struct spans;
struct dwarf_about;
struct image_function;
void check_agent(struct check_agent_facts *out, const struct image *img,
                 const struct spans *code);
int check_agent_code(const struct image *img, struct spans *out);
void check_loading(struct check_loading_facts *out, const struct image *img);
enum check_language check_unit_language(const struct dwarf_about *unit);
/* (pe): the image is one; (go): it has Go's tables. */
enum check_language check_symbol_language(const struct image_function *f,
                                          bool pe, bool go);
/* Is the Pascal symbol (name) of Free Pascal's run-time library? */
bool check_symbol_of_runtime(const char *name);
/* Was (u) told to keep frames? What has none then is not to be helped. */
bool check_keeps_frames(const struct check_unit *u);

#endif
