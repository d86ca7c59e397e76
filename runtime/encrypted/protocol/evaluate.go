package protocol

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
)

// contribute encrypts the parties' contributions, n numbers each, as every view reads them, for the forms of
// some quantities on the interval that their bounds take together. The error is a *RangeError at every party
// where polynomials do not reach so far.
func (e *EncryptedEnv) contribute(ctx context.Context, cut [][]float64, n int, bounds []float64,
	of ...polynomial.Approximated) ([][]*encrypted.Vector, []encrypted.PolynomialForm, error) {
	k, forms, err := e.reach(bounds, of...)
	if err != nil {
		return nil, nil, err
	}
	within := func(party int) encrypted.Range {
		return encrypted.Range{Max: bounds[party], Squares: float64(bounds[party]*bounds[party]) * float64(n),
			Interval: k}
	}
	own, err := e.each(func(b int) ([]byte, error) {
		data, err := e.post(b, "contribution", encrypted.Contribution, cut[b:b+1],
			func([]float64) encrypted.Range {
				return within(e.Blocks()[b].Index())
			})
		return append(ofForms(forms), data...), err
	})
	if err != nil {
		return nil, nil, err
	}
	if own, err = e.tell(ctx, contribute, e.alike(sha256.Size+e.vectorBytes(encrypted.Contribution, n, 1)),
		own); err != nil {
		return nil, nil, err
	}
	if own, err = e.sameForms(ctx, forms, own); err != nil {
		return nil, nil, err
	}
	at, err := e.contributed(ctx, own, n, within)
	return at, forms, err
}

// bound has each party tell a bound of its contribution, and the server the precisions of the likelihood, as
// many as there are draws, where its globals are phi.
func (e *EncryptedEnv) bound(ctx context.Context, cut [][]float64, phi []float64, draws int) (bounds,
	precisions []float64, err error) {
	if err := e.spend(announced(1), toldAll(e.precisionCount(draws))); err != nil {
		return nil, nil, err
	}
	sizes := e.alike(8)
	sizes[0] += 8 * e.precisionCount(draws)
	own, err := e.each(func(b int) ([]byte, error) {
		most := leastBound
		for _, v := range cut[b] {
			if most = max(most, math.Abs(v)); math.IsNaN(v) {
				most = math.Inf(1)
			}
		}
		if e.Blocks()[b].Index() > 0 {
			return floats(up(most, boundDigits)), nil
		}
		return floats(append([]float64{up(most, boundDigits)}, e.precisionsAt(phi, draws)...)...), nil
	})
	if err != nil {
		return nil, nil, err
	}
	if own, err = e.tell(ctx, bounding, sizes, own); err != nil {
		return nil, nil, err
	}
	for p, data := range own {
		v, err := numbers(data, sizes[p]/8)
		if err != nil {
			return nil, nil, err
		}
		if !(v[0] > 0) {
			return nil, nil, e.blame(ctx, p, fmt.Errorf("bound of its contribution that is none: %g", v[0]))
		}
		if bounds = append(bounds, v[0]); p == 0 {
			precisions = v[1:]
		}
	}
	return bounds, precisions, checkPrecisions(precisions)
}

// contributed reads contributions at every view.
func (e *EncryptedEnv) contributed(ctx context.Context, told [][]byte, n int,
	within func(party int) encrypted.Range) ([][]*encrypted.Vector, error) {
	var out [][]*encrypted.Vector
	for range e.views {
		var all []*encrypted.Vector
		for p, data := range told {
			v, err := e.read(encrypted.Contribution, n, 1, data)
			if err == nil && v[0].Range() != within(p) {
				err = errors.New("contribution with another bound than it told")
			}
			if err != nil {
				return nil, e.blame(ctx, p, err)
			}
			all = append(all, v[0])
		}
		out = append(out, all)
	}
	return out, nil
}

