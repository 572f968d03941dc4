/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of the wire format. WIRE.md is the specification; each block here
 * names its section. Agent and collector both include this header, which
 * includes no header of theirs. Integers are little-endian; offsets are in
 * bytes.
 */
#ifndef TPROF_WIRE_H
#define TPROF_WIRE_H

#include <stdint.h>

/*
 * Version of the bytes, WIRE.md 1. Minor grows when something is added that an
 * old reader skips. Major grows when an old reader would be misled. A reader
 * refuses a major version that it does not know.
 */
#define TPROF_WIRE_VERSION_MAJOR 2u
#define TPROF_WIRE_VERSION_MINOR 6u
#define TPROF_WIRE_VERSION                                                     \
    (TPROF_WIRE_VERSION_MAJOR << 8 | TPROF_WIRE_VERSION_MINOR)
#define TPROF_WIRE_VERSION_OLDEST 1u /* oldest major that is still read */

/* Frame, WIRE.md 2: header, body, CRC-32C of both */
#define WIRE_MAGIC         0x9d54u /* bytes 54 9D */
#define WIRE_FRAME_MAGIC   0u      /* u16 */
#define WIRE_FRAME_TYPE    2u      /* u8  enum wire_type */
#define WIRE_FRAME_FLAGS   3u      /* u8  0 */
#define WIRE_FRAME_SEQ     4u      /* u16 HELLO is 0, then +1, wrapping */
#define WIRE_FRAME_LENGTH  6u      /* u16 of the body */
#define WIRE_FRAME_HEADER  8u      /* bytes before the body */
#define WIRE_FRAME_TRAILER 4u      /* u32 CRC-32C after the body */
#define WIRE_BODY_MAX      4096u   /* a longer one is not a frame */
#define WIRE_FRAME_MAX     (WIRE_FRAME_HEADER + WIRE_BODY_MAX + WIRE_FRAME_TRAILER)

enum wire_type {
    /* from the guest */
    WIRE_HELLO = 1,          /* WIRE.md 3 */
    WIRE_SAMPLES = 2,        /* WIRE.md 4 */
    WIRE_STATS = 3,          /* WIRE.md 6 */
    WIRE_STATUS = 4,         /* WIRE.md 7 */
    WIRE_PONG = 5,           /* WIRE.md 7 */
    WIRE_MAP = 6,            /* WIRE.md 8 */
    WIRE_LABEL = 7,          /* reserved: the text of a label */
    WIRE_PROGRESS = 8,       /* WIRE.md 9 */
    WIRE_THREAD = 9,         /* WIRE.md 10.2 */
    WIRE_WAIT = 10,          /* WIRE.md 10.3 */
    WIRE_SCHED = 11,         /* WIRE.md 10.4 */
    WIRE_REQUEST = 12,       /* WIRE.md 11.1 */
    WIRE_REQUEST_TIMES = 13, /* WIRE.md 11.1 */
    WIRE_SLOW = 14,          /* WIRE.md 11.2 */
    WIRE_LOCK = 15,          /* WIRE.md 12.1 */
    WIRE_LOCK_WAIT = 16,     /* WIRE.md 12.2 */
    /* from the host, WIRE.md 7 */
    WIRE_START = 32,
    WIRE_STOP = 33,
    WIRE_PING = 34,
    WIRE_RESET = 35,
    WIRE_GREET = 36,
};

/* Fields, WIRE.md 2.1: u8 tag, u8 length, value */
#define WIRE_FIELD_HEADER 2u

