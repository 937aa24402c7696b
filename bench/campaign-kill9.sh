#!/usr/bin/env bash
# campaign-kill9.sh [TIMES] [SEED] [FULL]: kills a campaign of several cells with SIGKILL at random moments while findings arrive,
# TIMES times (100), always in the same directory, and checks it after each: "campaign audit" finds every case number counted
# once, every finding whole and counted to its bug once; nothing that was counted is lost. With FULL=full the directory lies on a
# file system of a few megabytes that is filled at those moments instead. Prints what was counted in the end.
#
# TXWEAVE names the binary to use; left out, it is built.
#
# Exit codes: 0 all well, 1 a campaign that is not, 70 the script's own.
set -euo pipefail
times=${1:-100} seed=${2:-1} full=${3:-}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
out=$work/out
clean() {
  [ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
  [ -z "$full" ] || umount "$work/disk" 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
[ -n "${TXWEAVE:-}" ] && cp "$TXWEAVE" "$work/txweave" || go build -o "$work/txweave" ./cmd/txweave
mkdir "$work/tmp"
export TMPDIR=$work/tmp
if [ -n "$full" ]; then
  mkdir "$work/disk"
  mount -t tmpfs -o size=12m none "$work/disk" || { echo "campaign-kill9.sh: a file system of its own needs root" >&2; exit 70; }
  out=$work/disk/out
fi
cat >"$work/campaign.toml" <<TOML
slice = "400ms"
parallel = 2
[[cell]]
name = "quick"
target = "sqlite"
faults = ["lost-delete", "lost-insert", "aborted-read"]
seed = $seed
workers = 2
reduce_time = "300ms"
[[cell]]
name = "unreduced"
target = "sqlite"
faults = ["lost-insert"]
seed = $((seed + 1))
no_reduce = true
[[cell]]
name = "storms"
target = "sqlite"
mode = "storm"
workload = "mini"
keys = 20
length = "200ms"
faults = ["lost-commit"]
seed = $((seed + 2))
[[cell]]
name = "gone"
target = "mariadb"
server = "/nonexistent/mariadbd"
TOML

# bad MESSAGE: says what is wrong with the campaign and ends.
bad() {
  echo "campaign-kill9.sh: after $n times: $1" >&2
  exit 1
}

# look: reads the status. number KEY: the sum of a key in it.
look() { "$work/txweave" campaign status "$out" --format json >"$work/status"; }
number() { { grep -o "\"$1\": [0-9]*" "$work/status" || true; } | awk '{s += $2} END {print s + 0}'; }

# What a moment is depends on the machine: up to a second, and twice what it takes to begin and end, but no more than eight.
begun=$(date +%s%N)
"$work/txweave" campaign run "$work/campaign.toml" --out "$work/first" --duration 1ms >/dev/null 2>&1 || true
span=$((1000 + ($(date +%s%N) - begun) / 1000000 * 2))
[ "$span" -le 8000 ] || span=8000
rm -rf "$work/first"

cases=0 findings=0 ended=0
trap 'echo "campaign-kill9.sh: ended from outside, with nothing wrong after $((n - 1)) times: $cases cases, $findings findings" >&2; exit 143' TERM INT
for ((n = 1; n <= times; n++)); do
  "$work/txweave" campaign run "$work/campaign.toml" --out "$out" >"$work/stdout" 2>"$work/stderr" &
  pid=$!
  moment=$(((RANDOM * 32768 + RANDOM) % span))
  sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
  if [ -n "$full" ]; then
    head -c 64m /dev/zero >"$work/disk/filler" 2>/dev/null || true
    sleep "0.$((RANDOM % 10))"
    kill -INT "$pid" 2>/dev/null || ended=$((ended + 1))
    timeout 20 tail --pid="$pid" -f /dev/null || bad "it does not end"
    rm -f "$work/disk/filler"
  else
    kill -9 "$pid" 2>/dev/null || bad "the campaign had ended by itself: $(tail -1 "$work/stderr")"
  fi
  wait "$pid" 2>/dev/null || true
  [ -s "$out/campaign.db" ] || continue
  "$work/txweave" campaign audit "$out" >"$work/audit" 2>&1 || bad "$(cat "$work/audit")"
  look
  now=$(number cases_checked)
  [ "$now" -ge "$cases" ] || bad "$cases cases were checked, and now $now"
  cases=$now
  now=$(number findings)
  [ "$now" -ge "$findings" ] || bad "$findings findings were counted, and now $now"
  findings=$now
  if [ -n "$full" ] && [ "$(du -sk "$work/disk" | cut -f1)" -gt 8000 ]; then rm -rf "$out" && cases=0 findings=0; fi # it is full by itself
done

# One more, to its end: it takes care of what is left.
n=$times status=0
"$work/txweave" campaign run "$work/campaign.toml" --out "$out" --duration 10s >"$work/stdout" 2>"$work/stderr" || status=$?
[ "$status" = 1 ] || bad "the campaign after all of them ends with $status: $(tail -1 "$work/stderr")"
[ ! -e "$out/quarantine" ] || bad "findings are in quarantine: $(ls "$out/quarantine")"
"$work/txweave" campaign audit "$out" || bad "see above"
left=$(find "$out" -maxdepth 1 -type d \( -name 'finding-*' -o -name 'unconfirmed-*' \) | wc -l)
kept=$("$work/txweave" bugs list --out "$out" --format json | grep -c '"dir":') || true
[ "$kept" = "$left" ] || bad "$kept findings are kept, and there are $left directories"
half=$(find "$out" -mindepth 1 -maxdepth 2 -name '.new-*' | wc -l)
[ "$half" = 0 ] || bad "$half directories are half there"
[ -z "$(ls "$work/tmp")" ] || bad "in the directory for temporary files are left: $(ls "$work/tmp" | head -3 | tr '\n' ' ')"
look
echo "$times times, $ended ended by themselves, $(number cases_checked) cases checked, $(number bugs) bugs, $(number findings) findings, $kept kept"