// derived has every view derive sums.
func (e *EncryptedEnv) derived(f func(i int, v *view) ([]*encrypted.EncryptedSum,
	error)) ([][]*encrypted.EncryptedSum, error) {
	var out [][]*encrypted.EncryptedSum
	for i, v := range e.views {
		sums, err := f(i, v)
		if err != nil {
			return nil, err
		}
		for j, s := range sums {
			if i > 0 && s.Digest() != out[0][j].Digest() {
				return nil, errors.New("encrypted: two holders have derived different sums")
			}
		}
		out = append(out, sums)
	}
	return out, nil
}

// open decrypts sums to one party, which has them then; elsewhere they are nil.
func (e *EncryptedEnv) open(ctx context.Context, x *density.Exchange, to int,
	sums [][]*encrypted.EncryptedSum) ([]float64, error) {
	if err := e.confirm(ctx); err != nil {
		return nil, err
	}
	e.openings++
	own, err := e.each(func(b int) ([]byte, error) {
		data, err := e.shares(b, sums[min(b, len(sums)-1)])
		if err != nil {
			return nil, err
		}
		return e.seal(e.Blocks()[b].Index(), to, data)
	})
	if err != nil {
		return nil, err
	}
	if own, err = e.via.RelayBytes(ctx, x, to, e.sealedSizes(sharesSize(sums[0]), to), own); err != nil ||
		own[to] == nil {
		return nil, err
	}
	for p, data := range own {
		if own[p], err = e.unseal(p, to, data); err != nil {
			return nil, e.blame(ctx, p, err)
		}
	}
	out, err := e.decrypt(ctx, sums[0], own)
	if err != nil && to > 0 { // whoever has altered a share, the server has brought it
		err = e.blame(ctx, 0, err)
	}
	return out, e.blameHolder(ctx, err)
}

// shares are a party's shares of sums, packed.
func (e *EncryptedEnv) shares(b int, sums []*encrypted.EncryptedSum) ([]byte, error) {
	inputs, made := [][]byte{e.keys[:]}, false
	for _, s := range sums {
		d := s.Digest()
		inputs = append(inputs, d[:])
	}
	data, err := e.once(b, "shares", digestOf(inputs...), func() ([]byte, error) {
		made = true
		out := []byte{}
		for _, s := range sums {
			share, err := e.secrets[b].Share(s)
			if err != nil {
				return nil, err
			}
			out = pack(out, share)
		}
		return out, nil
	})
	if err == nil && !made {
		e.secrets[b].Shared(len(sums))
	}
	return data, err
}

// shifted are contributions to the argument of the polynomials, some times the rows of a cut.
func (e *EncryptedEnv) shifted(cut [][]float64) [][]float64 {
	out := make([][]float64, len(cut))
	for b, block := range e.Blocks() {
		out[b] = append([]float64(nil), cut[b]...)
		for i := range cut[b] {
			if block.Index() == 0 {
				if out[b][i] -= e.family.centre; e.family.form.Residual {
					out[b][i] -= e.law.X[i%e.rows]
				}
			}
		}
	}
	return out
}

