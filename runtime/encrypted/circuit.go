package encrypted

import (
	"crypto/sha256"
	"fmt"

	common "github.com/tuneinsight/lattigo/v6/circuits/common/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/utils/bignum"
)

// EncryptedRows is one number a row that a circuit derived: at row i at most largest·|x_i|, wrong by at most
// offset + slope·|x_i|, where x is a column that it was multiplied with, or 1.
type EncryptedRows struct {
	keys                   *CollectiveKeys
	n                      int
	parts                  []*rlwe.Ciphertext
	largest, offset, slope float64
	column                 *Range

	// At row i also up to factor.largest·|y_i|, wrong by factor.worst·|y_i|, of a response y; nil: there is
	// none.
	factor   polynomialBound
	response *Range
}

func (p *Parameters) scale() float64 { s := p.ckks.DefaultScale(); return s.Float64() }

// freshError is that of an encrypted number, in its units.
func (p *Parameters) freshError() float64 { return p.noise.fresh / p.scale() }

// productError is what a product at a level adds to every number: of the relinearisation, and of the division
// by its special primes and both of the step.
func (p *Parameters) productError(level int) float64 {
	return p.noise.relin[level]/(p.scale()*p.scale()) + p.noise.rounding/p.scale()
}

// factorScale is that of a factor whose product with a response has the scale of everything else.
func (a *Circuit) factorScale(p *Parameters) scale { return p.stepModulus(level(a.end + 1)) }

// at returns c without the primes above a level. The coefficients are shared.
func at(c *rlwe.Ciphertext, level int) *rlwe.Ciphertext {
	out := &rlwe.Ciphertext{}
	out.MetaData = c.MetaData.CopyNew()
	for _, p := range c.Value {
		out.Value = append(out.Value, ring.Poly{Coeffs: p.Coeffs[:level+1]})
	}
	return out
}

// Rows evaluates a form at the sum of contributions and, if it has a factor, a response: the same bytes on
// every machine. It takes some hundred megabytes while it runs.
func (k *CollectiveKeys) Rows(a *Circuit, contributions []*Vector, response *Vector) (*EncryptedRows, error) {
	if err := a.check(contributions, response); err != nil {
		return nil, err
	}
	n, p := contributions[0].n, k.params
	out := &EncryptedRows{keys: k, n: n, largest: a.termBound.largest, offset: a.termBound.worst}
	if response != nil {
		out.factor, out.response = a.factorBound, &response.within
		out.offset += float64((a.factorBound.largest+a.factorBound.worst)*p.freshError()) +
			p.productError(level(a.end+1))
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

func (a *Circuit) check(contributions []*Vector, response *Vector) error {
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
func (k *CollectiveKeys) form(a *Circuit, s, y *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	basis := common.NewPowerBasis(s, bignum.Chebyshev)
	polynomial := func(c []float64, target scale, steps int) (*rlwe.Ciphertext, error) {
		out, err := polynomials(k.params, k.eval).EvaluateFromPowerBasis(basis, chebyshev(c), target)
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
		if err == nil {
			out.Scale = standard
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
func (k *CollectiveKeys) multiply(a, b *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	out, err := k.eval.MulRelinNew(a, b)
	if err != nil {
		return nil, err
	}
	return out, k.eval.Rescale(out, out)
}

// Digest is the SHA-256 of the ciphertexts, the same at all who derived them from the same vectors.
func (r *EncryptedRows) Digest() [sha256.Size]byte { return digest(r.keys.params, r.parts...) }

func digest(p *Parameters, parts ...*rlwe.Ciphertext) [sha256.Size]byte {
	h := sha256.New()
	for _, c := range parts {
		for _, q := range c.Value {
			h.Write(appendPoly(nil, q, p.ckks.Q()[:c.Level()+1]))
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}
