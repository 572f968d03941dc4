/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose programs are trusted. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "guard/peer.h"

static bool lets(struct peer_rule r, uid_t uid)
{
    struct err e = {""};
    bool allowed = peer_judge(&r, uid, "it", &e) == 0;

    CHECK_EQ(e.text[0] == '\0', allowed);
    return allowed;
}

TEST(own_user_and_root_are_trusted) /* catches: everybody, or nobody */
{
    struct peer_rule none = {0}, one = {.other = true, .uid = 4242},
                     all = {.any = true};
    uid_t own = geteuid();

    CHECK(lets(none, own) && lets(none, 0));
    CHECK(!lets(none, own + 4242) && !lets(none, own + 4243));
    CHECK(lets(one, own) && lets(one, 0) && lets(one, 4242));
    CHECK(!lets(one, 4243));
    CHECK(lets(all, 4243));
}

TEST(refusal_says_what_to_type) /* catches: a user at a loss */
{
    struct peer_rule none = {0};
    struct err e;

    CHECK_EQ(peer_judge(&none, 4243, "/tmp/tprof.0", &e), -1);
    CHECK_STR(e.text, "/tmp/tprof.0 belongs to user 4243, who is neither you "
                      "nor root; if that is right, add --peer 4243");
}

TEST(peer_is_asked_of_the_kernel) /* catches: a descriptor that is no socket */
{
    struct peer_rule none = {0}, all = {.any = true};
    struct err e;
    int pair[2];

    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    CHECK_EQ(peer_check(&none, pair[0], "it", &e), 0);
    CHECK_EQ(pipe(pair), 0);
    CHECK_EQ(peer_check(&none, pair[0], "it", &e), -1);
    CHECK_EQ(peer_check(&all, pair[0], "it", &e), 0);
}

TEST(users_are_numbers_or_any) /* catches: a name that becomes 0, root */
{
    static const char *const wrong[] = {
        "",           "alice",      "-1",
        "+1",         " 1",         "1000x",
        "4294967295", "4294967296", "99999999999999999999",
    };
    struct peer_rule r;

    memset(&r, 0, sizeof r);
    CHECK(peer_parse(&r, "any") && r.any);
    memset(&r, 0, sizeof r);
    CHECK(peer_parse(&r, "1000") && !r.any && r.other && r.uid == 1000);
    CHECK(peer_parse(&r, "4294967294") && r.uid == 4294967294u);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(!peer_parse(&r, wrong[i]));
}
