package mariadb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
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

// longQuery is what mysqltest quotes of a query, where that is long.
var longQuery = regexp.MustCompile(`(?s)(: query '.{60}).+?(' (?:failed|succeeded))`)

// complaint is what mysqltest says of the command at which it stopped; "" where it says nothing.
func complaint(said string) string {
	_, said, _ = strings.Cut(said, "mysqltest: ")
	said = strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(said), "not ok")), "...")
	return longQuery.ReplaceAllString(said, "$1…$2")
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
		return "", fmt.Errorf("mysqltest: %s", cmp.Or(complaint(string(said)), err.Error()))
	}
	text, err := os.ReadFile(result)
	if err == nil && bytes.Contains(text, []byte("Timeout in wait_condition")) {
		err = errors.New("mysqltest: a statement that should wait does not")
	}
	return string(text), err
}
