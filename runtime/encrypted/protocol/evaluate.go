package protocol

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
)

// steps is in how many a party tells how much of the interval it takes.
const steps = 64

// contribute encrypts the parties' contributions, n numbers each, as every view reads them. The error is
// density.ErrRange at every party where their bounds are beyond the interval together.
func (e *Evaluator) contribute(ctx context.Context, cut [][]float64, n int) ([][]*encrypted.Vector, error) {
	e.account.announced()
	if err := e.within(); err != nil {
		return nil, err
	}
	k := e.family.on.K
	own, err := e.each(func(b int) ([]byte, error) {
		most := 0.0
		for _, v := range cut[b] {
			if most = max(most, math.Abs(v)); math.IsNaN(v) {
				most = math.Inf(1)
			}
		}
		return floats(max(1, math.Ceil(most/k*steps*(1+1e-9))) / steps * k), nil
	})
	if err != nil {
		return nil, err
	}
	if own, err = e.tell(ctx, bounding, e.alike(8), own); err != nil {
		return nil, err
	}
	bounds, sum := make([]float64, len(own)), 0.0
	for p, data := range own {
		v, err := numbers(data, 1)
		if err != nil {
			return nil, err
		}
		if bounds[p], sum = v[0], sum+v[0]; !(v[0] > 0) {
			return nil, e.blame(ctx, p, fmt.Errorf("bound of its contribution that is none: %g", v[0]))
		}
	}
	if !(sum <= k) {
		return nil, density.ErrRange
	}
	within := func(party int) encrypted.Range {
		return encrypted.Range{Max: bounds[party], Squares: float64(bounds[party]*bounds[party]) * float64(n), Interval: k}
	}
	own, err = e.each(func(b int) ([]byte, error) {
		return e.post(b, "contribution", encrypted.Contribution, cut[b:b+1], func([]float64) encrypted.Range { return within(e.Blocks()[b].Index()) })
	})
	if err != nil {
		return nil, err
	}
	if own, err = e.tell(ctx, contribute, e.alike(e.vectorBytes(encrypted.Contribution, n, 1)), own); err != nil {
		return nil, err
	}
	return e.contributed(ctx, own, n, within)
}

