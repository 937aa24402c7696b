package postgresql

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"txweave/exec"
)

// A private server belongs to the superuser. The database of the cases, and every session in it, is the owner's: to it
// the server refuses what would reach for its files, programs and libraries, whatever a case says (postgresql.org/docs,
// 22.5 Predefined Roles, 38.3 User-Defined Functions).
const (
	superuser = "postgres"
	owner     = "txweave"
)

// mayBesides are grants of what disturbances and scripts of a stranger need besides and what stays inside the server.
// Those that a version does not know it refuses one by one: settings are granted since PostgreSQL 15.
var mayBesides = []string{
	"GRANT pg_checkpoint TO " + owner,
	"GRANT EXECUTE ON FUNCTION pg_reload_conf() TO " + owner,
	"GRANT ALTER SYSTEM ON PARAMETER autovacuum, autovacuum_naptime TO " + owner,
	"GRANT SELECT ON pg_file_settings TO " + owner,
	"GRANT EXECUTE ON FUNCTION pg_show_all_file_settings() TO " + owner,
	"GRANT SET ON PARAMETER deadlock_timeout, session_replication_role, commit_delay, track_counts TO " + owner,
}

// privateConfig says how a user of a private server reaches it.
func privateConfig(s *exec.Instance, user string) (*pgconn.Config, error) {
	return itself.config(fmt.Sprintf("host='%s' port=5432 user=%s database=%s sslmode=disable", s.Dir(), user, home))
}

// ready opens a connection to a private server and closes it again.
func ready(ctx context.Context, s *exec.Instance) error {
	c, err := privateConfig(s, superuser)
	if err != nil {
		return err
	}
	pg, err := pgconn.ConnectConfig(ctx, c)
	if err != nil {
		return err
	}
	return pg.Close(ctx)
}

// private opens a private server as a target.
func private(ctx context.Context, s *exec.Instance) (exec.Target, error) {
	c, err := privateConfig(s, superuser)
	if err != nil {
		return nil, err
	}
	t := &target{product: itself, config: c, database: owner, home: home, private: s, memory: s.Memory(),
		backends: &backends{}}
	if err := t.handOver(ctx); err != nil {
		return nil, err
	}
	t.config, err = privateConfig(s, owner)
	if err == nil {
		t.Connection, err = t.openControl(ctx)
	}
	return t, err
}

// handOver makes the database of a private server, as its superuser, and gives it to the owner.
func (t *target) handOver(ctx context.Context) error {
	first, err := t.dial(ctx, t.home)
	if err != nil {
		return err
	}
	defer first.Close()
	if err := t.describe(ctx, first); err != nil {
		return err
	}
	role := "CREATE ROLE " + owner + " LOGIN"
	if t.About.Settings["wal_level"] == "logical" { // who is to read the log may
		role += " REPLICATION"
	}
	if err := first.Must(ctx, role, t.creation()+" OWNER "+owner); err != nil {
		return fmt.Errorf("%w: cannot create a database to work in: %w", exec.ErrUnavailable, err)
	}
	inside, err := t.dial(ctx, t.database)
	if err != nil {
		return err
	}
	defer inside.Close()
	for _, sql := range mayBesides {
		var refused *exec.AnswerError
		if err := inside.Must(ctx, sql); err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return inside.Must(ctx, "ALTER SCHEMA public OWNER TO "+owner) // before PostgreSQL 15 it was the superuser's
}

// creation is the statement that makes the database in which cases run.
func (t *target) creation() string {
	return fmt.Sprintf(t.product.creation, t.database)
}
