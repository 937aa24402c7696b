#!/usr/bin/env bash
# campaign-long.sh [DURATION] [DIR]: runs a campaign of eight cells (fuzz, storm and detect on SQLite, MariaDB and PostgreSQL, one of
# them with planted bugs so that findings arrive all the time) for DURATION (2h) in DIR (a new directory), and looks every 15 s at what
# it takes: resident memory, open files and threads of txweave's own process, memory of it with all its servers, what --out and the
# directory for temporary files hold. Prints for each the first and the last quarter's means and the slope an hour of a line through
# the samples after the first tenth, and audits the campaign. The samples stay in DIR/samples.
#
# Exit codes: 0 all well, 1 a campaign that is not, 64 wrong arguments.
set -euo pipefail
length=${1:-2h} dir=${2:-}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
[ -n "$dir" ] || dir=$(mktemp -d)
mkdir -p "$dir/tmp"
[ -x "$dir/txweave" ] || go build -o "$dir/txweave" ./cmd/txweave
cat >"$dir/campaign.toml" <<'TOML'
slice = "90s"
[[cell]]
name = "sqlite-fuzz"
target = "sqlite"
[[cell]]
name = "sqlite-planted"
target = "sqlite"
faults = ["lost-delete", "lost-insert", "aborted-read"]
reduce_time = "5s"
[[cell]]
name = "sqlite-storm"
target = "sqlite"
mode = "storm"
workload = "random-sql"
nemesis = ["crash"]
length = "5s"
[[cell]]
name = "sqlite-detect"
target = "sqlite"
mode = "detect"
slice = "30s"
[[cell]]
name = "mariadb-rr"
target = "mariadb"
isolation = "repeatable-read"
[[cell]]
name = "mariadb-storm"
target = "mariadb"
mode = "storm"
workload = "random-sql"
nemesis = ["kill"]
length = "10s"
[[cell]]
name = "postgresql-rr"
target = "postgresql"
isolation = "repeatable-read"
[[cell]]
name = "postgresql-storm"
target = "postgresql"
isolation = "serializable"
mode = "storm"
workload = "random-sql"
length = "10s"
TOML

TMPDIR=$dir/tmp "$dir/txweave" campaign run "$dir/campaign.toml" --out "$dir/out" --duration "$length" --http 127.0.0.1:0 >"$dir/stdout" 2>"$dir/stderr" &
pid=$!
trap 'kill -INT $pid 2>/dev/null || true' EXIT

# tree PID: resident memory of a process and of all that descend from it, in KiB.
tree() {
  ps -eo pid=,ppid=,rss= | awk -v top="$1" '{p[$1] = $2; r[$1] = $3} END {for (i in p) for (at = i; at > 1; at = p[at]) if (at == top) {s += r[i]; break} print s + 0}'
}

began=$SECONDS
while kill -0 "$pid" 2>/dev/null; do
  rss=$(awk '/^VmRSS/ {print $2}' "/proc/$pid/status" 2>/dev/null) || break
  threads=$(awk '/^Threads/ {print $2}' "/proc/$pid/status" 2>/dev/null) || break
  files=$(ls "/proc/$pid/fd" 2>/dev/null | wc -l)
  echo "$((SECONDS - began)) ${rss:-0} $files ${threads:-0} $(tree "$pid") $(du -sk "$dir/out" 2>/dev/null | cut -f1) $(find "$dir/out" 2>/dev/null | wc -l) $(find "$dir/tmp" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" >>"$dir/samples"
  sleep 15
done
status=0
wait "$pid" || status=$?

awk 'BEGIN {split("seconds memory_KiB files threads memory_with_servers_KiB out_KiB out_files tmp_entries", name, " ")}
  {n++; for (i = 1; i <= 8; i++) v[n, i] = $i}
  END {
    for (i = 2; i <= 8; i++) {
      sx = sy = sxx = sxy = m = a = b = 0; q = int(n / 4); if (q < 1) q = 1
      for (k = 1; k <= n; k++) {
        if (k <= q) a += v[k, i]; if (k > n - q) b += v[k, i]
        if (k <= n / 10) continue
        x = v[k, 1] / 3600; y = v[k, i]; m++; sx += x; sy += y; sxx += x * x; sxy += x * y
      }
      d = m * sxx - sx * sx
      printf "%-24s first quarter %.0f, last quarter %.0f, slope %.1f an hour\n", name[i], a / q, b / q, d ? (m * sxy - sx * sy) / d : 0
    }
  }' "$dir/samples"
[ -z "$(find "$dir/tmp" -mindepth 1 2>/dev/null)" ] || { echo "left behind: $(ls "$dir/tmp")"; }
"$dir/txweave" campaign status "$dir/out"
"$dir/txweave" campaign audit "$dir/out"
[ "$status" = 1 ] || { echo "campaign-long.sh: the campaign ends with $status: $(tail -1 "$dir/stderr")" >&2; exit 1; }
