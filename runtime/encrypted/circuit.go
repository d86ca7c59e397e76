package encrypted

import (
	"crypto/sha256"
	"fmt"
	"math"

	common "github.com/tuneinsight/lattigo/v6/circuits/common/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/utils/bignum"
)

type scale = rlwe.Scale

// Rows is one number a row that a circuit derived: at row i at most largest·|x_i|, wrong by at most offset + slope·|x_i|, where x is a column that it was multiplied with, or 1.
type Rows struct {
	keys                   *Keys
	n                      int
	parts                  []*rlwe.Ciphertext
	largest, offset, slope float64
	column                 *Range
}

func (p *Parameters) scale() float64 { s := p.ckks.DefaultScale(); return s.Float64() }

// freshError is that of an encrypted number, in its units.
func (p *Parameters) freshError() float64 { return p.noise.fresh / p.scale() }

// productError is what a product at a level adds to every number: of the relinearisation, and of the division by both primes of the step.
func (p *Parameters) productError(level int) float64 {
	return p.noise.relin[level]/(p.scale()*p.scale()) + 2*p.noise.rounding/p.scale()
}

// factorScale is that of a factor whose product with a response has the scale of everything else.
func (a *Plan) factorScale(p *Parameters) scale { return p.stepModulus(level(a.end + 1)) }

// at returns c without the primes above a level. The coefficients are shared.
func at(c *rlwe.Ciphertext, level int) *rlwe.Ciphertext {
	out := &rlwe.Ciphertext{}
	out.MetaData = c.MetaData.CopyNew()
	for _, p := range c.Value {
		out.Value = append(out.Value, ring.Poly{Coeffs: p.Coeffs[:level+1]})
	}
	return out
}

// Rows evaluates a form at the sum of contributions and, if it has a factor, a response: the same bytes on every machine. It takes some hundred megabytes while it runs.
func (k *Keys) Rows(a *Plan, contributions []*Vector, response *Vector) (*Rows, error) {
	if err := a.check(contributions, response); err != nil {
		return nil, err
	}
	n, p := contributions[0].n, k.params
	out := &Rows{keys: k, n: n, largest: a.termBound.largest, offset: a.termBound.worst + 2*p.noise.rounding/p.scale()}
	if response != nil {
		e := p.freshError()
		out.largest += float64(response.within.Max * a.factorBound.largest)
		out.offset += float64(response.within.Max*a.factorBound.worst) + float64(a.factorBound.largest*e) + float64(a.factorBound.worst*e) + p.productError(level(a.end+1))
	}
	for part := range contributions[0].parts {
		s := at(contributions[0].parts[part], level(a.start)).CopyNew()
		for _, c := range contributions[1:] {
			if err := k.eval.Add(s, at(c.parts[part], level(a.start)), s); err != nil {
				return nil, fmt.Errorf("encrypted: %w", err)
			}
		}
		var y *rlwe.Ciphertext
		if response != nil {
			y = response.parts[part]
		}
		c, err := k.form(a, s, y)
		if err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		out.parts = append(out.parts, c)
	}
	return out, nil
}

func (a *Plan) check(contributions []*Vector, response *Vector) error {
	if len(contributions) != a.contributions {
		return fmt.Errorf("encrypted: %d contributions, and not %d", len(contributions), a.contributions)
	}
	if (response != nil) != (len(a.factor) > 0) {
		return fmt.Errorf("encrypted: a response and a factor come together")
	}
	sum, n := 0.0, contributions[0].n
	for _, c := range contributions {
		if c.kind != Contribution || c.n != n || c.within.Interval != a.interval {
			return fmt.Errorf("encrypted: contributions are of %d rows on ±%g", n, a.interval)
		}
		sum += c.within.Max
	}
	if sum > a.interval {
		return fmt.Errorf("encrypted: contributions up to %g leave the interval ±%g", sum, a.interval)
	}
	if response != nil && (response.kind != Response || response.n != n) {
		return fmt.Errorf("encrypted: the response has %d rows, and not %d", response.n, n)
	}
	return nil
}

