/* SPDX-License-Identifier: BSD-3-Clause
 *
 * no_git.c - stands for libgit2, which criterion's library brings along. With that come twelve
 * other libraries and all certificates of the system, which each process would load and read, of
 * which each test is one. Criterion would show with it in which lines two texts differ.
 */
#define SHOWN __attribute__((visibility("default")))

SHOWN int git_libgit2_init(void);
SHOWN int git_libgit2_shutdown(void);
SHOWN int git_diff_buffers(void);

int git_libgit2_init(void) {
  return 1; /* time that it is set up */
}

int git_libgit2_shutdown(void) {
  return 0;
}

int git_diff_buffers(void) {
  return -1; /* an error: there are no differing lines to show */
}
