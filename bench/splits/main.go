// Command splits draws models of several parties and compares what their programs compute with the pooled
// model: the density, and the gradient at two points, with z at the cuts:
//
//	go run ./bench/splits [-models 400]
//
// It fails where one differs, or is refused for a reason that is not known.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/vflc/vflc/tests/splitmodel"
)

func main() {
	models := flag.Int("models", 400, "number of `models`")
	flag.Parse()
	if err := run(*models); err != nil {
		fmt.Fprintln(os.Stderr, "splits:", err)
		os.Exit(1)
	}
}

func run(models int) error {
	dir, err := os.MkdirTemp("", "splits")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	faults := 0
	fmt.Print("| transform | compared | differ | refused |\n| --- | --- | --- | --- |\n")
	for _, t := range splitmodel.Count(models, dir) {
		var refused []string
		for _, code := range slices.Sorted(maps.Keys(t.Refused)) {
			refused = append(refused, fmt.Sprintf("%d %s", t.Refused[code], code))
		}
		fmt.Printf("| %s | %d | %d | %s |\n", t.Transform, t.Compared, len(t.Faults),
			strings.Join(refused, ", "))
		for _, fault := range t.Faults {
			fmt.Fprintln(os.Stderr, fault)
		}
		faults += len(t.Faults)
	}
	if faults > 0 {
		return fmt.Errorf("%d faults", faults)
	}
	return nil
}
