package nested

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/portable"
)

const (
	firstDraws = 1024
	fewest     = 1000 // effective draws that are wanted
	enough     = 4000 // where they are few numbers
	fewNumbers = 1 << 21
	mostDraws  = 16384
	mostVector = 1 << 24 // numbers of the draws of a run that a client sends
	bounded    = 0.7     // Pareto shape of the first weights beyond which draws go along a longer path
	// effective draws of one that pilot draws must have, or a longer path is taken; and that are expected of
	// one that is taken later, where fewer draws are needed there, the first ones anew
	evenly   = 0.7
	spare    = 1.1 // times the draws that seem to be enough
	mostSets = 3   // of draws of one path
)

// MostColumns is how many columns of draws cross at most.
const MostColumns = mostDraws

// learn takes what clients told of the points of a message.
func (s *server) learn(k *Kernel, replies []float64) {
	f, modes := make([]float64, k.count), make([][]float64, k.count)
	priors, by := make([]float64, k.count), make([][]float64, k.count)
	for i := range f {
		f[i] = math.Inf(-1)
		prior := s.moveTo(k, i, replies)
		if priors[i], by[i] = prior, slices.Clone(s.coefficients); prior-prior == 0 {
			start := s.search.nearest(s.asked[i])
			if start == nil {
				start = s.mode
			}
			if e, ok := s.approximate(start, closely); ok {
				f[i], modes[i] = prior+e.evidence, e.x
				s.mode = e.x
			}
		}
	}
	r := &s.search
	if r.stage == locating {
		s.lost = !r.located(s.asked, f)
		return
	}
	for i, c := range r.asked {
		r.at[c] = len(r.nodes)
		r.nodes = append(r.nodes, node{c, f[i], modes[i], priors[i], by[i]})
		r.top = max(r.top, f[i])
	}
}

// tell decides what is next, and writes it.
func (s *server) tell(k *Kernel, out []float64) {
	r := &s.search
	s.asked = nil
	phase := asking
	if s.q == nil || s.lost {
		phase = failed
	} else if r.stage == locating {
		s.asked = r.stencil()
	} else if r.stage == spreading {
		if r.asked = r.wanted(mostPoints); len(r.asked) == 0 {
			r.finish()
			if s.parted() {
				phase = parted
			} else {
				s.pilot()
			}
		}
		for _, c := range r.asked {
			s.asked = append(s.asked, r.on(c))
		}
	}
	effective, level := 0.0, s.level
	if phase == asking && r.stage == sampling {
		phase = drawing
		if effective = s.queueDraws(k); len(s.queue) == 0 {
			phase = done
		}
		n := min(len(s.queue), mostPoints, max(1, k.most(mostPoints*k.each())/k.each()))
		s.asked, s.queue = s.queue[:n], s.queue[n:]
	}
	clear(out[:k.answers()])
	out[0], out[1], out[2], out[3] = float64(phase), float64(len(s.asked)), r.top, effective
	if s.level > level {
		out[4] = 1
	}
	for i, point := range s.asked {
		s.say(k, point, out[header+i*k.told():])
	}
}

// say writes a point as clients are told it.
func (s *server) say(k *Kernel, point, to []float64) {
	var sent []float64
	if sum(k.received) > 0 {
		sent = s.cond.Sends(point[:s.m])
	}
	point = point[s.m:]
	for j := 1; j <= k.clients; j++ {
		for _, at := range s.cond.To[j] {
			if !slices.Contains(s.cond.Latent, at) {
				to[0], to = sent[at], to[1:]
			}
		}
		copy(to, point[:k.hypers[j]])
		to, point = to[k.hypers[j]:], point[k.hypers[j]:]
	}
}

// queueDraws begins a set of draws: the first, and once its weights are known the same anew along a longer
// path where they are too uneven, or as many as it takes for enough effective draws.
func (s *server) queueDraws(k *Kernel) (effective float64) {
	if len(s.queue) > 0 {
		return 0
	}
	most := min(k.options.Draws, mostDraws, max(firstDraws, mostVector/max(1, k.rows)))
	draws := min(firstDraws, most)
	if s.sets > 0 {
		ratios := append(append([]float64(nil), k.ratios...), s.fresh...)
		least := s.even.least() // of a predictor or hyperparameter
		if effective = effectiveOf(ratios); s.sets == mostSets || s.sets > 1 &&
			min(effective, least) >= fewest || !(effective > 0) {
			return effective
		}
		n, shape := float64(len(ratios)), importance.Smooth(ratios, 1).K
		wanted := k.wanted()
		all := spare * n * max(wanted/effective, fewest/least) // draws of this path that are enough
		switch anew := firstDraws + spare*wanted/evenly; {
		case s.sets == 1 && s.level+1 < len(path) && (shape > bounded || all > anew):
			s.level++
			s.sets, s.even = 0, evenness{}
		case shape > importance.InVain:
			return effective
		default:
			draws = int(min(all, float64(most))) - len(ratios)
		}
		if draws <= 0 {
			return effective
		}
	}
	s.sets++
	s.points.Round(uint64(probes + mostSets*s.level + s.sets))
	s.queue = s.search.draw((draws+k.each()-1)/k.each(), s.points)
	return effective
}

// wanted is how many effective draws are: more where they are few numbers.
func (k *Kernel) wanted() float64 {
	return float64(max(fewest, min(enough, fewNumbers/(1+k.rows*max(2, k.clients)/2))))
}

// effectiveOf is how many draws weighted ones are as good as.
func effectiveOf(ratios []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, l := range importance.Smooth(ratios, 1).LogWeights {
		w := portable.Exp(l)
		sum, squares = sum+w, squares+float64(w*w)
	}
	return sum * sum / squares
}
