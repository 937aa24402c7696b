package resources

import (
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"txweave/exec"
	"txweave/finding"
)

// SymptomState is how something on this machine is.
type SymptomState string

// The states of what is looked at.
const (
	Fine   SymptomState = "ok"
	Lesser SymptomState = "less" // it works, but slower, or something is not told
	Broken SymptomState = "bad"  // what needs it cannot run
)

// Symptom is one thing on this machine that was looked at.
type Symptom struct {
	What  string       `json:"what"`
	State SymptomState `json:"state"`
	Found string       `json:"found"`
	Mend  string       `json:"mend,omitempty"`
}

// Examine looks at what a campaign in the directory out needs of this machine, servers aside.
func Examine(out string) []Symptom {
	return []Symptom{servesData(), holdsFindings(out), hasMemory(), boundsMemory(), opensFiles(), tellsStacks()}
}

// tried is how many times something is written and brought to disk to see how long that takes.
const tried = 20

// syncTime is the median time that it takes to bring a small change of a file in a directory to disk.
func syncTime(dir string) (time.Duration, error) {
	file, err := os.CreateTemp(dir, finding.TempPrefix)
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	var times []time.Duration
	for range tried {
		begun := time.Now()
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			return 0, err
		}
		if err := file.Sync(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(begun))
	}
	slices.Sort(times)
	return times[tried/2], nil
}

// servesData looks at where private servers keep their data.
func servesData() Symptom {
	s := Symptom{What: "data of private servers", State: Fine}
	dir, err := exec.NewWorkDir()
	if err != nil {
		s.State, s.Found, s.Mend = Broken, err.Error(), "make room in /dev/shm, or set TMPDIR to a directory that has some"
		return s
	}
	defer func() { _ = dir.Remove() }() // what is left of it goes at the next start
	room, memory, err := exec.FileSystem(dir.Path)
	if err != nil {
		s.State, s.Found = Broken, err.Error()
		return s
	}
	took, err := syncTime(dir.Path)
	if err != nil {
		s.State, s.Found = Broken, err.Error()
		return s
	}
	where := "in memory"
	if !memory {
		where, s.State, s.Mend = "on a disk, which is slower", Lesser, "mount a tmpfs at /dev/shm, of 1 GiB and more"
	}
	s.Found = fmt.Sprintf("%s, %s, %d MiB free, %s to flush", filepath.Dir(dir.Path), where, room>>20,
		took.Round(time.Microsecond))
	return s
}

// slowSync is how long a flush takes on a disk that findings wait for.
const slowSync = 50 * time.Millisecond

// holdsFindings looks at the directory in which a campaign is to lie, or the one in which that would be made.
func holdsFindings(out string) Symptom {
	s := Symptom{What: "directory of the campaign", State: Fine}
	dir, err := filepath.Abs(out)
	for err == nil && dir != filepath.Dir(dir) {
		if about, serr := os.Stat(dir); serr == nil && about.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	var took time.Duration
	if err == nil {
		took, err = syncTime(dir)
	}
	var room uint64
	if err == nil {
		room, _, err = exec.FileSystem(dir)
	}
	if err != nil {
		s.State, s.Found, s.Mend = Broken, err.Error(), "name a directory that you can write to with --out"
		return s
	}
	s.Found = fmt.Sprintf("%s, %d MiB free, %s to flush", dir, room>>20, took.Round(time.Microsecond))
	switch {
	case room < 1<<30:
		s.State, s.Mend = Lesser, "make room, or set disk_quota in campaign.toml"
	case took > slowSync:
		s.State, s.Mend = Lesser, "a faster disk for --out: every finding waits for it"
	}
	return s
}

// number reads a file that holds one.
func number(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// hasMemory looks at the memory of the machine, and at what the control group may take of it.
func hasMemory() Symptom {
	s := Symptom{What: "memory", State: Fine}
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		s.State, s.Found = Lesser, "the system does not tell"
		return s
	}
	free := int64(-1)
	for line := range strings.Lines(string(text)) {
		if kib, found := strings.CutPrefix(line, "MemAvailable:"); found {
			n, err := strconv.ParseInt(strings.Fields(kib)[0], 10, 64)
			if err == nil {
				free = n << 10
			}
		}
	}
	s.Found = fmt.Sprintf("%d MiB available", free>>20)
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if most, ok := number(path); ok && most < 1<<60 {
			s.Found += fmt.Sprintf(", %d MiB for the control group", most>>20)
			free = min(free, most)
		}
	}
	if free < 1<<30 {
		s.State, s.Mend = Lesser, "a server takes 100 to 500 MiB: run fewer cells at once, and set max_rss in campaign.toml"
	}
	return s
}

// boundsMemory looks at whether the kernel can bound the memory of servers that grow faster than anybody looks.
func boundsMemory() Symptom {
	s := Symptom{What: "bound of memory", State: Fine, Found: "max_rss of a campaign.toml is set to a control group, too"}
	if err := Confinable(); err != nil {
		s.State, s.Found = Lesser, "max_rss is looked at every 10 s, and not set to a control group: "+err.Error()
		s.Mend = "run the campaign as a unit of systemd's with MemoryMax, or with Delegate=yes"
	}
	return s
}

// manyFiles is how many files a campaign of several servers with storms has open.
const manyFiles = 1024

func opensFiles() Symptom {
	s := Symptom{What: "open files", State: Fine}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		s.State, s.Found = Lesser, err.Error()
		return s
	}
	s.Found = fmt.Sprintf("%d allowed", limit.Cur)
	if limit.Cur < manyFiles {
		s.State, s.Mend = Lesser, fmt.Sprintf("ulimit -n %d, or LimitNOFILE of the unit", manyFiles)
	}
	return s
}

// tellsStacks looks at whether the stacks of a server that hangs can be kept.
func tellsStacks() Symptom {
	s := Symptom{What: "stacks of a server that hangs", State: Fine}
	path, err := osexec.LookPath("gdb")
	if err != nil {
		s.State, s.Found, s.Mend = Lesser, "there is no gdb: the system says only where each thread waits", "install gdb"
		return s
	}
	s.Found = path
	if scope, ok := number("/proc/sys/kernel/yama/ptrace_scope"); ok && scope > 0 && os.Geteuid() != 0 {
		s.State, s.Found = Lesser, fmt.Sprintf("%s, but the system lets it look at nobody (ptrace_scope is %d)", path, scope)
		s.Mend = "sysctl kernel.yama.ptrace_scope=0"
	}
	return s
}