enum wire_hello_tag {
    WIRE_HELLO_WIRE_VERSION = 1,  /* u16 major << 8 | minor; the first field */
    WIRE_HELLO_AGENT_VERSION = 2, /* text */
    WIRE_HELLO_ARCH = 3,          /* u8  WIRE_ARCH_* */
    WIRE_HELLO_BOOT_ID = 4,       /* 16 random bytes, new at each boot */
    WIRE_HELLO_CORES = 5,         /* u16 cores that may send */
    WIRE_HELLO_TSC_HZ = 6,        /* u64 0: unknown, measure it (PING) */
    WIRE_HELLO_BUILD_ID = 7,      /* bytes; absent: the image has none */
    WIRE_HELLO_TEXT_START = 8,    /* u64 run-time address */
    WIRE_HELLO_TEXT_SIZE = 9,     /* u64 bytes */
    WIRE_HELLO_TEXT_CRC = 10,     /* u32 CRC-32C of the first 64 KiB of text */
    WIRE_HELLO_ANCHOR = 11,       /* u64 run-time address of tprof_anchor */
    WIRE_HELLO_RATE_HZ = 12,      /* u32 rate of a START without one */
    WIRE_HELLO_DEPTH = 13,        /* u16 depth of a START without one */
    WIRE_HELLO_INTERVALS = 14,    /* u8  enum wire_intervals */
    WIRE_HELLO_DICT_SLOTS = 15,   /* u32 stack ids per core: 0 to this - 1 */
    WIRE_HELLO_FEATURES = 16,     /* u32 WIRE_FEATURE_* */
    WIRE_HELLO_DIRECTORY = 17,    /* u64 run-time address of tprof_directory */
    WIRE_HELLO_KERNEL_HZ = 18,    /* u32 the kernel's fixed tick; 0: none */
    WIRE_HELLO_READABLE = 19,     /* u8  ranges that config.readable gives */
    WIRE_HELLO_CODE = 20,         /* u64 run-time address of tprof_init_image */
    WIRE_HELLO_NONCE = 21,        /* u64 drawn for each session */
    WIRE_HELLO_SLIDE = 22,        /* u64 slide of an image found from outside */
};
#define WIRE_ARCH_X86_64   1u
#define WIRE_ARCH_AARCH64  2u
#define WIRE_BOOT_ID_SIZE  16u
#define WIRE_TEXT_CRC_SPAN 65536u /* bytes of text under the CRC, at most */

#define WIRE_FEATURE_ONE_WAY      (1u << 0) /* the agent cannot receive */
#define WIRE_FEATURE_LENDING      (1u << 1) /* config.lending: timers are lent */
#define WIRE_FEATURE_OUTSIDE      (1u << 2) /* no agent: sampled from outside */
#define WIRE_FEATURE_EXACT        (1u << 3) /* stacks have no gaps */
#define WIRE_FEATURE_BOOT         (1u << 4) /* config.boot: samples of boot follow */
/* Since 2.3: ticks come from the kernel's timer. With the first flag they come
 * at a fixed rate, with the second also at the agent's deadlines. */
#define WIRE_FEATURE_KERNEL_TIMER (1u << 5)
#define WIRE_FEATURE_SHARED_TIMER (1u << 6)
/* Since 2.3: an emulator interrupts cores only between blocks of code. */
#define WIRE_FEATURE_BLOCKS       (1u << 7)
/* Since 2.6: config.nmi, samples are taken by NMIs */
#define WIRE_FEATURE_NMI          (1u << 8)

enum wire_intervals {
    /* the agent draws each from 0.5 to 1.5 periods, evenly distributed */
    WIRE_INTERVALS_AGENT = 0,
    /* one of several fixed ticks of the kernel, at random: one in
     * WIRE_CONTROL_EVERY (STATUS) on average */
    WIRE_INTERVALS_KERNEL = 1,
};

/* SAMPLES body, WIRE.md 4 */
#define WIRE_SAMPLES_CORE   0u  /* u16 */
#define WIRE_SAMPLES_FLAGS  2u  /* u8  WIRE_SAMPLES_IMAGES */
#define WIRE_SAMPLES_SHIFT  3u  /* u8  a time unit is 2^shift TSC ticks */
#define WIRE_SAMPLES_PERIOD 4u  /* u16 mean interval in time units */
#define WIRE_SAMPLES_EPOCH  6u  /* u16 dictionary generation */
#define WIRE_SAMPLES_TIME   8u  /* u64 time units: base of the first delta */
#define WIRE_SAMPLES_CELLS  16u /* u16 cells that follow */
#define WIRE_SAMPLES_HEADER 18u
#define WIRE_SAMPLES_IMAGES (1u << 0) /* STACK_AT may have come before */
/* After the cells: a u8, the number of counters, then a varint for each. Each
 * counter is cumulative. */
enum wire_counter {
    WIRE_COUNTER_SAMPLES = 0,   /* samples written: delivered or lost */
    WIRE_COUNTER_MISSED = 1,    /* deadlines that had no tick of their own */
    WIRE_COUNTER_RING_FULL = 2, /* ticks dropped: no room in the ring */
    WIRE_COUNTER_REENTERED = 3, /* ticks dropped: inside another tick */
    WIRE_COUNTERS = 4
};
#define WIRE_DROP_REASONS 2u /* the counters from RING_FULL on */

