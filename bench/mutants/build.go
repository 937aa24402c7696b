package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// build makes txweave with the patched library and returns the path of the program. The copy of the library and the
// program lie in the user's cache; what is there is used again, so that the library is compiled once.
func build(ctx context.Context) (string, error) {
	module, err := findModule(ctx)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "txweave-mutants")
	engine, err := copyEngine(ctx, module, dir)
	if err != nil {
		return "", err
	}
	root, err := goOutput(ctx, "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return "", err
	}
	mod, err := replacingMod(ctx, root, dir, engine)
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "txweave")
	_, err = goOutput(ctx, "build", "-C", root, "-modfile", mod, "-trimpath", "-o", program, "./cmd/txweave")
	return program, err
}

// findModule returns the folder of the library in the module cache.
func findModule(ctx context.Context) (string, error) {
	out, err := goOutput(ctx, "list", "-m", "-json", engineModule)
	if err != nil {
		return "", err
	}
	var m struct{ Version, Dir string }
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		return "", err
	}
	if m.Version != engineVersion {
		return "", fmt.Errorf("go.mod wants %s %s, the edits are for %s (SQLite %s): look at each of them again",
			engineModule, m.Version, engineVersion, engineSQLite)
	}
	if m.Dir == "" {
		_, err := goOutput(ctx, "mod", "download", engineModule)
		if err != nil {
			return "", err
		}
		return findModule(ctx)
	}
	return m.Dir, nil
}

// copyEngine writes the library with its mutants below dir, unless it is there, and returns its folder. The name holds
// what the edits come to, so that other edits are another copy.
func copyEngine(ctx context.Context, module, dir string) (string, error) {
	files, err := engineFiles(ctx)
	if err != nil {
		return "", err
	}
	lib := filepath.Join(module, "lib")
	changed, err := patched(lib, files, mutants)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	names := slices.Sorted(maps.Keys(changed))
	for _, name := range names {
		fmt.Fprintf(sum, "%s %d\n", name, len(changed[name]))
		sum.Write(changed[name])
	}
	to := filepath.Join(dir, fmt.Sprintf("sqlite-%s-%x", engineVersion, sum.Sum(nil)[:6]))
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(dir, "copy-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := copyGoFiles(module, tmp, files); err != nil {
		return "", err
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(tmp, "lib", name), changed[name], 0o644); err != nil {
			return "", err
		}
	}
	if err := os.Rename(tmp, to); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return to, nil
}

// engineFiles are the files of the library that are compiled on this machine.
func engineFiles(ctx context.Context) ([]string, error) {
	out, err := goOutput(ctx, "list", "-f", `{{join .GoFiles "\n"}}`, engineModule+"/lib")
	if err != nil {
		return nil, err
	}
	return strings.Fields(out), nil
}

// copyGoFiles copies a module without its tests, and of the library only the files that are compiled here.
func copyGoFiles(from, to string, lib []string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" || d.Name() == "examples" || strings.HasPrefix(d.Name(), ".") && rel != "." {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		switch {
		case strings.HasSuffix(rel, "_test.go"), filepath.Dir(rel) == "lib" && !slices.Contains(lib, d.Name()):
			return nil
		case filepath.Ext(rel) != ".go" && rel != "go.mod" && rel != "go.sum" && !strings.HasPrefix(rel, "LICENSE"):
			return nil
		}
		return copyFile(path, filepath.Join(to, rel))
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// replacingMod writes a go.mod beside the copies that is the project's but for the library's place.
func replacingMod(ctx context.Context, root, dir, engine string) (string, error) {
	mod := filepath.Join(dir, "go.mod")
	for from, to := range map[string]string{"go.mod": mod, "go.sum": filepath.Join(dir, "go.sum")} {
		if err := copyFile(filepath.Join(root, from), to); err != nil {
			return "", err
		}
	}
	_, err := goOutput(ctx, "mod", "edit", "-replace", engineModule+"="+engine, mod)
	return mod, err
}

// goOutput runs the go command and returns what it prints, without the last line's end.
func goOutput(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
