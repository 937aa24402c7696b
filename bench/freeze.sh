#!/usr/bin/env bash
# Freezes what a txweave binary does, through its command line alone: two binaries behave the same if what this writes
# about them is the same.
#
#   bench/freeze.sh BINARY OUTDIR [quick|full]     quick: SQLite, a minute; full (default): also MariaDB, 3 to 6 minutes
#   bench/freeze.sh --histories BINARY DIR         collects the inputs of FREEZE_HISTORIES, once
#   diff -r OUTDIR1 OUTDIR2
#
# FREEZE_HISTORIES names a folder of histories, certificates, cases and findings, so that both runs read the same files
# wherever the repository keeps them. Unset, they are taken from the testdata of this checkout, without storms.
#
# Taken out as not deterministic: times, dates, speeds, memory, revision stamps, temporary paths, lines of progress; on
# MariaDB what depends on when a statement wakes, and of recorded traces the order of the findings (see there). Not frozen:
# storm, bench and whatever else runs at full speed; MySQL and TiDB but for their generated cases. The versions of the
# engines are kept: they belong to the machine.
set -euo pipefail
export LC_ALL=C TZ=UTC

usage() { sed -n '5,7s/^# *//p' "$0" >&2; exit 64; }

collect=no
if [[ ${1-} == --histories ]]; then collect=yes; shift; fi
[[ $# == 2 || $# == 3 && $collect == no ]] || usage
mode=${3-full}
[[ $mode == quick || $mode == full ]] || usage
txweave=$(realpath "$1")
[[ -x $txweave ]] || { echo "$1 is no program" >&2; exit 64; }
[[ ! -e $2 || -z $(ls -A "$2") ]] || { echo "$2 is not empty" >&2; exit 64; }
mkdir -p "$2"
out=$(realpath "$2")
root=$(realpath "$(dirname "$0")/..")
for tool in jq gawk sha256sum; do command -v $tool >/dev/null || { echo "needs $tool" >&2; exit 69; }; done
if [[ $mode == full && $collect == no ]]; then command -v mariadbd >/dev/null || { echo "full needs mariadbd" >&2; exit 69; }; fi

# Every job is a process group of its own, so that the end of this script ends the servers that its jobs started, and
# nothing else.
set -m
work=$(mktemp -d)
finish() {
  local pid
  for pid in $(jobs -p); do kill -- "-$pid" 2>/dev/null || true; done
  wait || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# job runs a function beside this script, two at a time. One that fails ends all, by set -e. Each has a folder of its own
# for temporary files, too: a MariaDB that starts removes the temporary tables that it finds there, also of others.
running=0 jobs=0
job() {
  if ((running == 2)); then wait -n; running=1; fi
  running=$((running + 1)) jobs=$((jobs + 1))
  (mkdir -p "$work/$jobs/tmp" && cd "$work/$jobs" && TMPDIR=$PWD/tmp "$@") &
}
settle() { while ((running > 0)); do wait -n; running=$((running - 1)); done; }

# clean takes out of a text what differs from run to run.
clean() {
  sed -E \
    -e "s#$work[^ \"',;)]*/#/#g" \
    -e 's/"(elapsed_s|cases_per_minute|parse_s|check_s|peak_mib|seconds|elapsed_ns)": ?[0-9.e+-]+,?//g' \
    -e 's/"start": ?[0-9]+, ?"end": ?[0-9]+,//g' \
    -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)/DATE/g' \
    -e 's/(txweave [0-9.]+) \([^)]*\)/\1/g' \
    -e 's/ in [0-9.]+ s\b/ in … s/g' -e 's/[0-9.]+ (MiB|a minute)/… \1/g' \
    -e 's/, (read|checked) in … s//g' -e 's/, after [0-9.]+m?s\b//g'
}

# status prints what a command prints, and its exit code: here findings are no failures.
status() {
  local code=0
  "$@" 2>&1 || code=$?
  echo "exit $code"
}

# run does that for a file, standard error last, without the lines of progress.
run() {
  local file=$out/$1 code=0
  shift
  mkdir -p "$(dirname "$file")"
  "$@" >stdout 2>stderr || code=$?
  { clean <stdout; clean <stderr | grep -v ' cases/min\|^[0-9hms]*s  ' || true; echo "exit $code"; } >"$file"
}

# counts is run for the summary that fuzz and detect print as an object: one line a counter, so that diff shows it.
counts() {
  local file=$out/$1 filter=$2 code=0
  shift 2
  mkdir -p "$(dirname "$file")"
  "$@" >stdout 2>stderr || code=$?
  { jq "del(.elapsed_s, .cases_per_minute) | $filter" stdout; echo "exit $code"; } >"$file"
}

# keep copies all files of a folder, cleaned.
keep() {
  local file
  (cd "$1" && find . -type f) | sort | while read -r file; do
    mkdir -p "$(dirname "$out/$2/$file")"
    clean <"$1/$file" >"$out/$2/$file"
  done
}

levels() {
  case $1 in
  sqlite) echo serializable ;;
  mariadb) echo read-uncommitted read-committed repeatable-read snapshot serializable ;;
  mysql) echo read-uncommitted read-committed repeatable-read serializable ;;
  tidb) echo read-committed repeatable-read optimistic ;;
  esac
}

