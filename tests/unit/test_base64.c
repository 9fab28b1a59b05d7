/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Encoding and decoding base64.
 */
#include "base/base64.h"

#include <criterion/criterion.h>

/* RFC 4648, section 10. */
Test(base64, the_vectors_of_the_rfc_are_coded) {
  static const char *const rows[][2] = {{"", ""},
                                        {"f", "Zg=="},
                                        {"fo", "Zm8="},
                                        {"foo", "Zm9v"},
                                        {"foob", "Zm9vYg=="},
                                        {"fooba", "Zm9vYmE="},
                                        {"foobar", "Zm9vYmFy"}};
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char text[16] = "", bytes[16] = "";
    size_t size;
    etr_base64_encode(text, etr_slice_of(rows[i][0]));
    cr_expect_str_eq(text, rows[i][1]);
    cr_expect_eq(strlen(text), etr_base64_size(strlen(rows[i][0])));
    cr_expect(etr_base64_decode(bytes, &size, etr_slice_of(text)) && size == strlen(rows[i][0]));
    cr_expect_str_eq(bytes, rows[i][0]);
  }
}

Test(base64, every_byte_decodes_to_itself) {
  char text[344], bytes[256], back[258];
  size_t size;
  for (int i = 0; i < 256; i++)
    bytes[i] = (char)i;
  etr_base64_encode(text, (etr_slice){bytes, sizeof bytes});
  cr_expect(etr_base64_decode(back, &size, (etr_slice){text, sizeof text}));
  cr_expect(size == sizeof bytes && memcmp(back, bytes, size) == 0);
}

Test(base64, invalid_text_is_refused) {
  static const char *const rows[] = {"Z",
                                     "Zg",
                                     "Zg=",
                                     "Zg==Zg==",
                                     "Z===",
                                     "====",
                                     "=",
                                     "Zm9",
                                     "Zm 9",
                                     "Zm9v\n",
                                     "Zm-v",
                                     "Zm_v",
                                     "Zh==" /* hides bits */,
                                     "Zm9=",
                                     "Zg=A",
                                     "Zm9v="};
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char bytes[16];
    size_t size = 1;
    cr_expect(!etr_base64_decode(bytes, &size, etr_slice_of(rows[i])) && size == 0, "%s", rows[i]);
  }
}
