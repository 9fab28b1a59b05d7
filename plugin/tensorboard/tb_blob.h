/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_blob.h - a document for a dashboard of our own, as a TensorFlow event. Layer 5.
 *
 * TensorBoard streams a sequence of blobs to whoever asks for its run and tag, whether it reads the files itself or a data server does; only a
 * tensor of rank 1 is one.
 */
#ifndef ETR_TB_BLOB_H
#define ETR_TB_BLOB_H

#include "pieces.h"

/** The dashboard's name, and the tag of its document. */
#define ETR_TB_BLOB_PLUGIN "etrecord"
#define ETR_TB_BLOB_TAG "etrecord"

/** Appends a packed Event: a sequence of one blob, which is borrowed. */
void etr_tb_blob_pack(etr_pieces *out, double wall_time, const etr_pieces *document);

#endif
