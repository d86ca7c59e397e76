package sfvi

import (
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/nested"
	"github.com/vflc/vflc/density"
)

// newNested makes the kernel of a fit over a grid of hyperparameters.
func newNested(env density.Env, s backends.Settings) (backends.Kernel, error) {
	err := unsettled(s)
	var k *nested.Kernel
	if err == nil {
		k, err = nested.New(env, nested.Options{Draws: s.Int(draws), Correct: wanted(s), Heading: fmt.Sprintf("vflc sfvi nested checkpoint 2: %s", s)})
	}
	if err != nil {
		return nil, nested.Refuse(err)
	}
	return k, nil
}

// unsettled is the reason why settings exclude the grid.
func unsettled(s backends.Settings) error {
	switch {
	case s.Transform.AtClients() && s.Transform.Noise():
		return fmt.Errorf("transform %s has a likelihood at each client; exact and augmented have it at the server", s.Transform)
	case s.Int(minibatch) > 0:
		return fmt.Errorf("--%s %d takes some of the rows at a time", minibatch, s.Int(minibatch))
	case s.Text(thetaGuide) != auto:
		return fmt.Errorf("--%s %s: there is one Gaussian of all parties for each value of the hyperparameters", thetaGuide, s.Text(thetaGuide))
	case s.Int(restarts) > 1:
		return fmt.Errorf("--%s %d: it begins at one point; --inits gives another", restarts, s.Int(restarts))
	}
	for _, name := range ascents {
		if s.Differs(name) {
			return fmt.Errorf("--%s concerns draws that a fit ascends by", name)
		}
	}
	return nil
}

// unnested is the reason why a block excludes the grid. What it finds of the block is kept for New, which may come after the party's data are released.
func unnested(b density.Block, s backends.Settings) error {
	if err := unsettled(s); err != nil {
		return err
	}
	return nested.Applies(b)
}
