package fit

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/graph"
)

// Bounds beyond which a transform has moved the answer. They are in multiples of standard deviations of the
// model's own posterior, and shares.
const (
	moveBound    = 0.2
	stretchBound = 0.05
	quietNoise   = 0.05 // on the predictor: a likelihood without a forecast may have so much of it
)

// The draws at which densities with noise and without are compared: at most so many, and fewer for many rows,
// but not fewer than the least.
const (
	mostCompared, leastCompared = 1000, 100
	comparedRows                = 100_000 // times draws
	comparedAtOnce              = 50      // by one simulator
)

// moves are the findings that noise has moved the answer. The posterior of the model as written is that of
// the run with draws weighted by the ratio w of the two densities, the noise integrated out of its own row by
// row. Where these weights are not reliable, to first order in log w, and exactly where both posteriors of a
// parameter θ are normal,
//
//	c = Cov(z², log w)/2, z = (θ - mean)/sd:   (sd of the run / true sd)² = 1 - 2c
//	Cov(z, log w) (true sd / sd of the run) = (true mean - mean of the run) / true sd
//
// which covers every parameter of any likelihood: dispersions, cut points and scales as well as coefficients.
func (p *Prepared) moves(d *posterior.Draws, rows []posterior.SummaryRow,
	forecasts []posterior.Forecast) (most *posterior.Moved, out []posterior.Finding) {
	if !p.Settings.Transform.Noise() || p.noise() == 0 || p.Checked.PriorOnly || d.Len(0) == 0 {
		return nil, nil
	}
	for _, f := range forecasts {
		if f.Reason == "" && (off(f.Slope) > stretchBound || off(f.SD) > stretchBound) {
			out = append(out,
				p.movedBy(posterior.Finding{Value: posterior.Number(max(off(f.Slope), off(f.SD))),
					Text: f.Response + ": " + f.String()}))
		}
	}
	x, why := p.compare(d)
	if why != "" {
		if sd := p.noise(); sd > quietNoise*(1+1e-9) {
			out = append(out,
				p.movedBy(posterior.Finding{Value: posterior.Number(sd),
					Text: fmt.Sprintf("rho√J is %.2g, and how far that moves the answer is not known: %s", sd,
						why)}))
		}
		return nil, out
	}
	if x.far() {
		return nil, append(out,
			p.movedBy(posterior.Finding{Value: posterior.Number(x.sd),
				Text: "noise moves the answer so far from that of the model as written that these draws do " +
					"not tell how far, or which parameters most"}))
	}
	var moved []posterior.Finding
	most = &posterior.Moved{}
	for k, r := range rows {
		if k >= len(d.Columns()) || r.Point || !(float64(r.SD) > 0) {
			continue
		}
		m := x.move(d, k)
		most.Means, most.SDs = max(most.Means, posterior.Number(math.Abs(m.mean))),
			max(most.SDs, posterior.Number(math.Abs(m.sd-1)))
		if m.large() {
			moved = append(moved,
				p.movedBy(posterior.Finding{Parameter: r.Name, Label: r.Label,
					Value: posterior.Number(math.Abs(m.mean)), Text: r.Shown() + ": " + m.String()}))
		}
	}
	slices.SortStableFunc(moved, func(a, b posterior.Finding) int {
		switch {
		case a.Value > b.Value:
			return -1
		case a.Value < b.Value:
			return 1
		}
		return 0
	})
	return most, append(out, moved...)
}

// off is the distance of a factor from 1.
func off(factor posterior.Number) float64 { return math.Abs(float64(factor) - 1) }

// movedBy completes a finding.
func (p *Prepared) movedBy(f posterior.Finding) posterior.Finding {
	f.Check = "moved"
	f.Try = "--transform exact: the posterior of the model as written; or a smaller --rho"
	return f
}

// noise is the largest standard deviation of noise on a sum of contributions.
func (p *Prepared) noise() (most float64) {
	for _, g := range p.Plan.Groups {
		square := 0.0
		for _, m := range g.Members {
			name, _, _ := strings.Cut(p.Plan.Names[m.Party], "[") // of a family
			rho, _ := strconv.ParseFloat(p.Manifest.Rho[name], 64)
			square += float64(rho * rho)
		}
		most = max(most, math.Sqrt(square))
	}
	return most
}

// ratios hold, for draws at even distances, the log density of the data without noise less that with noise.
type ratios struct {
	every   int
	log     [][]float64 // by chain
	centred []float64   // of all chains, less their mean
	sd      float64
	weight  []float64 // smoothed, with the sum 1; nil: they are not reliable
}

// farApart is the standard deviation of the log ratios beyond which posteriors hardly overlap.
const farApart = 2

// far reports whether the draws say nothing of the posterior of the model as written, but that it is
// elsewhere.
func (x ratios) far() bool { return x.weight == nil && x.sd > farApart }

