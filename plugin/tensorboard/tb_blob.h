/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_blob.h - a document for a dashboard of our own, as a TensorFlow event. Layer 5.
 *
 * TensorBoard streams a sequence of blobs to whoever asks for its run and tag, whether it reads the files itself or a data server does; only a
 * tensor of rank 1 is one.
 */
#ifndef ETR_TB_BLOB_H
#define ETR_TB_BLOB_H

#include "base.h"
#include "tb_summary.h"

/** The dashboard's name, and the tag of its document. */
#define ETR_TB_BLOB_PLUGIN "etrecord"
#define ETR_TB_BLOB_TAG "etrecord"

/** A sequence of one blob. */
typedef struct etr_tb_blob {
  etr_tb_summary summary;
  ProtobufCBinaryData document;
  Tensorboard__TensorShapeProto__Dim length, *lengths;
} etr_tb_blob;

/** Fills a blob, which must not be moved then. The document is borrowed. */
void etr_tb_blob_init(etr_tb_blob *blob, double wall_time, etr_slice document);

#endif
