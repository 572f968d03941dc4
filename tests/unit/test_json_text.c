/* SPDX-License-Identifier: BSD-2-Clause */
/* What is written as JSON, against what RFC 8259 says a reader makes of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "report/json_text.h"

static char *text;

static FILE *begin(void)
{
    static size_t size;

    free(text);
    FILE *out = open_memstream(&text, &size);

    CHECK(out != NULL);
    return out;
}

static const char *string(const char *s)
{
    FILE *out = begin();

    json_string(out, s);
    CHECK_EQ(fclose(out), 0);
    return text;
}

static const char *number(double n)
{
    FILE *out = begin();

    json_number(out, n);
    CHECK_EQ(fclose(out), 0);
    return text;
}

TEST(quotes_and_backslashes_are_escaped) /* catches: names that end strings */
{
    CHECK(strcmp(string("a\"b\\c"), "\"a\\\"b\\\\c\"") == 0);
    CHECK(strcmp(string(""), "\"\"") == 0);
    CHECK(strcmp(string(NULL), "null") == 0);
}

TEST(control_characters_and_broken_utf_8_are_text) /* catches: bad JSON */
{
    CHECK(strcmp(string("a\n\033"), "\"a\\\\x0a\\\\x1b\"") == 0);
    CHECK(strcmp(string("\xff\xc3"), "\"\\\\xff\\\\xc3\"") == 0);
    /* what turns text on a screen.
     * NOLINTNEXTLINE(misc-misleading-bidirectional) */
    CHECK(strcmp(string("\xe2\x80\xae"), "\"\\\\xe2\\\\x80\\\\xae\"") == 0);
    CHECK(strcmp(string("\xc3\xbc"), "\"\xc3\xbc\"") == 0);
}

TEST(scripts_are_not_ended) /* catches: </script> in a function's name */
{
    CHECK(strstr(string("</script><!--"), "<") == NULL);
    CHECK(strcmp(string("<"), "\"\\u003c\"") == 0);
}

TEST(numbers_are_exact_and_finite) /* catches: nan, 1e+06 for 1000001 */
{
    CHECK(strcmp(number(1000001), "1000001") == 0);
    CHECK(strcmp(number(123456789012345), "123456789012345") == 0);
    CHECK(strcmp(number(.25), "0.25") == 0);
    CHECK(strcmp(number(0), "0") == 0);
    CHECK(strcmp(number(1), "1") == 0);
    CHECK(strcmp(number(2. / 3), "0.666666666667") == 0);
    CHECK(strcmp(number(.000000000001), "0.000000000001") == 0);
    CHECK(strcmp(number(999.9999999999999), "1000") == 0);
    CHECK(strcmp(number(1000.25), "1000.25") == 0);
    CHECK(strcmp(number(-.5), "-0.5") == 0);
    CHECK(strcmp(number(NAN), "null") == 0);
    CHECK(strcmp(number(-INFINITY), "null") == 0);
}

TEST(commas_stand_between_elements)
{
    FILE *out = begin();
    bool first = true;

    for (int i = 0; i < 3; i++) {
        json_comma(out, &first);
        json_number(out, i);
    }
    CHECK_EQ(fclose(out), 0);
    CHECK(strcmp(text, "0,1,2") == 0);
}
