/* SPDX-License-Identifier: BSD-3-Clause
 *
 * payload_format.c - what a payload and the delegate's compile specs say about format, version and
 * target.
 */
#include "backends/backends.h"
#include "backends/decoder.h"

enum { MOST_VALUE_BYTES = 64 };

/* Returns true if a compile spec's value can be shown: a text of printable ASCII, neither empty nor
 * long. */
static bool is_short_printable(etr_slice text) {
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] < ' ' || text.data[i] > '~')
      return false;
  return text.size > 0 && text.size <= MOST_VALUE_BYTES;
}

/* Returns the processor that a QNN program was compiled for, from its QnnExecuTorchOptions
 * (backends/qualcomm/serialization/qc_compiler_spec.fbs); NULL if they do not say it. */
static const char *describe_qnn_target(etr_arena *arena, etr_slice options) {
  enum { OPTIONS_SOC = 0, SOC_MODEL = 0, SOC_HTP = 1, HTP_ARCH = 0 };
  etr_fb fb;
  etr_fb_init(&fb, options.data, options.size);
  etr_fb_at soc = etr_fb_table(&fb, etr_fb_root(&fb), OPTIONS_SOC);
  int32_t model = etr_fb_i32(&fb, soc, SOC_MODEL, 0);
  int32_t arch = etr_fb_i32(&fb, etr_fb_table(&fb, soc, SOC_HTP), HTP_ARCH, 0);
  if (etr_fb_failed(&fb) || (model == 0 && arch == 0))
    return NULL;
  return arch ? etr_arena_format(arena, "SoC model %d, HTP v%d", (int)model, (int)arch)
              : etr_arena_format(arena, "SoC model %d", (int)model);
}

/* Returns "TEXT, MORE", or the one of them that is not NULL; NULL if both are, or when out of
 * memory. */
static const char *join_with_comma(etr_arena *arena, const char *text, const char *more) {
  if (!more)
    return text;
  return text ? etr_arena_format(arena, "%s, %s", text, more) : more;
}

/* Returns what a compile spec says about the target or a version; NULL if nothing that can be
 * shown, or when out of memory. */
static const char *describe_compile_spec(etr_arena *arena, const etr_compile_spec *spec) {
  static const char *const keys[] = {"target", "tosa_spec", "platform-config"};
  if (etr_slice_is(spec->key, "qnn_compile_spec"))
    return describe_qnn_target(arena, spec->value);
  if (etr_slice_is(spec->key, "device") && is_short_printable(spec->value))
    return etr_arena_format(arena, "device %.*s", (int)spec->value.size, spec->value.data);
  for (size_t i = 0; i < ETR_COUNT(keys); i++)
    if (etr_slice_equal(spec->key, etr_slice_of(keys[i])) && is_short_printable(spec->value))
      return etr_arena_text(arena, spec->value);
  return NULL;
}

const char *etr_payload_format(etr_arena *arena, const char *backend, etr_slice head,
                               const etr_payload_source *source, const etr_compile_spec *specs,
                               size_t count) {
  const etr_backend *known_backend = etr_backend_of(backend);
  const etr_decoder *decoder = etr_decoder_of(backend);
  const char *text = NULL;
  if (known_backend)
    text = known_backend->payload_version(arena, head);
  else if (decoder && decoder->payload_version)
    text = decoder->payload_version(arena, head);
  if (decoder && decoder->model_version && head.size > 0)
    text = join_with_comma(arena, text, decoder->model_version(arena, source));
  for (size_t i = 0; i < count; i++)
    text = join_with_comma(arena, text, describe_compile_spec(arena, &specs[i]));
  return text;
}
