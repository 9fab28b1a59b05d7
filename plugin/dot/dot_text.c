/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_text.c - escaping for DOT, and times in its labels.
 */
#include "dot_text.h"

#include "label.h"
#include "plain_run.h"
#include "plain_text.h"

/* DOT knows backslash sequences such as \N (the node's own name) and HTML's entities, even in plain labels; SVG knows no control characters. */
static void put_character(etr_writer *writer, etr_slice character, uint32_t code) {
  if (code == '\\') {
    etr_puts(writer, "\\\\");
  } else if (code == '&') {
    etr_puts(writer, "&amp;");
  } else if (code == '\n') {
    etr_puts(writer, "\\n");
  } else {
    etr_put(writer, etr_is_control(code) ? ETR_SLICE(" ") : character);
  }
}

static void put_slice(etr_writer *writer, etr_slice text) {
  for (size_t at = 0, size; at < text.size; at += size) {
    size = etr_plain_run((etr_slice){text.data + at, text.size - at}, '\\', '&', '&');
    etr_put(writer, (etr_slice){text.data + at, size});
    at += size;
    if (at == text.size) return;
    uint32_t code = etr_character_at(text.data + at, &size);
    put_character(writer, (etr_slice){text.data + at, size}, code);
  }
}

void etr_dot_put(etr_writer *writer, const char *text) { put_slice(writer, etr_slice_of(text)); }

/* Not the first byte of a UTF-8 sequence. */
static bool continues(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

void etr_dot_put_short(etr_writer *writer, etr_slice text, size_t longest) {
  if (text.size <= longest) {
    put_slice(writer, text);
    return;
  }
  size_t head = longest / 2, tail = text.size - longest / 2;
  while (head > 0 && continues(text.data[head])) head--;
  while (tail < text.size && continues(text.data[tail])) tail++;
  put_slice(writer, (etr_slice){text.data, head});
  etr_puts(writer, "\xE2\x80\xA6");
  put_slice(writer, (etr_slice){text.data + tail, text.size - tail});
}

void etr_dot_put_html(etr_writer *writer, const char *text) {
  for (size_t size; *text != '\0'; text += size) {
    uint32_t code = etr_character_at(text, &size);
    if (code < 0x80 && strchr("<>&\"\\", (int)code) != NULL) {
      etr_putf(writer, "&#%u;", (unsigned)code);
    } else {
      etr_put(writer, etr_is_control(code) ? ETR_SLICE(" ") : (etr_slice){text, size});
    }
  }
}

void etr_dot_put_share(etr_writer *writer, double share) {
  if (share > 0 && share < 0.0005) {
    etr_puts(writer, "&lt;0.1");
  } else {
    etr_put_fixed(writer, share * 100, 1);
  }
  etr_puts(writer, " %");
}

void etr_dot_put_time(etr_writer *writer, const etr_dot_view *view, const etr_dot_sum *sum) {
  const char *time = etr_label_time(view->arena, etr_ticks_to_ns(view->profile, sum->ticks));
  if (sum->estimated) etr_puts(writer, "~");
  if (time != NULL) etr_puts(writer, time);
  if (sum->ticks > 0 && view->method != NULL && view->method->execute.avg > 0) {
    etr_puts(writer, "  ");
    etr_dot_put_share(writer, sum->ticks / view->method->execute.avg);
  }
}

const char *etr_dot_delegate_label(const etr_dot_view *view, size_t delegate) {
  const char *device = etr_label_device(view->arena, view->plan->delegates[delegate].backend);
  if (device == NULL || view->plan->delegate_count == 1) return device;
  return etr_arena_format(view->arena, "%s %zu", device, delegate);
}
