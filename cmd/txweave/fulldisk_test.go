package main

import (
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"txweave/campaign/database"
	"txweave/finding"
	"txweave/internal/testkit/need"
)

// onSmallDisk runs a command, "$@", while $DISK is a file system of $SIZE, and copies what is on it to $COPY, as the
// file system is gone with the namespace in which this runs. Its exit code is the command's.
const onSmallDisk = `
mount -t tmpfs -o size="$SIZE" none "$DISK" || exit 99
status=0
"$@" || status=$?
cp -R "$DISK/." "$COPY" || exit 98
exit $status
`

// inNamespace lets a command mount what it alone sees, which takes no rights where users may have namespaces of their
// own.
func inNamespace(cmd *osexec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

// TestFullDisk: a disk that is full, at whichever moment, ends a campaign with one line that says so. What had been
// counted is there, whole, and the campaign that has room again goes on with it.
func TestFullDisk(t *testing.T) {
	probe := osexec.Command("true")
	if inNamespace(probe); probe.Run() != nil {
		need.Missing(t, "no namespaces for users: nothing can be mounted")
	}
	ended, sizes := 0, []string{"300k", "700k", "24k", "560k", "140k", "900k"}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for i, size := range sizes {
		how := [][]string{{"--reduce-time", "200ms"}, {"--no-reduce"}}[i%2]
		t.Run(size+how[0], func(t *testing.T) {
			if fillDisk(t, size, how) {
				ended++
			}
		})
	}
	if 3*ended < 2*len(sizes) {
		t.Errorf("the disk ended %d campaigns of %d: the others check nothing", ended, len(sizes))
	}
}

// fillDisk runs a campaign on a small disk, and another one where there is room, and says whether the first one was
// ended by the disk.
func fillDisk(t *testing.T, size string, how []string) (ended bool) {
	disk, copied := t.TempDir(), t.TempDir()
	cmd, stdout, stderr := command(t)
	fuzz := append([]string{"txweave", "fuzz", "--inject", "lost-delete,lost-insert,aborted-read", "--seed", "1",
		"--cases", "12",
		"--pause-above", "0", "--out", filepath.Join(disk, "out")}, how...)
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh", "-c", onSmallDisk, "sh"}, fuzz...)
	cmd.Env = append(os.Environ(), "SIZE="+size, "DISK="+disk, "COPY="+copied)
	cmd.Err = nil
	inNamespace(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	code := exitCode(t, cmd)
	lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
	last := lines[len(lines)-1]
	switch {
	case code == exitFindings:
	case code != exitInternal && code != exitUsage || !strings.Contains(last, "no space left on device"):
		// usage: it was full from the start
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	default:
		ended = true
	}
	out := filepath.Join(copied, "out")
	before, err := database.In(out).Bugs()
	if err != nil {
		t.Fatal(err)
	}
	dirs, _ := filepath.Glob(filepath.Join(out, "finding-*"))
	for _, dir := range dirs {
		if d, err := finding.Open(dir); err != nil || d.Record == nil {
			t.Errorf("%s is not whole: %v", dir, err)
		}
	}
	cmd, _, stderr = command(t, append(fuzz[1:], "--out", out, "--cases", "4")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != exitFindings {
		t.Errorf("with room again: exit code %d: %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(out, "quarantine")); err == nil {
		t.Error("with room again something is put into quarantine")
	}
	after, err := database.In(out).Bugs()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range before.Bugs {
		if now, err := after.Find(g.ID); err != nil || now.Count < g.Count {
			t.Errorf("%s was counted %d times: %+v, %v", g.ID, g.Count, now, err)
		}
	}
	return ended
}