// Slopes implements density.Encrypting.
func (e *EncryptedEnv) Slopes(ctx context.Context, phi []float64, cut, grad [][]float64) error {
	if err := e.centred(ctx, phi, cut); err != nil {
		return err
	}
	opening := density.Decryption{Sums: density.OwnGradients}
	if err := e.within(announced(1), opening); err != nil {
		return err
	}
	of := []polynomial.Approximated{polynomial.Slope, polynomial.Curvature}
	if e.globals > 0 {
		of = append(of, polynomial.Value)
	}
	shifted := e.shifted(cut)
	bounds, precisions, err := e.bound(ctx, shifted, phi, 1)
	if err != nil {
		return err
	}
	e.scaled(phi, precisions)
	at, forms, err := e.contribute(ctx, shifted, e.rows, bounds, of...)
	if err != nil {
		return err
	}
	for i, v := range e.views {
		v.at = at[i]
	}
	e.curvature = forms[1]
	sums, err := e.sloped(forms[0])
	if !e.family.wide && errors.Is(err, encrypted.ErrModulus) {
		e.family.wide = true
		if forms[0], err = e.family.on(polynomial.Slope, forms[0].Interval); err == nil {
			sums, err = e.sloped(forms[0])
		}
	}
	if err != nil {
		return beyond(err)
	}
	if err := e.heed(sums[0], forms[0].Interval); err != nil {
		return err
	}
	if err := e.spend(opening); err != nil {
		return err
	}
	e.Work().Gradients++
	if e.globals == 0 {
		return e.openSlopes(ctx, sums, nil, grad)
	}
	squares, err := e.square(forms[2])
	if err != nil {
		return err
	}
	if err := e.openSlopes(ctx, sums, squares, grad); err != nil || e.Blocks()[0].Index() > 0 {
		return err
	}
	copy(grad[0][e.columns[0]-e.globals:], e.byGlobals(phi))
	return nil
}

// sloped are the sums by columns of a form of the slope.
func (e *EncryptedEnv) sloped(form encrypted.PolynomialForm) ([][]*encrypted.EncryptedSum, error) {
	plan, err := e.params.Plan(form, len(e.columns))
	if err != nil {
		return nil, err
	}
	return e.derived(func(_ int, v *view) ([]*encrypted.EncryptedSum, error) {
		rows, err := v.keys.Rows(plan, v.at, v.response)
		if err != nil {
			return nil, err
		}
		return byColumn(v.all(), rows.Product)
	})
}

// openSlopes decrypts sums by columns, to each party its own, and to the server that of squares, if there is
// one.
func (e *EncryptedEnv) openSlopes(ctx context.Context, sums, squares [][]*encrypted.EncryptedSum,
	grad [][]float64) error {
	from := 0
	for party, columns := range e.views[0].columns {
		n := len(columns)
		var theirs [][]*encrypted.EncryptedSum
		for i, list := range sums {
			if theirs = append(theirs, list[from:][:n:n]); party == 0 && squares != nil {
				theirs[i] = append(theirs[i], squares[i]...)
			}
		}
		from += n
		got, err := e.open(ctx, gradients, party, theirs)
		if err != nil {
			return err
		}
		if len(got) > n {
			e.squared(got[n])
			got = got[:n]
		}
		for b, block := range e.Blocks() {
			if block.Index() == party {
				for i, v := range got {
					grad[b][i] = v * e.times() / e.family.size
				}
			}
		}
	}
	return nil
}

