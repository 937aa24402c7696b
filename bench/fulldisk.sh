#!/usr/bin/env bash
# fulldisk.sh [MOMENTS] [SEED]: fills the disk under a campaign's --out at MOMENTS moments (50) while findings arrive, all in one
# --out on a file system of 4 MB, and checks what is left each time: the campaign ends by itself with exit code 70 (64 where it
# had not begun) and one line that says why, or goes on with 1; "txweave bugs" reads the store, nothing that had been counted is
# lost, and every directory of a finding is whole. Once there is room again the next campaign goes on. It mounts a tmpfs in a
# namespace of its own, which takes no rights where users may have namespaces. "go test ./cmd/txweave -run TestFullDisk" is a part of it.
#
# Exit codes: 0 all well, 1 a store that is not, 70 the script's own.
set -euo pipefail
[ -n "${TXWEAVE_NAMESPACE:-}" ] || TXWEAVE_NAMESPACE=1 exec unshare --user --map-root-user --mount "$0" "$@"
moments=${1:-50} seed=${2:-1}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'umount "$work/disk" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/disk"
mount -t tmpfs -o size=4m none "$work/disk" || exit 70
go build -trimpath -o "$work/txweave" ./cmd/txweave
out=$work/disk/out

# bad MESSAGE: says what is wrong and ends.
bad() {
  echo "fulldisk.sh: moment $n: $1" >&2
  exit 1
}

counted() {
  "$work/txweave" bugs list --out "$out" --format json 2>"$work/listed" | grep -o '"count": [0-9]*' | awk '{s += $2} END {print s + 0}'
}

n=0 before=0 ended=0
for ((n = 1; n <= moments; n++)); do
  how=(--reduce-time 300ms)
  [ $((n % 2)) = 0 ] || how=(--no-reduce) # then they are counted as they come
  timeout 60 "$work/txweave" fuzz --inject lost-delete,lost-insert,aborted-read --seed $((seed + n)) --pause-above 0 --duration 4s \
    "${how[@]}" --out "$out" >"$work/stdout" 2>"$work/stderr" &
  pid=$!
  sleep "$((n % 3)).$((n * 7 % 10))" # in the midst of findings, of reductions
  head -c 8m /dev/zero >"$work/disk/filler" 2>/dev/null || true
  status=0
  wait "$pid" || status=$?
  rm -f "$work/disk/filler"
  case $status in
    1) ;;
    64 | 70) # 64: it was full before the campaign began
      grep -q 'no space left on device' "$work/stderr" || bad "exit code $status and not for the disk: $(tail -1 "$work/stderr")"
      ended=$((ended + 1)) ;;
    *) bad "exit code $status: $(tail -1 "$work/stderr")" ;;
  esac
  [ -e "$out/campaign.db" ] || continue
  total=$(counted) || bad "txweave bugs does not read the store: $(cat "$work/listed")"
  [ "$total" -ge "$before" ] || bad "$before findings were counted, and now $total"
  before=$total
  for dir in "$out"/finding-* "$out"/unconfirmed-*; do
    [ -e "$dir" ] || continue
    [ -s "$dir/finding.json" ] && [ -s "$dir/case.txw" ] || bad "$dir is not whole"
  done
  if [ "$(du -sk "$work/disk" | cut -f1)" -gt 2500 ]; then rm -rf "$out" && before=0; fi # it is full by itself
done

status=0
"$work/txweave" fuzz --inject lost-delete --cases 5 --seed "$seed" --pause-above 0 --out "$out" >"$work/stdout" 2>"$work/stderr" || status=$?
[ "$status" = 1 ] || bad "the campaign after all of them ends with $status: $(tail -1 "$work/stderr")"
[ ! -e "$out/quarantine" ] || bad "findings are in quarantine: $(ls "$out/quarantine")"
echo "$moments moments, $ended campaigns ended by the full disk, $(counted) findings counted in the last store"