// compare computes the ratios; why is the reason why it cannot.
func (p *Prepared) compare(d *posterior.Draws) (out ratios, why string) {
	if p.forwards == nil {
		return out, "the densities with noise and without can be compared only where all data are at hand"
	}
	at, err := places(p.forwards, d)
	if err != nil {
		return out, err.Error()
	}
	rows := 0
	for _, y := range p.forwards.Responses {
		rows += graph.Shape(y.Outcomes).Len()
	}
	out.every = LogDensities{Draws: max(leastCompared, min(mostCompared, comparedRows/max(1, rows)))}.every(d,
		0)
	var parts []segment
	for c := range d.Chains() {
		n := d.Len(c) / out.every
		out.log = append(out.log, make([]float64, n))
		for from := 0; from < n; from += comparedAtOnce {
			parts = append(parts, segment{c, from, min(n, from+comparedAtOnce)})
		}
	}
	errs := make([]error, len(parts))
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i, s := range parts {
		wait.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			errs[i] = p.ratio(d, at, s, out)
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return out, err.Error()
		}
	}
	out.centred = slices.Concat(out.log...)
	smooth := importance.Smooth(out.centred, 1)
	if smooth.K <= reliable(len(out.centred)) {
		for _, w := range smooth.LogWeights {
			out.weight = append(out.weight, portable.Exp(w))
		}
	}
	out.sd = centre(out.centred)
	return out, ""
}

// ratio computes those of a segment.
func (p *Prepared) ratio(d *posterior.Draws, at placement, s segment, out ratios) error {
	sim, x := p.forwards.NewSimulator(), make([]float64, p.forwards.Graph.Dim())
	for i := s.from; i < s.to; i++ {
		at.fill(x, func(column int) float64 { return d.Column(column)[s.chain][i*out.every+out.every-1] })
		for k, y := range p.forwards.Responses {
			if len(y.Noise) == 0 && y.Dependent == "" {
				continue
			}
			each := make([]float64, graph.Shape(y.Outcomes).Len())
			if err := sim.Ratio(k, x, each); err != nil {
				return err
			}
			for _, v := range each {
				out.log[s.chain][i] += v
			}
		}
		if v := out.log[s.chain][i]; v-v != 0 {
			return fmt.Errorf("the density without noise is not finite at every draw")
		}
	}
	return nil
}

// A move is what noise has done to a parameter.
type move struct {
	// the mean of the run less that of the model as written, in sds of the latter; the ratio of the sds
	mean, sd           float64
	meanError, sdError float64
}

// large reports whether a move is beyond a bound by more than two of its standard errors.
func (m move) large() bool {
	return math.Abs(m.mean) > moveBound+float64(2*m.meanError) ||
		math.Abs(m.sd-1) > stretchBound+float64(2*m.sdError)
}

func (m move) String() string {
	text := fmt.Sprintf("noise moves its mean by about %.2f standard deviations of the model as written",
		math.Abs(m.mean))
	if math.Abs(m.sd-1) > stretchBound {
		text += fmt.Sprintf(", and its standard deviation is about %.2f times", m.sd)
	}
	return text
}

// move computes that of a column of the draws.
func (x ratios) move(d *posterior.Draws, k int) move {
	var z []float64
	for c, chain := range d.Column(k) {
		for i := range x.log[c] {
			z = append(z, chain[i*x.every+x.every-1])
		}
	}
	if slices.Min(z) == slices.Max(z) { // as a state that is all but certain may be in the draws compared
		return move{sd: 1}
	}
	sd := centre(z)
	for i := range z {
		z[i] /= sd
	}
	if x.weight != nil {
		return weighed(z, x.weight)
	}
	return firstOrder(z, x.centred)
}

// weighed is the move of standardised draws z whose weights w have the sum 1.
func weighed(z, w []float64) move {
	var mean, square, meanError, sdError float64
	for i, v := range z {
		mean += float64(w[i] * v)
	}
	for i, v := range z {
		square += float64(w[i] * (v - mean) * (v - mean))
	}
	for i, v := range z {
		d := w[i] * (v - mean)
		e := w[i] * (float64((v-mean)*(v-mean)/square) - 1) / 2
		meanError, sdError = meanError+float64(d*d), sdError+float64(e*e)
	}
	sd := 1 / math.Sqrt(square)
	return move{mean: -mean * sd, sd: sd, meanError: math.Sqrt(meanError) * sd,
		sdError: math.Sqrt(sdError) * sd}
}

// firstOrder is the move of standardised draws z to first order in log weights of mean 0.
func firstOrder(z, lw []float64) move {
	first, second := make([]float64, len(z)), make([]float64, len(z))
	var slope, bend float64
	for i, v := range z {
		first[i], second[i] = float64(v*lw[i]), float64(v*v*lw[i]/2)
		slope, bend = slope+first[i], bend+second[i]
	}
	n := float64(len(z))
	sd := math.Sqrt(max(1-float64(2*bend/n), 1e-2))
	return move{mean: -slope / n / sd, sd: sd, meanError: centre(first) / math.Sqrt(n) / sd,
		sdError: centre(second) / math.Sqrt(n) / sd}
}

// centre takes the mean off some numbers and returns their standard deviation.
func centre(v []float64) float64 {
	n, mean, squares := float64(len(v)), 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for i := range v {
		v[i] -= mean
		squares += float64(v[i] * v[i])
	}
	return math.Sqrt(squares / n)
}
