package fit

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
)

// Audit lists what each party learns from another in a run of party programs by an algorithm with the settings given: what the run's own scripts hold,
// the values of every draw that is kept included. The error is a UsageError where the settings do not fit.
func Audit(p *compile.Bundle, a backends.Algorithm, given map[string]string) ([]compile.Disclosure, error) {
	transform, _ := stdlib.New().Transform(p.Manifest.Transform)
	s, err := a.Resolve(transform, given)
	if err != nil {
		return nil, &UsageError{err}
	}
	s.UnlikeNoise = unlikeNoiseOf(p.Manifest)
	uses, err := exchanges(a, s)
	if err != nil {
		return nil, err
	}
	return p.Audit(append(uses, reporting), wireIn(s)), nil
}

// reporting is how the values of a draw that is kept cross.
var reporting = density.Use{Exchange: density.Reporting, Often: "every draw"}
