package nuts

import "slices"

// leastInformed is how many draws tell what data say of an effect, if any do.
const leastInformed = 10

// evidence has weighted moments, over draws, of effects v and of the derivatives of the log likelihood by
// them.
type evidence struct {
	v, slope, weight  []float64
	weights           []float64 // summed
	means             [2][]float64
	squares, products []float64 // of deviations
	precision         []float64 // h
}

func newEvidence(n int) evidence {
	v := make([]float64, 9*n)
	next := func() []float64 { m := v[:n:n]; v = v[n:]; return m }
	return evidence{next(), next(), next(), next(), [2][]float64{next(), next()}, next(), next(), next()}
}

// renewals is how often the weights of draws are renewed by the precision that was found.
const renewals = 2

// inform sets the anchors in c.at of effects that can be density.Informed, from the newest n draws: the
// weighted least-squares line through the derivatives of the log likelihood by an effect is that of a normal
// density with precision h. Where it rises data say nothing.
//
// A draw weighs as much as the effect can vary where its scale s is: 1/(1/s² + h). By s² alone few draws of a
// large scale would outweigh all others.
func (c *centring) inform(n int) {
	e := &c.evidence
	clear(e.precision)
	for range 1 + renewals {
		c.regress(n)
		for j, squares := range e.squares {
			h := -e.products[j] / squares
			if !(h > 0) || !finite(h) || n < leastInformed {
				h = 0
			}
			e.precision[j] = h
		}
	}
	anchors, j := c.at[len(c.effects):], 0
	for _, of := range c.effects {
		if !of.Anchored && of.Terms == nil {
			for i := range of.Len {
				h := e.precision[j]
				pull := float64(h*e.means[0][j]) + e.means[1][j]
				if h == 0 || !finite(pull) {
					h, pull = 0, 0
				}
				anchors[i], anchors[of.Len+i] = h, pull
				j++
			}
		}
		anchors = anchors[of.Anchors():]
	}
}

// regress sets the moments of effects and derivatives over the newest n draws.
func (c *centring) regress(n int) {
	e := &c.evidence
	for _, v := range [][]float64{e.weights, e.means[0], e.means[1], e.squares, e.products} {
		clear(v)
	}
	for i := range n {
		q, g := c.kept.newest(n - i)
		c.from.Evidence(q, g, e.v, e.slope, e.weight)
		for j, v := range e.v {
			w := e.weight[j]
			if w == 0 { // the scale is less than any number
				continue
			}
			w /= 1 + float64(w*e.precision[j])
			e.weights[j] += w
			share := w / e.weights[j]
			d, by := v-e.means[0][j], e.slope[j]-e.means[1][j]
			e.means[0][j] += float64(d * share)
			e.means[1][j] += float64(by * share)
			left := w * (v - e.means[0][j])
			e.squares[j] += float64(d * left)
			e.products[j] += float64(by * left)
		}
	}
}

// informative reports whether the anchors of effects k say anything of them.
func (c *centring) informative(k int) bool {
	anchors := c.at[len(c.effects):]
	for _, e := range c.effects[:k] {
		anchors = anchors[e.Anchors():]
	}
	return slices.ContainsFunc(anchors[:c.effects[k].Anchors()], func(v float64) bool { return v != 0 })
}
