package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"txweave/campaign/resources"
	"txweave/campaign/rotation"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/version"
)

// symptomState is how something on this machine is.
type symptomState string

// The states of what doctor looks at.
const (
	fine   symptomState = "ok"
	lesser symptomState = "less" // it works, but slower, or something is not told
	broken symptomState = "bad"  // what needs it cannot run
)

// symptom is one thing that doctor has looked at.
type symptom struct {
	What  string       `json:"what"`
	State symptomState `json:"state"`
	Found string       `json:"found"`
	Mend  string       `json:"mend,omitempty"`
}

// doctorFlags are the flags of doctor.
type doctorFlags struct {
	out    string
	format string
	quick  bool
}

func doctorCommand() *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor [campaign.toml]",
		Short: "Say what this machine has, and what keeps a campaign from running well",
		Long: `Look at what campaigns need: where servers keep their data and how fast that is, memory, open files, what tells the stacks of a server that hangs,
and each target, which is started once. With a campaign.toml its cells are tried in place of the targets. Each problem comes with its mend.

Exit codes: 0 all is well or works somehow, 2 a cell of the campaign.toml, or every target, cannot run, 64 usage.`,
		Example: `  txweave doctor
  txweave doctor campaign.toml --out /var/lib/txweave`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.format != "text" && f.format != "json" {
				return usagef("--format %q: want text or json", f.format)
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), args)
		},
	}
	cmd.Flags().StringVar(&f.out, "out", campaignOut, "the directory in which the campaign is to lie")
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&f.quick, "quick", false, "start no server")
	return cmd
}

func (f *doctorFlags) run(ctx context.Context, stdout io.Writer, args []string) error {
	list := []symptom{
		{"txweave", fine, fmt.Sprintf("%s, %s, %s/%s, %s", version.Full(), runtime.Version(), runtime.GOOS, runtime.GOARCH, count(runtime.NumCPU(), "processor")), ""},
		servesData(), holdsFindings(f.out), hasMemory(), boundsMemory(), opensFiles(), tellsStacks(),
	}
	var cannot bool
	if len(args) == 1 {
		plan, err := rotation.Read(args[0])
		if err != nil {
			return usage(err)
		}
		if _, err := (&campaignRun{plan: plan}).cells(); err != nil {
			return err
		}
		for i := range plan.Parts {
			s := f.tryCell(ctx, &plan.Parts[i])
			list, cannot = append(list, s), cannot || s.State == broken
		}
	} else {
		var targets []symptom
		for _, name := range registry.Names() {
			if s, known := f.tryTarget(ctx, name); known {
				targets = append(targets, s)
			}
		}
		cannot = !slices.ContainsFunc(targets, func(s symptom) bool { return s.State == fine })
		list = append(list, targets...)
	}
	if ctx.Err() != nil {
		return errInterrupted()
	}
	if err := f.print(stdout, list); err != nil {
		return err
	}
	if cannot {
		return &exitError{code: exitInconclusive}
	}
	return nil
}