/* Cells, WIRE.md 5: 7 bytes, read as a 56-bit integer */
#define WIRE_CELL_SIZE 7u

/* Short sample, WIRE.md 5.1: bit 0 is 0 */
#define WIRE_CELL_ID_SHIFT   1u
#define WIRE_CELL_ID_BITS    13u
#define WIRE_CELL_DT_SHIFT   14u
#define WIRE_CELL_DT_BITS    14u
#define WIRE_CELL_LEAF_SHIFT 28u
#define WIRE_CELL_LEAF_BITS  24u
#define WIRE_CELL_LATE_SHIFT 52u
#define WIRE_CELL_LATE_BITS  4u
#define WIRE_CELL_LATE_MAX   14u /* greatest bit length of a lateness */

/* Long record, WIRE.md 5.2: bit 0 is 1 */
#define WIRE_LONG_TYPE   0u /* u8 type << 1 | 1 */
#define WIRE_LONG_CELLS  1u /* u8 cells of this record, at least 1 */
#define WIRE_LONG_HEADER 2u

enum wire_long {
    WIRE_LONG_SAMPLE = 1,   /* WIRE.md 5.3 */
    WIRE_LONG_STACK = 2,    /* WIRE.md 5.4 */
    WIRE_LONG_BEGIN = 3,    /* WIRE.md 5.5 */
    WIRE_LONG_LOST = 4,     /* WIRE.md 5.6 */
    WIRE_LONG_LABEL = 5,    /* reserved */
    WIRE_LONG_IDLE = 6,     /* reserved */
    WIRE_LONG_STACK_AT = 7, /* WIRE.md 5.7 */
    WIRE_LONG_THREAD = 8,   /* WIRE.md 5.9 */
    WIRE_LONG_REQUEST = 9,  /* WIRE.md 5.10 */
};

#define WIRE_SAMPLE_JUMP (1u << 0) /* the clock jumped, as after a pause */
#define WIRE_SAMPLE_NMI  (1u << 1) /* reserved */

#define WIRE_STACK_FRAMES_MAX 127u
#define WIRE_STACK_SLOTS      4u  /* words from the stack pointer upwards */
#define WIRE_STACK_BASES_MAX  64u /* bases of STACK_AT in an epoch */

/* The reason why a frame chain ends, WIRE.md 5.4 */
enum wire_end {
    WIRE_END_ZERO = 0,       /* the saved frame pointer is 0: the outermost */
    WIRE_END_DEPTH = 1,      /* the chain has the greatest depth */
    WIRE_END_MEMORY = 2,     /* the next frame is outside readable memory */
    WIRE_END_NOT_RISING = 3, /* the next frame is not above this one */
    WIRE_END_TEXT = 4,       /* the return address is outside text */
    /* Since 2.2, WIRE.md 5.8: a time without ticks. Not a property of the
     * stack. */
    WIRE_END_LENT = 5, /* the kernel waited by the timer's count */
    WIRE_END_REST = 6, /* the timer rested after such a wait */
    WIRE_END_REASONS = 7
};

