/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules of tests/support/otlp_rules.c find requests that break one each. */
#include "otlp_rules.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

#define TYPE "{\"typeStrindex\":1,\"unitStrindex\":2}"
#define TIMES                                                                  \
    "\"timeUnixNano\":\"1000\",\"durationNano\":\"50\",\"period\":\"9\","      \
    "\"sampleType\":" TYPE ",\"periodType\":" TYPE ","

/* A small request that keeps all rules. */
static const char good[] =
    "{\"resourceProfiles\":[{\"resource\":{\"attributes\":[{\"key\":\"guest\","
    "\"value\":{\"stringValue\":\"a\"}},{\"key\":\"host\",\"value\":{"
    "\"stringValue\":\"a\"}}]},\"scopeProfiles\":[{\"profiles\":[{" TIMES
    "\"profileId\":\"0123456789abcdef0123456789abcdef\",\"samples\":[{"
    "\"stackIndex\":1,\"attributeIndices\":[1,2],\"values\":[\"7\"]},{"
    "\"stackIndex\":1,\"values\":[\"8\"]}]},{" TIMES
    "\"profileId\":\"0123456789abcdef0123456789abcdee\",\"samples\":[{"
    "\"stackIndex\":1,\"linkIndex\":1,\"values\":[\"1\",\"2\"],"
    "\"timestampsUnixNano\":[\"1000\",\"1049\"]}]}]}]}],"
    "\"dictionary\":{\"mappingTable\":[{},{\"memoryStart\":\"16\","
    "\"memoryLimit\":\"32\",\"filenameStrindex\":3},{\"filenameStrindex\":4}],"
    "\"locationTable\":[{},{\"mappingIndex\":1,\"address\":\"20\",\"lines\":[{"
    "\"functionIndex\":1,\"line\":\"5\"}]},{\"mappingIndex\":2}],"
    "\"functionTable\":[{},{\"nameStrindex\":5,\"startLine\":\"4\"}],"
    "\"linkTable\":[{},{\"traceId\":\"0123456789abcdef0123456789abcdef\","
    "\"spanId\":\"0123456789abcdef\"}],"
    "\"stringTable\":[\"\",\"cpu\",\"ns\",\"a.elf\",\"b.elf\",\"main\",\"k\","
    "\"l\"],"
    "\"attributeTable\":[{},{\"keyStrindex\":6,\"value\":{\"intValue\":\"1\"}},"
    "{\"keyStrindex\":7,\"unitStrindex\":2,\"value\":{\"stringValue\":\"x\"}}],"
    "\"stackTable\":[{},{\"locationIndices\":[1,2]}]}}";

/* What (good) says after the first (from) with (to) in its place, and which
 * rule that breaks. */
