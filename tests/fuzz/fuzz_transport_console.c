/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console driver against a device that does whatever the input says
 * (channel.h).
 */
#include "fake_console.h"
#include "transport/transport.h"
#include "transport/transport_console.h"

#define FUZZ_QUEUES FAKE_QUEUES
#include "channel.h"

static struct tprof_console console;

static void init(void)
{
    static const struct tprof_device told = {.bus = TPROF_BUS_MMIO,
                                             .address = 1};
    static const struct tprof_transport_setup setup = {.memory = &console,
                                                       .where = &told};

    memset(&fake, 0, sizeof fake);
    memset(&fake_console, 0, sizeof fake_console);
    fake.lazy = true;
    fake.legacy = next(1) & 1;
    fake.features = 1ull << 32 | 2;
    uint32_t short_one = next(1);
    uint32_t short_size = next(1) % 8;

    for (uint32_t i = 0; i < FAKE_QUEUES; i++)
        fake.queues[i].max = i == short_one ? short_size : 128;
    fake_console.ports[3].name = "tprof.0";
    dead = tprof_console_init(&setup, &channel) < 0;
    in_use = 0;
}

static void act_as_device(uint32_t act)
{
    static const char *const names[] = {NULL, "tprof.0", "tprof.00", ""};

    switch (act) {
    case 0:
        fake_act();
        break;
    case 1: {
        uint32_t port = next(1) & 0x80 ? next(4) : next(1) % 40;
        uint16_t event = (uint16_t)(next(1) % 10);

        fake_control(port, event, (uint16_t)(next(1) & 1), names[next(1) % 4]);
        break;
    }
    case 2:
    case 3:
    case 4:
    case 5:
        act_on_queues(act);
        break;
    case 6:
        fake.status = next(1);
        break;
    default:
        fake_host(3, next(1) & 1);
        break;
    }
}

static void check_call(enum fuzz_call call, uint32_t size, int result)
{
    if (call == CALL_SEND)
        check(result <= 0 || result == (int)size);
}
