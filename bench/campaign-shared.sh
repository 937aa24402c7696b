#!/usr/bin/env bash
# campaign-shared.sh STORE [TIMES] [PARTS]: PARTS processes (6), each with a directory of its own, share the campaign in the database at
# STORE and are killed with SIGKILL at random, TIMES times in all (200). Then each runs to the end of its part, and "campaign audit"
# finds every case number counted once, no finding doubled and none lost. STORE is the URL of an empty database on a real server
# (postgres://… or mysql://…), or postgresql or mariadb: then a server of that kind is started for it, and ended.
# TXWEAVE names the binary to use; left out, it is built.
#
# Exit codes: 0 all well, 1 a campaign that is not, 64 wrong arguments, 70 the script's own.
set -euo pipefail
url=${1:-} times=${2:-200} parts=${3:-6}
[ -n "$url" ] || { echo "usage: campaign-shared.sh STORE [TIMES] [PARTS]" >&2; exit 64; }
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
server= data=
clean() {
  for p in "${pids[@]-}"; do [ -z "$p" ] || kill -9 "$p" 2>/dev/null || true; done
  [ -z "$data" ] || own "$bin/pg_ctl" -D "$data" -m immediate stop >/dev/null 2>&1 || true
  if [ -n "$server" ]; then kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
pids=()
trap clean EXIT

# own COMMAND…: runs it as the user of the server: PostgreSQL refuses to run as root.
own() { if [ "$(id -u)" = 0 ]; then runuser -u nobody -- "$@"; else "$@"; fi; }

# await COMMAND…: until it succeeds, for at most 30 s.
await() {
  for _ in $(seq 60); do if "$@" >/dev/null 2>&1; then return 0; fi; sleep 0.5; done
  echo "campaign-shared.sh: the server does not answer: $(tail -1 "$work/server.log")" >&2
  exit 70
}

case $url in
postgresql)
  bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
  chmod 711 "$work"
  mkdir -p "$work/db"
  [ "$(id -u)" != 0 ] || chown nobody "$work/db"
  own "$bin/initdb" -D "$work/db/data" -U store -A trust -E UTF8 --locale=C >/dev/null
  data=$work/db/data
  own "$bin/postgres" -D "$data" -k "$work/db" -c listen_addresses= -c fsync=off >"$work/server.log" 2>&1 &
  await "$bin/psql" -h "$work/db" -U store -d postgres -c 'CREATE DATABASE store'
  url="postgres://store@/store?host=$work/db"
  ;;
mariadb)
  mkdir "$work/db"
  mariadb-install-db --no-defaults --datadir="$work/db" --auth-root-authentication-method=normal >/dev/null 2>&1
  mariadbd --no-defaults --user="$(id -un)" --datadir="$work/db" --socket="$work/db/s" --skip-networking --innodb-flush-log-at-trx-commit=2 --innodb-log-file-size=16M >"$work/server.log" 2>&1 &
  server=$!
  await mariadb -S "$work/db/s" -u root -e 'CREATE DATABASE store'
  url="mysql://root@localhost/store?socket=$work/db/s"
  ;;
esac

if [ -n "${TXWEAVE:-}" ]; then cp "$TXWEAVE" "$work/txweave"; else go build -o "$work/txweave" ./cmd/txweave; fi
export STORE=$url TMPDIR=$work/tmp
mkdir "$work/tmp"
cases=$((times * 2))
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
pids=()
"$work/txweave" campaign audit --store env:STORE "$work/looking"
"$work/txweave" campaign status --store env:STORE "$work/looking" --format json >"$work/status"
grep -q "\"cases_checked\": $cases" "$work/status" || { echo "campaign-shared.sh: not all of $cases cases are checked: $(cat "$work/status")" >&2; exit 1; }
echo "$parts processes, $killed killed, $(grep -o '"cases_checked": [0-9]*\|"bugs": [0-9]*\|"findings": [0-9]*' "$work/status" | tr '\n' ' ')"
