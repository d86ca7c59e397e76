package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A column is one of a party's table that is no standard normal number.
type column struct {
	party, name string
	rows        int
	at          func(i int, r *rand.Rand) float64
}

// given are the columns of models whose scale matters.
var given = map[string][]column{
	"survival": {
		{"a", "age", 120, func(_ int, r *rand.Rand) float64 { return float64(30 + r.IntN(50)) }},
		{"b", "dose", 120, func(_ int, r *rand.Rand) float64 { return float64(5 * (2 + r.IntN(10))) }},
	},
	"shifted": {
		{"a", "year", 200, func(i int, _ *rand.Rand) float64 { return 2000 + float64(i%20) }},
		{"b", "weight", 200, func(_ int, r *rand.Rand) float64 { return 70 + 12*r.NormFloat64() }},
	},
	"process": {{"a", "x", 40, func(i int, _ *rand.Rand) float64 { return float64(i)/10 - 2 }}},
	"crossed": {{"server", "n", 180, func(_ int, r *rand.Rand) float64 { return float64(1 + r.IntN(8)) }}},
}

// columns writes a model's columns, and returns the arguments by which they are used.
func (s *study) columns(model string) (args []string, err error) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range given[model] {
		text := bytes.NewBufferString("id," + c.name + "\n")
		for i := range c.rows {
			fmt.Fprintf(text, "%d,%v\n", i+1, c.at(i, r))
		}
		file := filepath.Join(s.dir, model+"-"+c.party+".csv")
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			return nil, err
		}
		args = append(args, "--data", c.party+"="+file)
	}
	return args, nil
}
