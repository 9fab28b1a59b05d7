/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernel_ratio.h - how many times as fast kernels are as others that compute the same, measured by
 * tests/bench/levers.py. Layer 4.
 */
#ifndef ETR_KERNEL_RATIO_H
#define ETR_KERNEL_RATIO_H

#include "base/base.h"
#include "etrecord.h"

/** Layers whose ratios between types of weights are alike. */
typedef enum etr_ratio_layer {
  ETR_RATIO_LINEAR_ROW, /* a linear layer with one row: reading its weights takes its time */
  ETR_RATIO_LINEAR,     /* with more rows */
  ETR_RATIO_CONVOLUTION,
  ETR_RATIO_FLAT,      /* a convolution of 1 x 1, or of an image with three channels */
  ETR_RATIO_DEPTHWISE, /* a convolution in which each filter sees one channel */
} etr_ratio_layer;

/** A range of ratios, over layers of several sizes. */
typedef struct etr_ratio {
  double low, high; /* below 1: slower */
} etr_ratio;

/** A type of weights, and how many times as fast as with float32 XNNPACK is with it. */
typedef struct etr_type_ratio {
  etr_ratio_layer layer;
  const char *type; /* "int8", "8da4w", "fp16" */
  double low, high;
} etr_type_ratio;

/** Returns the type that makes a layer the most times as fast even at its lowest ratio; NULL if
 * each may be slower than float32. vnni: of the processor. Static. */
const etr_type_ratio *etr_best_type(etr_vnni vnni, etr_ratio_layer layer);

/** Returns a type of a layer by its name; NULL if it was not measured. vnni: of the processor.
 * Static. */
const etr_type_ratio *etr_type_named(etr_vnni vnni, etr_ratio_layer layer, const char *name);

/** Returns the type with this index among those of a layer, in no order; NULL if it has fewer.
 * vnni: of the processor. Static. */
const etr_type_ratio *etr_type_of(etr_vnni vnni, etr_ratio_layer layer, size_t index);

/** Returns where the ratios of types were measured that are told of such a processor: "AMD EPYC,
 * x86-64 with AVX2, ExecuTorch 1.5.1". Static. */
const char *etr_type_source(etr_vnni vnni);

/** Sets *out to how many times as fast XNNPACK computes an operator, "softmax", as the kernels on
 * the CPU do. node: the operator in a graph, whose arguments may matter; NULL if only its name is
 * known. Returns false, with ratios of 1, if the operator was not measured. */
bool etr_ratio_of_delegate(etr_ratio *out, etr_slice op, const etr_node *node);

/** Returns the part (0 to 1) of an operator's time on the CPU that XNNPACK saves if it is `ratio`
 * times as fast; 0 if it is slower. */
double etr_saved_at(double ratio);

/** Returns where the ratios of delegates were measured: "AMD EPYC, x86_64, ExecuTorch 1.5.1".
 * Static. */
const char *etr_ratio_source(void);

#endif
