package laplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Weights are worth their numbers from so many on: the shape of fewer says nothing. Where effects have a
// prior that depends on parameters these are so many that the draws which they leave tell as much as the
// approximation, which is of a long table.
const (
	fewestWeights   = 100
	fewestOfEffects = importance.FirstWeights
)

func (k *Kernel) fewest() int {
	if k.owner < 0 {
		return fewestWeights
	}
	return fewestOfEffects
}

// deviate has the server draw the deviations of all parties' parameters from the mode, and send each party
// its own.
func (k *Kernel) deviate(ctx context.Context) error {
	if s := k.server; s != nil && !s.h.Definite() {
		return &backends.FitError{Err: fmt.Errorf("sfvi: the curvature where the fit of encrypted rows "+
			"ended has no inverse: %s", wayOut)}
	}
	k.weights = k.afforded()
	if err := k.tellDeviations(ctx); err != nil {
		return err
	}
	k.phase = weighing
	if one, _ := k.secret.Afford(1); k.weights == 0 && one < 1 {
		k.phase = done
	}
	return nil
}

// afforded is how many draws may be weighed.
func (k *Kernel) afforded() (n int) {
	if k.options.Correct {
		n, k.tooLong = k.secret.Afford(1+min(k.options.Weights, 2*k.pairs), k.withDraws()...)
	}
	if n = (n - 1) / 2 * 2; n < k.fewest() {
		return 0
	}
	return n
}

// weightless is why there are no weights that are wanted.
func (k *Kernel) weightless() error {
	switch {
	case 2*k.pairs < k.fewest():
		return fmt.Errorf("weights say something of %d draws and more, and these are %d", k.fewest(),
			2*k.pairs)
	case k.tooLong:
		return fmt.Errorf("the log likelihoods of %d draws, one for each weight, take more bytes than "+
			"a run encrypts for these", k.fewest())
	}
	return fmt.Errorf("fewer than %d more sums over rows may be decrypted, one for each weight", k.fewest())
}

// tellDeviations has the server tell the parties the deviations, once the party with effects has drawn its
// own.
func (k *Kernel) tellDeviations(ctx context.Context) error {
	if k.owner < 0 {
		return k.secret.Consult(ctx, deviating{k})
	}
	if err := cmp.Or(k.secret.Consult(ctx, handing{k}), k.failure); err != nil {
		return err
	}
	return k.secret.Consult(ctx, spreading{k})
}

// deviating is how the server tells each party its deviations, one of each pair of draws.
type deviating struct{ *Kernel }

func (k deviating) Size(_, columns int) (up, down, all int) { return 0, columns * k.pairs, 0 }
func (k deviating) Ask(int, []float64)                      {}

func (k deviating) Counsel(_, down [][]float64, _ []float64) {
	s, z := k.server, k.normals()
	for i := range k.pairs {
		one := z[i*s.p:][:s.p]
		s.h.Backward(one)
		for b, v := range down {
			d := s.at[b+1] - s.at[b]
			copy(v[i*d:][:d], one[s.at[b]:])
		}
	}
}

// normals are the normal numbers of each pair of draws, whose squares the server keeps.
func (k *Kernel) normals() []float64 {
	s, from := k.server, k.env.Private(0, "sfvi deviation")
	z := make([]float64, k.pairs*s.p)
	for i := range k.pairs {
		from.Round(uint64(i))
		from.FillNormals(z[i*s.p:][:s.p])
	}
	s.match(z[:k.weights/2*s.p])
	s.match(z[k.weights/2*s.p:])
	s.squares = make([]float64, k.pairs)
	for i := range s.squares {
		s.squares[i] = vec.Dot(s.p, z[i*s.p:], z[i*s.p:][:s.p])
	}
	return z
}

// match changes vectors of normal numbers so that the mean of their squares and products is exactly that of
// independent ones, where they are at least twice as many as elements (moment matching, Barraquand 1995).
func (s *server) match(z []float64) {
	p := s.p
	if n := len(z) / max(1, p); n < 2*p {
		return
	}
	f := algebra.NewFactor(p)
	for at := 0; at < len(z); at += p {
		for i, v := range z[at:][:p] {
			vec.Axpy(p, f.Matrix[i*p:], v, z[at:][:p])
		}
	}
	for i := range f.Matrix {
		f.Matrix[i] /= float64(len(z) / p)
	}
	if !f.Definite() {
		return
	}
	for at := 0; at < len(z); at += p {
		f.Forward(z[at:][:p])
	}
}

func (k deviating) Take(b int, down, _ []float64) {
	p := k.parties[b]
	p.sample = append(append(make([]float64, 0, p.d+len(down)), p.theta...), down...)
	for i := range k.pairs {
		vec.Accumulate(p.d, p.sample[(1+i)*p.d:], p.theta)
	}
}

// weigh finds log p at the mode and the draws, the first ones and then the others, unless the first weights
// say that these would be in vain.
func (k *Kernel) weigh(ctx context.Context) error {
	to := k.weights
	if k.weighed == 0 {
		to = min(to, importance.FirstWeights)
	}
	logs := make([]float64, to-k.weighed)
	if k.weighed == 0 {
		logs = make([]float64, 1+to) // the mode first
	}
	for from := 0; from < len(logs); {
		n := min(len(logs)-from, density.Piece(k.rows))
		err := k.logDensities(ctx, to-len(logs)+from, logs[from:][:n])
		if k.weights == 0 && errors.Is(err, density.ErrRange) {
			k.phase = done // without the evidence, which nothing else needs
			return nil
		}
		if err != nil {
			return err
		}
		from += n
	}
	if math.IsInf(logs[0], -1) && k.weighed == 0 {
		return fmt.Errorf("sfvi: the mode of the fit: %w", density.ErrRange)
	}
	if s := k.server; s != nil {
		if k.weighed == 0 {
			k.evidence = logs[0] + float64(0.5*float64(s.p)*portable.Log(2*math.Pi)) -
				float64(0.5*s.logDet()) + s.rise
			logs = logs[1:]
		}
		s.logs = append(s.logs, logs...)
	}
	k.weighed = to
	if err := k.secret.Consult(ctx, concluding{k}); err != nil {
		return err
	}
	if k.valued = true; k.vain && k.weighed < k.weights { // what was not told yet: no more weights follow
		k.weights = k.weighed
		if err := k.secret.Consult(ctx, concluding{k}); err != nil {
			return err
		}
	}
	if k.weighed == k.weights {
		k.phase = done
	}
	return nil
}

