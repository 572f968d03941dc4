/* SPDX-License-Identifier: BSD-2-Clause */
/* The GIC, the timer, and the abilities of the CPU, for tprof_init(). */
#include "arch/arch.h"

#include "device_tree.h"
#include "gic.h"
#include "state/agent.h"

#define INTID_VIRTUAL  27u
#define INTID_PHYSICAL 30u
#define INTID_PPI      16u
#define INTID_PPI_END  32u
#define SGI_DEFAULT    7u
#define SGI_END        16u

#define ISAR0_CRC32_SHIFT      16
#define ISAR0_RNDR_SHIFT       60
#define MIDR_IMPLEMENTER_SHIFT 24
#define CLOCK_READS            (1u << 16) /* until a clock that counts changes */

static struct tprof_aarch64 machine;

void tprof_set_aarch64(const struct tprof_aarch64 *m)
{
    machine = *m;
}

/* A loop, and no call of memcmp(): the compiler must not know that a variable
 * of the image is 0 at first. */
static bool is_zero(const volatile uint64_t *at, size_t count)
{
    while (count > 0 && at[count - 1] == 0)
        count--;
    return count == 0;
}

int tprof_arch_prove(const struct tprof_image *image)
{
    const struct tprof_agent *a = &tprof_agent;

    /* an unknown image ends at the highest address */
    bool inside = (uintptr_t)(a + 1) - 1 <= (uintptr_t)image->image_end - 1;
    bool loaded =
        *(const volatile uint64_t *)&tprof_mix_factor == TPROF_MIX_FACTOR;

    /* in this order, because memory outside the image may not even be mapped */
    return inside && loaded &&
                   (a->config.version == TPROF_CONFIG_VERSION ||
                    is_zero((const void *)a, sizeof *a / sizeof(uint64_t)))
               ? TPROF_OK
               : TPROF_ERR_IMAGE;
}

void tprof_arch_begin(void)
{
}

/* Firmware of this CPU has no vectors that could be taken. */
int tprof_arch_take_vector(uint32_t vector, void (*entry)(void))
{
    (void)vector;
    (void)entry;
    return TPROF_ERR_IDT;
}

static void set_default(uint64_t *field, uint64_t value)
{
    if (*field == 0)
        *field = value;
}

static void read_tree(struct tprof_aarch64 *m)
{
    uint64_t at = (uintptr_t)m->device_tree;
    struct tprof_tree_gic gic = {0};

    if (at == 0 || tprof_arch_faults(at, 8, false))
        return;
    uint64_t size = tprof_tree_size(m->device_tree);

    if (size == 0 || tprof_arch_faults(at, size, false) ||
        !tprof_tree_find_gic(m->device_tree, size, &gic) ||
        (m->gic_version != 0 && m->gic_version != gic.version))
        return;
    m->gic_version = gic.version;
    set_default(&m->gic_distributor, gic.distributor);
    set_default(&m->gic_cpu, gic.cpu);
}

static bool is_clock_counting(void)
{
    uint64_t first = tprof_cntvct();

    for (uint32_t i = 0; i < CLOCK_READS; i++) {
        tprof_isb();
        if (tprof_cntvct() != first)
            return true;
    }
    return false;
}

int tprof_arch_init(struct tprof_config *c)
{
    struct tprof_aarch64 *m = &machine;

    if (c->cpu_source == TPROF_CPU_TSC_AUX)
        c->cpu_source = TPROF_CPU_APIC;
    if (!is_clock_counting())
        return TPROF_ERR_TIMER;
    if (c->timer != TPROF_TIMER_APIC)
        return TPROF_OK; /* neither a timer nor the GIC is needed */
    read_tree(m);
    tprof_timer_kind.is_physical = m->timer == TPROF_AARCH64_PHYSICAL;
    tprof_timer_kind.intid = m->intid;
    if (m->intid == 0)
        tprof_timer_kind.intid =
            m->timer == TPROF_AARCH64_PHYSICAL ? INTID_PHYSICAL : INTID_VIRTUAL;
    c->vector = tprof_timer_kind.intid;
    tprof_gic = (struct tprof_gic){
        .version = m->gic_version,
        .sgi = m->sgi ? m->sgi : SGI_DEFAULT,
        .distributor_at = m->gic_distributor,
        .cpu_at = m->gic_cpu,
    };
    if (m->timer > TPROF_AARCH64_PHYSICAL || tprof_gic.sgi >= SGI_END ||
        tprof_timer_kind.intid < INTID_PPI ||
        tprof_timer_kind.intid >= INTID_PPI_END || c->lending)
        return TPROF_ERR_CONFIG;
    return tprof_gic_init();
}

void tprof_arch_ready(void)
{
    tprof_tpidr_offset = tprof_agent.config.gs_cpu_offset;
    tprof_is_tpidr_numbered = tprof_agent.config.cpu_source == TPROF_CPU_GS;
}

void tprof_arch_exit(void)
{
    tprof_is_tpidr_numbered = false;
}

uint64_t tprof_arch_clock_hz(void)
{
    return tprof_get_cntfrq_el0();
}

/* The CPU "max" of QEMU's emulator names no implementer. Its other CPUs cannot
 * be told from real ones. */
bool tprof_arch_in_blocks(void)
{
    return (tprof_get_midr_el1() >> MIDR_IMPLEMENTER_SHIFT & 0xff) == 0;
}

uint64_t tprof_arch_random(void)
{
    uint64_t value = 0;

    if (tprof_get_id_aa64isar0_el1() >> ISAR0_RNDR_SHIFT)
        value = tprof_get_S3_3_C2_C4_0(); /* RNDR; 0: none is ready */
    return value;
}

bool tprof_arch_has_crc32c(void)
{
    return (tprof_get_id_aa64isar0_el1() >> ISAR0_CRC32_SHIFT & 0xf) != 0;
}
