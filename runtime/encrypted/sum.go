package encrypted

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
)

// ErrModulus is the error of a sum that could be too large to be decrypted.
var ErrModulus = errors.New("beyond the modulus")

// ErrOpenings is the error of a share of one sum more than a key is for.
var ErrOpenings = errors.New("encrypted: the key was for fewer sums")

// A EncryptedSum is an encrypted sum over rows that a circuit derived. There is no way to make one from
// bytes, so that a holder gives no share of a ciphertext that it did not derive itself.
type EncryptedSum struct {
	params *Parameters
	// coefficient 0 of c₀ of a ciphertext: that times the number of rows N and over the scale is the sum
	head      ring.Poly
	tail      ring.Poly // c₁
	scale     scale
	largest   float64 // of the absolute value
	wrong     float64 // bound of the error without flooding, in units of the sum
	deviation float64 // of one holder's flooding, in units of coefficient 0
	added     float64 // bound of what all holders add, in units of the sum
}

// sum prepares a sum with bounds of its absolute value and of its error, and returns how many steps its
// modulus has beyond the least. A sum that could be larger than all moduli is refused.
func (r *EncryptedRows) sum(largest, wrong float64) (*EncryptedSum, int, error) {
	p := r.keys.params
	unit := p.scale() / float64(p.Rows())
	wrong = float64(wrong * drift)
	out := &EncryptedSum{params: p, largest: largest, wrong: wrong, deviation: p.flooding(wrong * unit)}
	for left := 0; level(left+1) <= r.parts[0].Level(); left++ {
		q, _ := new(big.Float).SetInt(p.ckks.RingQ().AtLevel(level(left)).Modulus()).Float64()
		if drift*(float64((largest+wrong)*unit)+float64(float64(p.holders)*out.deviation*tail)) < q/2 {
			return out, left, nil
		}
	}
	return nil, 0, fmt.Errorf("encrypted: a sum of up to %.3g is %w", largest, ErrModulus)
}

// add sets a sum to that of all blocks of products, which are divided when they are added up. Of c₀ there is
// coefficient 0 alone.
func (k *CollectiveKeys) add(s *EncryptedSum, products []*rlwe.Ciphertext) error {
	c := products[0]
	for _, part := range products[1:] {
		if err := k.eval.Add(c, part, c); err != nil {
			return fmt.Errorf("encrypted: %w", err)
		}
	}
	left, parts, err := k.eval.undivided(c)
	if err != nil {
		return err
	}
	s.head, s.scale = k.eval.dividedHead(left, parts[0]), k.eval.divided(c)
	s.tail = ring.NewPoly(s.params.Rows(), left)
	k.eval.divide(left, parts[1], s.tail)
	return nil
}

// primes are those that the ciphertext of a sum has left.
func (s *EncryptedSum) primes() []uint64 { return s.params.ckks.Q()[:s.head.Level()+1] }

// Digest is the SHA-256 of the ciphertext, the same at all who derived it from the same vectors.
func (s *EncryptedSum) Digest() [sha256.Size]byte {
	return sha256.Sum256(appendPoly(appendPoly(nil, s.head, s.primes()), s.tail, s.primes()))
}

// unit is coefficient 0 of a sum of 1.
func (s *EncryptedSum) unit() float64 { return s.scale.Float64() / float64(s.params.Rows()) }

// Deviation is the standard deviation of what Open returns about the sum, from the noise of all holders.
func (s *EncryptedSum) Deviation() float64 {
	return math.Sqrt(float64(s.params.holders)) * s.deviation / s.unit()
}

// Error bounds what Open returns wrongly apart from that noise.
func (s *EncryptedSum) Error() float64 { return s.wrong }

// Unit is what a sum of 1 is in whole numbers that holders add to their shares.
func (s *EncryptedSum) Unit() float64 { return s.unit() }

