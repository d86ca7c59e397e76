package sfvi

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/nested"
	"github.com/vflc/vflc/density"
)

// newNested makes the kernel of a fit over a grid of hyperparameters.
func newNested(env density.Env, s backends.Settings) (backends.Kernel, error) {
	err := unsettled(s)
	var k *nested.Kernel
	if err == nil {
		k, err = nested.New(env, nested.Options{Draws: s.Int(draws), Correct: wanted(s),
			Heading: fmt.Sprintf("vflc sfvi nested checkpoint 3: %s", s)})
	}
	if err != nil {
		return nil, nested.Refuse(err)
	}
	return k, nil
}

// unsettled is the reason why settings exclude the grid.
func unsettled(s backends.Settings) error {
	switch {
	case s.Transform.Powers():
		return fmt.Errorf("transform %s has a likelihood at each client; exact and "+
			"augmented have it at the server", s.Transform)
	case s.Transform.AtClients():
		return errSeveral
	case s.Auxiliary && s.Transform.Noise():
		return errors.New("the noise of auxiliary variables is integrated out, and draws of these are wanted")
	case s.Int(minibatch) > 0:
		return fmt.Errorf("--%s %d takes some of the rows at a time", minibatch, s.Int(minibatch))
	case s.Text(thetaGuide) != auto:
		return fmt.Errorf("--%s %s: there is one Gaussian of all parties for each "+
			"value of the hyperparameters", thetaGuide, s.Text(thetaGuide))
	case s.Int(restarts) > 1 && s.Differs(restarts):
		return fmt.Errorf("--%s %d: it begins at one point; --inits gives another", restarts, s.Int(restarts))
	}
	for _, name := range ascents {
		if s.Differs(name) {
			return fmt.Errorf("--%s concerns draws that a fit ascends by", name)
		}
	}
	return nil
}

// addNesting adds what a block hinders of the grid. What it counts toward the bounds of all parties together,
// and which of the server's parameters it needs in which form, has names of its own: every party decides by
// those of all.
func addNesting(out backends.Hindrances, b density.Block, s backends.Settings) {
	part, err := nested.Look(b, s.Text(estimator) == auto)
	if out.Add(byNesting, err); err != nil {
		return
	}
	counted := func(name string, of ...string) {
		for _, n := range of {
			out.Add(byNesting+name+n, errCounted)
		}
	}
	counted(".", fmt.Sprintf("%d=%d,%d,%d", b.Index(), part.Hyper, part.Latent, part.Rows))
	counted("+", part.Normal...)
	counted("=", part.Needs...)
	counted("-", part.Excludes...)
}

// errCounted stands for what is no reason by itself.
var errCounted = errors.New("counted with what other parties have")

// together is the reason why the parties exclude the grid, each alone or together, how many hyperparameters
// they have, and what a value of these costs the server: operations.
func together(hindered backends.Hindrances) (hyper, cost int, err error) {
	if err := hindered[byNesting]; err != nil {
		return 0, 0, err
	}
	var parts []nested.Part
	latent, rows := 0, 0
	for _, name := range hindered.Names() {
		rest, is := strings.CutPrefix(name, byNesting)
		if !is || rest == "" {
			continue
		}
		var p nested.Part
		switch of := rest[1:]; rest[0] {
		case '.':
			index := 0
			if n, _ := fmt.Sscanf(of, "%d=%d,%d,%d", &index, &p.Hyper, &p.Latent, &p.Rows); n != 4 {
				return 0, 0, fmt.Errorf("a party tells %q of what it has", of)
			}
		case '+':
			p.Normal = []string{of}
		case '=':
			p.Needs = []string{of}
		case '-':
			p.Excludes = []string{of}
		}
		parts = append(parts, p)
		hyper, latent, rows = hyper+p.Hyper, latent+p.Latent, max(rows, p.Rows)
	}
	return hyper, rows * latent * latent, nested.Together(parts)
}

// Bounds of what a grid costs where nobody asks for it: about two minutes of the server's. Where noise is
// integrated out a value of the hyperparameters costs up to four times as much.
const (
	mostNesting = 5e8
	noisyCost   = 4
)

// nests is the reason why auto does not take the grid, and how many hyperparameters there are.
func nests(hindered backends.Hindrances, s backends.Settings) (hyper int, err error) {
	hyper, cost, err := together(hindered)
	if s.Transform.Noise() {
		cost *= noisyCost
	}
	if err = cmp.Or(unfixed(s), unsettled(s), err); err == nil && cost > mostNesting {
		err = fmt.Errorf("--%s %s would take the server long for so many rows and parameters", estimator,
			byNesting)
	}
	return hyper, err
}
