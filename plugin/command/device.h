/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device.h - what devices can do at most: a file that the user keeps. Layer 6.
 *
 * A line for each device, a JSON object: {"device": "pixel8", "peak_flops": 1.2e11, "peak_int_ops": 4.8e11,
 * "peak_bandwidth": 5e10}. Each peak may be left out. Empty lines, and those that begin with '#', are passed over.
 */
#ifndef ETR_DEVICE_H
#define ETR_DEVICE_H

#include "command/command.h"

/** Looks up the device that --device names, in the file of --devices or the user's own, and takes its peaks where no
 * option sets them. Done if none is named. */
exit_status device_take(cli_settings *settings);

#endif
