#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# check.sh BASE NEW OUT: records two programs in turns, and tells whether the newer one got slower.
#
# BASE and NEW are folders with the ETRecord and the .pte of a model. BASE_RUNNER and NEW_RUNNER are the commands that
# run them, each with its own --etdump_path FILE. LIMIT is what may be lost (default: 5%), REPEAT the number of
# recordings of each (default: 5), ETRECORD_TB the command.
#
# OUT gets comment.md, report.html, and the recordings in base/ and new/, which `diff` and `write` read. On GitHub the
# job's summary gets the comment, too, and slower source lines are annotations. Exits as `etrecord-tb diff` does: 0; 3
# above the limit; 4 undecided.
set -euo pipefail
base=$1 new=$2 out=$3
command=${ETRECORD_TB:-etrecord-tb} limit=${LIMIT:-5%} most=65000 # bytes; GitHub takes 65,536 characters
mkdir -p "$out"

# bench alone records; its own comparison is of no interest here.
runner=()
eval "runner=($NEW_RUNNER)"
"$command" bench --record "$new" --against-record "$base" --against "$BASE_RUNNER" --repeat "${REPEAT:-5}" \
  --logdir "$out/runs" --name recordings -- "${runner[@]}" >&2
recordings=
for recordings in "$out"/runs/recordings/*/; do :; done # the newest is the last
for side in base new; do
  from=$new dumps=$recordings
  [ $side = base ] && from=$base dumps=$recordings/base
  mkdir -p "$out/$side"
  for file in "$from"/*; do # not record.json, which is about other recordings
    case $file in *.etdp | *.etdump | */record.json) ;; *) cp -p "$file" "$out/$side" ;; esac
  done
  cp -p "$dumps"/etdump-*.etdp "$out/$side"
done

compare() { # options of diff
  "$command" diff "$out/base" "$out/new" --in-turns "$@"
}

# The comment begins with a mark, by which the one of before is found.
status=0
comment() { # options of diff
  echo '<!-- etrecord-tb -->'
  compare --format markdown --fail-above "$limit" "$@" || status=$?
}
comment > "$out/comment.md"
for top in 5 1; do # a model with very many methods
  [ "$(wc -c < "$out/comment.md")" -le $most ] || comment --top $top > "$out/comment.md"
done
"$command" report "$out/base" "$out/new" -o "$out/report.html"

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  cat "$out/comment.md" >> "$GITHUB_STEP_SUMMARY"
fi

# The source lines that surely got slower, at most ten, which GitHub shows at the changed lines.
compare --by source --format tsv --columns source,base_typical,new_typical,verdict |
  awk -F'\t' -v root="$PWD/" '$NF == "slower" && count < 10 {
    count++
    source = $1
    if (index(source, root) == 1) source = substr(source, length(root) + 1)
    line = file = source
    sub(/.*:/, "", line); sub(/:[0-9]+$/, "", file)
    printf "::warning file=%s,line=%s::slower: %.4g to %.4g ms per inference\n", file, line, $2, $3
  }'
exit $status
