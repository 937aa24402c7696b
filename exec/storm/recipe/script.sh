#!/usr/bin/env bash
# {{.Name}} SECONDS [ARGUMENTS OF {{.Client.Name}}]: runs until the answer of a query is wrong, at most so long.
#
# Found by txweave, which this does not need: {{.Finding}}
# A server at its defaults, {{.Isolation}}. Each of {{.Writers}} sessions adds 1 in all to the values of one or two rows{{if .Replaces}}, or to that of one which it replaces{{end}},
# and counts its own transactions; so every snapshot has {{.Keys}} rows, whose values together are the number of transactions, by whatever index it is read.
# What meets that: {{.Meets}}.{{if .LeftOut}}
# Not done here: {{.LeftOut}}.{{end}}
#
# Exit codes: 0 nothing was wrong, 1 something was, 2 no server, or none of its transactions was done.
set -uo pipefail
seconds=${1:-60} seed={{.Seed}} keys={{.Keys}} writers={{.Writers}} d=txweave_storm
shift
dir=$(mktemp -d) || exit 2
client() { {{.Command}} "$@"; }        # ends at the first error: what was open is rolled back
stubborn() { {{.Stubborn}} "$@"; } # goes on
{{if .Settings}}
# settings prints what puts the server's settings back that are changed here, as they were before.
settings() {
  cat "$dir"/was* 2>/dev/null{{range .Heeded}}
  echo {{.}}{{end}}
}
{{end}}
finish() {
  kill $(jobs -p) 2>/dev/null
  wait 2>/dev/null{{if .Settings}}
  settings | stubborn "$@" >/dev/null 2>&1{{end}}
  rm -rf "$dir"
}
trap 'finish "$@"' EXIT

{ {{range .Recreate}}
  echo "{{.}}"{{end}}
} | client "$@" || exit 2
{
  echo "CREATE TABLE t0 (pkey INT PRIMARY KEY, vkey INT NOT NULL, v INT NOT NULL){{.Engine}};"
  echo "CREATE INDEX t0_v ON t0 (v, vkey, pkey);"
  echo "CREATE TABLE counts (session INT PRIMARY KEY, n INT NOT NULL){{.Engine}};"
  for ((i = 0; i < keys; i++)); do echo "INSERT INTO t0 VALUES ($i, 0, 0);"; done
  for ((i = 0; i < writers; i++)); do echo "INSERT INTO counts VALUES ($i, 0);"; done
} | client "$@" {{.Into}} || exit 2
{{range $i, $query := .Settings}}echo {{$query}} | stubborn "$@" 2>/dev/null | sed -n '1s/$/;/p' >"$dir/was{{$i}}"
{{end}}
# over says whether the time is over or something was found.
over() { [ $SECONDS -ge "$seconds" ] || [ -s "$dir/found" ]; }

# writer I prints the transactions of session I, on and on.
writer() {
  while ! over; do
    a=$((RANDOM % keys)) b=$((RANDOM % keys))
    echo "BEGIN;"
    case $((RANDOM % {{if .Replaces}}3{{else}}2{{end}})) in
    0)
      echo "UPDATE t0 SET v = v - 3, vkey = vkey + 1 WHERE pkey = $a;"
      echo "UPDATE t0 SET v = v + 4, vkey = vkey + 1 WHERE pkey = $b;"
      ;;
    1){{if .Abide}}
      echo "{{.Read "$a"}}"
      echo "UPDATE t0 SET v = {{.Kept}} + 1, vkey = vkey + 1 WHERE pkey = $a;"{{else}}
      echo "UPDATE t0 SET v = v + 1, vkey = vkey + 1 WHERE pkey = $a;"{{end}}
      ;;{{if .Replaces}}
    2)
      echo "{{.Lock "$a"}}"
      echo "DELETE FROM t0 WHERE pkey = $a;"
      echo "INSERT INTO t0 VALUES ($a, 0, {{.Kept}} + 1);"
      ;;{{end}}
    esac
    echo "UPDATE counts SET n = n + 1 WHERE session = $1;"
    [ $((RANDOM % 20)) = 0 ] && echo "ROLLBACK;" || echo "COMMIT;"
  done
}

