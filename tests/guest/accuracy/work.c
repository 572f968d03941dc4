/* SPDX-License-Identifier: BSD-2-Clause */
/* The eight computations; see work.h. Global, so that none is inlined, cloned
 * or merged with another. */
#include "work.h"

#define AT(i) ((i) & (WORK_SIZE - 1))

static uint32_t next_random(struct work *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 17;
    w->random ^= w->random << 5;
    return w->random;
}

void work_init(struct work *w, uint32_t seed)
{
    w->random = seed * 2654435761u | 1;
    for (uint32_t i = 0; i < WORK_SIZE; i++) {
        w->bytes[i] = (uint8_t)next_random(w);
        w->sorted[i] = next_random(w);
        w->source[i] = next_random(w) & 3; /* short runs */
        w->table[i] = (i << 16) + (next_random(w) & 0xffff);
        /* 29 is prime to the size: one ring of all nodes */
        w->nodes[i].next = &w->nodes[AT(i + 29)];
        w->nodes[i].value = next_random(w);
    }
    w->node = w->nodes;
    w->hash = 2166136261u;
    w->high = WORK_SIZE;
}

/* FNV-1a with a twist at every odd value. */
void work_hash(struct work *w, uint32_t steps)
{
    uint32_t hash = w->hash;

    for (uint32_t i = 0; i < steps; i++) {
        hash = (hash ^ w->bytes[AT(w->hash_at + i)]) * 16777619u;
        if (hash & 1)
            hash ^= hash >> 15;
    }
    w->hash_at += steps;
    w->hash = hash;
}

/* Gnome sort; where it is done it disturbs one element and begins anew. */
void work_sort(struct work *w, uint32_t steps)
{
    uint32_t *v = w->sorted;
    uint32_t at = w->sort_at;

    while (steps--) {
        if (at == WORK_SIZE) {
            v[AT(next_random(w))] = next_random(w);
            at = 0;
        } else if (at == 0 || v[at - 1] <= v[at]) {
            at++;
        } else {
            uint32_t larger = v[at - 1];

            v[at - 1] = v[at];
            v[at--] = larger;
        }
    }
    w->sort_at = at;
}

/* Copies without what repeats. */
void work_copy(struct work *w, uint32_t steps)
{
    uint32_t to = w->copy_to;

    for (uint32_t i = 0; i < steps; i++) {
        uint32_t value = w->source[AT(w->copy_at + i)];

        if (value != w->copy[AT(to)])
            w->copy[AT(++to)] = value;
    }
    w->copy_at += steps;
    w->copy_to = to;
}

void work_walk(struct work *w, uint32_t steps)
{
    struct node *node = w->node;
    uint32_t sum = 0;

    while (steps--) {
        if (node->value & 8)
            sum += node->value;
        else
            node->value += sum | 1;
        node = node->next;
    }
    w->node = node;
    w->result += sum;
}

/* CRC-32, bit by bit. */
void work_crc(struct work *w, uint32_t steps)
{
    uint32_t crc = w->crc;

    for (uint32_t i = w->crc_at; i != w->crc_at + steps; i++) {
        if (i % 8 == 0)
            crc ^= w->bytes[AT(i / 8)];
        if (crc & 1)
            crc = crc >> 1 ^ 0xedb88320u;
        else
            crc >>= 1;
    }
    w->crc_at += steps;
    w->crc = crc;
}

/* Binary search, one comparison a step. */
void work_search(struct work *w, uint32_t steps)
{
    while (steps--) {
        uint32_t middle = (w->low + w->high) / 2;

        if (w->high - w->low <= 1) {
            w->result += w->low;
            w->wanted = next_random(w) & (WORK_SIZE * 65536u - 1);
            w->low = 0;
            w->high = WORK_SIZE;
        } else if (w->table[middle] <= w->wanted) {
            w->low = middle;
        } else {
            w->high = middle;
        }
    }
}

/* Decimal numbers between bytes that are no digits. */
void work_parse(struct work *w, uint32_t steps)
{
    uint32_t number = w->number;

    for (uint32_t i = 0; i < steps; i++) {
        uint8_t c = w->bytes[AT(w->parse_at + i)];

        if ((c & 15) < 10) {
            number = number * 10 + (c & 15);
            w->digits++;
        } else {
            w->result ^= number;
            number = 0;
        }
    }
    w->parse_at += steps;
    w->number = number;
}

/* Euclid's greatest common divisor, by subtraction. */
void work_divide(struct work *w, uint32_t steps)
{
    uint32_t a = w->a;
    uint32_t b = w->b;

    while (steps--) {
        if (a > b) {
            a -= b;
        } else if (b > a) {
            b -= a;
        } else {
            w->result += a;
            a = (next_random(w) & 1023) + 1;
            b = (next_random(w) & 1023) + 1;
        }
    }
    w->a = a;
    w->b = b;
}