# pick takes the value for quick or the one for full.
pick() { if [[ $mode == quick ]]; then echo "$1"; else echo "$2"; fi; }

# 1. Generated cases: a line a case, with its hash.
generated() { # TARGET
  local level seed case
  for level in $(levels "$1"); do
    for seed in 1 7 9112035567314; do
      for ((case = 0; case < $(pick 4 20); case++)); do
        echo "$1 $level $seed $case $("$txweave" gen --target "$1" --isolation "$level" --seed "$seed" --case "$case" | sha256sum | cut -c1-32)"
      done
    done
  done >"$out/gen-$1.txt"
}

# 2. Campaigns on SQLite, clean and with each planted bug. One worker: the order of the cases, and of what they share, is
# then fixed. Without reduction, which a campaign does beside its cases and bounds by time.
campaign() { # SEED
  counts "fuzz/sqlite-$1.json" . "$txweave" fuzz --cases "$(pick 200 3000)" --seed "$1" --format json --no-reduce --out found
  run "fuzz/sqlite-$1.txt" "$txweave" fuzz --cases 40 --seed "$1" --orders 3 --precision exact --no-reduce --out found
}
planted() { # BUG...
  local bug
  for bug; do
    counts "planted/$bug/summary.json" . "$txweave" fuzz --cases "$(pick 5 15)" --seed 5 --faults "$bug" --flood 0 --format json --no-reduce --out "$bug"
    [[ ! -d $bug ]] || keep "$bug" "planted/$bug"
    [[ ! -d $bug ]] || run "planted/$bug/bugs.txt" "$txweave" bugs list --out "$bug"
  done
}
bugs() { { "$txweave" fuzz --cases 1 --faults none-of-them 2>&1 || true; } | sed -n 's/.*(there are \(.*\))$/\1/p' | tr -d ,; }

# 3. Campaigns on MariaDB: what does not depend on the moment at which a statement that waits wakes. That decides which
# statements wait or deadlock, so what survives, and the edges; and an interval of time is part of some summaries.
on_mariadb() { # LEVEL
  local filter='{cases, cases_checked, generated: .statements.generated, flaky, known, paused, bugs: [.bugs[] | {id, count, signature}], findings}'
  counts "fuzz/mariadb-$1.json" "$filter" \
    "$txweave" fuzz --target mariadb --isolation "$1" --cases 300 --seed 3 --format json --no-reduce --out found
  counts "fuzz/mariadb-$1-planted.json" "$filter" \
    "$txweave" fuzz --target mariadb --isolation "$1" --cases 12 --seed 5 --faults weaker-level,no-row-lock,lost-row,lost-commit \
    --flood 0 --format json --no-reduce --out planted
}

# 4. How soon planted bugs are found.
detected() {
  counts detect.json 'del(.faults[].seconds)' "$txweave" detect --budget "$(pick 20 100)" --seeds 1 --format json
}