/* STATS body, WIRE.md 6: fields */
enum wire_stats_tag {
    WIRE_STATS_CORE = 1,    /* u16 */
    WIRE_STATS_APIC_ID = 2, /* u32 */
    WIRE_STATS_TSC = 3,     /* u64 when the counters were read */
    WIRE_STATS_FLAGS = 4,   /* u8  WIRE_STATS_FINAL and so on, below */
    /* The others are u64 and cumulative. */
    WIRE_STATS_TICKS = 5,
    WIRE_STATS_SAMPLES = 6,
    WIRE_STATS_MISSED = 7,
    WIRE_STATS_RING_FULL = 8,
    WIRE_STATS_REENTERED = 9,
    WIRE_STATS_COST = 10,     /* TSC ticks spent in ticks and in sending */
    WIRE_STATS_COST_MAX = 11, /* TSC ticks spent in the longest of these */
    /* ticks that cover too many deadlines to draw each interval */
    WIRE_STATS_BY_DIVISION = 12,
    WIRE_STATS_STACKS = 13, /* stacks that were defined */
    /* interrupts at the agent's vector that were neither tick nor work */
    WIRE_STATS_FOREIGN = 14,
    /* These three count for the whole agent; only core 0's STATS has them. */
    WIRE_STATS_DEVICE_ERRORS = 15, /* the channel failed for good */
    WIRE_STATS_BUSY = 16,          /* no buffer for a frame was free */
    WIRE_STATS_UNKNOWN_CPU = 17,   /* interrupts on a core that did not join */
    WIRE_STATS_STEAL = 18,         /* ns taken by the host; all ones: unknown */
    WIRE_STATS_REPAIRED = 19,      /* times the core's timer was taken back */
    WIRE_STATS_FAULTS = 20,        /* faults of the walk; since 2.1 */
    /* Since 2.2: the counters at the time when the core began to sample in this
     * session: enum wire_counter, from this tag on. */
    WIRE_STATS_BEGAN = 21,
    /* Since 2.6, with WIRE_FEATURE_NMI: deadlines of which the senders of NMIs
     * have told this core */
    WIRE_STATS_KICKS = 32,
};
#define WIRE_STATS_FINAL        (1u << 0) /* after STOP, this core's ring is empty */
#define WIRE_STATS_STARTED      (1u << 1) /* tprof_start_cpu() was called here */
/* Since 2.1: the interrupt begins on the interrupted stack; the CPU does not
 * guarantee that its clock has one rate. */
#define WIRE_STATS_ON_STACK     (1u << 2)
#define WIRE_STATS_CLOCK_VARIES (1u << 3)
/* Since 2.3: the kernel uses the core's timer, and the agent has given way. */
#define WIRE_STATS_TIMER_KEPT   (1u << 4)

/* START and STATUS bodies, WIRE.md 7: fields */
enum wire_control_tag {
    WIRE_CONTROL_RATE_HZ = 1,    /* u32 */
    WIRE_CONTROL_DEPTH = 2,      /* u16 */
    WIRE_CONTROL_FEATURES = 3,   /* u32 */
    WIRE_CONTROL_PERIOD_TSC = 4, /* u64 TSC ticks; overrides the rate */
    WIRE_CONTROL_STATE = 5,      /* u8  STATUS: enum wire_state */
    WIRE_CONTROL_EVERY = 6,      /* u32 STATUS: kernel's ticks a sample, mean */
    WIRE_CONTROL_ERROR = 7,      /* u8  STATUS: enum wire_refusal */
    /* u64 STATUS, since 2.1: number of callers that were refused since boot */
    WIRE_CONTROL_TURNED_AWAY = 8,
    /* STATUS, since 2.1: failed calls of tprof_start_cpu(); the APIC id of the
     * first core that has not joined for this reason; its error, negated */
    WIRE_CONTROL_REFUSED = 9,        /* u32 */
    WIRE_CONTROL_REFUSED_CORE = 10,  /* u32 */
    WIRE_CONTROL_REFUSED_ERROR = 11, /* u32 enum wire_start_error */
};

enum wire_state {
    WIRE_STATE_STOPPED = 0,
    WIRE_STATE_SAMPLING = 1,
    WIRE_STATE_DRAINING = 2,
};

enum wire_refusal {
    WIRE_REFUSED_NOTHING = 0,
    WIRE_REFUSED_NO_CLOCK = 1, /* TSC rate unknown: PING, then PERIOD_TSC */
    WIRE_REFUSED_NO_CORE = 2,  /* no core was started */
};

/* Why a core could not join: the result of tprof_start_cpu() there, negated.
 * Other values are results of config.install_vector(). */
enum wire_start_error {
    WIRE_START_CPU = 6,            /* more cores than config.cpus or memory */
    WIRE_START_APIC = 8,           /* no local APIC */
    WIRE_START_NOT_INIT = 11,      /* before tprof_init() */
    WIRE_START_APIC_OFF = 15,      /* its local APIC is disabled */
    WIRE_START_APIC_UNMAPPED = 16, /* ... or not mapped */
    WIRE_START_VECTOR_TAKEN = 18,  /* its vector has another handler */
    WIRE_START_IDT = 19,           /* no IDT, or too short, or read-only */
    WIRE_START_TIMER_TAKEN = 26,   /* the kernel uses its timer */
};

/* PING and PONG bodies, WIRE.md 7: fields */
enum wire_ping_tag {
    WIRE_PING_COOKIE = 1, /* u64 PONG carries the PING's */
    WIRE_PING_TSC = 2,    /* u64 PONG: the guest's TSC */
};

