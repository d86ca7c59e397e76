package plot

func traceKind() Kind {
	return Kind{Name: "trace", Doc: "the values over the draws, chains over one another, divergent transitions marked", Most: mostFrames, first: 12, make: trace}
}

func trace(in input) (*Figure, error) {
	f := in.grid(func(r int, s scalar) panel {
		p := panel{x: axis{label: "draw", whole: true}, y: axis{label: "value"}}
		for c, chain := range s.draws[r] {
			line := penOf(c)
			line.width, line.alpha = 0.8, 0.8
			p.marks = append(p.marks, curve{counted(len(chain)), chain, line})
		}
		if at := in.divergent(r); len(at) > 0 {
			p.marks = append(p.marks, rug{at, pen{black, 1.2, 1, false}})
		}
		return p
	})
	if f.across > 2 && len(in.runs) == 1 {
		f.across = 2
		f.wide, f.high = panelSize(2)
	}
	f.text = in.framed(Trace)
	f.title, f.legend = in.title("Draws"), in.chainLegend()
	for r := range in.runs {
		if len(in.divergent(r)) > 0 {
			f.note = "Black lines at the lower edge: divergent transitions."
		}
	}
	return f, nil
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
	for _, chain := range in.runs[r].Draws.Transitions {
		for i, t := range chain {
			if t.Divergent {
				out = append(out, float64(i+1))
			}
		}
	}
	return out
}
