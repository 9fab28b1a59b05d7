/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_blob.c - documents as TensorFlow's events.
 */
#include "tb_blob.h"

#include "packed.h"
#include "tb_summary.h"

/* TensorProto: dtype DT_STRING, tensor_shape of one dimension of 1; string_val follows. */
static const char tensor_head[] = "\x08\x07\x12\x04\x12\x02\x08\x01";

/* A SummaryMetadata. */
static void pack_metadata(etr_packed *metadata) {
  enum { PLUGIN_DATA = 1, DATA_CLASS = 4, PLUGIN_NAME = 1, PLUGIN_CONTENT = 2 };
  static const char content[] = "{\"schema\":\"etrecord-tb/profile/1\"}";
  etr_packed plugin = {.arena = metadata->arena};
  etr_packed_field(&plugin, PLUGIN_NAME, ETR_SLICE(ETR_TB_BLOB_PLUGIN));
  etr_packed_field(&plugin, PLUGIN_CONTENT, ETR_SLICE(content));
  etr_packed_field(metadata, PLUGIN_DATA, etr_packed_since(&plugin, 0));
  etr_packed_int(metadata, DATA_CLASS, TENSORBOARD__DATA_CLASS__DATA_CLASS_BLOB_SEQUENCE);
}

void etr_tb_blob_pack(etr_pieces *out, double wall_time, const etr_pieces *document) {
  const etr_slice tag = ETR_SLICE(ETR_TB_BLOB_TAG);
  etr_packed head = {.arena = out->arena}, metadata = {.arena = out->arena};
  pack_metadata(&metadata);
  size_t tensor_size = sizeof tensor_head - 1 + etr_packed_field_size(ETR_TB_TENSOR_STRING, document->size);
  size_t value_size = etr_packed_field_size(ETR_TB_VALUE_TAG, tag.size) + etr_packed_field_size(ETR_TB_VALUE_TENSOR, tensor_size) +
                      etr_packed_field_size(ETR_TB_VALUE_METADATA, metadata.size);
  if (wall_time != 0) etr_packed_double(&head, ETR_TB_EVENT_WALL_TIME, wall_time);
  etr_packed_header(&head, ETR_TB_EVENT_SUMMARY, etr_packed_field_size(ETR_TB_SUMMARY_VALUE, value_size));
  etr_packed_header(&head, ETR_TB_SUMMARY_VALUE, value_size);
  etr_packed_field(&head, ETR_TB_VALUE_TAG, tag);
  etr_packed_header(&head, ETR_TB_VALUE_TENSOR, tensor_size);
  etr_packed_bytes(&head, ETR_SLICE(tensor_head));
  etr_packed_header(&head, ETR_TB_TENSOR_STRING, document->size);
  etr_pieces_bytes(out, etr_packed_since(&head, 0));
  etr_pieces_append(out, document);
  const etr_slice rest = etr_packed_since(&metadata, 0);
  etr_pieces_parts(out, ETR_TB_VALUE_METADATA, &rest, 1);
}
