/* SPDX-License-Identifier: BSD-2-Clause */
/* The bounded reader: what it reads, and that it never reads beyond. */
#include "check.h"

#include <string.h>

#include "util/cursor.h"

static struct cursor on(const char *bytes, size_t size)
{
    return cursor_init((const uint8_t *)bytes, size);
}

TEST(integers_are_little_endian) /* catches: swapped bytes */
{
    struct cursor c = on("\x01\x02\x03\x04\x05\x06\x07\x08\x09", 9);

    CHECK_EQ(cursor_uint(&c, 1), 1);
    CHECK_EQ(cursor_uint(&c, 8), 0x0908070605040302);
    CHECK(!c.bad);
    CHECK_EQ(cursor_left(&c), 0);
}

TEST(signed_integers_keep_their_sign) /* catches: a sign lost, or invented */
{
    struct cursor c = on("\xff\x7f\x00\x80\xfe\xff\xff\xff", 8);

    CHECK(cursor_int(&c, 1) == -1);
    CHECK(cursor_int(&c, 1) == 127);
    CHECK(cursor_int(&c, 2) == -32768);
    CHECK(cursor_int(&c, 4) == -2);
    CHECK(!c.bad);
    CHECK(cursor_int(&c, 8) == 0 && c.bad);
    c = on("\xff\xff\xff\xff\xff\xff\xff\x7f", 8);
    CHECK(cursor_int(&c, 8) == INT64_MAX);
}

TEST(error_is_sticky) /* catches: a read that works after one that did not */
{
    struct cursor c = on("\x01\x02\x03", 3);

    CHECK_EQ(cursor_uint(&c, 4), 0);
    CHECK(c.bad);
    CHECK_EQ(cursor_uint(&c, 1), 0);
    CHECK_EQ(cursor_uleb(&c), 0);
    CHECK(cursor_bytes(&c, 1) == NULL);
    CHECK(c.bad);
}

TEST(varints_have_their_limits) /* catches: bits lost, or bytes without end */
{
    struct cursor c = on("\x7f\x80\x01\xac\x02", 5);

    CHECK_EQ(cursor_uleb(&c), 127);
    CHECK_EQ(cursor_uleb(&c), 128);
    CHECK_EQ(cursor_uleb(&c), 300);
    c = on("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
    CHECK_EQ(cursor_uleb(&c), -1);
    CHECK(!c.bad);
    c = on("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10); /* a 65th bit */
    CHECK_EQ(cursor_uleb(&c), 0);
    CHECK(c.bad);
    c = on("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11);
    CHECK_EQ(cursor_uleb(&c), 0);
    CHECK(c.bad);
    c = on("\x80\x80", 2);
    CHECK_EQ(cursor_uleb(&c), 0);
    CHECK(c.bad);
}

TEST(signed_leb_has_its_limits) /* catches: a sign lost, a 65th bit */
{
    struct cursor c = on("\x02\x7e\xff\x00\x80\x7f", 6);

    CHECK_EQ(cursor_sleb(&c), 2);
    CHECK_EQ(cursor_sleb(&c), -2);
    CHECK_EQ(cursor_sleb(&c), 127);
    CHECK_EQ(cursor_sleb(&c), -128);
    c = on("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10);
    CHECK_EQ(cursor_sleb(&c), INT64_MIN);
    c = on("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10);
    CHECK_EQ(cursor_sleb(&c), INT64_MAX);
    c = on("\x80\x80\x80\x80\x80\x80\x80\x80\x40", 9); /* its sign in bit 62 */
    CHECK_EQ(cursor_sleb(&c), INT64_MIN / 2);
    CHECK(!c.bad);
    c = on("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10);
    CHECK_EQ(cursor_sleb(&c), 0);
    CHECK(c.bad);
    c = on("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11);
    CHECK_EQ(cursor_sleb(&c), 0);
    CHECK(c.bad);
}

TEST(strings_and_parts_end_inside) /* catches: a read behind the section */
{
    static const uint8_t bytes[] = "ab\0cd";
    struct cursor c = cursor_at(bytes, 5, 0);

    CHECK_STR(cursor_string(&c), "ab");
    CHECK(cursor_string(&c) == NULL && c.bad);
    c = cursor_at(bytes, 5, 5);
    CHECK(!c.bad && cursor_left(&c) == 0);
    CHECK(cursor_at(bytes, 5, 6).bad && cursor_at(NULL, 0, 0).bad);
    c = cursor_at(bytes, 5, 1);
    cursor_skip(&c, 4);
    CHECK(!c.bad);
    cursor_skip(&c, UINT64_MAX);
    CHECK(c.bad);
}

TEST(zigzag_is_signed) /* catches: an off-by-one on the negative side */
{
    struct cursor c = on("\x00\x01\x02\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                         "\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                         24);

    CHECK_EQ(cursor_zigzag(&c), 0);
    CHECK_EQ(cursor_zigzag(&c), -1);
    CHECK_EQ(cursor_zigzag(&c), 1);
    CHECK_EQ(cursor_zigzag(&c), -2);
    CHECK_EQ(cursor_zigzag(&c), INT64_MIN);
    CHECK_EQ(cursor_zigzag(&c), INT64_MAX);
    CHECK(!c.bad);
}
