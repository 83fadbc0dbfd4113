// Command generate writes the services of package client from the rows of the contract: a file per resource with a
// method per row, and a file that declares all services. Run it with go generate ./client.
//
// Methods and their comments are derived from the rows, and the comments of services from api.Resources.
// The encoding and transport of requests are handwritten.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"docspace.dev/wsd/client/api"
)

// suffix is the suffix of all generated files and of no others.
const suffix = "_gen.go"

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run writes the generated files into dir and removes those of resources that no longer exist.
func run(dir string) error {
	files, err := generate(api.Rows())
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return err
	}
	for _, path := range old {
		if _, current := files[filepath.Base(path)]; !current {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, source := range files {
		if err := os.WriteFile(filepath.Join(dir, name), source, 0o644); err != nil { //nolint:gosec // source code is for all to read
			return err
		}
	}
	return nil
}
