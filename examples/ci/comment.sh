#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# comment.sh FILE: writes FILE as a comment of the pull request, or replaces the one of before.
#
# Needs gh, GH_TOKEN, GITHUB_REPOSITORY and PULL_REQUEST. The token of a fork's pull request may only read: then nothing
# is written, and the job's summary has the same text.
set -euo pipefail
comments=repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments
known=$(gh api --paginate "$comments" --jq '.[] | select(.body | startswith("<!-- etrecord-tb -->")) | .id' | head -n 1)
if [ -n "$known" ]; then
  write=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known")
else
  write=(--method POST "$comments")
fi
gh api "${write[@]}" --field "body=@$1" --silent ||
  echo "::notice::no comment: this token may only read, as that of a fork's pull request; see the summary of the job"
