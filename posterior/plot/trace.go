package plot

import (
	"fmt"
	"slices"
)

func traceKind() Kind {
	return Kind{Name: "trace",
		Doc:  "the values over the draws, chains over one another, divergent transitions marked",
		most: mostFrames, first: 12, make: trace}
}

func trace(in input) (*Figure, error) {
	f := in.grid(func(r int, s scalar) panel {
		p := panel{x: axis{label: "draw", whole: true}, y: axis{label: "value"}}
		if lo, hi, _ := extent(slices.Concat(s.draws...)); len(in.runs) > 1 { // one scale for all runs
			p.y.lo, p.y.hi = wider(lo, hi, 0.06)
		}
		for c, chain := range s.draws[r] {
			line := penOf(c)
			line.width, line.alpha = 0.8, 0.8
			p.marks = append(p.marks, curve{counted(len(chain)), chain, line})
		}
		p.marks = append(p.marks, rug{in.divergent(r), pen{black, 1.2, 1, false}})
		return p
	})
	if f.across > 2 && f.flows {
		f.across = 2
		f.wide, f.high = panelSize(2)
	}
	f.title, f.legend = in.title("Draws"), in.chainLegend()
	f.note = in.divergenceNote()
	f.text = func(s Canvas) string {
		if s.Color {
			return f.characters(s)
		}
		return in.apart().characters(s)
	}
	return f, nil
}

// apart is a trace with a panel for each chain: without colours, lines over one another cannot be told apart.
func (in input) apart() *Figure {
	f := &Figure{title: in.title("Draws"), across: 1, note: in.divergenceNote()}
	in.named(func(r int, name string, chains [][]float64) {
		lo, hi, bad := extent(chains)
		for c, chain := range chains {
			title := fmt.Sprintf("%s, chain %d, %d draws", name, c+1, len(chain)) + missing(bad)
			if lo > hi {
				f.panels = append(f.panels, panel{title: title, marks: telling("no finite draws").marks,
					bare: true})
				continue
			}
			p := panel{title: title, x: axis{label: "draw", whole: true},
				marks: []mark{curve{counted(len(chain)), chain, penOf(c)}}}
			p.y.lo, p.y.hi = wider(lo, hi, 0.06)
			p.marks = append(p.marks, rug{in.divergentIn(r, c), pen{black, 1.2, 1, false}})
			f.panels = append(f.panels, p)
		}
	})
	return f
}

// divergenceNote says what the marks of divergent transitions are, if there are any.
func (in input) divergenceNote() string {
	for r := range in.runs {
		if len(in.divergent(r)) > 0 {
			return "Marks at the lower edge: divergent transitions."
		}
	}
	return ""
}

// counted is the numbers from 1 to n.
func counted(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i + 1)
	}
	return out
}

// divergent returns the numbers of the draws of a run, from 1, whose transitions diverged in any chain.
func (in input) divergent(r int) []float64 {
	var out []float64
	for c := range in.runs[r].Draws.Transitions {
		out = append(out, in.divergentIn(r, c)...)
	}
	return out
}

// divergentIn is divergent of one chain.
func (in input) divergentIn(r, c int) []float64 {
	var out []float64
	if all := in.runs[r].Draws.Transitions; c < len(all) {
		for i, t := range all[c] {
			if t.Divergent {
				out = append(out, float64(i+1))
			}
		}
	}
	return out
}
