package nuts

// leastInformed is how many draws tell what data say of an effect, if any do.
const leastInformed = 10

// evidence has moments, over draws, of effects v and of the derivatives of the log likelihood by them.
type evidence struct {
	v, slope          []float64
	means             [2][]float64
	squares, products []float64 // of deviations
}

func newEvidence(n int) evidence {
	v := make([]float64, 6*n)
	next := func() []float64 { m := v[:n:n]; v = v[n:]; return m }
	return evidence{next(), next(), [2][]float64{next(), next()}, next(), next()}
}

// inform sets the anchors in c.at of effects that can be density.Informed, from the newest n draws: the
// least-squares line through the derivatives of the log likelihood by an effect is that of a normal density
// with precision h. Where it rises data say nothing.
func (c *centring) inform(n int) {
	e := &c.evidence
	for _, v := range [][]float64{e.means[0], e.means[1], e.squares, e.products} {
		clear(v)
	}
	for i := range n {
		q, g := c.kept.newest(n - i)
		c.from.Evidence(q, g, e.v, e.slope)
		for j, v := range e.v {
			d, by := v-e.means[0][j], e.slope[j]-e.means[1][j]
			e.means[0][j] += d / float64(i+1)
			e.means[1][j] += by / float64(i+1)
			left := v - e.means[0][j]
			e.squares[j] += float64(d * left)
			e.products[j] += float64(by * left)
		}
	}
	anchors, j := c.at[len(c.effects):], 0
	for _, of := range c.effects {
		if !of.Anchored {
			for i := range of.Len {
				h := -e.products[j] / e.squares[j]
				pull := float64(h*e.means[0][j]) + e.means[1][j]
				if !(h > 0) || !finite(h) || !finite(pull) || n < leastInformed {
					h, pull = 0, 0
				}
				anchors[i], anchors[of.Len+i] = h, pull
				j++
			}
		}
		anchors = anchors[of.Anchors():]
	}
}

// informative reports whether the anchors of effects k say anything of them.
func (c *centring) informative(k int) bool {
	anchors := c.at[len(c.effects):]
	for _, e := range c.effects[:k] {
		anchors = anchors[e.Anchors():]
	}
	for _, h := range anchors[:c.effects[k].Len] {
		if h > 0 {
			return true
		}
	}
	return false
}