// contributed reads contributions at every view.
func (e *Evaluator) contributed(ctx context.Context, told [][]byte, n int, within func(party int) encrypted.Range) ([][]*encrypted.Vector, error) {
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
func (e *Evaluator) open(ctx context.Context, x *density.Exchange, to int, sums [][]*encrypted.Sum) ([]float64, error) {
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
	bytes := 0
	for _, s := range sums[0] {
		bytes += packed(s.ShareSize())
	}
	if own, err = e.via.RelayBytes(ctx, x, to, e.sealedSizes(bytes, to), own); err != nil || own[to] == nil {
		return nil, err
	}
	shares := make([][][]byte, len(sums[0]))
	for p, data := range own {
		if data, err = e.unseal(p, to, data); err != nil {
			return nil, e.blame(ctx, p, err)
		}
		list, err := unpack(data)
		if err != nil || len(list) != len(shares) {
			return nil, e.blame(ctx, p, errors.Join(errors.New("share that is not of every sum"), err))
		}
		for i, one := range list {
			shares[i] = append(shares[i], one)
		}
	}
	out := make([]float64, len(shares))
	for i, s := range sums[0] {
		if out[i], err = s.Open(encrypted.List(shares[i])); err != nil {
			if to > 0 { // whoever has altered a share, the server has brought it
				err = e.blame(ctx, 0, err)
			}
			return nil, e.blameHolder(ctx, err)
		}
	}
	return out, nil
}

// shares are a party's shares of sums, packed.
func (e *Evaluator) shares(b int, sums []*encrypted.Sum) ([]byte, error) {
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
func (e *Evaluator) shifted(cut [][]float64) [][]float64 {
	out := make([][]float64, len(cut))
	for b, block := range e.Blocks() {
		out[b] = append([]float64(nil), cut[b]...)
		for i := range cut[b] {
			if block.Index() == 0 {
				if out[b][i] -= e.family.on.Centre; e.family.form.Residual {
					out[b][i] -= e.law.X[i%e.rows]
				}
			}
		}
	}
	return out
}

// Slopes implements density.Encrypting.
func (e *Evaluator) Slopes(ctx context.Context, _ []float64, cut, grad [][]float64) error {
	if err := e.centred(ctx, cut); err != nil {
		return err
	}
	at, err := e.contribute(ctx, e.shifted(cut), e.rows)
	if err != nil {
		return err
	}
	plan, err := e.params.Plan(e.family.slope, len(e.columns))
	if err != nil {
		return err
	}
	if err := e.spend(density.Decryption{Sums: density.OwnGradients}); err != nil {
		return err
	}
	var rows []*encrypted.Rows
	for i, v := range e.views {
		v.at = at[i]
		r, err := v.keys.Rows(plan, v.at, v.response)
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	e.Work().Gradients++
	for party := range e.columns {
		sums, err := e.derived(func(i int, v *view) (out []*encrypted.Sum, err error) {
			for _, x := range v.columns[party] {
				s, err := rows[i].Product(x)
				if err != nil {
					return nil, err
				}
				out = append(out, s)
			}
			return out, nil
		})
		if err != nil {
			return err
		}
		got, err := e.open(ctx, gradients, party, sums)
		if err != nil {
			return err
		}
		for b, block := range e.Blocks() {
			if block.Index() == party {
				copy(grad[b], got)
			}
		}
	}
	return nil
}

// Curvatures implements density.Encrypting.
func (e *Evaluator) Curvatures(ctx context.Context, gram []float64) error {
	if err := e.spend(density.Decryption{Sums: density.CrossProducts}); err != nil {
		return err
	}
	var rows []*encrypted.Rows
	if e.family.flat == 0 {
		plan, err := e.params.Plan(e.family.curvature, len(e.columns))
		if err != nil {
			return err
		}
		for _, v := range e.views {
			r, err := v.keys.Rows(plan, v.at, nil)
			if err != nil {
				return err
			}
			rows = append(rows, r)
		}
	}
	p := 0
	for _, c := range e.columns {
		p += c
	}
	for j := range p {
		sums, err := e.derived(func(i int, v *view) ([]*encrypted.Sum, error) { return e.crossed(v, rows, i, j) })
		if err != nil {
			return err
		}
		got, err := e.open(ctx, curvatures, 0, sums)
		if err != nil {
			return err
		}
		for i, v := range got {
			if e.family.flat != 0 {
				v *= e.family.flat
			}
			gram[j*p+i], gram[i*p+j] = v, v
		}
	}
	return nil
}

// crossed are the sums of products of a column of all parties with those up to it.
func (e *Evaluator) crossed(v *view, rows []*encrypted.Rows, i, j int) (out []*encrypted.Sum, err error) {
	var all []*encrypted.Vector
	for _, list := range v.columns {
		all = append(all, list...)
	}
	var weighed *encrypted.Rows
	if rows != nil {
		if weighed, err = rows[i].Weigh(all[j]); err != nil {
			return nil, err
		}
	}
	for _, x := range all[:j+1] {
		var s *encrypted.Sum
		if rows != nil {
			s, err = weighed.Product(x)
		} else {
			s, err = v.keys.Cross(all[j], x)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// LogLik implements density.Encrypting. Draws share a ciphertext where it has room for the rows of several.
func (e *Evaluator) LogLik(ctx context.Context, _ []float64, cut, plus [][]float64, total []float64) error {
	for from := 0; from < len(total); from += e.room {
		n := min(e.room, len(total)-from)
		cuts, adds := make([][]float64, len(cut)), make([][]float64, len(cut))
		shifted := e.shifted(cut)
		for b := range cut {
			cuts[b], adds[b] = make([]float64, e.room*e.rows), make([]float64, e.room*e.rows)
			copy(cuts[b], shifted[b][from*e.rows:][:n*e.rows])
			for i := range n * e.rows {
				adds[b][i] = plus[b][from+i/e.rows] / float64(e.rows)
			}
		}
		got, err := e.totals(ctx, cuts, adds, n)
		if err != nil {
			return err
		}
		for i, v := range got {
			total[from+i] = v + e.base
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
	at, err := e.contribute(ctx, cut, size)
	if err != nil {
		return nil, err
	}
	plan, err := e.params.Plan(e.family.value, len(e.columns))
	if err != nil {
		return nil, err
	}
	own, err := e.each(func(b int) ([]byte, error) { return e.post(b, "added numbers", encrypted.Column, plus[b:b+1], rangeOf) })
	if err != nil {
		return nil, err
	}
	if own, err = e.tell(ctx, adding, e.alike(e.vectorBytes(encrypted.Column, size, 1)), own); err != nil {
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
		return nil, err
	}
	return e.open(ctx, likelihoods, 0, sums)
}
