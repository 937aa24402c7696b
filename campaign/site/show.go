package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"txweave/campaign/database"
	"txweave/campaign/rotation"
	txexec "txweave/exec"
	"txweave/finding"
	"txweave/internal/input"
	"txweave/internal/outcome"
	"txweave/internal/trust"
)

// AnyPort is the page's address where nobody has said one: if it is taken another port of this machine's own address
// does.
const AnyPort = "127.0.0.1:8080"

// Config says where a campaign's page is shown, and to whom. Errors call its fields by the flags that set them.
type Config struct {
	HTTP string // address
	// holds the token that whoever looks at the page must give; "": the page is for this machine alone
	TokenFile  string
	UserHeader string      // header in which a proxy names its user; "": there is no proxy
	Book       *trust.Book // what the user has named
	Self       string      // path of the txweave command, which runs findings again

	token string // what the file holds
}

// ReadToken reads the page's token. It is in a file, so that it is not in the list of processes.
func (c *Config) ReadToken(ctx context.Context) error {
	if c.TokenFile == "" {
		return nil
	}
	text, err := input.Read(ctx, c.TokenFile, input.Secret)
	if err != nil {
		return outcome.Misusef("--token-file: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	const least = 16
	if c.token = strings.TrimSpace(line); len(c.token) < least {
		return outcome.Misusef("--token-file: the token has %d characters: want %d and more, e.g. of openssl rand -hex 16",
			len(c.token), least)
	}
	return nil
}

// Show shows the page, whose token has been read, until ctx ends; it returns once the address, which it says, answers.
func (c *Config) Show(ctx context.Context, db *database.DB, notes io.Writer) (address string,
	wait func() error, err error) {
	l, err := Listen(c.HTTP, c.HTTP == AnyPort, c.token != "" || c.UserHeader != "")
	if err != nil {
		return "", nil, outcome.Misuse(err)
	}
	s, err := New(Options{DB: db, Token: c.token, UserHeader: c.UserHeader, Repeat: c.repeater(db)})
	if err != nil {
		return "", nil, errors.Join(err, l.Close())
	}
	address = fmt.Sprintf("http://%s/", l.Addr())
	fmt.Fprintf(notes, "txweave: the page is at %s\n", address)
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	return address, func() error { return <-done }, nil
}

// repeater runs findings' cases again, each in a process of its own, on the target of a cell.
func (c *Config) repeater(db *database.DB) func(ctx context.Context, name, cell string) (string, error) {
	return func(ctx context.Context, name, cell string) (string, error) {
		spec, err := db.Spec(ctx, cell)
		if err != nil {
			return "", err
		}
		plan, err := rotation.Parse("the cell "+cell, []byte(spec))
		if err != nil {
			return "", err
		}
		if err := c.Book.Refuse("the cell "+cell, plan.Ways()...); err != nil {
			return "", err
		}
		path := filepath.Join(db.Dir(), name)
		if small := filepath.Join(path, finding.ReducedDir); isDir(small) {
			path = small
		}
		to := plan.Parts[0].Database()
		args := slices.Concat([]string{"replay", path, "--repeat", "5"}, to.Args())
		cmd := exec.CommandContext(ctx, c.Self, args...)
		txexec.OwnGroup(cmd)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 10 * time.Second
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err = cmd.Run()
		var code *exec.ExitError
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
