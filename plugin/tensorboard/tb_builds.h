/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_builds.h - the points that one build of a model has on the curves over builds. Layer 5.
 *
 * tb_tags.h has the tags. Times are of the typical run, in ms.
 */
#ifndef ETR_TB_BUILDS_H
#define ETR_TB_BUILDS_H

#include "base/arena.h"
#include "etrecord_tb.h"

enum { ETR_TB_MOST_KERNELS = 10 }; /* curves of kernels: those that take longest in the build */

/** A point of a build on a curve. */
typedef struct etr_tb_build_point {
  const char *tag;
  double value;
} etr_tb_build_point;

typedef struct etr_tb_build_points {
  etr_vec(etr_tb_build_point) list;
} etr_tb_build_points;

/**
 * Lists the points of a build, with unique tags in the arena.
 *
 * before: an earlier build, with which it is compared as `diff` does. Where a method surely got
 * slower or faster, its typical time is also a point of the curve with that name. NULL: nothing is
 * marked. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_tb_build_points_make(etr_tb_build_points *out, etr_arena *arena,
                                    const etr_profile *profile, const etr_profile *before,
                                    etr_error *error);

#endif
