package release

import (
	"fmt"
	"io"
	"math/big"
)

// A sampler draws exact discrete noise from a stream of random bytes: integers alone are computed with, so
// that the probabilities are those of the formulas and no rounding tells what was added to.
type sampler struct {
	random io.Reader
	buffer []byte
}

// gaussian is a draw of the discrete Gaussian distribution, with probabilities in proportion to exp(−x²/2σ²)
// for integers x, of a whole variance σ² ≥ 1. Source: Canonne, Kamath and Steinke (2020), The discrete
// Gaussian for differential privacy, algorithm 3.
func (s *sampler) gaussian(variance *big.Int) *big.Int {
	t := new(big.Int).Sqrt(variance)
	t.Add(t, big.NewInt(1))
	twice := new(big.Int).Mul(t, t)
	twice.Mul(twice, variance).Lsh(twice, 1) // 2σ²t²
	for {
		y := s.laplace(t)
		d := new(big.Int).Mul(new(big.Int).Abs(y), t)
		d.Sub(d, variance)
		if s.exponential(d.Mul(d, d), twice) {
			return y
		}
	}
}

// laplace is a draw of the discrete Laplace distribution, in proportion to exp(−|x|/t): algorithm 2.
func (s *sampler) laplace(t *big.Int) *big.Int {
	one := big.NewInt(1)
	for {
		u := s.below(t)
		if !s.small(u, t) {
			continue
		}
		v := new(big.Int)
		for s.small(one, one) {
			v.Add(v, one)
		}
		x := u.Add(u, v.Mul(v, t))
		negative := s.below(big.NewInt(2)).Sign() > 0
		switch {
		case negative && x.Sign() == 0:
			continue
		case negative:
			return x.Neg(x)
		}
		return x
	}
}

// exponential is true with probability exp(−num/den), for num ≥ 0: algorithm 1.
func (s *sampler) exponential(num, den *big.Int) bool {
	whole, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	one := big.NewInt(1)
	for ; whole.Sign() > 0; whole.Sub(whole, one) {
		if !s.small(one, one) {
			return false
		}
	}
	return s.small(rest, den)
}

// small is exponential for num ≤ den.
func (s *sampler) small(num, den *big.Int) bool {
	limit := new(big.Int)
	for k := int64(1); ; k++ {
		limit.Add(limit, den)
		if s.below(limit).Cmp(num) >= 0 {
			return k%2 == 1
		}
	}
}

// below is uniform among 0 … n−1. A source that fails ends the release: noise is never less than was stated.
func (s *sampler) below(n *big.Int) *big.Int {
	bits := new(big.Int).Sub(n, big.NewInt(1)).BitLen()
	size := (bits + 7) / 8
	if cap(s.buffer) < size {
		s.buffer = make([]byte, 2*size)
	}
	b, out := s.buffer[:size], new(big.Int)
	for {
		if _, err := io.ReadFull(s.random, b); err != nil {
			panic(fmt.Sprintf("release: no random bytes: %v", err))
		}
		if size > 0 {
			b[0] &= byte(0xff >> (8*size - bits))
		}
		if out.SetBytes(b).Cmp(n) < 0 {
			return out
		}
	}
}
