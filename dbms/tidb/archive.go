//go:build ignore

// Archive writes the files of the nested module into server.txtar.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/txtar"
)

func main() {
	archive := &txtar.Archive{Comment: []byte("The module in the folder server, written by go generate.\n")}
	for _, name := range []string{"go.mod", "go.sum", "main.go"} {
		data, err := os.ReadFile(filepath.Join("server", name))
		if err != nil {
			log.Fatal(err)
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
	}
	if err := os.WriteFile("server.txtar", txtar.Format(archive), 0o644); err != nil {
		log.Fatal(err)
	}
}
