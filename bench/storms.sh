#!/usr/bin/env bash
# storms.sh long|crashes|races [SECONDS]: storms that are too long for a test, on SQLite and on the servers that are there.
#
#   long     a storm of SECONDS (1800) for each nemesis on each target, and what each workload's own checker says of 60 s
#   crashes  storms with kill,crash until MariaDB has survived 200 crashes and SQLite 1000, in rounds of SECONDS (300); what is left of processes
#            and directories afterwards
#   races    the planted races without and with --perturb, alternately, ten seeds of SECONDS (3): who finds how much
#
# TARGETS ("sqlite mariadb") names the targets, SERVER the binary of those that are servers, SEED the first seed (1). What was run and what came of it goes to
# the standard output, and what a storm with findings was to storm-*.toml in the current directory.
#
# Exit codes: 0 nothing found, 1 findings (of races: always 0), 2 something left behind, 64 usage.
set -uo pipefail
what=${1:-} seconds=${2:-} targets=${TARGETS:-sqlite mariadb} seed=${SEED:-1}
here=$PWD
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." || exit 70
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -trimpath -o "$work/txweave" ./cmd/txweave || exit 70
cd "$here" || exit 70
mkdir "$work/t" && export TMPDIR=$work/t # what is left there is theirs
code=0

# target NAME prints the flags of a target.
target() {
  echo "--target $1"
  [ "$1" = sqlite ] || [ -z "${SERVER:-}" ] || echo "--server $SERVER"
}

# storm NAME ARGS… runs a storm, prints what matters of it, and keeps what it was where it found something.
storm() {
  local name=$1
  shift
  echo "== $*"
  "$work/txweave" storm "$@" --save "storm-$name.toml" >"$work/out" 2>"$work/err"
  local rc=$?
  grep -E '^(transactions|crashes|receipts|history|finding|findings|stalls|verified)  ' "$work/out"
  [ $rc = 0 ] || tail -1 "$work/err"
  case $rc in 0 | 2) ;; 1) code=1 ;; *) exit $rc ;; esac
}

case $what in
long)
  for t in $targets; do
    for n in kill ddl pressure pause locks network crash; do
      # shellcheck disable=SC2046
      storm "$t-$n" $(target "$t") --workload random-sql --keys 40 --seed "$seed" --duration "${seconds:-1800}s" --nemesis $n
    done
    for w in append bank set counter mini cas; do
      # shellcheck disable=SC2046
      storm "$t-$w" $(target "$t") --workload $w --keys 10 --seed "$seed" --duration 60s
    done
  done
  ;;
crashes)
  for t in $targets; do
    wanted=200 survived=0
    [ "$t" != sqlite ] || wanted=1000
    while [ $survived -lt $wanted ]; do
      # shellcheck disable=SC2046
      storm "$t-crash-$seed" $(target "$t") --workload random-sql --keys 40 --seed "$seed" --duration "${seconds:-300}s" --nemesis kill,crash --every 150ms
      more=$(awk '/^crashes /{print $2}' "$work/out")
      survived=$((survived + ${more:-0})) seed=$((seed + 1))
      [ "${more:-0}" -gt 0 ] || { echo "storms.sh: no crash in a round" >&2; exit 2; }
    done
    echo "$t: $survived crashes survived"
  done
  if [ -n "$(ls -A "$TMPDIR")" ] || pgrep -f "$TMPDIR" >/dev/null; then
    echo "storms.sh: left behind: $(ls -A "$TMPDIR"; pgrep -af "$TMPDIR")" >&2
    code=2
  fi
  ;;
races)
  for r in race-lost-write race-missing-row race-dirty-read race-no-lock race-lost-commit race-early-release; do
    for t in $targets; do
      for s in $(seq "$seed" $((seed + 9))); do
        for how in "" --perturb; do
          # shellcheck disable=SC2046
          "$work/txweave" storm $(target "$t") --workload blindw-rw --keys 40 --duration "${seconds:-3}s" --seed "$s" --inject $r $how 2>/dev/null |
            awk -v r="$r $t ${how:-plain} $s" '/^transactions /{n = $2} /^findings /{f = $2} END {print r, n + 0, "transactions", f + 0, "findings"}'
        done
      done
    done
  done
  ;;
*)
  sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 64
  ;;
esac
exit $code
