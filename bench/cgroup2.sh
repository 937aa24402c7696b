#!/usr/bin/env bash
# cgroup2.sh [LINUX.UML]: holds the bound of memory against a kernel that has control groups of version 2, which is not the kernel of every
# machine: TestBounded runs in user-mode Linux (Debian's package user-mode-linux, /usr/bin/linux.uml; no root is needed), in a group that
# belongs to it, beside which nobody is, and in one where somebody is. Prints what the test prints.
#
# Exit codes: 0 memory is bounded, 1 it is not, 64 there is no such kernel.
set -euo pipefail
kernel=${1:-linux.uml}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
kernel=$(command -v "$kernel") || { echo "cgroup2.sh: there is no ${1:-linux.uml}: install user-mode-linux, or name one" >&2; exit 64; }
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
CGO_ENABLED=0 go test -c -o "$dir/test" ./campaign/resources
# The kernel's first process; the machine's files are its own, and it changes none but those under $dir.
cat >"$dir/init" <<INIT
#!/bin/bash
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/ TXWEAVE_TEST_GROUP=/sys/fs/cgroup/campaign
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t cgroup2 groups /sys/fs/cgroup
echo "Linux \$(uname -r), control groups of version 2 with \$(cat /sys/fs/cgroup/cgroup.controllers)"
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/campaign
"$dir/test" -test.run TestBounded -test.v
echo \$? >"$dir/status"
sleep 1000 & other=\$!
echo \$other >/sys/fs/cgroup/campaign/cgroup.procs
"$dir/test" -test.run TestBounded >"$dir/shared" 2>&1
grep -o 'other processes are in .*' "$dir/shared" | head -1
[ -n "\$(ls -d /sys/fs/cgroup/campaign/txweave-* 2>/dev/null)" ] && echo 1 >"$dir/status"
echo o >/proc/sysrq-trigger
sleep 10
INIT
chmod +x "$dir/init"
timeout 300 "$kernel" mem=512M rootfstype=hostfs rootflags=/ rw "init=$dir/init" con=null con0=null,fd:1 quiet </dev/null 2>&1 |
  grep -vE '^(SELinux|mmapper|Failed to init|sysrq|reboot|Core dump|Checking|=== RUN)' || true
[ "$(cat "$dir/status" 2>/dev/null)" = 0 ] && grep -q 'other processes are in' "$dir/shared" || { echo "cgroup2.sh: memory is not bounded" >&2; exit 1; }
