//go:build linux

package resources

import (
	"bytes"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"txweave/exec"
)

// Roles of this test's processes, in the environment variable role.
const (
	role   = "TXWEAVE_TEST_ROLE"
	bounds = "bounds" // it is as txweave is: it bounds itself, and starts servers
	swells = "swells" // it is as a server of many processes is, whose memory grows without end
)

// inGroup is the environment variable with the group of version 2 in which the process that bounds itself begins,
// alone: a unit of systemd's has such a one. Where it is set the test must run.
const inGroup = "TXWEAVE_TEST_GROUP"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case bounds:
		if err := bounded(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	case swells:
		swell(1 << 30)
	}
	os.Exit(m.Run())
}

// swell takes so much memory, in bytes, little by little, and gives it back when the process ends.
func swell(most int) {
	const step = 1 << 20
	for range most / step {
		page, err := unix.Mmap(-1, 0, step, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			os.Exit(3)
		}
		for i := 0; i < step; i += 4096 {
			page[i] = 1
		}
		time.Sleep(time.Millisecond)
	}
}

// bounded puts itself into a group, starts processes that grow beyond its bound, each of which is smaller than itself,
// and says how they ended.
func bounded() error {
	const mine, limit, servers = 96 << 20, 192 << 20, 6
	swell(mine)
	group, err := Confine(limit)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var all []*osexec.Cmd
	for range servers {
		cmd := osexec.Command(self)
		cmd.Env = append(os.Environ(), role+"="+swells)
		if err := cmd.Start(); err != nil {
			return err
		}
		exec.EndFirst(cmd.Process.Pid)
		all = append(all, cmd)
	}
	for _, cmd := range all {
		_ = cmd.Wait() // how it ended is in ProcessState
		fmt.Println(cmd.ProcessState)
	}
	if events, err := os.ReadFile(filepath.Join(group.own, "memory.events")); err == nil {
		fmt.Printf("version 2: %s\n", strings.Join(strings.Fields(string(events)), " "))
	}
	own := group.own
	if err := group.Leave(); err != nil {
		return err
	}
	if _, err := os.Stat(own); !os.IsNotExist(err) {
		return fmt.Errorf("%s is left: %v", own, err)
	}
	return nil
}

// TestBounded: where this machine lets us make a control group the kernel ends servers that grow beyond its bound, and
// not the process that bounds them, though it is the largest; and nothing is left of the group.
func TestBounded(t *testing.T) {
	group := os.Getenv(inGroup)
	if err := Confinable(); err != nil && group == "" {
		t.Skipf("no control group can be made here: %v (bench/cgroup2.sh makes a kernel that has them)", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := osexec.CommandContext(t.Context(), self)
	if group != "" {
		cmd = osexec.CommandContext(t.Context(), "/bin/sh", "-c", `echo $$ >"$1/cgroup.procs" && exec "$0"`, self, group)
	}
	cmd.Env = append(os.Environ(), role+"="+bounds)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("the process that bounds its servers: %v\n%s", err, out)
	}
	if n := bytes.Count(out, []byte("signal: killed\n")); n != 6 {
		t.Errorf("%d of 6 processes were ended by the kernel", n)
	}
	if group != "" && !bytes.Contains(out, []byte("version 2: ")) {
		t.Error("it was not a group of version 2")
	}
}
