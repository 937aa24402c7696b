package postgresql

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"

	"txweave/report/export"
)

// isolationTester runs specs. It is where PostgreSQL's packages put it, not in PATH.
var isolationTester = &export.Tool{Format: "isolation-spec", Name: "isolationtester", Ending: ".out",
	Installed: func() bool { return testerPath() != "" }, Run: runIsolationTester}

// testerPath is the program of the newest version; "" where there is none.
func testerPath() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/lib/pgxs/src/test/isolation/isolationtester")
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

func runIsolationTester(ctx context.Context, server export.Trier, test string) (printed string, err error) {
	at, err := server.Read(ctx, "SELECT pg_backend_pid()::text, current_user::text, current_database()::text")
	if err != nil {
		return "", err
	}
	// Roles without privileges are not told the socket. It lies beside the directory in which the server's processes run.
	data, err := os.Readlink(filepath.Join("/proc", at.Cell(0, 0).S, "cwd"))
	if err != nil {
		return "", err
	}
	cmd := osexec.CommandContext(ctx, testerPath(), fmt.Sprintf("host=%s user=%s dbname=%s", filepath.Dir(data),
		at.Cell(0, 1).S, at.Cell(0, 2).S))
	cmd.Env = append(os.Environ(), "PGISOLATIONTIMEOUT=20") // seconds for which a step may wait; it is minutes else
	cmd.Stdin = strings.NewReader(test)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("isolationtester: %w: %s", err, strings.TrimSpace(said.String()))
	}
	if out.Len() == 0 {
		return "", errors.New("isolationtester printed nothing")
	}
	return out.String(), nil
}
