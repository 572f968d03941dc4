/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the GIC in a flattened device tree (Devicetree Specification 0.4,
 * chapter 5). Reads no byte after the tree's stated size, nor after 2 MiB. */
#ifndef TPROF_DEVICE_TREE_H
#define TPROF_DEVICE_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* The GIC, as a device tree has it */
struct tprof_tree_gic {
    uint32_t version; /* 2 or 3 */
    /* the distributor; CPU interface or first redistributor */
    uint64_t distributor, cpu;
};

/* Stores what (tree) says in (gic). (readable) are the bytes at (tree) that can
 * be read; 8 at least. Returns false if it is no tree, if it is damaged, or if
 * it has no GIC. */
bool tprof_tree_find_gic(const void *tree, uint64_t readable,
                         struct tprof_tree_gic *gic);

/* Returns the size that (tree), whose first 8 bytes can be read, states; 0 if
 * it is no tree. At most 2 MiB. */
uint32_t tprof_tree_size(const void *tree);

#endif
