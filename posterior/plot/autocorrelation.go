package plot

import (
	"math"

	"github.com/vflc/vflc/posterior"
)

func autocorrelationKind() Kind {
	return Kind{Name: "autocorrelation", Doc: "the correlation of draws with later ones of the same chain",
		most: mostFrames, first: 12, make: autocorrelation}
}

// mostLags is the largest distance of draws.
const mostLags = 40

func autocorrelation(in input) (*Figure, error) {
	f := in.grid(func(r int, s scalar) panel {
		p := panel{x: axis{label: "distance (draws)", whole: true}, y: axis{label: "correlation"}}
		p.marks = []mark{segment{0, 0, 1, 0, pen{grey, 1, 1, false}, false}}
		for c, chain := range s.draws[r] {
			rho := posterior.Autocorrelation(chain, mostLags)
			if rho == nil {
				continue
			}
			xs := counted(len(rho))
			for i := range xs {
				xs[i]--
			}
			bound := 1.96 / math.Sqrt(float64(len(chain)))
			if c == 0 {
				ends := []float64{0, xs[len(xs)-1]}
				p.marks = append(p.marks, area{ends, []float64{bound, bound}, []float64{-bound, -bound}, grey,
					0.15})
				p.marks[0] = segment{0, 0, ends[1], 0, pen{grey, 1, 1, false}, false}
			}
			p.marks = append(p.marks, curve{xs, rho, penOf(c)}, scatter{xs, rho, 1.6, penOf(c).color, 1,
				false})
		}
		if len(p.marks) == 1 {
			p = telling("constant, or not finite")
		}
		return p
	})
	f.title, f.legend = in.title("Autocorrelation"), in.chainLegend()
	f.shades = "Grey: where 95 % of the correlations of independent draws lie."
	return f, nil
}
