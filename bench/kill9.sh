#!/usr/bin/env bash
# kill9.sh [TIMES] [SEED]: kills campaigns with SIGKILL while findings arrive, TIMES times (100), all in one --out, and checks
# the store after each: "txweave bugs" reads it, every directory of a finding is whole, nothing is counted twice, and the next
# campaign goes on. Prints how many findings there were in the end.
#
# Exit codes: 0 all well, 1 a store that is not, 70 the script's own.
set -euo pipefail
times=${1:-100} seed=${2:-1}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'times=$n' TERM # it comes to its end, and says how far it came
go build -trimpath -o "$work/txweave" ./cmd/txweave
out=$work/out

# bad MESSAGE: says what is wrong with the store and ends.
bad() {
  echo "kill9.sh: after $n kills: $1" >&2
  exit 1
}

n=0 before=0
for ((n = 1; n <= times; n++)); do
  how=(--reduce-time 300ms)
  [ $((RANDOM % 2)) = 0 ] || how=(--no-reduce) # then they are counted as they come
  "$work/txweave" fuzz --inject lost-delete,lost-insert,aborted-read --seed $((seed + n)) --pause-above 0 --workers 2 \
    "${how[@]}" --out "$out" >"$work/stdout" 2>"$work/stderr" &
  pid=$!
  # At any moment of the start now and then, else up to 1.5 s after its first finding, however slow the machine is: in the midst of
  # findings, of reductions, of removals.
  if [ $((RANDOM % 8)) = 0 ]; then
    sleep "0.$((RANDOM % 10))"
  else
    while kill -0 "$pid" 2>/dev/null && ! grep -q 'finding\|unconfirmed' "$work/stderr"; do sleep 0.05; done
    sleep "0.0$((RANDOM % 10))"
    [ $((RANDOM % 2)) = 0 ] || sleep "$((RANDOM % 2)).$((RANDOM % 5))"
  fi
  kill -0 "$pid" 2>/dev/null || bad "the campaign had ended by itself: $(tail -1 "$work/stderr")"
  kill -9 "$pid"
  wait "$pid" 2>/dev/null || true
  [ -e "$out/campaign.db" ] || continue
  total=$("$work/txweave" bugs list --out "$out" --format json | grep -o '"count": [0-9]*' | awk '{s += $2} END {print s + 0}') ||
    bad "txweave bugs does not read the store"
  [ "$total" -ge "$before" ] || bad "$before findings were counted, and now $total"
  before=$total
  for dir in "$out"/finding-* "$out"/unconfirmed-*; do
    [ -e "$dir" ] || continue
    [ -s "$dir/finding.json" ] && [ -s "$dir/case.txw" ] || bad "$dir is not whole"
  done
done

# One more campaign, to its end: it takes care of what is left.
n=$times
status=0
"$work/txweave" fuzz --inject lost-delete --cases 5 --seed "$seed" --pause-above 0 --out "$out" >"$work/stdout" 2>"$work/stderr" || status=$?
[ "$status" = 1 ] || bad "the campaign after all of them ends with $status: $(tail -1 "$work/stderr")"
[ ! -e "$out/quarantine" ] || bad "findings are in quarantine: $(ls "$out/quarantine")"
if find "$out" -name '.new-*' | grep -q .; then bad "half-written files stay: $(find "$out" -name '.new-*')"; fi
kept=$("$work/txweave" bugs list --out "$out" --format json | grep -c '"dir":') || true
left=$(find "$out" -maxdepth 1 \( -name 'finding-*' -o -name 'unconfirmed-*' \) | wc -l)
[ "$kept" = "$left" ] || bad "$kept findings are kept, and there are $left directories"
before=$("$work/txweave" bugs list --out "$out" --format json | grep -o '"count": [0-9]*' | awk '{s += $2} END {print s + 0}')
echo "$times campaigns killed, $before findings counted, $kept kept, $("$work/txweave" bugs list --out "$out" | wc -l) bugs"
