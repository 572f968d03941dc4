/* SPDX-License-Identifier: BSD-2-Clause */
#include "server.h"

#include "journal.h"
#include "store.h"

/* A request while it is read: what is left of its line, and the data behind. */
struct request {
    struct text line, data;
    struct answer *out;
    bool quiet; /* "noreply" */
};

static uint64_t requests, errors;

static void say(struct request *r, struct text what)
{
    if (r->quiet)
        return;
    answer_add(r->out, what);
    answer_add(r->out, TEXT("\r\n"));
}

static void refuse(struct request *r, const char *why, uint64_t number)
{
    journal_note(why, number);
    errors++;
    r->quiet = false;
    say(r, TEXT("CLIENT_ERROR bad command line format"));
}

/* The next word of the line. False: there is none. */
static bool next_word(struct request *r, struct text *word)
{
    const char *at = r->line.at, *end = at + r->line.length;

    while (at != end && *at == ' ')
        at++;
    word->at = at;
    while (at != end && *at != ' ') {
        if (*at < ' ' || *at == 0x7f) {
            refuse(r, "a control character", (uint8_t)*at);
            at = end;
            break;
        }
        at++;
    }
    word->length = (size_t)(at - word->at);
    r->line = (struct text){at, (size_t)(end - at)};
    return word->length != 0;
}

static bool next_key(struct request *r, struct text *key)
{
    if (!next_word(r, key)) {
        refuse(r, "no key", 0);
        return false;
    }
    if (key->length > STORE_KEY_MAX) {
        refuse(r, "a key is too long", key->length);
        return false;
    }
    return true;
}

static bool to_number(struct text word, uint64_t *number)
{
    uint64_t value = 0;

    if (word.length == 0 || word.length > 20)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        unsigned digit = (unsigned)(word.at[i] - '0');

        if (digit > 9)
            return false;
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return true;
}

static bool next_number(struct request *r, uint64_t most, uint64_t *number)
{
    struct text word;

    if (!next_word(r, &word) || !to_number(word, number)) {
        refuse(r, "no number", r->line.length);
        return false;
    }
    if (*number > most) {
        refuse(r, "a number is too large", *number);
        return false;
    }
    return true;
}

/* What may end a line: "noreply". */
static void take_noreply(struct request *r)
{
    struct text word;

    if (next_word(r, &word)) {
        if (text_same(word, TEXT("noreply")))
            r->quiet = true;
        else
            refuse(r, "more words than expected", word.length);
    }
}

static uint64_t expiry_of(uint64_t seconds)
{
    return seconds != 0 ? store_now() + seconds : 0;
}

static void put_item(struct request *r, const struct item *item, bool version)
{
    struct answer *out = r->out;

    answer_add(out, TEXT("VALUE "));
    answer_add(out, (struct text){item->key, item->key_length});
    answer_add(out, TEXT(" "));
    answer_number(out, item->flags);
    answer_add(out, TEXT(" "));
    answer_number(out, item->value_length);
    if (version) {
        answer_add(out, TEXT(" "));
        answer_number(out, item->version);
    }
    answer_add(out, TEXT("\r\n"));
    answer_add(out, (struct text){item->value, item->value_length});
    answer_add(out, TEXT("\r\n"));
}

static void get_items(struct request *r, bool versions)
{
    struct text key;

    if (!next_key(r, &key))
        return;
    do {
        const struct item *item;

        if (key.length > STORE_KEY_MAX) {
            refuse(r, "a key is too long", key.length);
            return;
        }
        item = store_find(key);
        if (item != NULL)
            put_item(r, item, versions);
    } while (next_word(r, &key));
    say(r, TEXT("END"));
}

static void do_get(struct request *r)
{
    get_items(r, false);
}

static void do_gets(struct request *r)
{
    get_items(r, true);
}

/* What a line says of data that follows. */
struct told {
    struct text key;
    uint64_t flags, seconds, size, version;
};

static bool read_told(struct request *r, struct told *t, bool version)
{
    if (!next_key(r, &t->key) || !next_number(r, UINT32_MAX, &t->flags) ||
        !next_number(r, UINT32_MAX, &t->seconds) ||
        !next_number(r, STORE_VALUE_MAX, &t->size) ||
        (version && !next_number(r, UINT64_MAX, &t->version)))
        return false;
    take_noreply(r);
    if (r->data.length != t->size + 2 || r->data.at[t->size] != '\r' ||
        r->data.at[t->size + 1] != '\n') {
        refuse(r, "data of another size", r->data.length);
        return false;
    }
    r->data.length = t->size;
    return true;
}

/* Set (item), or a new one for it. */
static void keep(struct request *r, const struct told *t, struct item *item)
{
    if (item == NULL)
        item = store_add(t->key);
    if (item == NULL) {
        say(r, TEXT("SERVER_ERROR out of memory"));
        return;
    }
    item->flags = (uint32_t)t->flags;
    item->expires = expiry_of(t->seconds);
    store_set(item, r->data);
    say(r, TEXT("STORED"));
}

static void do_set(struct request *r)
{
    struct told t;

    if (read_told(r, &t, false))
        keep(r, &t, store_find(t.key));
}

static void do_add(struct request *r)
{
    struct told t;

    if (!read_told(r, &t, false))
        return;
    if (store_find(t.key) != NULL)
        say(r, TEXT("NOT_STORED"));
    else
        keep(r, &t, NULL);
}

