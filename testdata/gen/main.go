// Command gen writes the captures of the tests, and beside each of them what a
// decoder has to find in it.
//
// It imports no package of this project, so that writing and reading cannot be
// wrong in the same way.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	out := flag.String("o", "testdata", "write the files to this `folder`")
	flag.Parse()
	for name, data := range files() {
		if err := os.WriteFile(filepath.Join(*out, name), data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
