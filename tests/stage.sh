# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts that run one stage after the other: `status` is 1 once one has failed.

status=0
# stage COMMAND...: runs it, says how many seconds it took, remembers a failure, and goes on.
stage() {
  local start=$SECONDS
  "$@" || status=1
  printf -- '---- %d s: %s\n' $((SECONDS - start)) "$*"
}
