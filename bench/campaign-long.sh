#!/usr/bin/env bash
# campaign-long.sh [DURATION] [DIR]: runs a campaign of eight cells (fuzz, storm and detect on SQLite, MariaDB and PostgreSQL, one of
# them with planted bugs so that findings arrive all the time) for DURATION (2h) in DIR (a new directory), and looks every 15 s at what
# it takes: resident memory of txweave's own process, what it has asked for (anonymous) and what of files it has touched (its own text, mostly)
# apart, its open files and threads, memory of it with all its servers, what --out and the directory for temporary files hold.
#
# What is taken swings with the cell whose turn it is, by more than any slope. So the samples are put together by rounds, in each of which every
# cell has its turn: of each round counts the mean, and of anonymous memory also the least, which is what stays when a turn is over. Prints the
# first and the last quarter's means of the rounds, and the slope an hour of a line through them with its standard error; the first tenth of the
# time is left out. Then it audits the campaign. The samples stay in DIR/samples.
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
  anon=$(awk '/^RssAnon/ {print $2}' "/proc/$pid/status" 2>/dev/null) || break
  mapped=$(awk '/^RssFile/ {print $2}' "/proc/$pid/status" 2>/dev/null) || break
  threads=$(awk '/^Threads/ {print $2}' "/proc/$pid/status" 2>/dev/null) || break
  files=$(ls "/proc/$pid/fd" 2>/dev/null | wc -l)
  [ -z "$anon" ] || echo "$((SECONDS - began)) $anon $mapped $files ${threads:-0} $(tree "$pid") $(du -sk "$dir/out" 2>/dev/null | cut -f1) $(find "$dir/out" 2>/dev/null | wc -l) $(find "$dir/tmp" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" >>"$dir/samples"
  sleep 15
done
status=0
wait "$pid" || status=$?

round=660 # seconds: seven turns of 90 s and one of 30 s
awk -v round="$round" 'BEGIN {split("seconds anonymous_KiB mapped_KiB files threads memory_with_servers_KiB out_KiB out_files tmp_entries least_anonymous_KiB", name, " ")}
  {last = $1; n++; for (i = 1; i <= 9; i++) v[n, i] = $i}
  END {
    m = int((last - last / 10) / round) # rounds, counted from the end
    if (m < 3) {print "too short for a slope: want three rounds of " round " s"; exit}
    for (k = 1; k <= n; k++) {
      r = m - int((last - v[k, 1]) / round)
      if (r < 1) continue
      c[r]++; at[r] += v[k, 1] / 3600
      for (i = 2; i <= 9; i++) s[r, i] += v[k, i]
      if (!(r in least) || v[k, 2] < least[r]) least[r] = v[k, 2]
    }
    for (r = 1; r <= m; r++) {at[r] /= c[r]; for (i = 2; i <= 9; i++) s[r, i] /= c[r]; s[r, 10] = least[r]}
    q = int(m / 4); if (q < 1) q = 1
    for (i = 2; i <= 10; i++) {
      sx = sy = sxx = sxy = a = b = left = 0
      for (r = 1; r <= m; r++) {
        y = s[r, i]; if (r <= q) a += y; if (r > m - q) b += y
        sx += at[r]; sy += y; sxx += at[r] * at[r]; sxy += at[r] * y
      }
      d = sxx - sx * sx / m; slope = (sxy - sx * sy / m) / d
      for (r = 1; r <= m; r++) left += (s[r, i] - sy / m - slope * (at[r] - sx / m)) ^ 2
      printf "%-24s first quarter %.0f, last quarter %.0f, slope %.1f an hour, standard error %.1f (%d rounds)\n", name[i], a / q, b / q, slope, sqrt(left / (m - 2) / d), m
    }
  }' "$dir/samples"
[ -z "$(find "$dir/tmp" -mindepth 1 2>/dev/null)" ] || { echo "left behind: $(ls "$dir/tmp")"; }
"$dir/txweave" campaign status "$dir/out"
"$dir/txweave" campaign audit "$dir/out"
[ "$status" = 1 ] || { echo "campaign-long.sh: the campaign ends with $status: $(tail -1 "$dir/stderr")" >&2; exit 1; }
