package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/resources"
	"txweave/campaign/rotation"
	"txweave/campaign/running"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/version"
)

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
	list := []resources.Symptom{
		{What: "txweave", State: resources.Fine, Found: fmt.Sprintf("%s, %s, %s/%s, %s", version.Full(), runtime.Version(), runtime.GOOS, runtime.GOARCH, finding.Count(runtime.NumCPU(), "processor"))},
	}
	list = append(list, resources.Examine(f.out)...)
	var cannot bool
	if len(args) == 1 {
		plan, err := rotation.Read(ctx, args[0])
		if err != nil {
			return usage(err)
		}
		if _, err := (&campaignRun{plan: plan}).cells(ctx); err != nil {
			return err
		}
		if err := (&running.Life{Plan: plan}).CanTell(); err != nil {
			list = append(list, resources.Symptom{What: "notify", State: resources.Broken, Found: finding.ErrorLine(err), Mend: "mend notify in campaign.toml, or what it names"})
			cannot = true
		}
		for i := range plan.Parts {
			s := f.tryCell(ctx, &plan.Parts[i])
			list, cannot = append(list, s), cannot || s.State == resources.Broken
		}
	} else {
		var targets []resources.Symptom
		for _, name := range registry.Names() {
			if s, known := f.tryTarget(ctx, name); known {
				targets = append(targets, s)
			}
		}
		cannot = !slices.ContainsFunc(targets, func(s resources.Symptom) bool { return s.State == resources.Fine })
		list = append(list, targets...)
	}
	if ctx.Err() != nil {
		return errInterrupted()
	}
	if err := f.print(stdout, list); err != nil {
		return err
	}
	if cannot {
		return &exitError{Code: exitInconclusive}
	}
	return nil
}

func (f *doctorFlags) print(w io.Writer, list []resources.Symptom) error {
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

// tryTime is how long a target may take to answer.
const tryTime = time.Minute

// tryTarget starts a target once, if it is installed; known is false for those that txweave does not run.
func (f *doctorFlags) tryTarget(ctx context.Context, name string) (s resources.Symptom, known bool) {
	d, err := registry.Lookup(name)
	if err != nil || len(d.Promises) == 0 {
		return s, false
	}
	mend := ""
	if d.Server != nil {
		mend = "install " + cmp.Or(d.Server.Packages, "it") + ", or name its binary with --server"
	}
	if !installed(d) {
		return resources.Symptom{What: "target " + name, State: resources.Lesser, Found: "it is not installed", Mend: mend}, true
	}
	if d.Server != nil {
		if err := launchable(ctx, d); err != nil { // another DBMS has a program of that name
			return resources.Symptom{What: "target " + name, State: resources.Lesser, Found: finding.ErrorLine(err), Mend: mend}, true
		}
	}
	return f.try(ctx, "target "+name, &rotation.Part{Target: name}), true
}

// tryCell starts, or reaches, what a cell is about.
func (f *doctorFlags) tryCell(ctx context.Context, part *rotation.Part) resources.Symptom {
	return f.try(ctx, "cell "+part.Name, part)
}

func (f *doctorFlags) try(ctx context.Context, what string, part *rotation.Part) resources.Symptom {
	s := resources.Symptom{What: what, State: resources.Fine}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	if f.quick {
		return quickly(ctx, s, part)
	}
	about, err := contact(ctx, part)
	if err != nil {
		s.State, s.Found = resources.Broken, finding.ErrorLine(err)
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

// quickly looks whether what a cell is about can be started, or has an address, and starts nothing.
func quickly(ctx context.Context, s resources.Symptom, part *rotation.Part) resources.Symptom {
	f, err := cellTarget(part)
	if err == nil {
		_, err = f.resolve(ctx)
	}
	if err == nil && part.DSN == "" && part.DSNFile == "" && f.dbms.Server != nil {
		_, err = f.dbms.Launch(ctx, part.Server, io.Discard)
	}
	if s.Found = "it is there"; err != nil {
		s.State, s.Found, s.Mend = resources.Broken, finding.ErrorLine(err), "mend the cell, or install its server"
	}
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
