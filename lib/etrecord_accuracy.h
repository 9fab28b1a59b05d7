/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord_accuracy.h - which layer loses accuracy: compares the values that a device logged with
 * those of a reference.
 *
 *   etr_accuracy *accuracy;
 *   const etr_accuracy_options options = {.reference = "ref.safetensors"};
 *   if (etr_accuracy_open(&accuracy, profile, &options, &error) == ETR_OK) {
 *     for (size_t i = 0; i < accuracy->ranked_count; i++) {
 *       const etr_value_accuracy *value = &accuracy->values[accuracy->ranked[i]];
 *       printf("%s: %.1f dB\n", value->name, value->gap.snr_db);
 *     }
 *     etr_accuracy_close(accuracy);
 *   }
 *
 * The reference is a safetensors file that `etrecord-tb reference` writes: it runs the graphs of an
 * ETRecord with torch on the record's inputs. Two questions differ, and every answer says which one
 * it is about:
 *
 * - Does the backend do what the program says? The reference is of the record itself. Values are
 * compared node by node on the Edge graph. A quantized model is then compared with a quantized
 * model: what quantization costs is not seen.
 * - What did quantization, or another backend, cost? The reference is of another record, usually of
 * the float model. Nodes are joined by the nodes of aten/forward from which they were lowered, as
 * etr_compare() pairs them. Only the last Edge node of an ATen node has its value; the others are
 * parts of its computation and are not compared.
 *
 * An accuracy is read-only and owns everything that it points to, except for the profile, which it
 * borrows: close it before the profile.
 *
 * Formulas: r is the reference and a the logged value, both as doubles after dequantization; sums
 * and means are over the elements of which both are finite.
 *
 * - mse: mean of (r - a)^2, like ExecuTorch's calculate_numeric_gap("MSE")
 * - l1: sum of |r - a|, like calculate_numeric_gap("L1")
 * - snr_db: 10 * log10(mean of r^2 / mse), like calculate_numeric_gap("SNR"), in dB
 * - psnr_db: 10 * log10(largest r^2 / mse), in dB
 * - cosine: sum of r * a / (norm of r * norm of a)
 * - max_abs_error: largest |r - a|
 * - drop_db: lowest SNR of the nearest compared values that the node depends on, minus its own, in
 *   dB. Each SNR counts at least as 0, since nothing is left to lose below, and at most as
 *   ETR_CAUSE_DB above that of the method's worst output, since smaller errors cannot be its cause;
 *   100 if no output was compared. The inputs of the method count as exact.
 * - local: the same measures against the value that the reference computes from the values that the
 *   device logged before: the error that this segment added
 * - impact_snr_db: SNR of the method's outputs if this segment's own error were the only one, in dB
 */
#ifndef ETRECORD_ACCURACY_H
#define ETRECORD_ACCURACY_H

#include "etrecord.h"

