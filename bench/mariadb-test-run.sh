#!/bin/sh
# Runs an exported mtr test under MariaDB's own test runner, as its project does: once to record what it answers, once more
# to compare with that. Needs Debian's mariadb-test, perl and MariaDB's server; nothing is written beside a temporary directory.
#
#   txweave export B1 --to mtr -o case.test && bench/mariadb-test-run.sh case.test
set -eu
test=$(realpath "$1")
from=/usr/share/mysql/mysql-test
[ -f $from/mariadb-test-run.pl ] || { echo "$0: $from/mariadb-test-run.pl is not there: install mariadb-test" >&2; exit 69; }
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# The runner takes tests of its own tree only: this is one of links, with a suite more.
mkdir -p "$tree/usr/share/mysql/mysql-test/suite/txweave/t"
for dir in bin sbin lib share/mariadb; do ln -s "/usr/$dir" "$tree/usr/$dir"; done
for part in /usr/share/mysql/* $from/* $from/suite/*; do
	[ -e "$tree$part" ] || ln -s "$part" "$tree$part"
done
cp "$test" "$tree$from/suite/txweave/t/exported.test"

cd "$tree$from"
for how in --record --force; do
	perl ./mariadb-test-run.pl --vardir="$tree/var" --suite=txweave $how exported
done
