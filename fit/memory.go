package fit

import (
	"fmt"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/spill"
)

// Sizes in bytes of what a run holds at least: a number is held when it is drawn, among the draws that are
// summarised, and among those that are written. A chain has at least the arrays of its transitions and of the
// graph.
const (
	copiesOfDraw   = 3 * 8
	drawOverhead   = 150
	copiesOfState  = 40 * 8
	chainsOverhead = 80_000
)

// needs is the least memory, in bytes, of chains with so many draws of so many numbers each, over so many
// unconstrained coordinates.
func needs(chains, draws, width, coordinates int) float64 {
	perDraw := drawOverhead + float64(copiesOfDraw*float64(width))
	return float64(chains) * (chainsOverhead + float64(copiesOfState*float64(coordinates)) +
		float64(float64(draws)*perDraw))
}

// fits returns an error for a run that the memory of this process cannot hold, before it begins.
func (p *Prepared) fits() error {
	coordinates := 0
	for _, party := range p.Plan.Here() {
		coordinates += party.Graph.Dim()
		for _, c := range party.Auxiliary() {
			coordinates += c.Rows * c.Cols
		}
	}
	plan := p.Settings.Plan
	if p.Algorithm.Forecast != nil {
		rows := 0
		for _, g := range p.Plan.Groups {
			rows = max(rows, g.Len)
		}
		if err := withinRows(p.Algorithm.Forecast(p.Settings).Vectors, rows, spill.Usual()); err != nil {
			return err
		}
	}
	width := len(posterior.Columns(variables(p.Plan, p.options.Auxiliary)))
	return within(max(1, plan.Chains), plan.Draws, width, coordinates, spill.Memory())
}

// mayHold is fits, before what is found of the data takes memory.
func (p *Prepared) mayHold() (diag.List, error) { return nil, p.fits() }

// withinRows compares vectors with a number for each row with the bytes that there are for them; 0: it is not
// known how many.
func withinRows(vectors, rows int, most float64) error {
	if n := 8 * float64(vectors) * float64(rows); most > 0 && n > most {
		return usagef("this fit has %d numbers for each of %d rows in memory, %s beside what is in files, "+
			"and there are %s for them, half of the memory or a quarter of a resource limit; allow it more "+
			"(ulimit -d, ulimit -v), or take draws of some rows at a time: --estimator sampled "+
			"--minibatch ROWS", vectors, rows, gigabytes(n), gigabytes(most))
	}
	return nil
}

// within compares what a run needs with the memory of the machine in bytes; 0: it is not known.
func within(chains, draws, width, coordinates int, memory float64) error {
	if n := needs(chains, draws, width, coordinates); memory > 0 && n > memory {
		return usagef("%d chains of %d draws of %d numbers need at least %s of memory, but this process "+
			"may have %s; use fewer chains or draws", chains, draws, width, gigabytes(n), gigabytes(memory))
	}
	return nil
}

func gigabytes(n float64) string { return fmt.Sprintf("%.3g GB", n/1e9) }