func (f *doctorFlags) print(w io.Writer, list []symptom) error {
	if f.format == "json" {
		return printJSON(w, list)
	}
	rows := [][]string{{"", "what", "found"}}
	for _, s := range list {
		rows = append(rows, []string{string(s.State), s.What, finding.Line(s.Found)})
		if s.Mend != "" {
			rows = append(rows, []string{"", "", "→ " + s.Mend})
		}
	}
	return printTable(w, rows)
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
func servesData() symptom {
	s := symptom{What: "data of private servers", State: fine}
	dir, err := exec.NewWorkDir()
	if err != nil {
		s.State, s.Found, s.Mend = broken, err.Error(), "make room in /dev/shm, or set TMPDIR to a directory that has some"
		return s
	}
	defer func() { _ = dir.Remove() }() // what is left of it goes at the next start
	var st unix.Statfs_t
	if err := unix.Statfs(dir.Path, &st); err != nil {
		s.State, s.Found = broken, err.Error()
		return s
	}
	took, err := syncTime(dir.Path)
	if err != nil {
		s.State, s.Found = broken, err.Error()
		return s
	}
	where := "in memory"
	if st.Type != unix.TMPFS_MAGIC {
		where, s.State, s.Mend = "on a disk, which is slower", lesser, "mount a tmpfs at /dev/shm, of 1 GiB and more"
	}
	s.Found = fmt.Sprintf("%s, %s, %d MiB free, %s to flush", filepath.Dir(dir.Path), where, int64(st.Bavail)*st.Bsize>>20, took.Round(time.Microsecond))
	return s
}

// slowSync is how long a flush takes on a disk that findings wait for.
const slowSync = 50 * time.Millisecond

// holdsFindings looks at the directory in which a campaign is to lie, or the one in which that would be made.
func holdsFindings(out string) symptom {
	s := symptom{What: "directory of the campaign", State: fine}
	dir, err := filepath.Abs(out)
	for err == nil && !isDir(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	var took time.Duration
	if err == nil {
		took, err = syncTime(dir)
	}
	var st unix.Statfs_t
	if err == nil {
		err = unix.Statfs(dir, &st)
	}
	if err != nil {
		s.State, s.Found, s.Mend = broken, err.Error(), "name a directory that you can write to with --out"
		return s
	}
	free := int64(st.Bavail) * st.Bsize
	s.Found = fmt.Sprintf("%s, %d MiB free, %s to flush", dir, free>>20, took.Round(time.Microsecond))
	switch {
	case free < 1<<30:
		s.State, s.Mend = lesser, "make room, or set disk_quota in campaign.toml"
	case took > slowSync:
		s.State, s.Mend = lesser, "a faster disk for --out: every finding waits for it"
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
func hasMemory() symptom {
	s := symptom{What: "memory", State: fine}
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		s.State, s.Found = lesser, "the system does not tell"
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
		s.State, s.Mend = lesser, "a server takes 100 to 500 MiB: run fewer cells at once, and set max_rss in campaign.toml"
	}
	return s
}

// boundsMemory looks at whether the kernel can bound the memory of servers that grow faster than anybody looks.
func boundsMemory() symptom {
	s := symptom{What: "bound of memory", State: fine, Found: "max_rss of a campaign.toml is set to a control group, too"}
	if err := resources.Confinable(); err != nil {
		s.State, s.Found = lesser, "max_rss is looked at every 10 s, and not set to a control group: "+err.Error()
		s.Mend = "run the campaign as a unit of systemd's with MemoryMax, or with Delegate=yes"
	}
	return s
}

// manyFiles is how many files a campaign of several servers with storms has open.
const manyFiles = 1024

func opensFiles() symptom {
	s := symptom{What: "open files", State: fine}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		s.State, s.Found = lesser, err.Error()
		return s
	}
	s.Found = fmt.Sprintf("%d allowed", limit.Cur)
	if limit.Cur < manyFiles {
		s.State, s.Mend = lesser, fmt.Sprintf("ulimit -n %d, or LimitNOFILE of the unit", manyFiles)
	}
	return s
}

// tellsStacks looks at whether the stacks of a server that hangs can be kept.
func tellsStacks() symptom {
	s := symptom{What: "stacks of a server that hangs", State: fine}
	path, err := osexec.LookPath("gdb")
	if err != nil {
		s.State, s.Found, s.Mend = lesser, "there is no gdb: the system says only where each thread waits", "install gdb"
		return s
	}
	s.Found = path
	if scope, ok := number("/proc/sys/kernel/yama/ptrace_scope"); ok && scope > 0 && os.Geteuid() != 0 {
		s.State, s.Found = lesser, fmt.Sprintf("%s, but the system lets it look at nobody (ptrace_scope is %d)", path, scope)
		s.Mend = "sysctl kernel.yama.ptrace_scope=0"
	}
	return s
}

// tryTime is how long a target may take to answer.
const tryTime = time.Minute

// tryTarget starts a target once, if it is installed; known is false for those that txweave does not run.
func (f *doctorFlags) tryTarget(ctx context.Context, name string) (s symptom, known bool) {
	d, err := registry.Lookup(name)
	if err != nil || len(d.Promises) == 0 {
		return s, false
	}
	if !installed(d) {
		return symptom{"target " + name, lesser, "it is not installed", "install " + cmp.Or(d.Server.Packages, "it") + ", or name its binary with --server"}, true
	}
	return f.try(ctx, "target "+name, &rotation.Part{Target: name}), true
}

// tryCell starts, or reaches, what a cell is about.
func (f *doctorFlags) tryCell(ctx context.Context, part *rotation.Part) symptom {
	return f.try(ctx, "cell "+part.Name, part)
}

func (f *doctorFlags) try(ctx context.Context, what string, part *rotation.Part) symptom {
	s := symptom{What: what, State: fine}
	if f.quick {
		s.Found = "it is there"
		return s
	}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	about, err := contact(ctx, part)
	if err != nil {
		s.State, s.Found = broken, oneLine(err)
		switch {
		case part.DSN != "" || part.DSNFile != "":
			s.Mend = "start the server, or mend the cell's dsn"
		default:
			s.Mend = "install it, or name its binary (server in campaign.toml, --server)"
		}
		return s
	}
	s.Found = fmt.Sprintf("%s, up in %s", about.Version, time.Since(begun).Round(10*time.Millisecond))
	return s
}

// contact opens what a cell is about and closes it.
func contact(ctx context.Context, part *rotation.Part) (about exec.Description, err error) {
	f, err := cellTarget(part)
	if err != nil {
		return about, err
	}
	f.wait = time.Second
	if _, err := f.resolve(ctx); err != nil {
		return about, err
	}
	fl, err := newFleet(ctx, &f)
	if err != nil {
		return about, err
	}
	defer func() { err = errors.Join(err, fl.close()) }()
	t, err := fl.open(ctx)
	if err != nil {
		return about, err
	}
	return t.Describe(), t.Close()
}
