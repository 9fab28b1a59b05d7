/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_blob.c - documents as TensorFlow's events.
 */
#include "tb_blob.h"

void etr_tb_blob_init(etr_tb_blob *blob, double wall_time, etr_slice document) {
  static const char content[] = "{\"schema\":\"etrecord-tb/profile/1\"}";
  etr_tb_summary *s = &blob->summary;
  etr_tb_summary_init(s, wall_time, ETR_TB_BLOB_TAG, 0, ETR_TB_BLOB_PLUGIN, TENSORBOARD__DATA_CLASS__DATA_CLASS_BLOB_SEQUENCE);
  s->plugin.content = (ProtobufCBinaryData){sizeof content - 1, (uint8_t *)(uintptr_t)content};
  tensorboard__tensor_shape_proto__dim__init(&blob->length);
  blob->length.size = 1;
  blob->lengths = &blob->length;
  s->shape.n_dim = 1;
  s->shape.dim = &blob->lengths;
  blob->document = (ProtobufCBinaryData){document.size, (uint8_t *)(uintptr_t)document.data};
  s->tensor.dtype = TENSORBOARD__DATA_TYPE__DT_STRING;
  s->tensor.n_string_val = 1;
  s->tensor.string_val = &blob->document;
}
