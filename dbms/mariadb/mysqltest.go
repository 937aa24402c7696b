package mariadb

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

// mysqltest runs mtr tests, without the runner that starts servers for it.
var mysqltest = &export.Tool{Format: "mtr", Name: "mysqltest", Ending: ".result",
	Installed: func() bool {
		_, err := osexec.LookPath("mysqltest")
		return err == nil && mtrSuite() != ""
	},
	Run: runMysqltest}

// mtrSuite is the directory of the test suite, from which tests include files; "" where there is none.
func mtrSuite() string {
	for _, dir := range []string{"/usr/share/mysql/mysql-test", "/usr/share/mariadb/mariadb-test",
		"/usr/share/mariadb-test",
		"/usr/share/mysql-test"} {
		if _, err := os.Stat(filepath.Join(dir, "include", "wait_condition.inc")); err == nil {
			return dir
		}
	}
	return ""
}

func runMysqltest(ctx context.Context, server export.Trier, test string) (printed string, err error) {
	if err := server.Must(ctx, "CREATE DATABASE IF NOT EXISTS test"); err != nil {
		return "", err
	}
	at, err := server.Read(ctx, "SELECT @@socket")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "txweave")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	script, result := filepath.Join(dir, "case.test"), filepath.Join(dir, "case.result")
	if err := os.WriteFile(script, []byte(test), 0o600); err != nil {
		return "", err
	}
	cmd := osexec.CommandContext(ctx, "mysqltest", "--no-defaults", "--socket="+at.Cell(0, 0).S, "--user=root",
		"--database=test", "--test-file="+script, "--record", "--result-file="+result)
	cmd.Dir = mtrSuite()
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mysqltest: %w: %s", err, strings.TrimSpace(string(said)))
	}
	text, err := os.ReadFile(result)
	if err == nil && bytes.Contains(text, []byte("Timeout in wait_condition")) {
		err = errors.New("mysqltest: a statement that should wait does not")
	}
	return string(text), err
}