static const struct {
    const char *from, *to, *rule;
} breaks[] = {
    {"\"linkTable\":[{},", "\"noTable\":[{},", "link: there is no table"},
    {"\"mappingTable\":[{},", "\"mappingTable\":[",
     "mapping: entry 0 says something"},
    {"\"stringTable\":[\"\",", "\"stringTable\":[",
     "string: entry 0 says something"},
    {"\"b.elf\"", "\"a.elf\"", "string: an entry comes twice"},
    {"\"stackTable\":[{}", "\"stackTable\":[{},{}",
     "stack: an entry comes twice"},
    {"{\"mappingIndex\":2}", "{\"mappingIndex\":2},{\"address\":\"9\"}",
     "location: nothing refers to an entry"},
    {"\"l\"]", "\"l\",\"more\"]", "string: nothing refers to an entry"},
    {"\"linkIndex\":1,", "", "link: nothing refers to an entry"},
    {"\"attributeIndices\":[1,2]", "\"attributeIndices\":[1]",
     "attribute: nothing refers to an entry"},
    {"\"mappingIndex\":2", "\"mappingIndex\":3",
     "mapping: there is no such entry"},
    {"\"mappingIndex\":1", "\"mappingIndex\":-1",
     "mapping: there is no such entry"},
    {"\"stackIndex\":1", "\"stackIndex\":2", "stack: there is no such entry"},
    {"\"linkIndex\":1", "\"linkIndex\":2", "link: there is no such entry"},
    {"\"unitStrindex\":2,\"value\"", "\"unitStrindex\":8,\"value\"",
     "string: there is no such entry"},
    {"\"nameStrindex\":5", "\"nameStrindex\":99",
     "string: there is no such entry"},
    {"[1,2],\"values\"", "[1,3],\"values\"",
     "attribute: there is no such entry"},
    {"[1,2],\"values\"", "[1,0],\"values\"", "an attribute has no key"},
    {"\"keyStrindex\":7", "\"keyStrindex\":6", "an attribute comes twice"},
    {"\"value\":{\"intValue\":\"1\"}", "\"value\":{}",
     "an attribute has no value, or several"},
    {"\"memoryLimit\":\"32\"", "\"memoryLimit\":\"16\"",
     "a mapping ends before it begins"},
    {"\"memoryStart\":\"16\"", "\"memoryStart\":\"21\"",
     "a location is outside of its mapping"},
    {"\"filenameStrindex\":4", "\"filenameStrindex\":3,\"fileOffset\":\"1\"",
     "two mappings have one file"},
    {"\"functionIndex\":1", "\"functionIndex\":0", "a line has no function"},
    {"\"line\":\"5\"", "\"line\":\"-5\"", "line: no number of 64 bits"},
    {"\"line\":\"5\"", "\"line\":\"9223372036854775808\"",
     "a line is negative"},
    {"\"line\":\"5\"", "\"line\":5", "line: no number of 64 bits"},
    {"\"nameStrindex\":5,", "", "a function says nothing"},
    {"\"startLine\":\"4\"", "\"startLine\":\"9223372036854775808\"",
     "a function begins at no line"},
    {"\"spanId\":\"01", "\"spanId\":\"", "spanId: no id"},
    {"\"spanId\":\"0123456789abcdef", "\"spanId\":\"0000000000000000",
     "spanId: zero"},
    {"\"locationIndices\":[1,2]", "\"locationIndices\":[1,2,0]",
     "a stack has no location"},
    {"\"resourceProfiles\"", "\"none\"", "there is no resource"},
    {"\"scopeProfiles\"", "\"none\"", "a resource has no scope"},
    {"\"profiles\"", "\"none\"", "a scope has no profile"},
    {"\"key\":\"host\"", "\"key\":\"guest\"",
     "a resource has an attribute twice, or one without a key"},
    {"\"value\":{", "\"none\":{",
     "a resource has an attribute without a value"},
    {"\"timeUnixNano\":\"1000\",\"d",
     "\"timeUnixNano\":\"18446744073709551615"
     "\",\"d",
     "a profile ends before it begins"},
    {"\"typeStrindex\":1", "\"typeStrindex\":0",
     "sampleType: no type, or no unit"},
    {"\"periodType\":{\"typeStrindex\":1,\"unitStrindex\":2}",
     "\"periodType\":{\"typeStrindex\":1}", "periodType: no type, or no unit"},
    {"\"period\":\"9\"", "\"period\":\"9223372036854775808\"",
     "a period is negative"},
    {"abcdef\",\"samples\"", "abcd\",\"samples\"", "profileId: no id"},
    {"0123456789abcdef0123456789abcdef", "00000000000000000000000000000000",
     "profileId: zero"},
    {"abcdee", "abcdef", "two profiles have one id"},
    {"\"values\":[\"8\"]", "\"values\":[]",
     "a sample has no value and no time"},
    {"\"values\":[\"8\"]", "\"values\":[\"8\",\"9\"]",
     "a sample has several values"},
    {"\"values\":[\"8\"]", "\"values\":[8]", "a value is no number of 64 bits"},
    {"\"values\":[\"1\",\"2\"]", "\"values\":[\"1\"]",
     "a sample has another number of values than of times"},
    {"\"values\":[\"8\"]", "\"timestampsUnixNano\":[\"1001\"]",
     "samples have several shapes"},
    {"\"attributeIndices\":[1,2],\"values\":[\"7\"]},{\"stackIndex\":1,",
     "\"attributeIndices\":[1,2],\"values\":[\"7\"]},{\"stackIndex\":1,"
     "\"attributeIndices\":[2,1],",
     "two samples should be one"},
    {"\"1049\"", "\"1050\"", "a sample is outside of its profile"},
    {"[\"1000\"", "[\"999\"", "a sample is outside of its profile"},
};

TEST(rules_find_what_breaks_them)
{
    json_t *request = json_loads(good, 0, NULL);

    CHECK(request != NULL);
    CHECK_STR(otlp_breaks(request), NULL);
    json_decref(request);
    for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
        const char *at = strstr(good, breaks[i].from);
        char text[sizeof good + 128];

        CHECK(at != NULL);
        (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good,
                       breaks[i].to, at + strlen(breaks[i].from));
        request = json_loads(text, 0, NULL);
        if (request == NULL)
            check_failed(__FILE__, __LINE__, "no JSON: %s", text);
        CHECK_STR(otlp_breaks(request), breaks[i].rule);
        json_decref(request);
    }
}
