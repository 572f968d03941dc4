/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the language of a compile unit or a symbol. */
#include <ctype.h>
#include <string.h>

#include "check/gather.h"
#include "image/dwarf/constants.h"
#include "image/dwarf/dwarf.h"
#include "image/file/image.h"
#include "image/names/pascal.h"

const char *check_language_name(enum check_language language)
{
    static const char *const names[CHECK_LANGUAGES] = {
        [CHECK_OTHER] = "other",
        [CHECK_C] = "C",
        [CHECK_CXX] = "C++",
        [CHECK_RUST] = "Rust",
        [CHECK_PASCAL] = "Pascal",
        [CHECK_GO] = "Go",
        [CHECK_ASSEMBLER] = "assembler",
        [CHECK_AGENT] = "(tprof)"};

    return names[language];
}

bool check_keeps_frames(const struct check_unit *u)
{
    return u->producer != NULL &&
           strstr(u->producer, "-fno-omit-frame-pointer") != NULL;
}

static bool made_by(const struct dwarf_about *unit, const char *word)
{
    return unit->producer != NULL && strstr(unit->producer, word) != NULL;
}

enum check_language check_unit_language(const struct dwarf_about *unit)
{
    if (dw_lang_is_c(unit->language))
        return CHECK_C;
    if (dw_lang_is_cxx(unit->language))
        return CHECK_CXX;
    switch (unit->language) {
    case DW_LANG_Rust:
    case DW_LANG_Rust_old:
        return CHECK_RUST;
    case DW_LANG_Pascal83:
        return CHECK_PASCAL;
    case DW_LANG_Go:
        return CHECK_GO;
    case DW_LANG_Mips_Assembler:
        return CHECK_ASSEMBLER;
    default:
        break;
    }
    return made_by(unit, "Free Pascal") ? CHECK_PASCAL : CHECK_OTHER;
}

/* Does (name) end in Rust's hash (17h and 16 digits)? Otherwise old names of
 * Rust look like names of C++. */
static bool has_rust_hash(const char *name)
{
    const char *hash = strstr(name, "17h");

    for (; hash != NULL; hash = strstr(hash + 1, "17h")) {
        if (strspn(hash + 3, "0123456789abcdef") >= 16)
            return true;
    }
    return false;
}

/* Returns true for helpers that Free Pascal's compiler calls by itself, such as
 * fpc_ansistr_concat_multi. */
static bool is_helper(const char *name)
{
    return strncmp(name, "fpc_", 4) == 0 || strncmp(name, "FPC_", 4) == 0;
}

bool check_symbol_of_runtime(const char *name)
{
    static const char *const units[] = {"SYSTEM_",  "SYSUTILS_", "OBJPAS_",
                                        "STRINGS_", "CLASSES_",  "MATH_"};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strncmp(name, units[i], strlen(units[i])) == 0)
            return true;
    }
    return is_helper(name);
}

enum check_language check_symbol_language(const struct image_function *f,
                                          bool pe, bool go)
{
    static const struct pascal_hint none;
    const char *name = f->name;
    char pascal[256];

    if (strncmp(name, "tprof_", 6) == 0)
        return CHECK_AGENT;
    if (strncmp(name, "_R", 2) == 0 && isupper((unsigned char)name[2]))
        return CHECK_RUST;
    if (strncmp(name, "_Z", 2) == 0)
        return has_rust_hash(name) ? CHECK_RUST : CHECK_CXX;
    if (is_helper(name) || pascal_name(name, &none, pascal, sizeof pascal))
        return CHECK_PASCAL;
    if (go && strchr(name, '.') != NULL)
        return CHECK_GO;
    /* in PE images no symbol has a size */
    return f->sized || pe ? CHECK_C : CHECK_ASSEMBLER;
}
