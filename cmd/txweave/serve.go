package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign/database"
	"txweave/campaign/rotation"
	"txweave/campaign/site"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/input"
	"txweave/internal/trust"
)

// trustFlags say what the user means to be run though only data names it.
type trustFlags struct {
	codes  []string
	opened *trust.Book
}

func (f *trustFlags) add(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.codes, "trust", nil, "run, read or connect to what a directory's campaign names, by the code with which it was shown; it is remembered")
}

// book remembers what the user has named.
func (f *trustFlags) book() *trust.Book {
	if f.opened == nil {
		f.opened = trust.Open(f.codes...)
	}
	return f.opened
}

// pageFlags say where a campaign's page is shown, and to whom.
type pageFlags struct {
	http       string
	tokenFile  string
	userHeader string
	token      string // what the file holds
	trustFlags
}

func (f *pageFlags) add(fs *pflag.FlagSet, address string) {
	fs.StringVar(&f.http, "http", address, "show the campaign's page at this address, e.g. 127.0.0.1:8080")
	fs.StringVar(&f.tokenFile, "token-file", "", "a file with the token that whoever looks at the page must give; without one the page is for this machine alone")
	f.trustFlags.add(fs)
	fs.StringVar(&f.userHeader, "user-header", "", "the page lies behind a proxy that names its user in this header, and removes it from what others send")
}

// anyPort is the page's address where nobody has said one: if it is taken another port of this machine's own address does.
const anyPort = "127.0.0.1:8080"

// readToken reads the page's token. It is in a file, so that it is not in the list of processes.
func (f *pageFlags) readToken(ctx context.Context) error {
	if f.tokenFile == "" {
		return nil
	}
	text, err := input.Read(ctx, f.tokenFile, input.Secret)
	if err != nil {
		return usagef("--token-file: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	const least = 16
	if f.token = strings.TrimSpace(line); len(f.token) < least {
		return usagef("--token-file: the token has %d characters: want %d and more, e.g. of openssl rand -hex 16", len(f.token), least)
	}
	return nil
}

// show shows the page, whose token has been read, until ctx ends; it returns once the address, which it says, answers.
func (f *pageFlags) show(ctx context.Context, db *database.DB, stderr io.Writer) (address string, wait func() error, err error) {
	l, err := site.Listen(f.http, f.http == anyPort, f.token != "" || f.userHeader != "")
	if err != nil {
		return "", nil, usage(err)
	}
	s, err := site.New(site.Options{DB: db, Token: f.token, UserHeader: f.userHeader, Repeat: repeater(db, f.book())})
	if err != nil {
		return "", nil, errors.Join(err, l.Close())
	}
	address = fmt.Sprintf("http://%s/", l.Addr())
	fmt.Fprintf(stderr, "txweave: the page is at %s\n", address)
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	return address, func() error { return <-done }, nil
}

func serveCommand() *cobra.Command {
	var f pageFlags
	var at storeFlags
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Show a campaign in a browser",
		Long: `Show a campaign's page: its cells over time, its bugs, whose state can be changed there, and each finding with its timeline, its reports, and
a button that runs it again. A server that only the directory names is not run: a directory is data. The page shows it, with what
--trust must be to run it, once; one that "campaign run" had in its campaign.toml is known. /metrics is for Prometheus, /healthz for who watches. "campaign run --http" shows the same while it runs.`,
		Example: `  txweave serve found
  txweave serve found --http 0.0.0.0:8080 --token-file token`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := f.readToken(cmd.Context()); err != nil {
				return err
			}
			dir := append(args, campaignOut)[0]
			db, err := at.open(cmd.Context(), dir, false)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, db.Close()) }()
			_, wait, err := f.show(cmd.Context(), db, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return wait()
		},
	}
	f.add(cmd.Flags(), anyPort)
	at.add(cmd.Flags())
	return cmd
}

// repeater runs findings' cases again, each in a process of its own, on the target of a cell.
func repeater(db *database.DB, book *trust.Book) func(ctx context.Context, name, cell string) (string, error) {
	return func(ctx context.Context, name, cell string) (string, error) {
		spec, err := db.Spec(ctx, cell)
		if err != nil {
			return "", err
		}
		plan, err := rotation.Parse("the cell "+cell, []byte(spec))
		if err != nil {
			return "", err
		}
		if err := book.Refuse("the cell "+cell, plan.Ways()...); err != nil {
			return "", err
		}
		part := &plan.Parts[0]
		path := filepath.Join(db.Dir(), name)
		if small := filepath.Join(path, finding.ReducedDir); isDir(small) {
			path = small
		}
		args := []string{"replay", path, "--repeat", "5", "--target", part.Target}
		for _, x := range [][2]string{{"--server", part.Server}, {"--dsn", part.DSN}} {
			if x[1] != "" {
				args = append(args, x[0], x[1])
			}
		}
		if part.DSNFile != "" {
			args = append(args, "--dsn", "@"+part.DSNFile)
		}
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		cmd := osexec.CommandContext(ctx, self, args...)
		exec.OwnGroup(cmd)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 10 * time.Second
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err = cmd.Run()
		var code *osexec.ExitError
		if errors.As(err, &code) && code.ExitCode() >= 0 {
			err = nil // it has said what there is to say
		}
		text := out.String()
		const most = 64 << 10
		if len(text) > most {
			text = text[:most] + "…"
		}
		return text, err
	}
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
