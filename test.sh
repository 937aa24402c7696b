#!/usr/bin/env bash
# Runs the project's checks. The integration tests start their own MariaDB and PostgreSQL servers; their packages are
# installed first where they are missing and apt-get can.
#
#   ./test.sh          the quick run: formatting, vet, staticcheck, cognitive complexity, every test in its short form, and
#                      the packages that have goroutines once more with the race detector; 12 minutes of processor time
#   ./test.sh --all    everything: all linters, every test in full, the race detector also on servers, then the tests that
#                      need TiDB, which is built once (about 8 minutes of processor time and 310 MB of downloads: it stays
#                      in the user's cache), and some of bench/mutants
#
# Exit codes: 0 all well, 64 wrong arguments, 69 something needed is missing, otherwise that of the check that failed.
set -euo pipefail
all=no
case "$*" in
  "") ;;
  --all) all=yes ;;
  *) echo "usage: ./test.sh [--all]" >&2; exit 64 ;;
esac
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
export PATH="$PATH:/usr/sbin:/usr/libexec"
export TXWEAVE_REQUIRE_SERVERS=1 # a test that needs a server fails without one, instead of being skipped

# step NAME COMMAND...: runs one check and says how long it took.
step() {
  local name=$1 started=$SECONDS status=0
  shift
  echo "== $name"
  "$@" || status=$?
  if [ "$status" -ne 0 ]; then
    echo "== $name: FAILED with status $status after $((SECONDS - started)) s"
    exit "$status"
  fi
  echo "== $name: ok, $((SECONDS - started)) s"
}

has() { command -v "$1" >/dev/null 2>&1; }

# as_root COMMAND...: fails where that would need a password.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

# requirements installs what is missing, or says what to install.
requirements() {
  local packages=() missing=() cc postgresql=no
  if ! has go; then
    echo "test.sh: Go 1.26 or newer is missing: https://go.dev/doc/install" >&2
    return 69
  fi
  cc=$(go env CC)
  if ! has mariadbd; then
    missing+=("the MariaDB server (mariadbd)")
    packages+=(mariadb-server-core mariadb-client-core) # these start no service
  fi
  if ! has mysqltest; then
    missing+=("mysqltest, which runs exported tests")
    packages+=(mariadb-test) # depends on mariadb-server, whose service the tests do not need
  fi
  if ! has chromium && ! has chromium-browser && ! has google-chrome; then
    missing+=("chromium, which draws findings' pages")
    packages+=(chromium)
  fi
  if ! has sqlite3; then
    missing+=("sqlite3, which runs exported scripts")
    packages+=(sqlite3)
  fi
  if ! has systemd-analyze; then
    missing+=("systemd-analyze, which reads the unit")
    packages+=(systemd) # not started
  fi
  if ! compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null ||
    ! compgen -G "/usr/lib/postgresql/*/lib/pgxs/src/test/isolation/isolationtester" >/dev/null; then
    missing+=("PostgreSQL with its isolationtester, which runs exported specs")
    packages+=(postgresql)
    postgresql=yes
  fi
  if ! has "${cc%% *}"; then
    missing+=("a C compiler ($cc), for the race detector")
    packages+=(gcc libc6-dev)
  fi
  [ "${#missing[@]}" -gt 0 ] || return 0
  printf 'missing: %s\n' "${missing[@]}"
  if has apt-get && as_root true 2>/dev/null; then
    if [ "$postgresql" = yes ] && [ ! -e /etc/postgresql-common ]; then # no cluster of its own, no service
      as_root mkdir -p /etc/postgresql-common/createcluster.d &&
        echo "create_main_cluster = false" | as_root tee /etc/postgresql-common/createcluster.d/no-main.conf >/dev/null
    fi
    as_root apt-get -qq update &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${packages[@]}" &&
      return 0
    echo "test.sh: apt-get could not install ${packages[*]}" >&2
  fi
  cat >&2 <<HELP
test.sh: install them and run it again, for example:
  Debian, Ubuntu:  sudo apt-get install --no-install-recommends ${packages[*]}
  Fedora:          sudo dnf install mariadb-server mariadb-test chromium gcc sqlite
  macOS:           brew install mariadb; brew install --cask chromium; xcode-select --install
mariadbd must be in PATH, /usr/sbin or /usr/libexec, PostgreSQL where Debian puts it, below /usr/lib/postgresql. No service needs to run.
HELP
  return 69
}

