# SPDX-License-Identifier: BSD-3-Clause
# Refuses machines that no test ever ran on: a wrong number is worse than none.
include(TestBigEndian)

option(ETR_ALLOW_BIG_ENDIAN "Build for a big-endian machine, untested" OFF)
test_big_endian(ETR_BIG_ENDIAN)
if(ETR_BIG_ENDIAN AND NOT ETR_ALLOW_BIG_ENDIAN)
  message(FATAL_ERROR "This is a big-endian machine. etrecord-tb reads little-endian files, as ExecuTorch writes them, and has been tested on little-endian "
    "machines only; a wrong number would be worse than none. -DETR_ALLOW_BIG_ENDIAN=ON builds it all the same, for whoever runs its tests there.")
endif()