// byColumn makes a sum by each column.
func byColumn(columns []*encrypted.Vector, by func(*encrypted.Vector) (*encrypted.EncryptedSum,
	error)) (out []*encrypted.EncryptedSum, err error) {
	for _, x := range columns {
		s, err := by(x)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// LogLik implements density.Encrypting. Draws share a ciphertext where it has room for the rows of several.
func (e *EncryptedEnv) LogLik(ctx context.Context, phi []float64, cut, plus [][]float64,
	total []float64) error {
	shifted := e.shifted(cut)
	e.halvings = len(total) / drawsPerHalving
	for from := 0; from < len(total); from += e.room {
		if err := e.logLiks(ctx, phi, shifted, plus, total, from, min(from+e.room, len(total))); err != nil {
			return err
		}
	}
	return nil
}

// drawsPerHalving is of how many draws one group may turn out to be beyond the range.
const drawsPerHalving = 32

// logLiks is LogLik for the draws from a number to below another, in one ciphertext. Where they are beyond
// the range together they are halved: of a draw that is by itself the density is 0, at all parties.
func (e *EncryptedEnv) logLiks(ctx context.Context, phi []float64, shifted, plus [][]float64, total []float64,
	from, to int) error {
	n := to - from
	cuts, adds := make([][]float64, len(shifted)), make([][]float64, len(shifted))
	for b := range shifted {
		cuts[b] = make([]float64, e.room*e.rows)
		copy(cuts[b], shifted[b][from*e.rows:][:n*e.rows])
		adds[b] = plus[b][from:to]
	}
	var here []float64
	if len(phi) > 0 {
		here = phi[from*e.globals:][:n*e.globals]
	}
	got, times, err := e.totals(ctx, here, cuts, adds, n)
	if errors.Is(err, density.ErrRange) && e.halvings > 0 {
		if e.halvings--; n == 1 {
			total[from] = math.Inf(-1)
			e.far++
			return nil
		}
		if err := e.logLiks(ctx, phi, shifted, plus, total, from, from+n/2); err != nil {
			return err
		}
		return e.logLiks(ctx, phi, shifted, plus, total, from+n/2, to)
	}
	if err != nil {
		return err
	}
	for i, v := range got {
		total[from+i] = float64(v*times[i]) + e.logLikAt(here[i*e.globals:][:e.globals])
	}
	return nil
}

// one selects the rows of a draw among those of a ciphertext.
func (e *EncryptedEnv) one(draw int) *encrypted.Weights {
	for i := len(e.only); i <= draw; i++ {
		w := make([]float64, e.room*e.rows)
		for r := range e.rows {
			w[i*e.rows+r] = 1
		}
		e.only = append(e.only, encrypted.NewWeights(w))
	}
	return e.only[draw]
}

// added is what a party adds to the rows of each draw, in units of which the precision makes times as many.
func (e *EncryptedEnv) added(plus, times []float64) [][]float64 {
	out := make([]float64, e.room*e.rows)
	for i := range len(plus) * e.rows {
		out[i] = plus[i/e.rows] / (times[i/e.rows] * float64(e.rows))
	}
	return [][]float64{out}
}

// totals are sums of log likelihoods of n draws, less that at the centre, with what is added to each, over
// precisions, which are the second numbers.
func (e *EncryptedEnv) totals(ctx context.Context, phi []float64, cut, plus [][]float64, n int) (sum,
	times []float64, err error) {
	size, values := e.room*e.rows, density.Decryption{Sums: density.Totals, Number: n}
	if err := e.within(announced(3), values); err != nil {
		return nil, nil, err
	}
	bounds, precisions, err := e.bound(ctx, cut, phi, n)
	if err != nil {
		return nil, nil, err
	}
	times = e.timesOf(precisions, n)
	at, forms, err := e.contribute(ctx, cut, size, bounds, polynomial.Value)
	if err != nil {
		return nil, nil, err
	}
	plan, err := e.params.Plan(forms[0], len(e.columns))
	if err != nil {
		return nil, nil, err
	}
	if err := e.spend(announced(2), values); err != nil { // bounds of what is added
		return nil, nil, err
	}
	own, err := e.each(func(b int) ([]byte, error) {
		return e.post(b, "added numbers", encrypted.Column, e.added(plus[b], times), rangeOf)
	})
	if err != nil {
		return nil, nil, err
	}
	if own, err = e.tell(ctx, adding, e.alike(e.vectorBytes(encrypted.Column, size, 1)), own); err != nil {
		return nil, nil, err
	}
	sums, err := e.derived(func(i int, v *view) (out []*encrypted.EncryptedSum, err error) {
		rows, err := v.keys.Rows(plan, at[i], v.tiled)
		if err != nil {
			return nil, err
		}
		for p, data := range own {
			z, err := e.read(encrypted.Column, size, 1, data)
			if err != nil {
				return nil, e.blame(ctx, p, err)
			}
			if rows, err = rows.Plus(z[0]); err != nil {
				return nil, err
			}
		}
		for i := range n {
			s, err := rows.Weighted(e.one(i))
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, nil
	})
	if err != nil {
		return nil, nil, beyond(err)
	}
	e.logNoise = float64(slices.Max(times) * sums[0][0].Deviation())
	sum, err = e.open(ctx, likelihoods, 0, sums)
	return sum, times, err
}
