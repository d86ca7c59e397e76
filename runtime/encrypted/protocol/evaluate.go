package protocol

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
)

// contribute encrypts the parties' contributions, n numbers each, as every view reads them, for the forms of
// some quantities on the interval that their bounds take together. The error is a *RangeError at every party
// where polynomials do not reach so far.
func (e *Evaluator) contribute(ctx context.Context, cut [][]float64, n int, of ...polynomial.Quantity) ([][]*encrypted.Vector, []encrypted.Form, error) {
	e.account.announced()
	if err := e.within(); err != nil {
		return nil, nil, err
	}
	own, err := e.each(func(b int) ([]byte, error) {
		most := leastBound
		for _, v := range cut[b] {
			if most = max(most, math.Abs(v)); math.IsNaN(v) {
				most = math.Inf(1)
			}
		}
		return floats(up(most)), nil
	})
	if err != nil {
		return nil, nil, err
	}
	if own, err = e.via.Tell(ctx, own); err != nil {
		return nil, nil, err
	}
	bounds := make([]float64, len(own))
	for p, data := range own {
		v, err := numbers(data, 1)
		if err != nil {
			return nil, nil, err
		}
		bounds[p] = v[0]
	}
	k, forms, err := e.reach(bounds, of...)
	if err != nil {
		return nil, nil, err
	}
	within := func(party int) encrypted.Range {
		return encrypted.Range{Max: bounds[party], Squares: float64(bounds[party]*bounds[party]) * float64(n), Interval: k}
	}
	own, err = e.each(func(b int) ([]byte, error) {
		return e.post(encrypted.Contribution, cut[b:b+1], func([]float64) encrypted.Range { return within(e.Blocks()[b].Index()) })
	})
	if err != nil {
		return nil, nil, err
	}
	if own, err = e.via.Tell(ctx, own); err != nil {
		return nil, nil, err
	}
	at, err := e.contributed(own, n, within)
	return at, forms, err
}

// contributed reads contributions at every view.
func (e *Evaluator) contributed(told [][]byte, n int, within func(party int) encrypted.Range) ([][]*encrypted.Vector, error) {
	var out [][]*encrypted.Vector
	for range e.views {
		var all []*encrypted.Vector
		for p, data := range told {
			v, err := e.read(encrypted.Contribution, n, 1, data)
			if err != nil {
				return nil, err
			}
			if v[0].Range() != within(p) {
				return nil, fmt.Errorf("encrypted: party %d states another bound of its contribution than it told", p)
			}
			all = append(all, v[0])
		}
		out = append(out, all)
	}
	return out, nil
}