// Admit has holders add numbers to their shares whose sum is at most most, in units of the sum. The error is
// ErrModulus where the modulus has no room for them.
func (s *EncryptedSum) Admit(most float64) error {
	s.added = most
	q, _ := new(big.Float).SetInt(s.params.ckks.RingQ().AtLevel(s.head.Level()).Modulus()).Float64()
	if float64((s.largest+s.wrong+most)*s.unit())+
		float64(float64(s.params.holders)*s.deviation*tail) > q/2 {
		return fmt.Errorf("encrypted: a sum of up to %.3g with noise up to %.3g is %w", s.largest, most,
			ErrModulus)
	}
	return nil
}

// ShareAdding is Share with a whole number added, for everybody. Open returns the sum with all that was
// added.
func (s *Secret) ShareAdding(sum *EncryptedSum, added *big.Int) ([]byte, error) {
	if sum.params.Digest() != s.params.Digest() {
		return nil, fmt.Errorf("encrypted: a sum of other parameters")
	}
	return s.share(sum.tail, sum.deviation, added)
}

// Share returns the holder's share of the decryption of a sum, for its one receiver: coefficient 0 of c₁s_i
// with noise. It is fresh at every call and counts as an opening: what was sent once is sent again as it was.
func (s *Secret) Share(sum *EncryptedSum) ([]byte, error) {
	if sum.params.Digest() != s.params.Digest() {
		return nil, fmt.Errorf("encrypted: a sum of other parameters")
	}
	return s.share(sum.tail, sum.deviation, nil)
}

// share is coefficient 0 of c₁s_i with noise of a deviation, and a number added, if any.
func (s *Secret) share(tail ring.Poly, deviation float64, added *big.Int) ([]byte, error) {
	p := s.params
	if s.opened >= p.openings {
		return nil, fmt.Errorf("%w: %d", ErrOpenings, p.openings)
	}
	noise, err := p.flood(deviation)
	if err != nil {
		return nil, err
	}
	if added != nil {
		noise.Add(noise, added)
	}
	s.opened++
	r := p.rlwe.RingQ().AtLevel(tail.Level())
	product := r.NewPoly()
	r.MulCoeffsMontgomery(tail, s.key.Value.Q, product)
	share := head(r.SubRings[:tail.Level()+1], product.Coeffs)
	primes := p.rlwe.Q()[:tail.Level()+1]
	for i, q := range primes {
		residue := new(big.Int).SetUint64(q)
		residue.Mod(noise, residue)
		share.Coeffs[i][0] = ring.CRed(residue.Uint64()+share.Coeffs[i][0], q)
	}
	return appendPoly(nil, share, primes), nil
}

// Open adds the shares of all holders and returns the sum. A share that is not of the form
// is a *HolderError. A number beyond what the ranges allow is an error: a share was altered, or is of another
// sum. A share that was altered by less gives a wrong number.
func (s *EncryptedSum) Open(shares Shares) (float64, error) {
	coefficient, err := s.params.opened(s.head, shares)
	if err != nil {
		return 0, err
	}
	f, _ := new(big.Float).SetInt(coefficient).Float64()
	sum := f / s.unit()
	if math.Abs(sum) > s.largest+s.wrong+s.added+float64(tail*s.Deviation()) {
		return 0, fmt.Errorf("encrypted: %.3g is beyond what the ranges allow: a share is not of this sum",
			sum)
	}
	return sum, nil
}

// opened is coefficient 0 of c₀ with the shares of all holders, centred.
func (p *Ring) opened(head ring.Poly, shares Shares) (*big.Int, error) {
	total, one, primes := *head.CopyNew(), ring.NewPoly(1, head.Level()), p.rlwe.Q()[:head.Level()+1]
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
		return nil, fmt.Errorf("encrypted: %w", err)
	}
	coefficient, r := new(big.Int), p.rlwe.RingQ().AtLevel(head.Level())
	r.PolyToBigintCentered(total, r.N(), []*big.Int{coefficient})
	return coefficient, nil
}
