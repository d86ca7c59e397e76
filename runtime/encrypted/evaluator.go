package encrypted

import (
	"fmt"
	"math/big"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// An evaluator is that of the library, but for when a product is divided. A product stays of degree 2 until
// Rescale, which relinearises it and divides it by the special primes and by the modulus of its step at once:
// a third of the transforms are not made, and it is rounded once.
type evaluator struct {
	*ckks.Evaluator
	relin   *rlwe.GadgetCiphertext
	special *big.Int              // product of the special primes
	down    []*ring.BasisExtender // by the level that is left
	product rlwe.Element[ringqp.Poly]
}

func (p *Parameters) evaluator(key *rlwe.RelinearizationKey) *evaluator {
	e := &evaluator{Evaluator: ckks.NewEvaluator(p.ckks, rlwe.NewMemEvaluationKeySet(key)),
		relin: &key.GadgetCiphertext}
	q, special := p.ckks.RingQ(), p.ckks.RingP()
	e.special = special.Modulus()
	e.down = make([]*ring.BasisExtender, len(q.SubRings)-primesPerStep)
	for left := range e.down {
		if (left+1)%primesPerStep == 0 {
			dropped := append(q.SubRings[left+1:][:primesPerStep:primesPerStep], special.SubRings...)
			e.down[left] = ring.NewBasisExtender(ringOf(q.SubRings[:left+1]), ringOf(dropped))
		}
	}
	// The library's buffers are for products with keys whose special modulus is one prime.
	e.BuffDecompQP = append([]ringqp.Poly(nil), e.BuffDecompQP[0])
	e.product = rlwe.Element[ringqp.Poly]{Value: e.BuffQP[1:3], MetaData: &rlwe.MetaData{}}
	e.product.IsNTT = true
	return e
}

// ringOf is a ring of the primes of others.
func ringOf(of []*ring.SubRing) *ring.Ring {
	r, modulus := &ring.Ring{SubRings: of}, big.NewInt(1)
	for _, s := range of {
		modulus = new(big.Int).Mul(modulus, new(big.Int).SetUint64(s.Modulus))
		r.ModulusAtLevel = append(r.ModulusAtLevel, modulus)
	}
	return r.AtLevel(len(of) - 1)
}

// MulRelinNew returns a product that Rescale relinearises.
func (e *evaluator) MulRelinNew(a *rlwe.Ciphertext, op rlwe.Operand) (*rlwe.Ciphertext, error) {
	return e.MulNew(a, op)
}

// Relinearize leaves that to Rescale.
func (e *evaluator) Relinearize(a, out *rlwe.Ciphertext) error {
	if a != out {
		return fmt.Errorf("encrypted: a relinearisation into another ciphertext")
	}
	return nil
}

// Rescale divides a ciphertext of degree 1 or 2 by the modulus of its step, of degree 1 then.
func (e *evaluator) Rescale(a, out *rlwe.Ciphertext) error {
	if a != out {
		return fmt.Errorf("encrypted: a division into another ciphertext")
	}
	left, parts, err := e.undivided(a)
	if err != nil {
		return err
	}
	for i, c := range parts {
		e.divide(left, c, a.Value[i])
	}
	a.Scale = e.divided(a)
	a.Resize(1, left)
	return nil
}

// undivided are the two polynomials of a ciphertext before they are divided: of degree 2 those times the
// special primes, with the third by the key. They are valid until the next. left is the level after the
// division.
func (e *evaluator) undivided(a *rlwe.Ciphertext) (left int, parts []ringqp.Poly, err error) {
	l := a.Level()
	if left = l - primesPerStep; left < 0 || e.down[left] == nil {
		return 0, nil, fmt.Errorf("encrypted: a division at level %d", l)
	}
	if a.Degree() < 2 {
		return left, []ringqp.Poly{{Q: a.Value[0]}, {Q: a.Value[1]}}, nil
	}
	if err := e.GadgetProductLazy(l, a.Value[2], e.relin, &e.product); err != nil {
		return 0, nil, err
	}
	for i, c := range e.product.Value {
		e.GetParameters().RingQ().AtLevel(l).MulScalarBigintThenAdd(a.Value[i], e.special, c.Q)
	}
	return left, e.product.Value, nil
}

// divided is the scale of a ciphertext after a division.
func (e *evaluator) divided(a *rlwe.Ciphertext) scale {
	out := a.Scale
	for i := range primesPerStep {
		out = out.Div(rlwe.NewScale(e.GetParameters().Q()[a.Level()-i]))
	}
	return out
}

// divide divides a polynomial by all its primes beyond a level, with rounding.
func (e *evaluator) divide(left int, c ringqp.Poly, out ring.Poly) {
	dropped := append(c.Q.Coeffs[left+1:][:primesPerStep:primesPerStep], c.P.Coeffs...)
	e.down[left].ModDownQPtoQNTT(left, len(dropped)-1, c.Q, ring.Poly{Coeffs: dropped}, out)
}

// dividedHead is coefficient 0 of what divide makes, without the others.
func (e *evaluator) dividedHead(left int, c ringqp.Poly) ring.Poly {
	q, special := e.GetParameters().RingQ(), e.GetParameters().RingP()
	all := q.SubRings[: left+1+primesPerStep : left+1+primesPerStep]
	all = append(all, special.SubRings[:len(c.P.Coeffs)]...)
	values := append(c.Q.Coeffs[:len(all)-len(c.P.Coeffs):len(all)-len(c.P.Coeffs)], c.P.Coeffs...)
	v, by := new(big.Int), ringOf(all[left+1:]).Modulus()
	ringOf(all).PolyToBigintCentered(head(all, values), q.N(), []*big.Int{v})
	v.Add(v, new(big.Int).Rsh(by, 1))
	v.Div(v, by)
	out := ring.NewPoly(1, left)
	for i, s := range all[:left+1] {
		p := new(big.Int).SetUint64(s.Modulus)
		out.Coeffs[i][0] = p.Mod(v, p).Uint64()
	}
	return out
}

// head is coefficient 0 of a polynomial of which the transform is given: the mean of its values.
func head(primes []*ring.SubRing, values [][]uint64) ring.Poly {
	out := ring.NewPoly(1, len(primes)-1)
	for i, s := range primes {
		var above, sum, carry uint64
		q := s.Modulus
		for _, v := range values[i] {
			sum, carry = bits.Add64(sum, v, 0)
			above += carry
		}
		high, low := bits.Mul64(bits.Rem64(above, sum, q), ring.ModExp(uint64(s.N), q-2, q))
		_, out.Coeffs[i][0] = bits.Div64(high, low, q)
	}
	return out
}
