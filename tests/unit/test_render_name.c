/* SPDX-License-Identifier: BSD-2-Clause */
/* Long names in narrow columns: what is left of them must tell functions apart.
 */
#include "report/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "report/table.h"
#include "util/text.h"

static void check_short(size_t width, const char *name, const char *want)
{
    char buf[NAME_SHORT];

    CHECK_STR(name_short(buf, name, width), want);
    CHECK(text_width(want) <= width || !strcmp(name, want));
}

TEST(names_that_fit_are_left_alone)
{
    check_short(8, "qsort", "qsort");
    check_short(35, "kernel::Core::vectors(unsigned int)",
                "kernel::Core::vectors(unsigned int)");
}

TEST(cpp_loses_parameters_before_arguments) /* catches: rows all alike */
{
    check_short(35,
                "crypt::hash<unsigned long, 13u>(unsigned long const*, "
                "unsigned long, unsigned int)",
                "crypt::hash<unsigned long, 13u>(..)");
    check_short(35, "crypt::Mixer<unsigned long, 13u>::step(unsigned long)",
                "crypt::Mixer<..>::step(..)");
    check_short(40, "list<deep::in::name>::insert(deep::in::name const&) const",
                "list<name>::insert(name const&) const");
    check_short(35, "InterCoreComm.Sortwords(TMessage, LongInt, LongInt)",
                "InterCoreComm.Sortwords(..)");
}

TEST(cpp_operators_are_no_brackets) /* catches: half of the name gone */
{
    check_short(35,
                "math::operator*<8ul>(math::Vec<8ul> const&, math::Vec<8ul> "
                "const&)",
                "math::operator*<8ul>(..)");
    check_short(22, "operator<<(std::ostream&, int)", "operator<<(..)");
    check_short(22, "box<long int>::operator->() const",
                "box<..>::operator->()");
    check_short(22, "box<long int>::operator<(int) const",
                "box<..>::operator<(..)");
    check_short(24, "std::operator< <int>(std::pair<int>, int)",
                "std::operator< <int>(..)");
    check_short(35,
                "kernel::Core::sorts(unsigned int)::{lambda(unsigned int)#1}::"
                "operator()(unsigned int) const",
                "..{lambda(..)#1}::operator()(..)");
    check_short(35, "(anonymous namespace)::Random::next()",
                "..Random::next()");
}

TEST(rust_keeps_type_trait_and_function) /* catches: "<core::slice::.." */
{
    check_short(35,
                "<core::slice::iter::Iter<T> as "
                "core::iter::traits::iterator::Iterator>::next",
                "<Iter<T> as Iterator>::next");
    check_short(35,
                "<core::iter::adapters::map::Map<core::iter::adapters::filter::"
                "Filter<core::slice::iter::Iter<u64>, kernel::work::chain::"
                "{closure#0}>, ()> as core::iter::traits::iterator::Iterator>::"
                "fold::<u64, fn(u8) -> u16>",
                "<Map<..> as Iterator>::fold");
    check_short(40,
                "<core::slice::iter::Iter<u64> as core::iter::traits::"
                "double_ended::DoubleEndedIterator>::next_back",
                "<Iter<..>>::next_back");
    check_short(24, "<kernel::Circle as kernel::Shape>::area::{closure#0}",
                "..area::{closure#0}");
    check_short(30, "<kernel::Circle as kernel::Shape>::area::{closure#0}",
                "<Circle>::area::{closure#0}");
    check_short(30, "<kernel::Circle as kernel::Shape<u64>>::area::{closure#0}",
                "<Circle>::area::{closure#0}");
    check_short(40,
                "core::iter::range::<impl core::iter::traits::iterator::"
                "Iterator for core::ops::range::Range<A>>::next",
                "..<impl Iterator for Range<A>>::next");
    check_short(35,
                "<[u32]>::sort_unstable_by::<kernel::work::{closure#0}>::"
                "{closure#0}",
                "..sort_unstable_by::{closure#0}");
    check_short(35, "core::iter::adapters::filter::filter_fold::{{closure}}",
                "..filter::filter_fold::{{closure}}");
}

TEST(the_image_stays) /* catches: a function that seems to be the kernel's */
{
    check_short(24, "walk(unsigned long) [app]", "walk(..) [app]");
    check_short(24, "a_very_long_name_of_c [app]", "a_very_long_name.. [app]");
    check_short(30, "<kernel::Circle as kernel::Shape>::area [libc.so]",
                "<Circle>::area [libc.so]");
    check_short(16, "copy [a_long_image_name]", "copy [a_long_i..");
    check_short(16, "a_name_of_c [clone]] [b [c]", "a_name_of_.. [c]");
}

TEST(names_that_are_odd_are_cut) /* catches: reading past an end */
{
    check_short(10, "a_very_long_name_of_c", "a_very_l..");
    check_short(10, "gr\xc3\xbc\xc3\x9f_von_dem_nord",
                "gr\xc3\xbc\xc3\x9f_von..");
    check_short(12, "one<two<three_four", "one<two<th..");
    check_short(12, ">>>>three_four_five", ">>>>three_..");
    check_short(12, "one(two)three)four", "one(two)th..");
    check_short(12, "operatoroperatoroperator", "operatorop..");
}

TEST(names_longer_than_any_are_cut) /* catches: writing past an end */
{
    static char name[20000];

    memset(name, 'n', sizeof name - 1);
    check_short(10, name, "nnnnnnnn..");
    name[9000] = '(';
    name[sizeof name - 2] = ')';
    check_short(10, name, "nnnnnnnn..");
    memcpy(name + sizeof name - 8, " [app]", 7);
    check_short(12, name, "nnnnnnnnnn..");
}

/* Brackets as a file may have them: no more time than for any other name. */
TEST(names_of_brackets_take_no_time) /* catches: squares of lengths */
{
    static char name[4097];
    char buf[NAME_SHORT];

    for (int i = 0; i < 1000; i++) {
        memset(name, '<', 4096);
        memset(name + 2048, i & 1 ? '>' : '<', 2048);
        CHECK(text_width(name_short(buf, name, 35)) <= 35);
    }
}

/* A recording's header may name no source. */
TEST(nothing_is_from_nowhere) /* catches: a line that ends with "from" */
{
    static struct profile p;
    static const char *const sources[] = {NULL, "", "serial:x"};

    for (size_t i = 0; i < 3; i++) {
        struct report r = {.profile = &p, .source = sources[i]};
        char text[200] = "";
        FILE *out = fmemopen(text, sizeof text, "w");

        table_origin(out, &r);
        CHECK_EQ(fclose(out), 0);
        CHECK((strstr(text, "from") != NULL) == (i == 2));
    }
}
