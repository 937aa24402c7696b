#!/usr/bin/env bash
# campaign-shared.sh URL [TIMES] [PARTS]: PARTS processes (6), each with a directory of its own, share the campaign in the database at
# URL (postgres://… or mysql://…, empty, of a real server) and are killed with SIGKILL at random, TIMES times in all (200). Then each
# runs to the end of its part, and "campaign audit" finds every case number counted once, no finding doubled and none lost.
#
# Exit codes: 0 all well, 1 a campaign that is not, 64 wrong arguments.
set -euo pipefail
url=${1:-} times=${2:-200} parts=${3:-6}
[ -n "$url" ] || { echo "usage: campaign-shared.sh URL [TIMES] [PARTS]" >&2; exit 64; }
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -n "${TXWEAVE:-}" ] && cp "$TXWEAVE" "$work/txweave" || go build -o "$work/txweave" ./cmd/txweave
export STORE=$url
cases=$((times * 8))
cat >"$work/campaign.toml" <<TOML
[[cell]]
name = "quick"
target = "sqlite"
faults = ["lost-delete", "lost-insert"]
seed = 5
reduce_time = "300ms"
cases = $cases
TOML

# part I: runs a part, in the background; its process is pids[I].
pids=()
part() {
  "$work/txweave" campaign run "$work/campaign.toml" --out "$work/$1" --store env:STORE --shard "$1/$parts" >"$work/$1.out" 2>"$work/$1.err" &
  pids[$1]=$!
}

for ((i = 0; i < parts; i++)); do part "$i"; done
killed=0
for ((n = 0; n < times; n++)); do
  sleep "0.$((RANDOM % 5))"
  i=$((RANDOM % parts))
  if kill -9 "${pids[$i]}" 2>/dev/null; then killed=$((killed + 1)); fi
  wait "${pids[$i]}" 2>/dev/null || true
  part "$i"
done
for ((i = 0; i < parts; i++)); do
  status=0
  wait "${pids[$i]}" || status=$?
  [ "$status" = 1 ] || { echo "campaign-shared.sh: part $i ends with $status: $(tail -1 "$work/$i.err")" >&2; exit 1; }
done
"$work/txweave" campaign audit --store env:STORE "$work/looking"
"$work/txweave" campaign status --store env:STORE "$work/looking" --format json >"$work/status"
grep -q "\"cases_checked\": $cases" "$work/status" || { echo "campaign-shared.sh: not all of $cases cases are checked: $(cat "$work/status")" >&2; exit 1; }
echo "$parts processes, $killed killed, $(grep -o '"cases_checked": [0-9]*\|"bugs": [0-9]*\|"findings": [0-9]*' "$work/status" | tr '\n' ' ')"
