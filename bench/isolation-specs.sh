#!/usr/bin/env bash
# isolation-specs.sh FOLDER [NAME…] runs PostgreSQL's own isolation specs, from src/test/isolation of a checkout of the version
# that is tried, with txweave's runner, and compares with what the project expects: which steps wait and go on, in which order,
# every error and how many rows each query returns. Needs txweave in PATH; SERVER names another postgres.
# Prints a line for each spec and how many are equal; exit code 1 where one differs. Specs that need more than a case may hold
# (files, other databases, settings of the server, LOCK TABLE …) are counted apart.
set -uo pipefail
folder=$(cd "${1:?the folder src/test/isolation of a checkout}" && pwd) || exit 64; shift
[ -d "$folder/specs" ] && [ -d "$folder/expected" ] || { echo "$folder: no specs or no expected below it" >&2; exit 64; }
work=$(mktemp -d) || exit 70
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- $(cd "$folder/specs" && ls ./*.spec | sed 's,^\./,,; s,\.spec$,,')

# ours and theirs print the same stream of a run: W a wait, C its end, E an error, R a number of rows.
ours() {
  sed -nE 's/^== .*/P/p; s/.*-- waits$/W/p; s/^ +s?[^ ]* .*… goes on: .*/C/p; /^ +ERROR 40000: /d; s/^( +ERROR 23[0-9A-Z]{3}: .*) \((Key|Failing row|Partition key) .*/\1/; s/^ +ERROR [0-9A-Z]{5}: (.*)/E \1/p; s/^ +\(([0-9]+) rows?\)$/R \1/p'
}
theirs() {
  sed -nE 's/^starting permutation: .*/P/p; s/.*<waiting \.\.\.>.*/W/p; s/.*<\.\.\. completed>.*/C/p; s/^ERROR:  (.*)/E \1/p; s/^\(([0-9]+) rows?\)$/R \1/p'
}
equal=0 different=0 refused=0
for name; do
  spec=$folder/specs/$name.spec
  (cd "$work" && timeout 300 txweave import "$spec" --run --target postgresql ${SERVER:+--server "$SERVER"} --timeout 3s) >"$work/log" 2>&1
  if grep -q 'left out: \|^txweave: ' "$work/log"; then
    refused=$((refused + 1)); echo "$name: not run: $(grep -m1 -E 'left out: |^txweave: ' "$work/log" | cut -c1-160)"
    continue
  fi
  grep -q '^== ' "$work/log" || sed -i '1i == 1 of 1' "$work/log"
  ours <"$work/log" >"$work/ours"
  found=
  for out in "$folder/expected/$name".out "$folder/expected/$name"_[0-9].out; do
    [ -f "$out" ] || continue
    theirs <"$out" >"$work/theirs"
    cmp -s "$work/ours" "$work/theirs" && found=yes && break
  done
  if [ -n "$found" ]; then
    equal=$((equal + 1)); echo "$name: equal, $(grep -c P "$work/ours") permutations"
  else
    different=$((different + 1)); echo "$name: differs"; diff "$work/theirs" "$work/ours" | head -6
  fi
done
echo "$equal equal, $different different, $refused not run"
[ "$different" = 0 ]
