/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device.h - the device that --device names: its peaks, its clock, and its processor's
 * instructions. Layer 6.
 */
#ifndef ETR_DEVICE_H
#define ETR_DEVICE_H

#include "command/command.h"

/** Looks up the device that --device names, in the file of --devices or in the user's own one, and
 * takes the values that no option sets. The user's is $XDG_CONFIG_HOME/etrecord-tb/devices.jsonl,
 * by default in ~/.config. "here" without --devices is this machine, of which only the processor's
 * instructions are taken. Does nothing if no device is named. Fails with a message if the file or
 * its line cannot be read, has no such device, or has a value that is wrong. */
exit_status device_take(cli_settings *settings);

#endif
