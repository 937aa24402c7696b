package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCurrent: the methods that go through the fields of nodes are those of the fields that nodes have.
func TestCurrent(t *testing.T) {
	dir := filepath.Join("..", "..")
	want, err := generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, output))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the types of the nodes say: go generate ./sql", output)
	}
}

// TestForgetsNoField: of a field that cannot be gone through it is said so.
func TestForgetsNoField(t *testing.T) {
	for _, fields := range []string{"A []string", "A map[string]Expr", "A [2]Expr", "A *string", "A Origin", "Expr",
		"A func()"} {
		dir := t.TempDir()
		text := "package sql\ntype Node struct {\norigin\n" + fields + "\n}\n"
		if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := generate(dir); err == nil {
			t.Errorf("%s is gone through:\n%s", fields, out)
		}
	}
}
