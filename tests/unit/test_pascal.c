/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Free Pascal. What the compiler makes of them was written down from
 * what 3.2.2 emits, and is asked of the one that is here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "image/file/image.h"
#include "image/names/pascal.h"
#include "image/names/symbolize.h"
#include "input.h"

static const char *name(const char *raw, const char *cased, const char *file)
{
    static char out[256];

    return pascal_name(raw, &(struct pascal_hint){cased, file}, out, sizeof out)
               ? out
               : NULL;
}

static void reads(const char *raw, const char *shown)
{
    CHECK_STR(name(raw, NULL, NULL), shown);
}

TEST(procedures_of_toro_can_be_read) /* catches: $$_ in a report */
{
    reads("PROCESS_$$_SYSTHREADSWITCH", "Process.Systhreadswitch");
    reads("PROCESS_$$_SCHEDULING$PTHREAD", "Process.Scheduling(PThread)");
    reads("P$INTERCORECOM_$$_THREAD$POINTER$$INT64",
          "Intercorecom.Thread(Pointer)");
    reads("VIRTIOBUS_$$_SENDTO$LONGWORD$POINTER$LONGWORD",
          "Virtiobus.Sendto(LongWord, Pointer, LongWord)");
    reads("NAMES_$$_PROC$PCHAR$array_of_const",
          "Names.Proc(PChar, array of const)");
    reads("NAMES_$$_A_B_C$QWORD$$SHORTSTRING", "Names.A_B_C(QWord)");
}

TEST(letters_are_as_debug_information_and_file_have_them)
{
    const char *raw = "PROCESS_$$_SYSTHREADSWITCH$TTHREADID";

    CHECK_STR(name(raw, "SysThreadSwitch", "/toro/rtl/Process.pas"),
              "Process.SysThreadSwitch(TThreadid)");
    CHECK_STR(name(raw, "SYSTHREADSWITCH", "process.pas"),
              "Process.Systhreadswitch(TThreadid)");
    CHECK_STR(name("VIRTIOBUS_$$_SENDTO", "SendTo", "rtl/VirtIOBus.pas"),
              "VirtIOBus.SendTo");
    /* of something else: an include file, an outer procedure */
    CHECK_STR(name(raw, "Other", "Proc.inc"),
              "Process.Systhreadswitch(TThreadid)");
    CHECK_STR(name(raw, "SysThread", "Processes.pas"),
              "Process.Systhreadswitch(TThreadid)");
}

TEST(what_is_not_pascal_is_left_alone)
{
    static const char *const others[] = {
        "",           "main",
        "PASCALMAIN", "tprof_init_image",
        "_ZN1a1bEv",  "a_$_b",
        "_$$_",       "_$$_X",
        "X_$$_",      "$main",
        "FPC_GETMEM", "$",
        "P$",         "INIT$_$",
        "P$_$$_X",    "WRPR_$A_$$_TB_$_IC_$_0_$_A$_$TB_$__$$_GO",
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(name(others[i], NULL, NULL) == NULL);
}

TEST(damaged_names_do_no_harm) /* catches: reads past either end */
{
    static const char pieces[][12] = {"A",   "$_$", "_$$_", "_$_",
                                      "$$",  "$",   "_",    "array_of_",
                                      "CRC", "p",   "1$C",  "$star"};
    size_t count = sizeof pieces / sizeof *pieces;
    uint32_t random = 1;

    for (unsigned i = 0; i < 200000; i++) {
        char raw[12 * 8 + 1] = "", out[24];
        size_t len = 0;

        for (unsigned j = 0; j < i % 9; j++) {
            random = random * 1664525u + 1013904223u;
            len += (size_t)snprintf(raw + len, sizeof raw - len, "%s",
                                    pieces[(random >> 16) % count]);
        }
        char *exact = strdup(raw); /* for the sanitizer */

        CHECK(exact != NULL);
        if (pascal_name(exact, &(struct pascal_hint){exact, exact}, out,
                        1 + i % sizeof out))
            CHECK(strlen(out) <= i % sizeof out);
        free(exact);
    }
}

/* Every name of names.pas and of its program, however the compiler spells it,
 * at debug level (level). */
static const char *shown_names(const char *level)
{
    static char list[16384];
    char command[512];
    struct err e = {0};

    snprintf(command, sizeof command,
             "cd $(mktemp -d) && fpc %s -O2 -FU. -o./out $IN/named.pas >log "
             "2>&1 && cd - >/dev/null && mv $OLDPWD/out $OUT",
             level);
    const char *path = input_build("fpc", "pascal", command);
    char *symbols = input_run("nm %s | grep -i ' t ' | grep -E "
                              "'NAMES|P.NAMED' | grep -v DEBUG",
                              path);
    struct image *img;

    CHECK(image_open(&img, path, &e) == 0);
    struct symbolizer *s = symbolizer_new(img, 0);
    char *rest;

    CHECK(s != NULL);
    size_t len = (size_t)snprintf(list, sizeof list, "\n");

    for (char *line = strtok_r(symbols, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const struct symbol *at = symbolize(s, strtoull(line, NULL, 16));

        while (at->inlined_into != NULL)
            at = at->inlined_into;
        len += (size_t)snprintf(list + len, sizeof list - len, "%s\n",
                                at->function);
        CHECK(len < sizeof list);
    }
    symbolizer_free(s);
    image_close(img);
    free(symbols);
    return list;
}

static void lists(const char *list, const char *one)
{
    char line[256];

    snprintf(line, sizeof line, "\n%s\n", one);
    if (strstr(list, line) == NULL)
        printf("not there: %s", line);
    CHECK(strstr(list, line) != NULL);
}

TEST(names_of_the_compiler_as_they_were_written) /* catches: another scheme */
{
    static const char *const names[] = {
        "Names.TMeter.Create(LongInt)",
        "Names.TMeter.Add(LongInt)",
        "Names.TMeter.Over(LongInt)",
        "Names.TMeter.Over(ShortString, array of LongInt)",
        "Names.TMeter.Total",
        "Names.TMeter.Add.Local(LongInt)",
        "Names.TMeter.Add.Local.Deeper",
        "Names.TPoint.Show",
        "Names.TPoint.operator +(TPoint, TPoint)",
        "Names.TPoint.operator :=(LongInt)",
        "Names.operator *(TPoint, TPoint)",
        "Names.TOuter.TInner.Deep(Pointer)",
        "Names.With_Under(LongInt, Double)",
        "Names.Nesting(LongInt, array of LongInt)",
        "Names.Nesting.Inner",
        "Names.SetUp",
        "Names.initialization",
        "Names.finalization",
        "Named.InProgram(Pointer)",
    };
    const char *list = shown_names("-gw3");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        lists(list, names[i]);
    CHECK(strchr(list, '$') == NULL);
    CHECK(strstr(list, "Names.TList<") != NULL);
}

TEST(names_of_the_compiler_in_capitals) /* -gw2 has no others */
{
    const char *list = shown_names("-gw2");

    lists(list, "Names.TMeter.Add(LongInt)");
    lists(list, "Names.TMeter.Add.Local.Deeper");
    lists(list, "Names.With_Under(LongInt, Double)");
    lists(list, "Names.Setup");
    lists(list, "Named.Inprogram(Pointer)");
    CHECK(strchr(list, '$') == NULL);
}

TEST(names_of_the_compiler_without_debug_information)
{
    const char *list = shown_names("-Xs-");

    lists(list, "Names.TMeter.Add(LongInt)");
    lists(list, "Names.Nesting.Inner");
    CHECK(strchr(list, '$') == NULL);
}
