#!/usr/bin/env bash
# Runs the benchmarks that a change is held to, and prints them for benchstat.
#
#   bench/bench.sh [COUNT] >new.txt                        COUNT repetitions of each, 6 if it is left out: 6 minutes
#   go tool -modfile=internal/tools/go.mod benchstat -ignore pkg,cpu old.txt new.txt
#
# old.txt is the same of the commit before, made on the same machine, a quiet one; where there is none, processor time says
# more than the clock.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
count=${1-6}
run() { # PACKAGE BENCHMARKS TIME
  go test -run '^$' -bench "$2" -benchtime "$3" -count "$count" -timeout 30m "./$1"
}
run sdg 'Infer|FeedbackSet' 300ms
run history 'ReadOperations' 300ms
run history/format 'ReadText' 300ms
run checker/minitx 'Check/.*/125000$' 1x
run checker/weak 'Check/.*/125000$' 1x
run checker/lin 'Check' 300ms
run checker/certificate 'Check/.*/125000$' 1x
run oracle/mechanism 'MiniTransactions|CheckTrace' 1x
run report/page 'Write' 300ms
run cmd/txweave 'CheckSQLite|CheckMariaDB' 300x