// form evaluates a form on one ciphertext of arguments.
func (k *Keys) form(a *Plan, s, y *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	basis := common.NewPowerBasis(s, bignum.Chebyshev)
	polynomial := func(c []float64, target scale, steps int) (*rlwe.Ciphertext, error) {
		out, err := evaluator(k.params, k.eval).EvaluateFromPowerBasis(basis, chebyshev(c), target)
		if err != nil {
			return nil, err
		}
		out.Scale = target // the library's differs in the last of 128 bits
		return at(out, level(steps)), nil
	}
	standard := k.params.ckks.DefaultScale()
	var out *rlwe.Ciphertext
	var err error
	switch {
	case len(a.factor) == 1:
		out = at(y, level(a.end)).CopyNew()
		err = k.eval.Mul(out, int(a.factor[0]), out)
	case len(a.factor) > 1:
		if out, err = polynomial(a.factor, a.factorScale(k.params), a.end+1); err == nil {
			out, err = k.multiply(out, at(y, level(a.end+1)))
		}
	}
	if err != nil || len(a.term) == 0 {
		return out, err
	}
	if len(a.term) == 1 {
		return out, k.eval.Add(out, a.term[0], out)
	}
	term, err := polynomial(a.term, standard, a.end)
	if err != nil || out == nil {
		return term, err
	}
	return out, k.eval.Add(out, term, out)
}

// multiply returns the product of two ciphertexts, divided by the modulus of its step.
func (k *Keys) multiply(a, b *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	out, err := k.eval.MulRelinNew(a, b)
	if err != nil {
		return nil, err
	}
	if err := k.eval.Rescale(out, out); err != nil {
		return nil, err
	}
	if s := k.params.ckks.DefaultScale(); out.Scale.InDelta(s, 100) {
		out.Scale = s
	}
	return out, nil
}

// rows takes a column or a response as rows.
func (k *Keys) rows(v *Vector) *Rows {
	out := &Rows{keys: k, n: v.n, parts: v.parts, largest: 1, offset: k.params.freshError()}
	out.column = &v.within
	return out
}

// total bounds the sum over n rows of the absolute values of a column.
func (r Range) total(n int) float64 { return min(math.Sqrt(float64(n)*r.Squares), float64(n)*r.Max) }

// with bounds sums over rows: of |x||z| where rows have a column x, of |z| otherwise; and of |x| or 1 over all numbers of the ciphertexts.
func (r *Rows) with(z Range) (products, own float64) {
	if r.column == nil {
		return z.total(r.n), float64(len(r.parts) * r.keys.params.Rows())
	}
	return math.Sqrt(r.column.Squares * z.Squares), r.column.total(r.n)
}

// Weigh returns rows times a column, of which a product with another column is left.
func (r *Rows) Weigh(z *Vector) (*Rows, error) {
	if r.column != nil {
		return nil, fmt.Errorf("encrypted: rows are multiplied with two columns at most")
	}
	parts, err := r.times(z, columnSteps)
	if err != nil {
		return nil, err
	}
	p := r.keys.params
	e := p.freshError()
	wrong := r.offset + r.slope
	return &Rows{keys: r.keys, n: r.n, parts: parts, largest: r.largest, column: &z.within, slope: wrong,
		offset: float64((r.largest+wrong)*e) + p.productError(parts[0].Level()+primesPerStep)}, nil
}

// times multiplies with a column, both at the level of what has fewer steps left, at most some.
func (r *Rows) times(z *Vector, most int) ([]*rlwe.Ciphertext, error) {
	if z.n != r.n || z.kind == Contribution {
		return nil, fmt.Errorf("encrypted: a column of %d rows is wanted", r.n)
	}
	l := level(min(most, steps(r.parts[0].Level()), steps(z.kind.level())))
	if steps(l) < 1 {
		return nil, fmt.Errorf("encrypted: no product is left")
	}
	var out []*rlwe.Ciphertext
	for i, c := range r.parts {
		product, err := r.keys.multiply(at(c, l), at(z.parts[i], l))
		if err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		out = append(out, product)
	}
	return out, nil
}

