#!/usr/bin/env bash
# Runs the benchmarks whose figures are kept in bench/baseline.txt and prints them, for benchstat.
#
#   bench/bench.sh [COUNT] >new.txt                        COUNT repetitions of each, 6 if it is left out: 6 minutes
#   go tool -modfile=tools/go.mod benchstat -ignore pkg,cpu bench/baseline.txt new.txt
#
# The baseline belongs to the machine that made it: make your own from the commit that you compare with. A quiet machine is
# needed; where there is none, processor time says more than the clock.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
count=${1-6}
run() { # PACKAGE BENCHMARKS TIME
  go test -run '^$' -bench "$2" -benchtime "$3" -count "$count" -timeout 30m "./$1"
}
run sdg 'Infer|FeedbackSet' 300ms
run history 'ReadOperations' 300ms
run history/format 'ReadText' 300ms
run checker/minitx 'Check/.*/100000$' 1x
run checker/weak 'Check/.*/100000$' 1x
run checker/lin 'Check' 300ms
run checker/certificate 'Check/.*/100000$' 1x
run oracle/mechanism 'MiniTransactions|CheckTrace' 1x
run report/page 'Write' 300ms
run cmd/txweave 'CheckSQLite' 300x