/* MAP body, WIRE.md 8: fields */
enum wire_map_tag {
    WIRE_MAP_START = 1,      /* u64 run-time address of the image's code */
    WIRE_MAP_SIZE = 2,       /* u64 bytes of the code */
    WIRE_MAP_LINK_START = 3, /* u64 address of START in the ELF file */
    WIRE_MAP_NAME = 4,       /* text */
    WIRE_MAP_BUILD_ID = 5,   /* bytes; absent: the image has none */
    WIRE_MAP_TEXT_CRC = 6,   /* u32 CRC-32C of the code's first 64 KiB */
    WIRE_MAP_SINCE = 7,      /* u32 generation in which the image was added */
    WIRE_MAP_UNTIL = 8,      /* u32 the first one without it; absent: none */
};

/* PROGRESS body, WIRE.md 9, since 2.3: fields */
enum wire_progress_tag {
    WIRE_PROGRESS_COUNTER = 1, /* u8  counted from 0 */
    WIRE_PROGRESS_NAME = 2,    /* text: name of the units */
    WIRE_PROGRESS_UNITS = 3,   /* u64 since boot */
    WIRE_PROGRESS_TSC = 4,     /* u64 when UNITS was read */
    /* Values of UNITS and TSC at the start of sampling, or when the counter was
     * added later */
    WIRE_PROGRESS_BEGAN_UNITS = 5, /* u64 */
    WIRE_PROGRESS_BEGAN_TSC = 6,   /* u64 */
    /* Since 2.4: u64 TSC. This is not a counter but a moment named NAME. */
    WIRE_PROGRESS_MARK = 7,
};
#define WIRE_PROGRESS_COUNTERS 8u /* and marks of a guest, at most */

/* THREAD body, WIRE.md 10.2, since 2.4: fields */
enum wire_thread_tag {
    WIRE_THREAD_SERIAL = 1, /* u32 no other thread of this boot has it */
    WIRE_THREAD_ID = 2,     /* u64 the kernel's */
    WIRE_THREAD_NAME = 3,   /* text */
    WIRE_THREAD_FLAGS = 4,  /* u8  WIRE_THREAD_IDLE, WIRE_THREAD_ENDED */
    WIRE_THREAD_NOW = 5,    /* u64 TSC: the sums are of SINCE to NOW */
    WIRE_THREAD_SINCE = 6,  /* u64 TSC */
    WIRE_THREAD_STATE = 7,  /* u8  enum wire_thread_state, at NOW */
    /* TSC ticks in each state, by enum wire_thread_state from this tag on */
    WIRE_THREAD_RUNNING = 8,   /* u64 */
    WIRE_THREAD_READY = 9,     /* u64 */
    WIRE_THREAD_BLOCKED = 10,  /* u64 */
    WIRE_THREAD_SWITCHES = 11, /* u64 times that a core began to run it */
    WIRE_THREAD_SLOT = 12,     /* u32 the record of the table that has it */
    WIRE_THREAD_WAIT = 13, /* u32 BLOCKED: ENTRY of its WAIT; absent: none */
};
#define WIRE_THREAD_IDLE     (1u << 0) /* its time is idle time */
#define WIRE_THREAD_ENDED    (1u << 1) /* at NOW */
#define WIRE_THREAD_NAME_MAX 31u       /* bytes */

enum wire_thread_state {
    WIRE_IS_RUNNING = 0,
    WIRE_IS_READY = 1,
    WIRE_IS_BLOCKED = 2,
    WIRE_IS_UNKNOWN = 3, /* no event since SINCE: the sums are 0 */
};

/* WAIT body, WIRE.md 10.3, since 2.4: fields */
enum wire_wait_tag {
    WIRE_WAIT_KIND = 1,    /* u8  enum wire_wait_kind */
    WIRE_WAIT_SERIAL = 2,  /* u32 the thread that waited; 0: several threads */
    WIRE_WAIT_STACK = 3,   /* bytes: return addresses, as varints */
    WIRE_WAIT_END = 4,     /* u8  enum wire_end */
    WIRE_WAIT_COUNT = 5,   /* u64 waits that have ended */
    WIRE_WAIT_TIME = 6,    /* u64 TSC ticks of these waits */
    WIRE_WAIT_LONGEST = 7, /* u64 TSC ticks of the longest */
    WIRE_WAIT_ENTRY = 8,   /* u32 the entry of the table */
};
#define WIRE_WAIT_FRAMES_MAX 16u

