# SPDX-License-Identifier: BSD-3-Clause
# complete.bash SCRIPT WORD...: what the completion script offers for the last word, one a line. `--option=value` stands as the three words that bash makes of it.
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_etrecord_tb
printf '%s\n' "${COMPREPLY[@]}"
