package laplace

import (
	"context"
	"fmt"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

// A mixer has the products of the steps that are mixed, totals over the parties: every party finds the same
// coefficients.
type mixer struct {
	n          int
	gram       []float64 // (depth+1)², row by row of the first n
	decrements []float64 // of all evaluations that were accepted
}

// room is the length of a row.
const room = depth + 1

// add takes the products of a new step with those before and with itself.
func (m *mixer) add(totals []float64) {
	if m.gram == nil {
		m.gram = make([]float64, room*room)
	}
	for i, v := range totals {
		m.gram[m.n*room+i], m.gram[i*room+m.n] = v, v
	}
	m.n++
	m.decrements = append(m.decrements, totals[len(totals)-1])
}

// forget drops the oldest step.
func (m *mixer) forget() {
	for i := 1; i < m.n; i++ {
		copy(m.gram[(i-1)*room:][:m.n-1], m.gram[i*room+1:][:m.n-1])
	}
	m.n--
}

// ridge keeps the coefficients of steps that are nearly combinations of others small.
const ridge = 1e-10

// coefficients are those, adding up to 1, of the combination of steps that is shortest (Anderson 1965): in
// differences from the latest, which are scaled to length 1.
func (m *mixer) coefficients() []float64 {
	k := m.n - 1
	at := func(i, j int) float64 { return m.gram[i*room+j] }
	f, right, out := algebra.NewFactor(k), make([]float64, k), make([]float64, m.n)
	size := func(i int) float64 {
		return math.Sqrt(max(at(k, k)-float64(2*at(i, k))+at(i, i), math.SmallestNonzeroFloat64))
	}
	for i := range k {
		right[i] = (at(k, k) - at(i, k)) / size(i)
		for j := range k {
			f.Matrix[i*k+j] = (at(k, k) - at(i, k) - at(k, j) + at(i, j)) / (size(i) * size(j))
		}
		f.Matrix[i*k+i] += ridge
	}
	out[k] = 1
	if k == 0 || !f.Decompose() {
		return out
	}
	f.Solve(right)
	for i, v := range right {
		out[i] = v / size(i)
		out[k] -= out[i]
	}
	return out
}

// Steps by blocks end, and the curvature is decrypted, at a decrement that moves the predictors by a
// thirtieth of their unit, in the root mean square, or where too many evaluations would follow at the speed
// so far, or steps went too far so often. Curvature that is decrypted far from the mode has to be decrypted
// again, which takes as many numbers as some evaluations for every four parameters.
const (
	near       = 0.001 // its square
	mostHalved = 3
	tooFar     = 10 // a decrement so many times the one before is of a step that went too far
	fewest     = 4  // evaluations before their speed is judged
)

// patience is how many evaluations may follow, of so many parameters of all parties.
func patience(dims int) float64 { return float64(min(max(2, dims/4), 8)) }

// enough reports whether the steps by blocks end, given the decrement that is small enough.
func (m *mixer) enough(target, patience float64) bool {
	n := len(m.decrements)
	last := m.decrements[n-1]
	if last <= target || n < fewest {
		return last <= target
	}
	speed := portable.Log(m.decrements[0]/last) / float64(n-1)
	return !(portable.Log(last/target) <= float64(patience*speed))
}

// stepByBlocks evaluates, and mixes the parties' own steps.
func (k *Kernel) stepByBlocks(ctx context.Context) error {
	if err := k.evaluate(ctx); err != nil {
		return err
	}
	accepted := false
	if k.beyond == nil {
		var err error
		if accepted, err = k.add(ctx); err != nil {
			return err
		}
	}
	switch {
	case k.beyond != nil && k.mix.n == 0:
		return &backends.FitError{Err: fmt.Errorf("sfvi: at the start of the fit of encrypted rows %w",
			k.beyond)}
	case !accepted && k.mix.n == 0:
		return backends.NotFinite(k.env, false, k.env.Cause().String(),
			"sfvi: the density is not finite at the start")
	case !accepted && k.evaluations >= k.options.Iterations:
		return &backends.FitError{Err: fmt.Errorf("sfvi: the fit of encrypted rows has not converged, and "+
			"its last step went too far, after %d evaluations: %s", k.evaluations, wayOut)}
	case !accepted:
		k.halved++
		for _, p := range k.parties {
			p.halve()
		}
		return nil
	}
	if k.halved >= mostHalved || k.evaluations >= k.options.Iterations || !k.mayMix() ||
		k.mix.enough(near*k.scale, patience(k.dims)) {
		k.phase, k.opening = stepping, true
		return nil
	}
	k.move()
	return nil
}

// mayMix reports whether another evaluation leaves enough for the server's steps.
func (k *Kernel) mayMix() bool {
	parts := density.Decryption{Sums: density.Parts, Number: k.mix.n + 1}
	return k.affords(evaluated, []density.Decryption{parts, crossed}, stepped, evaluated, stepped)
}

// wayOut is what to do where a fit ends nowhere.
const wayOut = "zscore the columns, narrow the priors, leave out columns that others nearly repeat, or " +
	"allow more --iterations"

// add adds up the products of the new steps, and reports whether they did not go too far.
func (k *Kernel) add(ctx context.Context) (bool, error) {
	parts, totals := make([][]float64, len(k.parties)), make([]float64, k.mix.n+1)
	for b, p := range k.parties {
		parts[b] = make([]float64, len(totals))
		p.remember(parts[b])
	}
	if err := k.env.Sum(ctx, parts, totals); err != nil {
		return false, err
	}
	decrement, n := totals[k.mix.n], k.mix.n
	if !(decrement <= math.MaxFloat64) || n > 0 && decrement > tooFar*k.decrement {
		for _, p := range k.parties {
			p.forget(n)
		}
		return false, nil
	}
	k.decrement = decrement
	k.mix.add(totals)
	return true, nil
}

// move goes to what the mixed steps lead to: from the start by less, since steps of all parties in the same
// direction add up.
func (k *Kernel) move() {
	if k.mix.n == 1 {
		for _, p := range k.parties {
			copy(p.theta, p.points[0])
			for i, f := range p.steps[0] {
				p.theta[i] += f / math.Sqrt(float64(k.clients))
			}
		}
		return
	}
	mix := k.mix.coefficients()
	for _, p := range k.parties {
		p.move(mix)
	}
	if k.mix.n <= depth {
		return
	}
	k.mix.forget()
	for _, p := range k.parties {
		p.forget(0)
	}
}
