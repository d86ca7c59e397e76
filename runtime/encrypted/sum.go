package encrypted

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/big"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
)

// A Sum is an encrypted sum over rows that a circuit derived. There is no way to make one from bytes, so that a holder gives no share of a ciphertext that it did not derive itself.
type Sum struct {
	params    *Parameters
	c         *rlwe.Ciphertext // its coefficient 0, times the number of rows N and over the scale, is the sum
	largest   float64          // of the absolute value
	wrong     float64          // bound of the error without flooding, in units of the sum
	deviation float64          // of one holder's flooding, in units of coefficient 0
}

// sum adds up the ciphertexts of all blocks and keeps as few primes as hold the result: a sum that could be larger than they hold is refused.
func (r *Rows) sum(parts []*rlwe.Ciphertext, largest, wrong float64) (*Sum, error) {
	k, p := r.keys, r.keys.params
	c := parts[0]
	for _, part := range parts[1:] {
		if err := k.eval.Add(c, part, c); err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
	}
	unit := c.Scale.Float64() / float64(p.Rows()) // coefficient 0 of a sum of 1
	out := &Sum{params: p, largest: largest, wrong: wrong, deviation: p.flooding(wrong * unit)}
	for steps := 0; level(steps) <= c.Level(); steps++ {
		q, _ := new(big.Float).SetInt(p.ckks.RingQ().AtLevel(level(steps)).Modulus()).Float64()
		if float64((largest+wrong)*unit)+float64(p.holders)*out.deviation*tail < q/2 {
			out.c = at(c, level(steps)).CopyNew()
			return out, nil
		}
	}
	return nil, fmt.Errorf("encrypted: a sum up to %.3g is beyond the modulus", largest)
}

// Digest is the SHA-256 of the ciphertext, the same at all who derived it from the same vectors.
func (s *Sum) Digest() [sha256.Size]byte { return digest(s.params, s.c) }

// unit is coefficient 0 of a sum of 1.
func (s *Sum) unit() float64 { return s.c.Scale.Float64() / float64(s.params.Rows()) }

// Deviation is the standard deviation of what Open returns about the sum, from the noise of all holders.
func (s *Sum) Deviation() float64 {
	return math.Sqrt(float64(s.params.holders)) * s.deviation / s.unit()
}

// Error bounds what Open returns wrongly apart from that noise.
func (s *Sum) Error() float64 { return s.wrong }

// Share returns the holder's share of the decryption of a sum, for its one receiver: coefficient 0 of c₁s_i with noise. It is fresh at every call and counts as an opening: what was
// sent once is sent again as it was.
func (s *Secret) Share(sum *Sum) ([]byte, error) {
	p := s.params
	if sum.params.Digest() != p.Digest() {
		return nil, fmt.Errorf("encrypted: a sum of other parameters")
	}
	if s.opened >= p.openings {
		return nil, fmt.Errorf("encrypted: the key was for %d openings", p.openings)
	}
	noise, err := flood(sum.deviation)
	if err != nil {
		return nil, err
	}
	s.opened++
	r := p.ckks.RingQ().AtLevel(sum.c.Level())
	product := r.NewPoly()
	r.MulCoeffsMontgomery(sum.c.Value[1], s.key.Value.Q, product)
	r.INTT(product, product)
	var out []byte
	for i, q := range p.ckks.Q()[:sum.c.Level()+1] {
		residue := new(big.Int).SetUint64(q)
		residue.Mod(noise, residue)
		out = appendPoly(out, ring.Poly{Coeffs: [][]uint64{{ring.CRed(residue.Uint64()+product.Coeffs[i][0], q)}}}, []uint64{q})
	}
	return out, nil
}

// Open adds the shares of all holders, in their order, and returns the sum. A share that is not of the form is a *HolderError. A number beyond what the ranges allow is an error: a
// share was altered, or is of another sum. A share that was altered by less gives a wrong number.
func (s *Sum) Open(shares [][]byte) (float64, error) {
	p := s.params
	primes := p.ckks.Q()[:s.c.Level()+1]
	r := p.ckks.RingQ().AtLevel(s.c.Level())
	total := r.NewPoly()
	r.INTT(s.c.Value[0], total)
	one := ring.NewPoly(1, s.c.Level())
	err := p.each(shares, func(read *reader) error {
		if err := read.poly(one, primes); err != nil {
			return err
		}
		for i, q := range primes {
			total.Coeffs[i][0] = ring.CRed(total.Coeffs[i][0]+one.Coeffs[i][0], q)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("encrypted: %w", err)
	}
	coefficient := new(big.Int)
	r.PolyToBigintCentered(total, r.N(), []*big.Int{coefficient})
	f, _ := new(big.Float).SetInt(coefficient).Float64()
	sum := f / s.unit()
	if math.Abs(sum) > s.largest+s.wrong+float64(tail*s.Deviation()) {
		return 0, fmt.Errorf("encrypted: a sum of %.3g, where the ranges allow %.3g: a share is not of this sum", sum, s.largest)
	}
	return sum, nil
}
