package nuts

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// indifference is a difference of a criterion that decides nothing: what one coordinate adds to the misfit is
// at least 1, and half a nat is the noise of its spread over some tens of draws. Where effects are sampled
// given others √(2/n) is that of n draws, if it is less. Coordinates that are density.Informed are to be
// better by half a nat always: each effect gains a little by them where its scale may lose much.
const indifference = 0.5

// bendIndifference is the same for the coordinate of a scale. It is smaller: the misfits of two such
// coordinates on the same draws differ little by chance, and bending makes no funnel of what was none.
const bendIndifference = 0.1

// worthTogether is by how much an element coordinates of terms together are to be better: their map takes as
// long as several densities.
const worthTogether = 0.75

// candidates are the centrings that are compared, ascending.
var candidates = [...]float64{0, 0.25, 0.5, 0.75, 1}

// A centring is the coordinates u in which a party's hierarchies are sampled. At first they are those of θ;
// the warm-up chooses others (Papaspiliopoulos, Roberts and Sköld 2007, "A general framework for the
// parametrization of hierarchical models"; Gorinova, Moore and Hoffman 2020, "Automatic reparameterisation of
// probabilistic programs"). All of it is the party's own: others see the sums that they see anyway.
type centring struct {
	effects  []density.Effects
	to, from density.Map
	// by effects: the centrings of θ, and anchors, 0 where coordinates do not depend on them
	declared    []float64
	chosen      []float64
	other       bool      // chosen are not declared
	given       bool      // effects are sampled given others
	theta       []float64 // at the point of the evaluation, where other
	logJacobian float64   // log|∂θ/∂u| there
	kept        *keptRing
	trial       estimate // of draws in coordinates that are tried
	u, q, g     []float64
	at, varied  []float64 // centrings that are tried, and anchors
	evidence    evidence
	told        int // newest draws that have gradients, which tell what data say of terms
}

// newCentring returns nil where there is nothing to choose.
func newCentring(b density.Block, of shape, s backends.Settings) *centring {
	r, ok := b.(density.Recentring)
	if !ok || s.Text(coordinates) != "auto" || len(r.Effects()) == 0 {
		return nil
	}
	dim := b.Dim()
	c := &centring{effects: r.Effects(), to: r.ToTheta(), from: r.FromTheta(),
		trial: newEstimate(dim, of.dense), kept: &keptRing{dim: dim}}
	for _, e := range c.effects {
		c.declared = append(c.declared, e.Centring)
	}
	anchors, informed := 0, 0
	for _, e := range c.effects {
		if anchors += e.Anchors(); !e.Anchored && e.Terms == nil {
			informed += e.Len
		}
	}
	c.evidence = newEvidence(informed)
	c.declared = append(c.declared, make([]float64, anchors)...)
	c.chosen, c.at, c.varied = slices.Clone(c.declared), slices.Clone(c.declared), slices.Clone(c.declared)
	c.theta, c.u, c.q, c.g = make([]float64, dim), make([]float64, dim), make([]float64, dim),
		make([]float64, dim)
	return c
}

// place returns θ at u. What it returns and the log-Jacobian there stand until the next call.
func (c *centring) place(u []float64) []float64 {
	if !c.other {
		return u
	}
	c.logJacobian = c.to.At(c.chosen, u, c.theta)
	return c.theta
}

// pull turns the gradient of the log density by θ, where place was called last, into that by u with the
// log-Jacobian.
func (c *centring) pull(g []float64) {
	if c.other {
		c.to.Pull(g)
	}
}

// declare takes u, with a gradient by u, back to θ and the gradient by it.
func (c *centring) declare(u, g []float64) {
	if !c.other {
		return
	}
	copy(u, c.place(u))
	c.to.Lift(g)
}

// undeclare is the inverse of declare.
func (c *centring) undeclare(theta, g []float64) {
	if !c.other {
		c.logJacobian = 0
		return
	}
	c.logJacobian = -c.change(c.chosen, theta, g)
}

// change takes θ and a gradient by it to coordinates u at some centrings, and returns log|∂u/∂θ|.
func (c *centring) change(to, theta, g []float64) float64 {
	logJacobian := c.from.At(to, theta, c.u)
	c.from.Lift(g)
	copy(theta, c.u)
	return logJacobian
}

