/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_out.c - escapes as Python's json does: everything beyond ASCII.
 */
#include "formats/json_out.h"

#include "base/utf8.h"

#include <stdio.h>

void etr_json_out_begin(etr_json_out *out, const etr_sink *sink) {
  out->sink = *sink;
  out->failed = false;
  out->used = 0;
}

static void flush(etr_json_out *out) {
  if (out->used && !out->failed) out->failed = !out->sink.write(out->sink.context, out->buffer, out->used);
  out->used = 0;
}

bool etr_json_out_end(etr_json_out *out) {
  flush(out);
  return !out->failed;
}

void etr_json_out_raw(etr_json_out *out, etr_slice bytes) {
  while (bytes.size > 0) {
    if (out->used == sizeof out->buffer) flush(out);
    size_t piece = ETR_MIN(bytes.size, sizeof out->buffer - out->used);
    memcpy(out->buffer + out->used, bytes.data, piece);
    out->used += piece;
    bytes = (etr_slice){bytes.data + piece, bytes.size - piece};
  }
}

/* ---- Strings ---- */

static void put_unit(etr_json_out *out, uint32_t unit) {
  char text[8];
  int size = snprintf(text, sizeof text, "\\u%04x", (unsigned)unit);
  etr_json_out_raw(out, (etr_slice){text, (size_t)size});
}

static void put_beyond(etr_json_out *out, uint32_t character) {
  if (character >= 0x10000) {
    put_unit(out, 0xD800 + ((character - 0x10000) >> 10));
    put_unit(out, 0xDC00 + (character & 0x3FF));
  } else
    put_unit(out, character);
}

static void put_ascii(etr_json_out *out, char c) {
  static const char letters[128] = {
      ['"'] = '"', ['\\'] = '\\', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't', ['\b'] = 'b', ['\f'] = 'f'};
  const char letter[] = {'\\', letters[(unsigned char)c]};
  if (letter[1])
    etr_json_out_raw(out, (etr_slice){letter, 2});
  else if (c < ' ' || c == 0x7f)
    put_unit(out, (unsigned char)c);
  else
    etr_json_out_raw(out, (etr_slice){&c, 1});
}

static uint32_t decode(const char *at, size_t size) {
  uint32_t value = (unsigned char)*at & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; i++) value = value << 6 | ((unsigned char)at[i] & 0x3Fu);
  return value;
}

static bool is_plain(char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }

/* Bytes that are no UTF-8 stay: they were such before. */
static void put_escaped(etr_json_out *out, etr_slice text) {
  for (size_t at = 0; at < text.size;) {
    size_t run = at;
    while (run < text.size && is_plain(text.data[run])) run++;
    etr_json_out_raw(out, (etr_slice){text.data + at, run - at});
    at = run;
    if (at == text.size) return;
    size_t size = etr_utf8_size(text.data + at, text.size - at);
    if (size > 1)
      put_beyond(out, decode(text.data + at, size));
    else if (size == 1)
      put_ascii(out, text.data[at]);
    else
      etr_json_out_raw(out, (etr_slice){text.data + at, 1});
    at += ETR_MAX(size, 1);
  }
}

void etr_json_out_string(etr_json_out *out, etr_slice text) {
  etr_json_out_raw(out, ETR_SLICE("\""));
  put_escaped(out, text);
  etr_json_out_raw(out, ETR_SLICE("\""));
}

/* ---- Documents in strings ---- */

static bool write_inside(void *context, const void *data, size_t size) {
  etr_json_out *outer = context;
  put_escaped(outer, (etr_slice){data, size});
  return !outer->failed;
}

void etr_json_out_begin_inside(etr_json_out *out, etr_json_out *outer) {
  etr_json_out_raw(outer, ETR_SLICE("\""));
  etr_json_out_begin(out, &(etr_sink){write_inside, outer});
}

void etr_json_out_end_inside(etr_json_out *out, etr_json_out *outer) {
  outer->failed |= !etr_json_out_end(out);
  etr_json_out_raw(outer, ETR_SLICE("\""));
}