// Product returns the sum over all rows of their products with a column.
func (r *Rows) Product(z *Vector) (*Sum, error) {
	parts, err := r.times(z, 1)
	if err != nil {
		return nil, err
	}
	p := r.keys.params
	e, blocks, n := p.freshError(), float64(len(parts)), float64(p.Rows())
	products, own := r.with(z.within)
	wrong := float64(r.offset*z.within.total(r.n)) + float64(r.slope*products)  // of the rows
	wrong += float64((r.largest*own + r.offset*blocks*n + r.slope*own) * e)     // of the column
	wrong += float64(blocks*n) * p.productError(parts[0].Level()+primesPerStep) // of the product
	return r.sum(parts, r.largest*products, wrong)
}

// Total returns the sum over all rows, each times a number that all know; without numbers, each once.
func (r *Rows) Total(weights []float64) (*Sum, error) {
	if weights == nil {
		weights = make([]float64, r.n)
		for i := range weights {
			weights[i] = 1
		}
	}
	if len(weights) != r.n {
		return nil, fmt.Errorf("encrypted: %d weights of %d rows", len(weights), r.n)
	}
	var known Range
	for _, w := range weights {
		known.Max = max(known.Max, math.Abs(w))
		known.Squares += float64(w * w)
	}
	if !(known.Squares > 0 && known.Squares <= maxMagnitude) {
		return nil, fmt.Errorf("encrypted: weights with a sum of squares %g", known.Squares)
	}
	k, p := r.keys, r.keys.params
	l := r.parts[0].Level()
	if steps(l) < 1 {
		return nil, fmt.Errorf("encrypted: no product is left")
	}
	l = level(1)
	var parts []*rlwe.Ciphertext
	for i, c := range r.parts {
		block := make([]float64, p.Rows())
		copy(block, weights[i*p.Rows():])
		plain, err := k.encode(block, l, p.stepModulus(l))
		if err != nil {
			return nil, err
		}
		product, err := k.eval.MulNew(at(c, l), plain)
		if err == nil {
			err = k.eval.Rescale(product, product)
		}
		if err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		product.Scale = c.Scale
		parts = append(parts, product)
	}
	products, _ := r.with(known)
	wrong := float64(r.offset*known.total(r.n)) + float64(r.slope*products) + float64(len(parts)*p.Rows())*p.productError(l)
	return r.sum(parts, r.largest*products, wrong)
}

// Cross returns the sum over rows of the products of two columns, or of a column and a response.
func (k *Keys) Cross(x, z *Vector) (*Sum, error) { return k.rows(x).Product(z) }

// Binary returns y(1 - y) of a response, whose total with weights that were drawn after the response was committed is 0 if it is binary, and otherwise hardly ever.
func (k *Keys) Binary(y *Vector) (*Rows, error) {
	if y.kind != Response {
		return nil, fmt.Errorf("encrypted: a response is wanted")
	}
	l, e := level(columnSteps), k.params.freshError()
	out := &Rows{keys: k, n: y.n, largest: y.within.Max * (1 + y.within.Max), offset: (1+2*y.within.Max+e)*e + k.params.productError(l)}
	for _, c := range y.parts {
		other := at(c, l).CopyNew()
		if err := k.eval.Mul(other, -1, other); err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		if err := k.eval.Add(other, 1, other); err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		product, err := k.multiply(at(c, l), other)
		if err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		out.parts = append(out.parts, product)
	}
	return out, nil
}

// Digest is the SHA-256 of the ciphertexts, the same at all who derived them from the same vectors.
func (r *Rows) Digest() [sha256.Size]byte { return digest(r.keys.params, r.parts...) }

func digest(p *Parameters, parts ...*rlwe.Ciphertext) [sha256.Size]byte {
	h := sha256.New()
	for _, c := range parts {
		for _, q := range c.Value {
			h.Write(appendPoly(nil, q, p.ckks.Q()[:c.Level()+1]))
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
