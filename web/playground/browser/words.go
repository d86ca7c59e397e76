//go:build !js

// Outside of a browser the command prints the words of the language as JSON, by which a page colours models
// before the program is loaded.

package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/vflc/vflc/web/playground"
)

func main() {
	if err := json.NewEncoder(os.Stdout).Encode(playground.Vocabulary()); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}
