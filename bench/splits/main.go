// Command splits draws models of several parties and compares what their programs compute with the pooled
// model: the density, and the gradient at two points, with z at the cuts:
//
//	go run ./bench/splits [-models 400] [-from 0] [-attack]
//
// It fails where one differs, or is refused for a reason that is not known. With -attack it seeks the rows of
// clients in what the server sees of the models in which nothing is refused, and fails where it finds any.
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
	from := flag.Uint64("from", 0, "the first model's `number`, of which it is drawn")
	attack := flag.Bool("attack", false, "seek the rows of clients in what the server sees")
	flag.Parse()
	do := run
	if *attack {
		do = seek
	}
	if err := do(*from, *models); err != nil {
		fmt.Fprintln(os.Stderr, "splits:", err)
		os.Exit(1)
	}
}

func run(from uint64, models int) error {
	dir, err := os.MkdirTemp("", "splits")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	faults := 0
	fmt.Print("| transform | compared | differ | refused |\n| --- | --- | --- | --- |\n")
	for _, t := range splitmodel.Count(from, models, dir) {
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

func seek(from uint64, models int) error {
	dir, err := os.MkdirTemp("", "splits")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	a := splitmodel.AttackModels(from, models, dir)
	fmt.Printf("clients attacked: %d; with rows that are found: %d, and %d of whom check says so (V0395); "+
		"models refused: %v; not attacked: %v\n", a.Clients, len(a.Found), len(a.Told), a.Refused, a.Untried)
	for _, text := range append(a.Found, a.Faults...) {
		fmt.Fprintln(os.Stderr, text)
	}
	if n := len(a.Found) + len(a.Faults); n > 0 {
		return fmt.Errorf("%d faults", n)
	}
	return nil
}
