/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gzip.c - compresses with zlib. No other file uses zlib for output. libdeflate takes half the
 * time for the same size, but needs the whole output in memory, and would make a wheel larger.
 */
#include "output/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct etr_gzip {
  etr_sink sink;
  z_stream stream;
  bool failed;
  unsigned char out[32768];
};

etr_gzip *etr_gzip_new(const etr_sink *sink) {
  enum {
    LEVEL = 6,        /* a Llama of 32 layers: 3 % less than level 5, 12 % than 3 */
    GZIP_HEADER = 16, /* added to the window's bits, zlib writes gzip's header and not its own */
    MEMORY_LEVEL = 8  /* zlib's default */
  };
  etr_gzip *gzip = calloc(1, sizeof *gzip);
  if (gzip == NULL)
    return NULL;
  gzip->sink = *sink;
  if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP_HEADER, MEMORY_LEVEL,
                   Z_DEFAULT_STRATEGY) == Z_OK)
    return gzip;
  free(gzip);
  return NULL;
}

/* Compresses the input that the stream has been given and passes the result to the sink; with
 * Z_FINISH it also ends the stream. Returns false if zlib or the sink failed, now or earlier. */
static bool compress_input(etr_gzip *gzip, int flush) {
  int status = Z_OK;
  do {
    gzip->stream.next_out = gzip->out;
    gzip->stream.avail_out = sizeof gzip->out;
    status = deflate(&gzip->stream, flush);
    size_t made = sizeof gzip->out - gzip->stream.avail_out;
    if (status == Z_STREAM_ERROR ||
        (made > 0 && !gzip->sink.write(gzip->sink.context, gzip->out, made)))
      gzip->failed = true;
  } while (!gzip->failed && gzip->stream.avail_out == 0); /* a full buffer: there may be more */
  return !gzip->failed;
}

/* Compresses bytes, in parts of at most 4 GiB, which is what zlib takes at once. Returns false if
 * compression or the sink failed. */
static bool compress_bytes(void *context, const void *data, size_t size) {
  etr_gzip *gzip = context;
  const unsigned char *rest = data;
  while (size > 0 && !gzip->failed) {
    uInt part = size > UINT_MAX ? UINT_MAX : (uInt)size;
    gzip->stream.next_in = (unsigned char *)(uintptr_t)
        rest; /* zlib's type is not const, but zlib does not change the input */
    gzip->stream.avail_in = part;
    (void)compress_input(gzip, Z_NO_FLUSH);
    rest += part;
    size -= part;
  }
  return !gzip->failed;
}

etr_sink etr_gzip_sink(etr_gzip *gzip) {
  return (etr_sink){compress_bytes, gzip};
}

bool etr_gzip_end(etr_gzip *gzip) {
  bool good = !gzip->failed && compress_input(gzip, Z_FINISH);
  (void)deflateEnd(&gzip->stream);
  free(gzip);
  return good;
}