# reader prints transactions that take their snapshot, wait, and look at everything twice.
reader() {
  while ! over; do
    echo "BEGIN; SELECT n FROM counts WHERE session = 0;"
    sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
    for _ in 1 2; do
      echo "SELECT 'seen', COUNT(*), COALESCE(SUM(v), 0) - (SELECT SUM(n) FROM counts) FROM t0;"
      echo "SELECT 'seen', COUNT(*), COALESCE(SUM(v), 0) - (SELECT SUM(n) FROM counts) FROM t0 {{.ByIndex}};"
    done
    echo "COMMIT;"
  done
}

# again KIND I runs what KIND prints, over one connection after another, as each ends at an error.
again() {
  for ((n = 0; ; n++)); do
    over && return
    RANDOM=$((seed * 7 + $2 * 1009 + n))
    { echo "{{.Level}}"; "$1" "$2"; } 2>/dev/null | client "${@:3}" {{.Into}} 2>>"$dir/errors"
    sleep 0.02
  done
}

{{if .Acts}}# act does one thing to the database and undoes it.
act() {
  case $((RANDOM % {{len .Acts}})) in{{range $i, $a := .Acts}}
  {{$i}}){{range $a.Do}}
    echo {{.}}{{end}}{{if or $a.Undo $a.Settings}}
    sleep "0.0$((RANDOM % 6))"{{range $a.Settings}}
    cat "$dir/was{{.}}"{{end}}{{range $a.Undo}}
    echo {{.}}{{end}}{{end}}
    ;;{{end}}
  esac
}

disruption() {
  RANDOM=$((seed + 1))
  until over; do
    act | stubborn "$@" {{.Into}} >/dev/null 2>&1
    sleep "0.0$((RANDOM % 10))"
  done
}

{{end}}{{if .Kills}}# killer ends the statement or the connection of a session.
killer() {
  RANDOM=$((seed + 2))
  until over; do
    id=$(echo "{{.Victim}}" | stubborn "$@" {{.Into}} 2>/dev/null | head -1)
    if [ -n "$id" ]; then
      case $((RANDOM % 2)) in
      0) echo "{{index .Kill 0}}" ;;
      1) echo "{{index .Kill 1}}" ;;
      esac | stubborn "$@" {{.Into}} >/dev/null 2>&1
    fi
    sleep "0.$((RANDOM % 4))"
  done
}

{{end}}# look takes the lines of readers and keeps those that are wrong.
look() { awk -v keys="$keys" -v found="$dir/found" '$1 == "seen" && ($2 != keys || $3 != 0) {print $2 " rows of " keys ", their values off by " $3 >>found; fflush(found)}'; }

for ((i = 0; i < writers; i++)); do again writer $i "$@" >/dev/null & done
for i in 1 2 3; do again reader $((writers + i)) "$@" | look & done
{{if .Acts}}disruption "$@" &
{{end}}{{if .Kills}}killer "$@" &
{{end}}until over; do sleep 0.1; done
after=$SECONDS
sleep 1
kill $(jobs -p) 2>/dev/null
wait 2>/dev/null
{{if .Undo}}{ {{range .Undo}}
  echo {{.}}{{end}}
} | stubborn "$@" {{.Into}} >/dev/null 2>&1
{{end}}transactions=$(echo "SELECT SUM(n) FROM counts;" | client "$@" {{.Into}} | head -1)
{ echo "SELECT 'seen', COUNT(*), COALESCE(SUM(v), 0) - (SELECT SUM(n) FROM counts) FROM t0;"
  echo "SELECT 'seen', COUNT(*), COALESCE(SUM(v), 0) - (SELECT SUM(n) FROM counts) FROM t0 {{.ByIndex}};"; } | client "$@" {{.Into}} >"$dir/end" || echo "the tables cannot be read at the end" >>"$dir/found"
look <"$dir/end"
if [ -s "$dir/found" ]; then
  echo "wrong after $after s and ${transactions:-?} transactions:"
  head -5 "$dir/found"
  exit 1
fi
if ! [ "${transactions:-0}" -gt 0 ] 2>/dev/null; then
  echo "not one transaction was done in $after s; the client said:"
  [ -e "$dir/errors" ] && head -5 "$dir/errors" || echo "nothing"
  exit 2
fi
echo "nothing wrong in $after s, ${transactions:-?} transactions"