// logDensities sets logs, at the server, to log p at draws from a number on, −1 being the mode. The priors'
// part is added under encryption: of the likelihood or the priors alone the server could tell the gradient at
// the mode, and from that the mode. Draws that are as far from it are beside each other: they are evaluated
// on one interval of predictors.
func (k *Kernel) logDensities(ctx context.Context, from int, logs []float64) error {
	var cut, plus [][]float64
	var phi []float64
	order, sorted := make([]int, len(logs)), make([]float64, len(logs))
	for i := range order {
		order[i] = from + i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(k.scaleOf(a), k.scaleOf(b)) })
	for _, p := range k.parties {
		g, prior, theta := make([]float64, len(logs)*p.n), make([]float64, len(logs)), make([]float64, p.d)
		for i, id := range order {
			k.propose(p, id, theta)
			algebra.Apply(p.by, theta[:p.c], g[i*p.n:][:p.n])
			prior[i] = p.priorOf(id, theta)
			phi = append(phi, theta[p.c:]...)
		}
		cut, plus = append(cut, g), append(plus, prior)
	}
	err := k.secret.LogLik(ctx, phi, cut, plus, sorted)
	for i, id := range order {
		logs[id-from] = sorted[i]
	}
	return err
}

// scaleOf is the scale of a draw, 0 of the mode.
func (k *Kernel) scaleOf(id int) float64 {
	if id < 0 {
		return 0
	}
	return k.scales[id/2]
}

// propose sets theta to a draw of the proposal, −1 being the mode.
func (k *Kernel) propose(p *party, id int, theta []float64) {
	if id < 0 {
		copy(theta, p.sample[:p.d])
	} else {
		importance.Proposed(p.sample, p.d, id, k.scales[id/2], theta)
	}
	p.shift(id, theta)
}

// concluding is how the server tells what follows from the weights: whether the approximation is the
// posterior, whether more weights would be in vain, the evidence and, once no more follow, log p − log q of
// the draws.
type concluding struct{ *Kernel }

func (k concluding) Size(_, _ int) (up, down, all int) {
	if k.weighed < k.weights {
		return 0, 0, 3
	}
	return 0, 0, 3 + k.weighed
}

func (concluding) Ask(int, []float64) {}

func (k concluding) Counsel(_, _ [][]float64, all []float64) {
	s, n := k.server, k.weighed
	ratios, squares := make([]float64, n), make([]float64, n)
	for id, lp := range s.logs {
		scale := k.scales[id/2]
		squares[id] = float64(scale * scale * s.squares[id/2])
		ratios[id] = lp + float64(0.5*squares[id])
	}
	all[0], all[1], all[2] = 0, 0, k.evidence
	if n > 0 {
		if normal, vain := importance.Conclude(ratios, squares, s.p); normal {
			all[0] = 1
		} else if vain && n < k.weights {
			all[1] = 1
		}
	}
	copy(all[3:], ratios)
}

func (k concluding) Take(_ int, _, all []float64) {
	k.normal, k.vain, k.evidence = all[0] == 1, k.vain || all[1] == 1, all[2]
	k.ratios = append(k.ratios[:0], all[3:]...)
}

// Draw implements backends.Kernel. Before the curvature of all parties is known, a party's draws are those of
// its own block.
func (k *Kernel) Draw(id int, theta [][]float64) {
	for b, p := range k.parties {
		mine := make([]float64, p.d)
		switch {
		case p.sample == nil:
			k.noise[b].Round(uint64(id))
			k.noise[b].FillNormals(mine)
			p.own.Backward(mine)
			vec.Accumulate(p.d, mine, p.theta)
		case k.proposed && !k.normal:
			k.propose(p, id, mine)
		default:
			importance.Reflected(p.sample, p.d, id, mine)
			p.shift(id, mine)
		}
		p.scatter(mine, theta[b])
		p.scatterHyper(id, theta[b])
	}
}

// index lists the elements of the block's θ that the party's coordinates are.
func (p *party) index() []int { return append(p.lin.Index[:p.c:p.c], p.lin.Globals.Index...) }

// scatter writes the elements of the block's θ.
func (p *party) scatter(mine, theta []float64) {
	for i, at := range p.index() {
		theta[at] = mine[i]
	}
}

// Auxiliary implements backends.Kernel: there are no auxiliary variables.
func (k *Kernel) Auxiliary(context.Context, int, [][]float64) error { return nil }

// Ratios implements backends.Weighted.
func (k *Kernel) Ratios() []float64 { return k.ratios }

// Propose implements backends.Weighted.
func (k *Kernel) Propose(on bool) { k.proposed = on }

// Correctable implements backends.Weighted.
func (k *Kernel) Correctable() (bool, error) {
	if k.options.Correct && k.phase == done && k.weights == 0 {
		return false, k.weightless()
	}
	return k.options.Correct, nil
}