enum wire_wait_kind {
    WIRE_WAIT_BLOCKED = 0, /* STACK blocked the thread */
    WIRE_WAIT_WAKER = 1,   /* STACK ended the wait of the thread */
};

/* SCHED body, WIRE.md 10.4, since 2.4: fields */
enum wire_sched_tag {
    WIRE_SCHED_CORE = 1,     /* u16 */
    WIRE_SCHED_NOW = 2,      /* u64 TSC: the sums are of SINCE to NOW */
    WIRE_SCHED_SINCE = 3,    /* u64 TSC */
    WIRE_SCHED_SWITCHES = 4, /* u64 from one thread to another */
    /* TSC ticks in which the core ran threads with a record, idle threads, and
     * no thread or threads without a record */
    WIRE_SCHED_RUNNING = 5, /* u64 */
    WIRE_SCHED_IDLE = 6,    /* u64 */
    WIRE_SCHED_UNNAMED = 7, /* u64 */
    WIRE_SCHED_MOVED = 8,   /* u64 threads that came from another core */
    /* u64 part of IDLE in which a thread was ready; absent: unknown */
    WIRE_SCHED_READY_IDLE = 9,
    WIRE_SCHED_HISTOGRAM = 10,     /* bytes: pairs of varints */
    WIRE_SCHED_OTHER_RUNNING = 11, /* u64 part of UNNAMED: threads */
    /* Only core 0 has the remaining fields, which describe the whole guest: the
     * sums of ended threads whose record now belongs to another thread. */
    WIRE_SCHED_EVICTED_RUNNING = 12, /* u64 TSC ticks */
    WIRE_SCHED_EVICTED_READY = 13,   /* u64 TSC ticks */
    WIRE_SCHED_EVICTED_BLOCKED = 14, /* u64 TSC ticks */
    WIRE_SCHED_EVICTED = 15,         /* u64 number of these threads */
    WIRE_SCHED_REFUSED = 16,         /* u64 threads that got no record */
};

/* LOCK body, WIRE.md 12.1, since 2.5: fields */
enum wire_lock_tag {
    WIRE_LOCK_ADDRESS = 1,      /* u64 0: all locks without a record */
    WIRE_LOCK_NAME = 2,         /* text; absent: the kernel gave no name */
    WIRE_LOCK_NOW = 3,          /* u64 TSC: the sums are of SINCE to NOW */
    WIRE_LOCK_SINCE = 4,        /* u64 TSC */
    WIRE_LOCK_ACQUIRES = 5,     /* u64 */
    WIRE_LOCK_WAITING = 6,      /* u32 threads that wait at NOW */
    WIRE_LOCK_MOST_WAITING = 7, /* u32 at a time, at most */
    /* u64 TSC ticks for which the holder has held the lock at NOW; absent: the
     * lock is free, or the holder is not known */
    WIRE_LOCK_HOLDING = 8,
    WIRE_LOCK_UNTIMED = 9, /* u64 only with ADDRESS 0: waits without a time */
    /* enum wire_lock_times, from this tag on */
    WIRE_LOCK_WAITS = 10, /* waits for the lock that have ended */
    WIRE_LOCK_HOLDS = 16, /* times for which the lock was held */
};
#define WIRE_LOCK_NAME_MAX 31u /* bytes */

/* Sums of waits or of holds: tags from WIRE_LOCK_WAITS or WIRE_LOCK_HOLDS on */
enum wire_lock_times {
    WIRE_LOCK_COUNT = 0,   /* u64 */
    WIRE_LOCK_TIME = 1,    /* u64 TSC ticks */
    WIRE_LOCK_READY = 2,   /* u64 part of TIME: the thread was ready */
    WIRE_LOCK_BLOCKED = 3, /* u64 part of TIME: the thread was blocked */
    WIRE_LOCK_LEAST = 4,   /* u64 TSC ticks of the shortest */
    WIRE_LOCK_LONGEST = 5, /* u64 TSC ticks of the longest */
    WIRE_LOCK_TIMES = 6
};