#ifdef __cplusplus
extern "C" {
#endif

/** From this SNR on, in dB, values are called equal: the rounding of float32 on the host leaves 135
 * to 145 dB. */
#define ETR_EQUAL_DB 100.0

/** An error so far below that of the output, in dB, is no cause of it: it has at most a hundredth
 * of its power. */
#define ETR_CAUSE_DB 20.0

/** From this SNR on, in dB, a value that an unsound one depends on is no reason for it: its error
 * has at most a hundredth of its power. */
#define ETR_SOUND_DB 20.0

/** A drop of so many dB is more than what a layer adds in a model whose layers are all inexact. */
#define ETR_DROP_DB 10.0

/** What to compare with. Zeroed: nothing but the record's own reference outputs. */
typedef struct etr_accuracy_options {
  const char *reference; /**< path of a safetensors file; NULL: values are listed, and only outputs
                            are compared, with the record's reference outputs */
  const etr_profile *reference_record; /**< the record whose graphs the reference was computed from;
                                          NULL: the profile itself */
  bool on_aten;   /**< compares with the reference's aten/METHOD also if the reference is of this
                     record, where the Edge graph is exact: the last Edge node of an ATen node may
                     round differently */
  size_t spreads; /**< of so many values, the most suspicious first, the distributions are counted,
                     of each the worst input. Their numbers are read twice more */
} etr_accuracy_options;

/** Why a run is compared with an input of the reference. */
typedef enum etr_input_evidence {
  ETR_INPUT_UNKNOWN, /**< no input of the reference is known to be the run's */
  ETR_INPUT_BUNDLED, /**< the ETDump names it (bundled_input_index) */
  ETR_INPUT_EQUAL,   /**< an argument that a delegate logged equals it */
  ETR_INPUT_ONLY,    /**< the reference has one input */
  ETR_INPUT_ORDER,   /**< the k-th run that logged values has the k-th input, which nothing confirms
                      */
} etr_input_evidence;

/** Returns the name of an evidence: "unknown", "bundled", "equal", "only", "order". Static. */
ETR_API const char *etr_input_evidence_name(etr_input_evidence evidence);

/** How the node of the reference was found. */
typedef enum etr_partner_evidence {
  ETR_PARTNER_NONE,
  ETR_PARTNER_SAME_GRAPH, /**< the reference is of this record: the same node */
  ETR_PARTNER_DIFF,       /**< etr_compare() pairs the nodes of both records */
  ETR_PARTNER_NAME,   /**< both have an ATen node of this name and operator, in the same module */
  ETR_PARTNER_OUTPUT, /**< the record's reference outputs */
} etr_partner_evidence;

/** Returns the name of an evidence: "none", "same_graph", "diff", "name", "reference_outputs".
 * Static. */
ETR_API const char *etr_partner_evidence_name(etr_partner_evidence evidence);

enum { ETR_SPREAD_BUCKETS = 20 };

/** How the elements of a value and of its reference are distributed, and their differences: numbers
 * of elements in buckets of equal width. Pairs with NaN or infinities are left out. */
typedef struct etr_value_spread {
  double least, most; /**< the range of the buckets of both sides */
  uint64_t reference[ETR_SPREAD_BUCKETS], value[ETR_SPREAD_BUCKETS];
  double least_error, most_error; /**< the range of value - reference */
  uint64_t errors[ETR_SPREAD_BUCKETS];
} etr_value_spread;

/** A number that a tap returned instead of a tensor: one of the `fields` of its TapSpec. */
typedef struct etr_tap_statistic {
  const char *name;
  double value;      /**< of the device; NaN also if it could not be read */
  double reference;  /**< the same of the reference's complete tensor; NaN if it is not known */
  double difference; /**< |value - reference|, divided by the reference, or for min, max, mean and
                        std by its rms, and for counts by the number of elements: 0.01 is 1 %.
                        Infinity if only one of them is finite, or there is nothing to divide by */
  bool is_compared;  /**< false: there is no reference, or the statistic is not one that can be
                        computed here: min, max, mean, abs_max, abs_mean, std, rms, l1_norm,
                        l2_norm, nan_count, inf_count, zero_count */
} etr_tap_statistic;

/** A tensor that a run logged, compared with its reference. */
typedef struct etr_value_accuracy {
  const etr_debug_value *value;
  uint32_t node;    /**< node of the method's graph that computed it */
  uint32_t output;  /**< which of the node's outputs */
  const char *name; /**< name of the node, with " #k" for its output k if that is not the first */
  uint32_t computed_by; /**< node whose value it is: `node`, or what a quantize or dequantize node
                           carries */
  bool is_output;       /**< the method returns it */
  bool is_tap; /**< computed inside a delegate, and logged because an intermediate_output_tap made
                  it an output */
  uint32_t input; /**< input of the reference with which the run is compared; ETR_NONE if there is
                     none */
  etr_input_evidence input_evidence;
  const uint32_t *segment; /**< operators since the nearest compared values, in order of execution;
                              the last one is `node`. An error of this value that earlier ones do
                              not have was added by one of them */
  size_t segment_count;
  const char *reference_graph; /**< "edge" or "aten"; NULL if there is no reference */
  const char *reference_node;  /**< name of the reference's node */
  const char *aten_node; /**< name of the ATen node with this value in the reference's program, by
                            which records are put side by side; NULL if unknown */
  etr_partner_evidence evidence;
  const char *
      problem; /**< why it was not compared; NULL if it was. Members below are set only if it was */
  etr_numeric_gap gap;
  double scale, zero_point; /**< with which integers were dequantized; 0 if they were not, NaN if
                               each channel has its own */
  uint64_t steps_off; /**< number of elements whose stored integers differ; 0 unless is_integer */
  double most_steps;  /**< largest difference of stored integers */
  bool is_integer;    /**< both sides store integers that a quantize node made, so that steps_off is
                         known. Tokens and indices are none */
  bool is_unsound; /**< an element is NaN or infinite where the reference is finite, or the SNR is
                      below 0 dB: nothing of the reference is left */
  bool is_origin;  /**< it is unsound, and the nearest compared values that it depends on are
                      sound: equal, or with an SNR of ETR_SOUND_DB or more. A local SNR, where
                      there is one, confirms that its segment added the error */
  bool is_heir;    /**< it is unsound because it depends on an origin */
  bool stands_out; /**< it is worth naming: an origin, or it breaks, or its SNR is below
                      ETR_SOUND_DB, or its drop is above ETR_DROP_DB. What it reads is better.
                      Where all that it reads is equal, rounding alone makes a drop: it must then
                      be alone with it, against its own program, and have at least half of the
                      worst output's error, in power. With a local SNR: its segment added an
                      error */
  bool breaks;     /**< it has NaN or infinities where the reference is finite, what it reads has
                      none, and it is no heir */
  double drop_db;  /**< NaN if unknown, as without a reference of values inside the model */
  bool has_local;
  etr_numeric_gap local;          /**< set if has_local */
  double impact_snr_db;           /**< NaN if unknown */
  const etr_value_spread *spread; /**< NULL: not asked for, see etr_accuracy_options.spreads */
  const etr_tap_statistic
      *statistics; /**< what the tap returned instead of the tensor, as taps.json says. Such a value
                      has a `problem`, and no gap: there is no SNR of statistics */
  size_t statistic_count;
} etr_value_accuracy;

/** The comparison of all values that a profile's runs logged. */
typedef struct etr_accuracy {
  const etr_profile *profile;
  const char *reference;               /**< path of the reference; NULL if there is none */
  const etr_profile *reference_record; /**< the record that the reference is of: the profile itself,
                                          or another one; NULL without a reference */
  bool has_local;                      /**< some value has a local error */
  uint32_t method;         /**< the method that logged the most values; ETR_NONE if none did */
  size_t input_count;      /**< inputs of the reference: of the method that has the most */
  char record_hash[17];    /**< identifies the record's graphs, whatever its files are called and
                              however packed */
  char recording_hash[17]; /**< identifies what the runs logged, and their times */
  const etr_value_accuracy
      *values; /**< sorted by method, run, and the order in which they were logged */
  size_t value_count;
  const uint32_t
      *ranked; /**< indices of the compared values, the most suspicious first: origins in the order
                  of execution, then values with the first NaN or infinities, then by the lowest
                  local SNR if has_local (where the value's own SNR is higher, by that), or else by
                  the largest drop, and heirs of origins last */
  size_t ranked_count;
  const struct etr_accuracy *parts; /**< the same for each method that logged values, in the order
                                       of methods; a part has no parts, and no warnings */
  size_t part_count;
  const etr_warning *warnings; /**< what makes the comparison doubtful */
  size_t warning_count;
} etr_accuracy;

/**
 * Compares. The profile must have been opened with all its graphs (not edge_only). Numbers are read
 * in pieces, so that memory is independent of the sizes of the reference and of the debug buffer.
 * On failure *out is NULL. Errors: ETR_ERROR_IO, ETR_ERROR_FORMAT (the reference is no safetensors
 * file of `etrecord-tb reference`, or damaged), ETR_ERROR_CHOICE (the reference is of another
 * record than reference_record), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_accuracy_open(etr_accuracy **out, const etr_profile *profile,
                                     const etr_accuracy_options *options, etr_error *error);

/** Frees an accuracy. NULL is allowed. */
ETR_API void etr_accuracy_close(etr_accuracy *accuracy);

/** Returns the part of a method; NULL if it logged no values, or accuracy is NULL. */
ETR_API const etr_accuracy *etr_accuracy_of_method(const etr_accuracy *accuracy, uint32_t method);

/** Returns true if a gap is none: nothing differs, or its SNR is above ETR_EQUAL_DB. */
ETR_API bool etr_gap_is_equal(const etr_numeric_gap *gap);

/** Returns the value with the lowest SNR among the compared outputs of the method, all runs
 * together; NULL if no output was compared. */
ETR_API const etr_value_accuracy *etr_accuracy_worst_output(const etr_accuracy *accuracy);

#ifdef __cplusplus
}
#endif

#endif