# 5. Histories: each by itself, as what it is found to be (traces go to the mechanism oracle), then those that are
# histories of registers at every level, with and without session order. One that cannot be read would end that command.
#
# Of recorded traces the kinds of findings are kept, stale and unwritten versions as one: which of the two a version is,
# if the oracle may have forgotten it meanwhile, and which findings come first, depends on how fast it was fed.
kinds() { if [[ $1 == storm-* ]]; then sed 's/: \(stale-read\|unwritten-version\) /: old-version /' | grep -v '^  ' | sort -u; else cat; fi; }
checked() {
  local level order history claim claims=('mariadb repeatable-read' 'postgresql serializable' 'tidb optimistic') readable=()
  [[ $mode == full ]] || claims=()
  cd "$inputs/histories"
  for history in *; do
    echo "== $history"
    status "$txweave" check --limit 100000 "$history" | kinds "$history"
    [[ $history != *trace* ]] || for claim in "${claims[@]}"; do
      echo "-- $claim"
      status "$txweave" check --oracle mechanism --dbms "${claim% *}" --isolation "${claim#* }" --limit 100000 "$history" | kinds "$history"
    done
    echo "-- rc"
    status "$txweave" check --level rc "$history"
  done | clean >"$out/check-each.txt"
  mapfile -t readable < <(awk '/^== / { name = $2; level = "" } /^-- /{ level = $2 } /^exit / && level == "rc" && $2 != 64 { print name }' "$out/check-each.txt")
  for level in rc ra tcc si ser sser lin; do
    for order in true false; do
      status "$txweave" check --level $level --session-order=$order --format-out json "${readable[@]}" | clean >"$out/check-$level-session-order-$order.txt"
    done
  done
}
certified() {
  local certificate history args ways=('--level ser' '--level si' '--level ser --order commit' '--level si --order commit'
    '--level ser --matches database --target sqlite')
  [[ $mode == full ]] || ways=('--level ser' '--level si --order commit')
  cd "$inputs/certificates"
  for certificate in *.certificate; do
    history=${certificate%.certificate}
    for args in "${ways[@]}"; do
      echo "== $history $args"
      # shellcheck disable=SC2086
      status "$txweave" check $args --certificate "$certificate" "$history"
    done
  done | clean >"$out/certificates.txt"
}

