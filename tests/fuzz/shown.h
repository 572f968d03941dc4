/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What holds of anything that the collector shows, whatever a guest sends. It
 * is read from the text alone. A false text is printed, and ends the process.
 */
#ifndef TPROF_FUZZ_SHOWN_H
#define TPROF_FUZZ_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

/* (text) is UTF-8 in lines, without a character that moves, turns or hides
 * others, but in the sequence (also) if that is not NULL. */
void shown_is_harmless(const char *text, size_t size, const char *also);

/* No figure in (text), a report, is infinite, no number, negative or more than
 * 100 %. Only for texts without words of a guest, since those may say so. */
void shown_has_sense(const char *text, size_t size);

/* (text) is folded stacks: frames and a count, line by line. */
void shown_is_folded(const char *text, size_t size);

/* (text), ended by NUL, is a table by RFC 4180 with finite figures and without
 * formulas. */
void shown_is_csv(const char *text, size_t size);

/* (text) is one value of JSON, as far as brackets and strings tell. */
void shown_is_json(const char *text, size_t size);

/* (text) is one element of XML, whose elements end in the order in which they
 * began, with no more than the names, attributes and characters of a picture.
 */
void shown_is_xml(const char *text, size_t size);

/* May (words) of a guest be taken for a figure? */
bool shown_is_figure(const char *words);

#endif