// use sets the centrings.
func (c *centring) use(at []float64) {
	copy(c.chosen, at)
	c.other = !slices.Equal(c.chosen, c.declared)
}

// standardise uses coordinates in which effects are standard, or those of θ. Scales stay as they are, and
// locations are not relative to them.
func (c *centring) standardise(on bool) {
	copy(c.at, c.declared)
	for k, e := range c.effects {
		if on && !e.Anchored {
			c.at[k] = 0
		}
	}
	c.use(c.at)
}

// misfit estimates, from the newest n draws, how far the target is from a standard normal at best after a
// scaling of the coordinates at some centrings: the Fisher divergence that the metric minimises is twice Σ
// √(var u_i · var ∂_i) less a constant, and the sum is returned. It leaves the moments in c.trial, but for
// the matrices of the dense part, which take longer than all else.
func (c *centring) misfit(at []float64, n int) float64 {
	c.trial.reset()
	c.eachKept(at, n, func() {
		c.trial.draws.Add(c.q)
		c.trial.gradients.Add(c.g)
	})
	sum := 0.0
	for i, v := range c.trial.draws.Squares {
		sum += math.Sqrt(v * c.trial.gradients.Squares[i])
	}
	return sum / float64(n-1)
}

// eachKept visits the newest n draws, as c.q, with their gradients c.g, in the coordinates at some centrings.
func (c *centring) eachKept(at []float64, n int, visit func()) {
	for i := range n {
		q, g := c.kept.newest(n - i)
		copy(c.q, q)
		copy(c.g, g)
		c.change(at, c.q, c.g)
		visit()
	}
}

// spread is the divergence of a normal with independent coordinates, of the moments of some draws, from the
// distribution of these, as a function of the centrings at which the coordinates are: Σ log sd u_i − E
// log|∂u/∂θ|. It needs no gradients.
func (c *centring) spread(at []float64, draws [][]float64) float64 {
	c.trial.reset()
	logJacobian := 0.0
	for _, theta := range draws {
		logJacobian += c.from.At(at, theta, c.q) / float64(len(draws))
		c.trial.draws.Add(c.q)
	}
	sum := -logJacobian
	for _, v := range c.trial.draws.Squares {
		sum += float64(0.5 * portable.Log(v))
	}
	return sum
}

// cloudKept is how many draws of an approximation coordinates are compared by.
const cloudKept = 100

// near chooses coordinates by the draws of an approximation, of θ, and returns these in them. The
// approximation knows only where the posterior is: draws of the warm-up have the last word.
func (c *centring) near(cloud [][]float64) [][]float64 {
	some := cloud[:min(len(cloud), cloudKept)]
	if len(some) >= fisherDraws {
		c.told = 0
		c.anchor(len(some), func(i int) []float64 { return some[i] })
		if c.choose(func(at []float64) float64 { return c.spread(at, some) }) {
			c.use(c.at)
		}
	}
	if !c.other {
		return cloud
	}
	out := make([][]float64, len(cloud))
	for i, theta := range cloud {
		out[i] = make([]float64, len(theta))
		c.from.At(c.chosen, theta, out[i])
	}
	return out
}

// choose sets c.at to the centrings at which a criterion is least, chosen for one parameter after another,
// and reports whether they, or anchors that matter, differ from those in use. The criterion was then last
// evaluated there. The anchors are those in c.at.
func (c *centring) choose(criterion func(at []float64) float64) (changed bool) {
	copy(c.at[:len(c.effects)], c.chosen)
	if last := len(c.effects) - 1; c.effects[last].Terms != nil {
		c.at[last] = 0 // effects are chosen each by itself first
	}
	value := math.NaN() // of the criterion at c.at
	for k := range c.effects {
		c.at[k], value = c.best(k, value, criterion)
	}
	anchors := c.at[len(c.effects):]
	for k, e := range c.effects {
		if e.Anchored && c.at[k] == e.Centring || !e.Anchored && c.at[k] != density.Informed {
			clear(anchors[:e.Anchors()])
		}
		anchors = anchors[e.Anchors():]
	}
	return !slices.Equal(c.at, c.chosen) && finite(criterion(c.at))
}

