package main

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/bench/beside"
)

var update = flag.Bool("update", false, "take forms that have become vector functions from the list")

const singly = "testdata/singly.txt"

// What a model of one line computes row by row, for want of a vector function, stands in a list that may only
// grow shorter: a distribution or a function that is new has a vector form, or a line in the list.
func TestFormsGoByVectors(t *testing.T) {
	text, err := os.ReadFile(singly)
	if err != nil {
		t.Fatal(err)
	}
	allowed := strings.Split(strings.TrimSpace(string(text)), "\n")
	var left []string
	for _, u := range uses(60) {
		g, err := beside.Load(u.text, u.data)
		if err != nil {
			t.Fatalf("%s: %v\n%s", u.name, err, u.text)
		}
		if len(g.Singly()) == 0 {
			continue
		}
		line := u.name + ": " + strings.Join(g.Singly(), ", ")
		if left = append(left, line); !slices.Contains(allowed, line) {
			t.Errorf("%s goes row by row", line)
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(singly, []byte(strings.Join(left, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, line := range allowed {
		if !slices.Contains(left, line) {
			t.Errorf("%s: no form goes row by row any more; take it from the list by -update", line)
		}
	}
}
