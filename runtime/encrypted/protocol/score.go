package protocol

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/runtime/release"
)

// A scoring makes the scores of a release: sums over encrypted rows, of which nobody sees one without the
// noise of all.
type scoring struct {
	*releasing
	params        *encrypted.Parameters
	keys          *encrypted.CollectiveKeys
	secrets       []*encrypted.Secret // by block
	z             []*encrypted.Vector // of the table; that of the 1 is nil
	weight, twice *encrypted.Vector   // s² and s⁴
	response      *encrypted.Vector   // nil: it is in the argument
}

// scores has the parties make the scores that follow from the moments, if any, and one from another.
func (r *releasing) scores(ctx context.Context) error {
	if r.o.Next == nil {
		return nil
	}
	step := r.o.Next(r.table)
	if step == nil {
		return nil
	}
	e := &scoring{releasing: r, params: r.rowParams}
	if err := e.ceremony(ctx); err != nil {
		return err
	}
	if err := e.encrypt(ctx); err != nil {
		return err
	}
	for k := 0; step != nil; step = r.o.Next(r.table) {
		if k++; k > mostSteps {
			return fmt.Errorf("encrypted: more than %d scores", mostSteps)
		}
		if err := e.score(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

func (e *scoring) ceremony(ctx context.Context) error {
	c := &ceremony{courier: &e.courier, ring: &e.params.Ring, keyMessages: scoreKeys}
	err := c.hold(ctx)
	if err != nil {
		return err
	}
	e.secrets = c.secrets
	e.keys, err = e.params.Keys(c.common, encrypted.List(c.public), c.ones, c.twos)
	return e.blameHolder(ctx, err)
}

// A public is a vector that a party encrypts, of which everybody knows the kind and the range, and nobody
// else the values.
type public struct {
	kind   encrypted.Kind
	within encrypted.Range
	values []float64 // where they are in this process
}

// within is the range of n numbers of which all are below one, which follows from no row.
func (e *scoring) within(most float64, interval float64) encrypted.Range {
	if interval == 0 {
		most *= 1 + 0x1p-40 // for rounding
	}
	return encrypted.Range{Max: most, Squares: float64(most * most * float64(e.rows) * (1 + 0x1p-20)),
		Interval: interval}
}

// inputs are what a party encrypts once: its columns of z, their squares less half of the most, and a binary
// response.
func (e *scoring) inputs(party string, here bool) (out []public) {
	g, last := e.table.Gradients, len(e.table.Columns)-1
	var part release.PartyRows
	var own [][]float64
	if here {
		own = e.values(party)
		part = e.table.Part(party, own)
	}
	next := func(kind encrypted.Kind, within encrypted.Range, values func() []float64) {
		v := public{kind: kind, within: within}
		if here {
			v.values = values()
		}
		out = append(out, v)
	}
	length := g.Lengths[party]
	columns := 0
	for _, c := range e.table.Columns[:last] {
		if c.Owner == party {
			at := columns
			next(encrypted.Column, e.within(math.Sqrt(length), 0),
				func() []float64 { return part.Columns[at] })
			columns++
		}
	}
	if columns > 0 {
		next(encrypted.Contribution, e.within(length/2, e.half()), func() []float64 {
			return moved(part.Squares, float64(length/2))
		})
	}
	if c := e.table.Columns[last]; c.Owner == party && c.Binary {
		next(encrypted.Response, e.within(1, 0), func() []float64 {
			y := own[len(own)-1]
			out := make([]float64, len(y))
			for i, v := range y {
				out[i] = float64((1 + c.Scaled(v)) / 2)
			}
			return out
		})
	}
	return out
}

// half is that of the interval of squares.
func (e *scoring) half() float64 {
	s2, _ := e.table.Gradients.Weight()
	return s2.K
}

func moved(values []float64, by float64) []float64 {
	out := slices.Clone(values)
	for i := range out {
		out[i] -= by
	}
	return out
}

// shown has every party commit to what it encrypts in a step, and show it then. It is read at everyone, by
// party.
func (e *scoring) shown(ctx context.Context, arguments bool,
	of func(party string, here bool) []public) ([][]*encrypted.Vector, error) {
	x, label := scoreColumns, "score columns"
	if arguments {
		x, label = scoreArguments, "score arguments"
	}
	own, err := e.each(func(b int) ([]byte, error) {
		return e.post(b, label, of(e.Blocks()[b].Party(), true))
	})
	if err != nil {
		return nil, err
	}
	sizes := e.alike(0)
	for p, name := range e.o.Parties {
		for _, v := range of(name, false) {
			sizes[p] += e.params.VectorSize(v.kind, e.rows)
		}
	}
	told, err := e.committed(ctx, scoreKeys.commitment, x, sizes, own)
	if err != nil {
		return nil, err
	}
	out := make([][]*encrypted.Vector, len(told))
	for p, name := range e.o.Parties {
		data := told[p]
		for _, v := range of(name, false) {
			n := e.params.VectorSize(v.kind, e.rows)
			one, err := e.params.Vector(e.rows, data[:n])
			if err == nil && (one.Kind() != v.kind || one.Range() != v.within) {
				err = errors.New("a vector of another kind or range than was agreed")
			}
			if err != nil {
				return nil, e.blame(ctx, p, err)
			}
			data, out[p] = data[n:], append(out[p], one)
		}
	}
	return out, nil
}

// post encrypts what a party of this process shows.
func (e *scoring) post(b int, label string, vectors []public) ([]byte, error) {
	inputs := [][]byte{e.courier.keys[:]}
	for _, v := range vectors {
		inputs = append(inputs, []byte{byte(v.kind)}, floats(v.within.Max, v.within.Interval),
			floats(v.values...))
	}
	return e.once(b, label, digestOf(inputs...), func() (out []byte, err error) {
		for _, v := range vectors {
			c, err := e.keys.Encrypt(v.kind, v.values, v.within)
			if err != nil {
				return nil, err
			}
			data, err := c.MarshalBinary()
			if err != nil {
				return nil, err
			}
			out = append(out, data...)
		}
		return out, nil
	})
}

// encrypt has every party show its columns, and derives the weights of rows.
func (e *scoring) encrypt(ctx context.Context) error {
	told, err := e.shown(ctx, false, e.inputs)
	if err != nil {
		return err
	}
	e.z = []*encrypted.Vector{nil}
	var squares []*encrypted.Vector
	last := len(e.table.Columns) - 1
	for _, c := range e.table.Columns[:last] {
		p := slices.Index(e.o.Parties, c.Owner)
		e.z, told[p] = append(e.z, told[p][0]), told[p][1:]
	}
	for _, name := range sortedParties(e.table.Columns[:last]) {
		p := slices.Index(e.o.Parties, name)
		squares, told[p] = append(squares, told[p][0]), told[p][1:]
	}
	if c := e.table.Columns[last]; c.Binary {
		e.response = told[slices.Index(e.o.Parties, c.Owner)][0]
	}
	s2, _ := e.table.Gradients.Weight()
	rows, err := e.form(nil, s2, 3, squares)
	if err != nil {
		return err
	}
	if e.weight, err = rows.Vector(); err != nil {
		return err
	}
	e.twice, err = e.keys.Multiply(e.weight, e.weight)
	return err
}

// sortedParties are the owners of columns in the order in which sums over them are taken.
func sortedParties(columns []release.BoundedColumn) []string {
	out := release.Parties(columns)
	slices.Sort(out)
	return out
}

// form evaluates y·factor + term at the sum of contributions, after which some products are left. Without a
// factor there is no response.
func (e *scoring) form(factor, term *polynomial.Polynomial, products int,
	at []*encrypted.Vector) (*encrypted.EncryptedRows, error) {
	f := encrypted.PolynomialForm{Term: texts(term), Interval: term.K, Products: products}
	response := e.response
	if factor != nil {
		f.Factor = texts(factor)
	} else {
		response = nil
	}
	plan, err := e.params.Plan(f, len(at))
	if err != nil {
		return nil, err
	}
	return e.keys.Rows(plan, at, response)
}

func texts(p *polynomial.Polynomial) (out []string) {
	for _, c := range p.Coefficients {
		out = append(out, strconv.FormatFloat(c, 'x', -1, 64))
	}
	return out
}

// score has the parties make a score and adds it to the table. Each shows what it has of the argument, all
// derive the same sums, and each adds its noise to its shares of these.
func (e *scoring) score(ctx context.Context, s *release.Step) error {
	if err := e.table.Begin(s); err != nil {
		return err
	}
	interval := s.Curve().Rest.K
	told, err := e.shown(ctx, true, func(party string, here bool) (out []public) {
		if reach := s.Reach[party]; reach > 0 {
			v := public{kind: encrypted.Contribution, within: e.within(reach, interval)}
			if here {
				v.values = e.table.Argument(s, party, e.values(party))
			}
			out = append(out, v)
		}
		return out
	})
	if err != nil {
		return err
	}
	var at []*encrypted.Vector
	for _, name := range sortedParties(e.table.Columns) {
		at = append(at, told[slices.Index(e.o.Parties, name)]...)
	}
	sums, err := e.sums(s, at)
	if err != nil {
		return err
	}
	deviations := e.table.Deviations(s)
	// numbers are encoded by 15 steps of float64, whose rounding the bound of a sum does not have
	_, square := e.table.Gradients.Weight()
	encoded := float64(float64(e.rows) * square * 0x1p-48)
	for k, sum := range sums {
		if wrong := sum.Error() + encoded; wrong > release.Slack {
			return fmt.Errorf("encrypted: a sum is wrong by up to %.2g, and noise is made for %.2g", wrong,
				release.Slack)
		}
		if err := sum.Admit(release.Tails * deviations[k] * float64(e.table.Parties)); err != nil {
			return err
		}
	}
	return e.open(ctx, s, sums)
}

// sums are those of a step, in the order of its table.
func (e *scoring) sums(s *release.Step, at []*encrypted.Vector) ([]*encrypted.EncryptedSum, error) {
	curve := s.Curve()
	var factor *polynomial.Polynomial
	slope, spread := e.keys.RowsOf(e.weight), e.keys.RowsOf(e.twice)
	if e.response != nil {
		var err error
		if slope, err = e.weighed(&curve.Slope, at, e.weight); err != nil {
			return nil, err
		}
		if spread, err = e.weighed(&curve.Spread, at, e.twice); err != nil {
			return nil, err
		}
		factor = &curve.Response
	}
	out, err := e.matrices(slope, spread)
	if err != nil {
		return nil, err
	}
	residual, err := e.form(factor, &curve.Rest, 2, at)
	if err != nil {
		return nil, err
	}
	weighed, err := residual.Weigh(e.weight)
	if err != nil {
		return nil, err
	}
	for _, z := range e.z {
		sum, err := times(weighed, z)
		if err != nil {
			return nil, err
		}
		out = append(out, sum)
	}
	if e.response != nil {
		return out, nil
	}
	square, err := residual.Vector()
	if err != nil {
		return nil, err
	}
	if weighed, err = residual.Weigh(square); err != nil {
		return nil, err
	}
	sum, err := weighed.Total(nil)
	return append(out, sum), err
}

// weighed is a polynomial of the argument times a weight of rows.
func (e *scoring) weighed(p *polynomial.Polynomial, at []*encrypted.Vector,
	weight *encrypted.Vector) (*encrypted.EncryptedRows, error) {
	rows, err := e.form(nil, p, 2, at)
	if err != nil {
		return nil, err
	}
	return rows.Weigh(weight)
}

// matrices are the upper triangles of two matrices of weighed products of columns.
func (e *scoring) matrices(slope, spread *encrypted.EncryptedRows) ([]*encrypted.EncryptedSum, error) {
	var first, second []*encrypted.EncryptedSum
	for a, x := range e.z {
		for _, z := range e.z[a:] {
			both := z
			if x != nil {
				var err error
				if both, err = e.keys.Multiply(x, z); err != nil {
					return nil, err
				}
			}
			m, err := times(slope, both)
			if err != nil {
				return nil, err
			}
			w, err := times(spread, both)
			if err != nil {
				return nil, err
			}
			first, second = append(first, m), append(second, w)
		}
	}
	return append(first, second...), nil
}

// times is the sum of rows times a column, or of the rows where there is none.
func times(rows *encrypted.EncryptedRows, z *encrypted.Vector) (*encrypted.EncryptedSum, error) {
	if z == nil {
		return rows.Total(nil)
	}
	return rows.Product(z)
}

// open has every party commit to its shares of all sums of a score, and show them then.
func (e *scoring) open(ctx context.Context, s *release.Step, sums []*encrypted.EncryptedSum) error {
	if err := e.confirm(ctx); err != nil {
		return err
	}
	inputs, size := [][]byte{e.courier.keys[:]}, 0
	for _, sum := range sums {
		d := sum.Digest()
		inputs, size = append(inputs, d[:]), size+sum.ShareSize()
	}
	own, err := e.each(func(b int) ([]byte, error) {
		made := false
		data, err := e.once(b, "score shares", digestOf(inputs...), func() ([]byte, error) {
			made = true
			return e.shares(b, s, sums)
		})
		if err == nil && !made {
			e.secrets[b].Shared(len(sums))
		}
		return data, err
	})
	if err != nil {
		return err
	}
	told, err := e.committed(ctx, scoreKeys.commitment, scoreShares, e.alike(size), own)
	if err != nil {
		return err
	}
	at, opened := 0, make([]float64, len(sums))
	for k, sum := range sums {
		n := sum.ShareSize()
		opened[k], err = sum.Open(func(holder int) ([]byte, error) { return told[holder][at:][:n], nil })
		if at += n; errors.As(err, new(*encrypted.HolderError)) {
			return e.blameHolder(ctx, err)
		} else if err != nil {
			return e.blameOthers(ctx, err)
		}
	}
	if err := e.confirm(ctx); err != nil {
		return err
	}
	return e.table.Opened(s, opened)
}

// shares are a party's shares of all sums of a score. Its noise is drawn here and is nowhere else.
func (e *scoring) shares(b int, s *release.Step, sums []*encrypted.EncryptedSum) (out []byte, err error) {
	units := make([]float64, len(sums))
	for k, sum := range sums {
		units[k] = sum.Unit()
	}
	var noise []*big.Int // nil of a party without columns, which adds none
	if e.owned(e.Blocks()[b].Party()) > 0 {
		noise = e.table.StepNoise(s, units, e.o.Noise)
	}
	for k, sum := range sums {
		var added *big.Int
		if noise != nil {
			added = noise[k]
		}
		share, err := e.secrets[b].ShareAdding(sum, added)
		if err != nil {
			return nil, err
		}
		out = append(out, share...)
	}
	if e.o.forged != nil { // in a test
		out = e.o.forged(out, true)
	}
	return out, nil
}
