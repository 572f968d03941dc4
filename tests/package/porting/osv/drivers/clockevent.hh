/* SPDX-License-Identifier: BSD-2-Clause */
// OSv, drivers/clockevent.hh: nothing of it is used by name.
