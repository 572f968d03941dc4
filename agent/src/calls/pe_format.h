/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE image's headers (Microsoft's PE Format, PE32+), as they lie in memory.
 */
#ifndef TPROF_PE_FORMAT_H
#define TPROF_PE_FORMAT_H

#define DOS_MAGIC 0x5a4du /* u16 at 0 */
#define DOS_PE    0x3cu   /* u32: offset of the PE headers */

#define PE_MAGIC           0x4550u /* u32 at 0 */
#define PE_SECTIONS        6u      /* u16: number of sections */
#define PE_OPTIONAL_SIZE   20u     /* u16 */
#define PE_OPTIONAL        24u     /* u16: kind of header */
#define PE_OPTIONAL_64     0x20bu
#define PE_ENTRY           40u  /* u32 address, as all from the base on */
#define PE_IMAGE_SIZE      80u  /* u32 */
#define PE_DIRECTORIES     132u /* u32: number of directories */
#define PE_DIRECTORY_DEBUG 6u
#define PE_DEBUG           184u /* u32 address */
#define PE_DEBUG_SIZE      188u /* u32 */

/* After the optional header. */
#define PE_SECTION_BYTES   40u
#define PE_SECTION_SIZE    8u  /* u32, in memory */
#define PE_SECTION_ADDRESS 12u /* u32 */

/* An entry of the debug directory. */
#define PE_DEBUG_BYTES       28u
#define PE_DEBUG_TYPE        12u /* u32 */
#define PE_DEBUG_CODEVIEW    2u
#define PE_DEBUG_RECORD_SIZE 16u /* u32 */
#define PE_DEBUG_ADDRESS     20u /* u32 */

/* Its record. */
#define PE_RSDS      0x53445352u /* u32 at 0 */
#define PE_RSDS_GUID 4u
#define PE_GUID_SIZE 16u

#endif