static void do_replace(struct request *r)
{
    struct item *item;
    struct told t;

    if (!read_told(r, &t, false))
        return;
    item = store_find(t.key);
    if (item == NULL)
        say(r, TEXT("NOT_STORED"));
    else
        keep(r, &t, item);
}

static void do_append(struct request *r)
{
    char joined[STORE_VALUE_MAX];
    struct item *item;
    struct told t;

    if (!read_told(r, &t, false))
        return;
    item = store_find(t.key);
    if (item == NULL || item->value_length + t.size > sizeof joined) {
        say(r, TEXT("NOT_STORED"));
        return;
    }
    (void)memcpy(joined, item->value, item->value_length);
    (void)memcpy(joined + item->value_length, r->data.at, t.size);
    store_set(item, (struct text){joined, item->value_length + t.size});
    say(r, TEXT("STORED"));
}

static void do_cas(struct request *r)
{
    struct item *item;
    struct told t;

    if (!read_told(r, &t, true))
        return;
    item = store_find(t.key);
    if (item == NULL)
        say(r, TEXT("NOT_FOUND"));
    else if (item->version != t.version)
        say(r, TEXT("EXISTS"));
    else
        keep(r, &t, item);
}

static void do_delete(struct request *r)
{
    struct item *item;
    struct text key;

    if (!next_key(r, &key))
        return;
    take_noreply(r);
    item = store_find(key);
    if (item == NULL) {
        say(r, TEXT("NOT_FOUND"));
        return;
    }
    store_remove(item);
    say(r, TEXT("DELETED"));
}

static void count(struct request *r, bool up)
{
    char digits[20];
    struct answer value = {.bytes = digits, .room = sizeof digits};
    uint64_t number, by;
    struct item *item;
    struct text key;

    if (!next_key(r, &key) || !next_number(r, UINT64_MAX, &by))
        return;
    take_noreply(r);
    item = store_find(key);
    if (item == NULL) {
        say(r, TEXT("NOT_FOUND"));
        return;
    }
    if (!to_number((struct text){item->value, item->value_length}, &number)) {
        refuse(r, "a value is no number", item->value_length);
        return;
    }
    if (up)
        number += by;
    else
        number = number > by ? number - by : 0;
    answer_number(&value, number);
    store_set(item, (struct text){digits, value.length});
    say(r, (struct text){digits, value.length});
}

static void do_incr(struct request *r)
{
    count(r, true);
}

static void do_decr(struct request *r)
{
    count(r, false);
}

static void do_touch(struct request *r)
{
    uint64_t seconds;
    struct item *item;
    struct text key;

    if (!next_key(r, &key) || !next_number(r, UINT32_MAX, &seconds))
        return;
    take_noreply(r);
    item = store_find(key);
    if (item == NULL) {
        say(r, TEXT("NOT_FOUND"));
        return;
    }
    item->expires = expiry_of(seconds);
    say(r, TEXT("TOUCHED"));
}

static void put_stat(struct request *r, struct text name, uint64_t number)
{
    answer_add(r->out, TEXT("STAT "));
    answer_add(r->out, name);
    answer_add(r->out, TEXT(" "));
    answer_number(r->out, number);
    answer_add(r->out, TEXT("\r\n"));
}

static void do_stats(struct request *r)
{
    struct store_stats s = store_stats();

    put_stat(r, TEXT("cmd_total"), requests);
    put_stat(r, TEXT("curr_items"), s.items);
    put_stat(r, TEXT("get_hits"), s.hits);
    put_stat(r, TEXT("get_misses"), s.misses);
    put_stat(r, TEXT("expired"), s.expired);
    put_stat(r, TEXT("evictions"), s.evicted);
    say(r, TEXT("END"));
}

static void do_version(struct request *r)
{
    say(r, TEXT("VERSION 1.0"));
}

static const struct command {
    struct text name;
    void (*run)(struct request *r);
} commands[] = {
    {{"add", 3}, do_add},         {{"append", 6}, do_append},
    {{"cas", 3}, do_cas},         {{"decr", 4}, do_decr},
    {{"delete", 6}, do_delete},   {{"get", 3}, do_get},
    {{"gets", 4}, do_gets},       {{"incr", 4}, do_incr},
    {{"replace", 7}, do_replace}, {{"set", 3}, do_set},
    {{"stats", 5}, do_stats},     {{"touch", 5}, do_touch},
    {{"version", 7}, do_version},
};

static const struct command *command_of(struct text name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (text_same(commands[i].name, name))
            return &commands[i];
    return NULL;
}

/* Part the line from the data behind it. */
static bool split(struct text whole, struct request *r)
{
    for (size_t i = 0; i + 1 < whole.length; i++)
        if (whole.at[i] == '\r' && whole.at[i + 1] == '\n') {
            r->line = (struct text){whole.at, i};
            r->data = (struct text){whole.at + i + 2, whole.length - i - 2};
            return true;
        }
    return false;
}

void server_serve(struct text whole, struct answer *out)
{
    struct request r = {.out = out};
    const struct command *command;
    struct text word;

    requests++;
    if (!split(whole, &r)) {
        refuse(&r, "a line without an end", whole.length);
        return;
    }
    if (!next_word(&r, &word) || (command = command_of(word)) == NULL) {
        journal_note("an unknown command", whole.length);
        errors++;
        say(&r, TEXT("ERROR"));
        return;
    }
    command->run(&r);
}

uint64_t server_requests(void)
{
    return requests;
}

uint64_t server_errors(void)
{
    return errors;
}