# 6. Phenomena of the woven cases.
phenomena() { # TARGET
  cd "$inputs/cases"
  status "$txweave" phenomena --explain --target "$1" ./*.txw | clean >"$out/phenomena-$1.txt"
}

# 7. Single cases and findings.
replayed() { # TARGET
  local case level
  for level in $(levels "$1"); do
    for ((case = 0; case < $(pick 8 20); case++)); do
      "$txweave" gen --target "$1" --isolation "$level" --seed 11 --case "$case" >case.txw
      run "replay/$1-$level-$case.txt" "$txweave" replay case.txw
      [[ $1 == sqlite ]] || continue
      run "replay/$1-$level-$case-history.txt" "$txweave" replay case.txw --history history --certificate certificate
      sed -E 's/"(start|end|commit)":[0-9]+,?//g' history certificate >>"$out/replay/$1-$level-$case-history.txt"
    done
  done
}
reduced() { # BUG
  "$txweave" fuzz --cases 6 --seed 5 --faults "$1" --flood 0 --no-reduce --out found >/dev/null 2>&1 || true
  local finding
  finding=$(find found -name 'finding-*' | sort | head -1)
  run "reduce/$1/summary.json" "$txweave" reduce "$finding" --faults "$1" --attempts 300 --format json
  keep "$finding/reduced" "reduce/$1"
  written "reduce-$1" "$finding"
}
written() { # NAME FINDING
  local to
  for to in mysql mariadb tidb postgresql sqlite html; do run "report/$1-$to.txt" "$txweave" report "$2" --for $to; done
  for to in mtr tidb isolation-spec go; do run "export/$1-$to.txt" "$txweave" export "$2" --to $to; done
  run "export/$1-sql.txt" "$txweave" export "$2" --to sql -o scripts
  [[ ! -d scripts ]] || keep scripts "export/$1-sql"
  rm -rf scripts
}
recorded() {
  local finding
  cp -r "$inputs/findings" .
  for finding in findings/*; do written "$(basename "$finding")" "$finding"; done
}
imported() {
  local report target
  cp -r "$inputs/reports" .
  for report in reports/*; do
    for target in sqlite mariadb; do run "import/$(basename "$report")-$target.txt" "$txweave" import "$report" --target $target; done
  done
}
helped() {
  local command
  for command in '' bench bugs check detect export fuzz gen import phenomena reduce replay report storm verify version; do
    # shellcheck disable=SC2086
    run "help/${command:-txweave}.txt" "$txweave" $command --help
  done
}

# histories FILE DIR takes the histories out of a file of test data. Each is named for the file and its own text, so that
# it does not matter where that file is: blocks that end at "----", and files of a txtar archive.
histories() {
  gawk -v base="$(basename "$1" .txtar)" -v dir="$2" -v archive="$([[ $1 == *.txtar ]] && echo 1)" '
    function name(text, suffix,    sum) { # a hash by hand: it only has to tell texts apart
      sum = 5381
      for (n = 1; n <= length(text); n++) sum = (sum * 33 + index(codes, substr(text, n, 1))) % 4294967296
      return sprintf("%s-%08x%s", base, sum, suffix)
    }
    function value(v) { sub(/\[/, "", v); return v == "nil" ? "null" : v }
    # T1 s0 10-20 unknown: R(x, 0) W(x, 1) R(l, [1 2]) R(x) != 5 A(l, 3)
    function transaction(line,    head, rest, w, k, m, ops, status, session, txn, times) {
      rest = line; sub(/^[^:]*: ?/, "", rest)
      split(substr(line, 1, index(line, ":") - 1), w, " ")
      status = "committed"; times = ""; session = "null"; txn = 0
      for (k in w) {
        if (w[k] ~ /^T[0-9]+$/) txn = substr(w[k], 2)
        else if (w[k] ~ /^s[0-9]+$/) session = substr(w[k], 2)
        else if (w[k] ~ /^[0-9]+-[0-9]+$/) { split(w[k], m, "-"); times = sprintf("\"start\":%s,\"end\":%s,", m[1], m[2]) }
        else if (w[k] != "init") status = w[k]
      }
      if (txn == 0 && real) times = "\"start\":0,\"end\":0,"
      ops = ""
      while (match(rest, /^([RWA])\(([^,)]+)(, ([^)]*))?\)( != (-?[0-9]+))? ?/, m)) {
        rest = substr(rest, RLENGTH + 1)
        if (m[6] != "") k = sprintf("[\"!\",\"%s\",%s]", m[2], m[6])
        else if (m[4] ~ /^\[/) { gsub(/ /, ",", m[4]); k = sprintf("[\"l\",\"%s\",%s]", m[2], m[4]) }
        else k = sprintf("[\"%s\",\"%s\",%s]", tolower(m[1]), m[2], value(m[4]))
        ops = ops (ops == "" ? "" : ",") k
      }
      return sprintf("{\"txn\":%s,\"session\":%s,\"status\":\"%s\",%s\"ops\":[%s]}\n", txn, session, status, times, ops)
    }
    function write(folder, file, text) { printf "%s", text >(dir "/" folder "/" file); close(dir "/" folder "/" file) }
    function block(    k, count, lines, text, proof, initial, file) {
      if (body == "") return
      if (directive ~ /^read/) { write("histories", name(body, ""), body); return }
      if (directive !~ /^check/ || body !~ /(^|\n)T[0-9]+ s[0-9]+[^\n]*:/) return
      count = split(body, lines, "\n")
      real = body ~ /(^|\n)T[0-9]+ s[0-9]+ [0-9]+-/
      for (k = 1; k < count; k++) {
        if (lines[k] ~ /^(init|T[0-9]+).*:/) text = text transaction(lines[k])
        else if (lines[k] ~ /^initial-value /) initial = ",\"initial\":" substr(lines[k], 15)
        else if (lines[k] ~ /^\{/) proof = proof lines[k] "\n"
      }
      text = sprintf("{\"format\":\"txweave-history\",\"version\":1,\"real_time\":%s%s}\n", real ? "true" : "false", initial) text
      file = name(text proof, ".jsonl")
      write(proof == "" ? "histories" : "certificates", file, text)
      if (proof != "") write("certificates", file ".certificate", "{\"format\":\"txweave-certificate\",\"version\":1,\"source\":\"a test\"}\n" proof)
    }
    function section() {
      if (member ~ /\.sql$/) write("reports", name(body, "-" member), body)
      else if (member ~ /\.(txt|edn|jsonl|json)$/) write("histories", name(body, "-" member), body)
    }
    BEGIN { for (n = 1; n < 256; n++) codes = codes sprintf("%c", n) }
    archive && /^-- .* --$/ { section(); member = $2; gsub("/", "_", member); body = ""; next }
    archive { body = body $0 "\n"; next }
    $0 == "----" { block(); body = directive = ""; answer = 1; next }
    $0 == "" { body = directive = ""; answer = 0; next }
    answer || /^# / && directive == "" { next }
    directive == "" { directive = $0; next }
    { body = body $0 "\n" }
    END { if (archive) section() }
  ' "$1"
}

# gather fills a folder with the inputs of 5 to 7.
gather() { # DIR
  local file
  mkdir -p "$1"/{histories,certificates,cases,findings,reports}
  find "$root" -path '*/testdata/*' -type f ! -name '*.[0-9]*' | sort | while read -r file; do
    case $file in
    */findings/*/*) mkdir -p "$1/findings/$(basename "$(dirname "$file")")" && cp "$file" "$_" ;;
    *.txw) ;;
    *) histories "$file" "$1" ;;
    esac
  done
  cp "$root"/docs/hermitage/*.txw "$1/cases"
}

# storms adds what sessions at full speed did, which is another history each time: recorded once.
storms() { # DIR
  local workload bug name flags
  for workload in blindw-w blindw-rw blindw-rw+ smallbank ycsb-a tpcc random-sql mini cas; do
    for bug in '' lost-commit stale-snapshot dirty-write; do
      name=storm-$workload${bug:+-$bug}
      flags=(--workload $workload --keys 50 --sessions 4 --duration 60ms ${bug:+--faults $bug})
      "$txweave" storm "${flags[@]}" --trace "$1/histories/$name-trace.jsonl" || true
      "$txweave" storm "${flags[@]}" --history "$1/histories/$name.jsonl" || true
      "$txweave" storm "${flags[@]}" --history "$1/certificates/$name.jsonl" --certificate "$1/certificates/$name.jsonl.certificate" || true
    done
  done >/dev/null 2>&1 # a workload that has no history, or no certificate, leaves no file
}

if [[ $collect == yes ]]; then
  cd "$work"
  gather "$out"
  storms "$out"
  find "$out" -type f | wc -l
  exit
fi

inputs=${FREEZE_HISTORIES:+$(realpath "$FREEZE_HISTORIES")}
if [[ -z $inputs ]]; then
  inputs=$work/inputs
  gather "$inputs"
fi

# The long ones first, so that both processors are busy until the end.
if [[ $mode == full ]]; then
  for level in $(levels mariadb); do job on_mariadb "$level"; done
  job replayed mariadb
  job phenomena mariadb
fi
job campaign 1
job campaign 2
names=$(bugs)
echo "$names" >"$out/bugs.txt"
# shellcheck disable=SC2086
set -- $names
while (($# > 0)); do
  job planted "${@:1:10}"
  shift $(($# < 10 ? $# : 10))
done
job checked
for target in mariadb mysql tidb sqlite; do job generated $target; done
job certified
job detected
job phenomena sqlite
job replayed sqlite
for bug in lost-row update-other-rows wrong-own-aggregate; do job reduced $bug; done
job recorded
job imported
job helped
settle
