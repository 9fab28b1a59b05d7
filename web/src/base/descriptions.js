// SPDX-License-Identifier: BSD-3-Clause
//
// descriptions.js - what columns of the document are, as the fields in C say it. schema/generate.py writes this file.

export const DESCRIPTIONS = {
  "node": {
    "calls": "per inference",
    "macs": "multiply-accumulates per inference, as torch's FlopCounterMode counts them (half of its FLOP); of one call where nothing was timed",
    "bytes": "read and written per inference, each tensor once; of what a delegate fused what crosses the boundary",
    "gflops": "1e9 FLOP per second, two for each multiply-accumulate; operations of integers where arithmetic says so",
    "gbs": "1e9 bytes per second",
    "intensity": "FLOP per byte"
  },
  "document_accuracy": {
    "input": "input of the reference: the worst",
    "drop_db": "lowest SNR of the nearest compared values that it depends on, minus its own; each counts as at least 0 and at most 20 above that of the worst output",
    "local_snr_db": "against what the reference computes from the values that the device logged before",
    "steps_off": "share of the stored integers that differ"
  }
};