/* LOCK_WAIT body, WIRE.md 12.2, since 2.5: fields */
enum wire_lock_wait_tag {
    WIRE_LOCK_WAIT_ADDRESS = 1, /* u64 as in LOCK */
    WIRE_LOCK_WAIT_KIND = 2,    /* u8  enum wire_lock_wait_kind */
    WIRE_LOCK_WAIT_SERIAL = 3,  /* u32 of the thread; 0: none, or several */
    WIRE_LOCK_WAIT_STACK = 4,   /* bytes: as in WAIT */
    WIRE_LOCK_WAIT_END = 5,     /* u8  enum wire_end */
    WIRE_LOCK_WAIT_ENTRY = 6,   /* u32 the entry of the table */
    WIRE_LOCK_WAIT_TIMES = 10,  /* enum wire_lock_times, from this tag on */
};

enum wire_lock_wait_kind {
    WIRE_LOCK_WAITED = 0, /* the thread began to wait at STACK */
    WIRE_LOCK_HELD = 1,   /* holds: the lock was acquired at STACK */
};

/* REQUEST body, WIRE.md 11.1, since 2.5: fields */
enum wire_request_tag {
    WIRE_REQUEST_KIND = 1,  /* u8  */
    WIRE_REQUEST_NAME = 2,  /* text: name of the kind; absent: none */
    WIRE_REQUEST_NOW = 3,   /* u64 TSC: the sums are of SINCE to NOW */
    WIRE_REQUEST_SINCE = 4, /* u64 TSC */
    WIRE_REQUEST_COUNT = 5, /* u64 requests that have ended */
    WIRE_REQUEST_TIME = 6,  /* u64 TSC ticks of these requests */
    /* Parts of TIME, by enum wire_thread_state from this tag on */
    WIRE_REQUEST_RUNNING = 7,  /* u64 TSC ticks */
    WIRE_REQUEST_READY = 8,    /* u64 TSC ticks */
    WIRE_REQUEST_BLOCKED = 9,  /* u64 TSC ticks */
    WIRE_REQUEST_LONGEST = 10, /* u64 TSC ticks of the longest request */
    WIRE_REQUEST_OPEN = 11,    /* u64 requests that have not ended */
    WIRE_REQUEST_REFUSED = 12, /* u64 requests that found no room */
    WIRE_REQUEST_SLOW = 13,    /* u64 requests of at least the limit */
    WIRE_REQUEST_LIMIT = 14,   /* u64 TSC ticks: the limit of SLOW, at NOW */
};
#define WIRE_REQUEST_NAME_MAX 31u /* bytes */
#define WIRE_REQUEST_KINDS    32u /* of a guest, at most */

/* REQUEST_TIMES body, WIRE.md 11.1, since 2.5: fields */
enum wire_request_times_tag {
    WIRE_REQUEST_TIMES_KIND = 1,   /* u8  */
    WIRE_REQUEST_TIMES_FIRST = 2,  /* u16 the first bucket */
    WIRE_REQUEST_TIMES_COUNTS = 3, /* bytes: a varint for each bucket */
};
#define WIRE_REQUEST_DIGITS 7u /* a power of two has 2^7 buckets */
#define WIRE_REQUEST_BUCKETS                                                   \
    ((44u - WIRE_REQUEST_DIGITS + 1) << WIRE_REQUEST_DIGITS)

/* SLOW body, WIRE.md 11.2, since 2.5: fields */
enum wire_slow_tag {
    WIRE_SLOW_KIND = 1,   /* u8  */
    WIRE_SLOW_NUMBER = 2, /* u64 the kernel's */
    WIRE_SLOW_BEGAN = 3,  /* u64 TSC */
    WIRE_SLOW_TIME = 4,   /* u64 TSC ticks from begin to end */
    /* Parts of TIME, by enum wire_thread_state from this tag on */
    WIRE_SLOW_RUNNING = 5, /* u64 TSC ticks */
    WIRE_SLOW_READY = 6,   /* u64 TSC ticks */
    WIRE_SLOW_BLOCKED = 7, /* u64 TSC ticks */
    WIRE_SLOW_LONGEST = 8, /* u64 TSC ticks of the longest wait; absent: none */
    WIRE_SLOW_WAIT = 9,    /* u32 ENTRY of the WAIT of that wait */
    WIRE_SLOW_SERIAL = 10, /* u32 the thread that ended it; absent: unknown */
};

/* Limits of the rates that the agent accepts, WIRE.md 7 */
#define WIRE_RATE_MIN_HZ 1u
#define WIRE_RATE_MAX_HZ 100000u

#endif