// anchor sets the anchors in c.at to the means of n draws of θ; those of scales, which have a long lower
// tail, to a standard deviation above.
func (c *centring) anchor(n int, theta func(i int) []float64) {
	anchors := c.at[len(c.effects):]
	clear(anchors)
	for _, e := range c.effects {
		of := anchors[:e.Anchors()]
		anchors = anchors[e.Anchors():]
		if !e.Anchored {
			continue
		}
		for i := range n {
			vector.Axpy(e.Len, of, 1/float64(n), theta(i)[e.Offset:])
		}
		for k, mean := range of {
			squares := 0.0
			for i := range n {
				d := theta(i)[e.Offset+k] - mean
				squares += float64(d * d)
			}
			if e.Scale {
				of[k] += math.Sqrt(squares / float64(n-1))
			}
		}
	}
}

// chooseByKept chooses by the newest n draws. Where it changes coordinates it leaves their moments in
// c.trial.
func (c *centring) chooseByKept(n int) (changed bool) {
	c.anchor(n, func(i int) []float64 { q, _ := c.kept.newest(n - i); return q })
	c.inform(n)
	c.told = n
	changed = c.choose(func(at []float64) float64 { return c.misfit(at, n) })
	if changed && c.trial.drawMatrix != nil {
		c.eachKept(c.at, n, func() { c.trial.addMatrices(c.q, c.g) })
	}
	return changed
}

// best returns a centring of effects k that is as good as any, the others being as in c.at: the declared one
// where that is, else the least. Where a scale may come near 0, a smaller centring has less of a funnel,
// whose neck the draws need not have found yet. known is the criterion at c.at, or not a number; with the
// centring it returns that of the result.
func (c *centring) best(k int, known float64, criterion func(at []float64) float64) (centring,
	value float64) {
	copy(c.varied, c.at)
	var misfits [len(candidates)]float64
	least := math.Inf(1)
	for i, v := range candidates {
		if e := c.effects[k]; (e.Walk || e.Process || e.Terms != nil) && v > 0 && v != e.Centring {
			misfits[i] = math.Inf(1) // between two forms are coordinates by what data say, or none
			continue
		}
		c.varied[k] = v
		if misfits[i] = known; v != c.at[k] || math.IsNaN(known) {
			misfits[i] = criterion(c.varied)
		}
		if misfits[i] < least {
			least = misfits[i]
		}
	}
	enough := indifference
	if c.effects[k].Terms != nil {
		// a misfit is that of each coordinate, at least 1
		if enough = float64(worthTogether * float64(c.effects[k].Len)); least-enough > float64(len(c.u)) {
			c.informTogether(k)
			copy(c.varied[len(c.effects):], c.at[len(c.effects):])
		}
	}
	if !c.effects[k].Anchored && c.informative(k) {
		c.varied[k] = density.Informed
		if value = criterion(c.varied); value < least-enough {
			return density.Informed, value
		}
	}
	most := least + indifference
	if c.effects[k].Scale {
		most = least + bendIndifference
	} else if c.given {
		most = least + min(indifference, math.Sqrt(2/float64(c.trial.draws.N)))
	}
	centring, value = c.at[k], known // where no misfit is a number
	for i := len(candidates) - 1; i >= 0; i-- {
		if good := misfits[i] <= most; good && candidates[i] == c.declared[k] {
			return c.declared[k], misfits[i]
		} else if good {
			centring, value = candidates[i], misfits[i]
		}
	}
	return centring, value
}

// recentre chooses coordinates by the draws of the estimate in use. This, and the current point q with its
// gradient g, go over to them.
func (s *party) recentre(q, g []float64) {
	c, d := s.centring, s.block.Dim()
	n := min(s.estimate.foreground.draws.N, c.kept.len(), keptDraws)
	if n < fisherDraws || !c.chooseByKept(n) {
		return
	}
	c.trial.replace(&s.estimate.foreground)
	c.move(c.at, q[:d], g[:d])
}

// move uses other centrings, and takes a point and a gradient there to them.
func (c *centring) move(to, u, g []float64) {
	c.declare(u, g)
	c.use(to)
	c.undeclare(u, g)
}

// forget ends the choice of coordinates and of ridges.
func (s *party) forget() {
	if s.kept != nil {
		s.kept.release()
	}
	if s.metric.ridges != nil {
		s.metric.ridges.forget()
	}
}

func (c *centring) state(codec *backends.Codec) {
	codec.Floats(c.chosen)
	c.use(c.chosen)
}
