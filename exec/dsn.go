package exec

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"txweave/internal/input"
)

// DatabasePrefix begins the name of every database that txweave creates on a server of the user's.
const DatabasePrefix = "txweave_"

// DSN is a data source name: it says where a server of the user's is.
type DSN struct {
	Text string // as it was given
	Form *DSNForm
}

// DSNForm is a form of data source names, that of the servers which speak one protocol.
type DSNForm struct {
	// Schemes begin its names, as those of a URL; none: it is the form of names that begin with none that is known.
	Schemes []string
	Like    string // what its names look like, for messages
	// Check says what a name must not say, or that it cannot be read (ErrDSNForm). It never quotes the name, which may
	// hold a password.
	Check func(text string) error
	// HasPassword says whether a name tells a password, or may: one that cannot be read.
	HasPassword func(text string) bool
	// Ask asks the server for its version.
	Ask func(ctx context.Context, at *DSN) (string, error)
}

// formOf is the form that a data source name has; nil: none of them.
func formOf(text string, forms []*DSNForm) *DSNForm {
	scheme, _, _ := strings.Cut(text, "://")
	var without *DSNForm
	for _, f := range forms {
		switch {
		case slices.Contains(f.Schemes, scheme):
			return f
		case len(f.Schemes) == 0:
			without = f
		}
	}
	return without
}

// DSNVariable is the environment variable that names a server: other users can see a command's arguments.
const DSNVariable = "TXWEAVE_DSN"

// ReadDSN returns the data source name that a flag gives: itself, with @FILE what the file's first line holds, and with
// "env", or "env:NAME", what the environment's variable does. The context ends what waits for the file.
func ReadDSN(ctx context.Context, flag string) (string, error) {
	if variable, ok := dsnVariable(flag); ok {
		dsn := os.Getenv(variable)
		if dsn == "" {
			return "", fmt.Errorf("the environment variable %s is not set", variable)
		}
		return dsn, nil
	}
	name, ok := strings.CutPrefix(flag, "@")
	if !ok {
		return flag, nil
	}
	text, err := input.Read(ctx, name, input.Secret)
	if err != nil {
		return "", fmt.Errorf("the file of the DSN: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSpace(line); line == "" { // else the driver would look for a server where they usually are
		return "", fmt.Errorf("the first line of %s is empty: want a DSN", name)
	}
	return line, nil
}

// dsnVariable is the environment's variable that a flag names, if it names one.
func dsnVariable(flag string) (name string, ok bool) {
	if flag == "env" {
		return DSNVariable, true
	}
	return strings.CutPrefix(flag, "env:")
}

// HasPassword says whether a flag's value is a data source name that tells a password, or may: one that is of no known
// form.
func HasPassword(flag string, forms []*DSNForm) bool {
	if _, ok := dsnVariable(flag); ok || strings.HasPrefix(flag, "@") {
		return false
	}
	form := formOf(flag, forms)
	return form == nil || form.HasPassword(flag)
}

// ErrDSNForm says that a data source name cannot be read.
var ErrDSNForm = errors.New("the DSN is not of the form")

// ParseDSN reads a data source name of one of the forms. It must not name a database: txweave works only in ones that
// it created.
func ParseDSN(text string, forms []*DSNForm) (*DSN, error) {
	form := formOf(text, forms)
	err := ErrDSNForm
	if form != nil {
		err = form.Check(text)
	}
	if errors.Is(err, ErrDSNForm) {
		like := forms
		if form != nil && len(form.Schemes) > 0 { // it can be meant to be of no other one
			like = []*DSNForm{form}
		}
		texts := make([]string, len(like))
		for i, f := range like {
			texts[i] = f.Like
		}
		err = fmt.Errorf("%w %s", ErrDSNForm, strings.Join(texts, " or "))
	}
	if err != nil {
		return nil, err
	}
	return &DSN{Text: text, Form: form}, nil
}

// NamesDatabase refuses a data source name that names a database.
func NamesDatabase(name string) error {
	return fmt.Errorf(
		"the DSN names the database %q: txweave touches no database but those it creates (%s…); leave it out", name,
		DatabasePrefix)
}

// CheckParameters refuses those of a data source name that are not among the known ones, which say how the server is
// reached: a case would mean something else than it says.
func CheckParameters(query string, known []string) error {
	for _, pair := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err == nil && name != "" && !slices.Contains(known, name) {
			return fmt.Errorf(
				"the DSN sets %s: a case would not mean what it says; it may only say how the server is reached (%s)",
				name, strings.Join(known, ", "))
		}
	}
	return nil
}

// Connect opens a server of the user's as a target, in a new database that Close drops. Alive waits as long as wait for
// a server that is away.
func Connect(ctx context.Context, kind *Server, at *DSN, wait time.Duration) (Target, error) {
	var id [6]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	database := DatabasePrefix + "l" + hex.EncodeToString(id[:])
	t, err := kind.Users.Join(ctx, at, database, wait)
	if _, ok := errors.AsType[*LostError](err); ok {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return t, err
}
