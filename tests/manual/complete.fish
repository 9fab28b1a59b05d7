# SPDX-License-Identifier: BSD-3-Clause
# complete.fish SCRIPT LINE: what the completion script offers at the end of the line, one a line.
source $argv[1]
complete -C $argv[2] | string replace -r '\t.*' ''
