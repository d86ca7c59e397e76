// Package densities has values of log densities from an independent source, 60 digits of mpmath rounded to
// double for those that are there.
package densities

import (
	"embed"
	"encoding/json"
)

// A Number is the normalised log density of a distribution of numbers.
type Number struct {
	X     float64
	Theta []float64
	LogP  float64
}

// An Event is that of one of vectors or matrices, by columns, or with such parameters.
type Event struct {
	X     []float64
	Theta [][]float64
	LogP  float64
}

//go:embed *.json
var files embed.FS

// Numbers returns the values by distribution of numbers.
func Numbers() map[string][]Number { return read[Number]("numbers.json") }

// Events returns the values by other distributions.
func Events() map[string][]Event { return read[Event]("events.json") }

func read[T any](name string) map[string][]T {
	text, err := files.ReadFile(name)
	out := map[string][]T{}
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic("densities: " + err.Error())
	}
	return out
}