// derived has every view derive sums.
func (e *Evaluator) derived(f func(i int, v *view) ([]*encrypted.Sum, error)) ([][]*encrypted.Sum, error) {
	var out [][]*encrypted.Sum
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
func (e *Evaluator) open(ctx context.Context, to int, sums [][]*encrypted.Sum) ([]float64, error) {
	own, err := e.each(func(b int) ([]byte, error) {
		out := []byte{}
		for _, s := range sums[min(b, len(sums)-1)] {
			share, err := e.secrets[b].Share(s)
			if err != nil {
				return nil, err
			}
			out = pack(out, share)
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	if own, err = e.via.Give(ctx, to, own); err != nil || own[to] == nil {
		return nil, err
	}
	shares := make([][][]byte, len(sums[0]))
	for _, data := range own {
		list, err := unpack(data)
		if err != nil || len(list) != len(shares) {
			return nil, errors.Join(errors.New("encrypted: there is a share of every sum"), err)
		}
		for i, one := range list {
			shares[i] = append(shares[i], one)
		}
	}
	out := make([]float64, len(shares))
	for i, s := range sums[0] {
		if out[i], err = s.Open(encrypted.List(shares[i])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// shifted are contributions to the argument of the polynomials, some times the rows of a cut.
func (e *Evaluator) shifted(cut [][]float64) [][]float64 {
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
func (e *Evaluator) Slopes(ctx context.Context, phi []float64, cut, grad [][]float64) error {
	defer e.work()
	if err := e.scaled(ctx, phi); err != nil {
		return err
	}
	if err := e.centred(ctx, cut); err != nil {
		return err
	}
	of := []polynomial.Quantity{polynomial.Slope, polynomial.Curvature}
	if e.globals > 0 {
		of = append(of, polynomial.Value)
	}
	at, forms, err := e.contribute(ctx, e.shifted(cut), e.rows, of...)
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
	if err := e.spend(density.Decryption{Sums: density.OwnGradients}); err != nil {
		return err
	}
	e.Work().Gradients++
	if err := e.openSlopes(ctx, sums, grad); err != nil || e.globals == 0 {
		return err
	}
	if err := e.square(ctx, forms[2]); err != nil || e.Blocks()[0].Index() > 0 {
		return err
	}
	copy(grad[0][e.columns[0]-e.globals:], e.byGlobals(phi))
	return nil
}

// sloped are the sums by columns of a form of the slope.
func (e *Evaluator) sloped(form encrypted.Form) ([][]*encrypted.Sum, error) {
	plan, err := e.params.Plan(form, len(e.columns))
	if err != nil {
		return nil, err
	}
	return e.derived(func(_ int, v *view) ([]*encrypted.Sum, error) {
		rows, err := v.keys.Rows(plan, v.at, v.response)
		if err != nil {
			return nil, err
		}
		return byColumn(v.all(), rows.Product)
	})
}

// openSlopes decrypts sums by columns, to each party its own.
func (e *Evaluator) openSlopes(ctx context.Context, sums [][]*encrypted.Sum, grad [][]float64) error {
	from := 0
	for party, columns := range e.views[0].columns {
		n := len(columns)
		var theirs [][]*encrypted.Sum
		for _, list := range sums {
			theirs = append(theirs, list[from:][:n])
		}
		from += n
		got, err := e.open(ctx, party, theirs)
		if err != nil {
			return err
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
func byColumn(columns []*encrypted.Vector, by func(*encrypted.Vector) (*encrypted.Sum, error)) (out []*encrypted.Sum, err error) {
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
func (e *Evaluator) LogLik(ctx context.Context, phi []float64, cut, plus [][]float64, total []float64) error {
	defer e.work()
	times, err := e.timesOf(ctx, phi, len(total))
	if err != nil {
		return err
	}
	for from := 0; from < len(total); from += e.room {
		n := min(e.room, len(total)-from)
		cuts, adds := make([][]float64, len(cut)), make([][]float64, len(cut))
		shifted := e.shifted(cut)
		for b := range cut {
			cuts[b], adds[b] = make([]float64, e.room*e.rows), make([]float64, e.room*e.rows)
			copy(cuts[b], shifted[b][from*e.rows:][:n*e.rows])
			for i := range n * e.rows {
				adds[b][i] = plus[b][from+i/e.rows] / (times[from+i/e.rows] * float64(e.rows))
			}
		}
		got, err := e.totals(ctx, cuts, adds, n)
		if err != nil {
			return err
		}
		for i, v := range got {
			total[from+i] = float64(v*times[from+i]) + e.logLikAt(phi[(from+i)*e.globals:][:e.globals])
		}
	}
	return nil
}

// one selects the rows of a draw among those of a ciphertext.
func (e *Evaluator) one(draw int) *encrypted.Weights {
	for i := len(e.only); i <= draw; i++ {
		w := make([]float64, e.room*e.rows)
		for r := range e.rows {
			w[i*e.rows+r] = 1
		}
		e.only = append(e.only, encrypted.NewWeights(w))
	}
	return e.only[draw]
}

// totals are sums of log likelihoods of n draws, less that at the centre, with what is added to each row.
func (e *Evaluator) totals(ctx context.Context, cut, plus [][]float64, n int) ([]float64, error) {
	size := e.room * e.rows
	at, forms, err := e.contribute(ctx, cut, size, polynomial.Value)
	if err != nil {
		return nil, err
	}
	plan, err := e.params.Plan(forms[0], len(e.columns))
	if err != nil {
		return nil, err
	}
	own, err := e.each(func(b int) ([]byte, error) { return e.post(encrypted.Column, plus[b:b+1], rangeOf) })
	if err != nil {
		return nil, err
	}
	if own, err = e.via.Tell(ctx, own); err != nil {
		return nil, err
	}
	if err := e.spend(density.Decryption{Sums: density.Totals, Number: n}); err != nil {
		return nil, err
	}
	sums, err := e.derived(func(i int, v *view) (out []*encrypted.Sum, err error) {
		rows, err := v.keys.Rows(plan, at[i], v.tiled)
		if err != nil {
			return nil, err
		}
		for _, data := range own {
			z, err := e.read(encrypted.Column, size, 1, data)
			if err != nil {
				return nil, err
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
		return nil, beyond(err)
	}
	return e.open(ctx, 0, sums)
}
