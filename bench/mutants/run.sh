#!/usr/bin/env bash
# Runs txweave against the mutants of SQLite's engine and prints a table; README.md says what they are.
#
#   bench/mutants/run.sh --short                   a few mutants, all of which must be found: under 3 minutes once built
#   bench/mutants/run.sh [run's flags] [MUTANT…]   all of them, or those named: NAME, NAME:50, NAME:own-write, …
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
exec nice -n 10 go run . run "$@"
