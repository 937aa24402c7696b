#!/usr/bin/env bash
# bench/coverage.sh [fuzz's flags]
# Builds txweave with SQLite's own code counted, runs a campaign, and says what share of it the cases entered: of all, of the parts that
# transactions live in, and which functions of these were never entered.
#   bench/coverage.sh --cases 1500 --seed 5
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir "$work/counters"
# The counters are written by a main package that is counted itself.
go build -cover -covermode=set -coverpkg=txweave/cmd/txweave,modernc.org/sqlite/lib -o "$work/txweave" ./cmd/txweave
GOCOVERDIR=$work/counters "$work/txweave" fuzz --target sqlite --workers 1 --out "$work/found" "${@:---cases=1500}" | tail -n 1
go tool covdata percent -i="$work/counters" | awk '/sqlite/ {print "all of SQLite: " $3}'
go tool covdata func -i="$work/counters" | awk '
  function part(name) {
    sub(/^_?(sqlite3)?/, "", name)
    if (name ~ /^([Bb]tree|balance|freePage|clearCell|insertCell|dropCell|defragment|saveCursor|accessPayload|ptrmap|relocatePage|autoVacuum|incrVacuum|editPage|rebuildPage)/) return "btree"
    if (name ~ /^([Pp]ager|[Pp]cache)/) return "pager"
    if (name ~ /^[Ww]al/) return "wal"
    if (name ~ /^[Vv]dbe/) return "vdbe"
    if (name ~ /^[Ww]here/) return "where"
    if (name ~ /^(fk|Fk)/) return "foreign keys"
    if (name ~ /^([Ww]indow)/) return "window"
    return ""
  }
  /modernc.org\/sqlite\/lib/ {
    p = part($2); if (p == "") next
    n[p]++; sum[p] += $3 + 0
    if ($3 + 0 == 0) never[p] = never[p] " " $2
  }
  END { for (p in n) printf "%s: %d functions, %.0f %% of each in the mean; never entered:%s\n", p, n[p], sum[p] / n[p], never[p] }' | sort