# formatted fails and lists the files that gofmt would change.
formatted() {
  local files
  files=$(gofmt -l .) || return
  [ -z "$files" ] && return
  printf 'not formatted (run gofmt -w on them):\n%s\n' "$files"
  return 1
}

tool="go tool -modfile=internal/tools/go.mod" # pinned there

# unused fails for what only tests call: that has its room, internal/testkit. The exceptions are texts of values for people who
# debug, and package sql's methods that only mark what a node is, what tells goldens a tree, and the node that no reader makes.
unused() {
  local dead
  dead=$($tool deadcode ./cmd/txweave ./bench/mutants ./bench/freeze) || return
  dead=$(grep -vE '^internal/testkit/|^sql/(node|fields)\.go|unreachable func: (\w+\.String|Opaque\.print)$' <<<"$dead" || true)
  [ -z "$dead" ] && return
  printf 'nothing calls these but tests:\n%s\n' "$dead"
  return 1
}

# complex fails for functions of more than cognitive complexity 20, and where that cannot be told.
complex() {
  $tool gocognit -over 20 -ignore '_test\.go$' . 2> >(grep -v '^gocognit: note:' >&2) && return
  echo 'no function is to be harder to follow than cognitive complexity 20'
  return 1
}

manifests() { go -C deploy/testdata/manifests vet ./... && go -C deploy/testdata/manifests test ./...; }

# Packages in which goroutines share something: the race detector is of no use elsewhere, and makes tests five to twenty
# times slower. Of some there is a server behind the goroutines, or one goroutine does nearly all of the work: these are
# left to the full run. A limit of time ends what hangs; no test is to fail because the machine is slow.
raced=(./campaign ./campaign/notify ./campaign/resources ./campaign/rotation ./campaign/store ./checker/parts ./exec ./exec/storm ./internal/graph
  ./history ./internal/output ./oracle/mechanism)
raced_seldom=(./campaign/database ./campaign/running ./campaign/site ./campaign/worker ./dbms/postgresql ./dbms/sqlite
  ./exec/storm/verdict ./gen/workload ./gen/guide ./history/format)
# Without tables for debuggers a test is linked in two thirds of the time. Many wait for servers, so that more packages
# are tested at once than there are processors.
tests="go test -vet=off -ldflags=-s -shuffle=on -timeout 60m -p $(($(getconf _NPROCESSORS_ONLN) + 2))"

step "requirements" requirements
step "gofmt" formatted
step "go vet" go vet ./...
step "staticcheck" $tool staticcheck ./...
step "cognitive complexity" complex
if [ "$all" = no ]; then
  step "go test, short" $tests -short ./...
  step "go test, short, with the race detector" $tests -short -race "${raced[@]}"
  exit
fi
step "errorlint" $tool go-errorlint ./...
step "deadcode" unused
step "manifests" manifests
step "go test" $tests ./...
step "go test, short, with the race detector" $tests -short -race "${raced[@]}" "${raced_seldom[@]}"
step "commands with the race detector" $tests -short -race -run 'Scripts/.*(storm|certificate|planted|private|dsn)' ./cmd/txweave
step "go vet, with TiDB" go vet -tags tidb ./exec ./campaign/worker ./cmd/txweave
step "TiDB: build" go test -tags tidb -timeout 60m -run TestBuild ./dbms/tidb
step "TiDB: tests" $tests -tags tidb -run TiDB ./exec ./campaign/worker ./cmd/txweave
step "mutants of SQLite, some" bench/mutants/run.sh --short
