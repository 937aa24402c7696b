package postgresql

import (
	"context"
	"errors"
	"fmt"
	"time"

	"txweave/exec"
)

// join opens a server of the user's as a target.
func (k *product) join(ctx context.Context, at *exec.DSN, database string, wait time.Duration) (exec.Target, error) {
	c, err := k.config(at.Text)
	if err != nil {
		return nil, err
	}
	t := &target{product: k, config: c, database: database, home: home, wait: wait}
	return t, t.connect(ctx)
}

// home is the database that every server has, from which others are created.
const home = "postgres"

// askVersion asks a server of the user's for its version, whichever of the product it is.
func askVersion(ctx context.Context, at *exec.DSN) (string, error) {
	asker := &product{protocol: protocol, session: map[string]string{"application_name": "txweave"}}
	c, err := asker.config(at.Text)
	if err != nil {
		return "", err
	}
	t := &target{product: asker, config: c}
	s, err := t.dial(ctx, home)
	if err != nil {
		return "", err
	}
	defer s.Close()
	rows, err := s.Read(ctx, "SELECT version()")
	if err != nil {
		return "", err
	}
	return rows.Cell(0, 0).S, nil
}

// connect makes the database on a server of the user's and opens the control connection to it.
func (t *target) connect(ctx context.Context) (err error) {
	first, err := t.dial(ctx, t.home)
	if err != nil {
		return err
	}
	defer first.Close()
	if err := t.describe(ctx, first); err != nil {
		return err
	}
	if err := t.sweep(ctx, first); err != nil {
		return err
	}
	if err := first.Must(ctx, t.creation()); err != nil {
		return fmt.Errorf("%w: cannot create a database to work in: %w", exec.ErrUnavailable, err)
	}
	if t.Connection, err = t.openControl(ctx); err != nil {
		return errors.Join(err, first.Must(ctx, "DROP DATABASE IF EXISTS "+t.database))
	}
	return nil
}

// sweep drops the databases of the user's server whose owner is gone: nobody is connected to them.
func (t *target) sweep(ctx context.Context, s *exec.Session) error {
	if !t.product.activity {
		return nil
	}
	found, err := s.Read(ctx, `SELECT d.datname FROM pg_database d WHERE d.datname ~ '^txweave_l[0-9a-f]{12}$'
		AND pg_get_userbyid(d.datdba) = current_user AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datname = d.datname)`)
	if err != nil {
		return err
	}
	for i := range found.Len() {
		name := found.Cell(i, 0).S
		if name == t.database {
			continue
		}
		var refused *exec.AnswerError
		if err := s.Must(ctx, "DROP DATABASE IF EXISTS "+name); err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

// again makes the database on a server of the user's again where it is gone, and opens the control connection to it:
// while all of our connections were lost, another process took it for one whose owner is gone (see sweep). why is why
// that connection cannot be opened.
func (t *target) again(ctx context.Context, why error) (*exec.Session, error) {
	first, err := t.dial(ctx, t.home)
	if err != nil {
		return nil, why
	}
	defer first.Close()
	found, err := first.Read(ctx, "SELECT 1 FROM pg_database WHERE datname = '"+t.database+"'")
	if err != nil || found.Len() > 0 {
		return nil, why
	}
	if err := first.Must(ctx, t.creation()); err != nil {
		return nil, fmt.Errorf("%w: cannot create the database to work in again: %w", exec.ErrUnavailable, err)
	}
	t.tables, t.ResetScript = nil, ""
	return t.openControl(ctx)
}
