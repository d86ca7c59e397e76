package encrypted

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
)

// Integers are the parameters of exact sums: columns of whole numbers are encrypted by BGV (Brakerski, Gentry
// and Vaikuntanathan 2012), one product of two is taken, and the sum over all rows of the product is
// decrypted by all holders together. A column has a row in each slot. The coefficients of a plaintext are a
// transform of its slots whose coefficient 0 is their mean, so that this coefficient alone of a product is
// the inner product of two columns over their number N of slots, and no row of it is opened.
type Integers struct {
	Ring
	bgv   bgv.Parameters
	rows  int
	noise float64 // deviation of one holder's flooding
}

// integerModulus is the plaintext modulus, the largest prime below 2^59 that is 1 modulo 2^16. Numbers stay
// below half of it.
const integerModulus = 0x7ffffffffe70001

// LogInteger is the number of bits below which the absolute value of an opened sum is.
const LogInteger = 57

const (
	integerLog    = 14 // of the degree; see maxLogQP
	integerBits   = 60 // of each prime
	integerPrimes = 4
)

// NewIntegers returns the parameters of a run of so many rows with holders of shares of the key that opens at
// most openings sums.
func NewIntegers(holders, openings, rows int) (*Integers, error) {
	if log, err := strconv.Atoi(os.Getenv(SmallRing)); err == nil && testing.Testing() {
		return InsecureIntegers(log, holders, openings, rows)
	}
	p, err := ringOfIntegers(integerLog, holders, openings, rows)
	if err == nil && p.rlwe.LogQP() > maxLogQP[integerLog] {
		err = fmt.Errorf("encrypted: %.1f bits of primes are beyond those of 128 bits of security",
			p.rlwe.LogQP())
	}
	return p, err
}

// InsecureIntegers is NewIntegers in a ring of degree 2^log, in which nothing is secret. It panics outside of
// a test.
func InsecureIntegers(log, holders, openings, rows int) (*Integers, error) {
	if !testing.Testing() {
		panic("encrypted: parameters without security are for tests")
	}
	return ringOfIntegers(log, holders, openings, rows)
}

func ringOfIntegers(log, holders, openings, rows int) (*Integers, error) {
	if holders < 1 || openings < 1 || rows < 1 {
		return nil, fmt.Errorf("encrypted: %d holders, %d openings and %d rows, of each at least one",
			holders, openings, rows)
	}
	primes := make([]int, integerPrimes)
	for i := range primes {
		primes[i] = integerBits
	}
	b, err := bgv.NewParametersFromLiteral(bgv.ParametersLiteral{
		LogN: log, LogNthRoot: integerLog + 1, LogQ: primes, LogP: primes[:1],
		PlaintextModulus: integerModulus,
	})
	if err != nil {
		return nil, fmt.Errorf("encrypted: %w", err)
	}
	p := &Integers{bgv: b, rows: rows}
	if p.Ring, err = newRing(b.Parameters, 1, holders, openings); err != nil {
		return nil, err
	}
	return p, p.flooded()
}

// flooded finds the noise that hides the error of a sum, and whether the modulus has room for it. A
// ciphertext of m has phase m/t + e modulo q. With m below t in each coefficient, and so below Nt in the
// embedding, and e below the bound f of noiseOf, a product has the error
//
//	m₁e₂ + m₂e₁ + te₁e₂ + ⌊m₁m₂/t⌋ ≤ 2Ntf + tf² + Nt
//
// and that of the relinearisation; a column times a number has less. What a share adds has standard deviation
// D; two discrete Gaussians whose means differ by b have total variation at most b/2D (Canonne, Kamath and
// Steinke 2020, proposition 5, with Pinsker's inequality), so that over all openings an error tells at most
// 2^-StatisticalSecurity of a key: the smudging of Asharov and others (Eurocrypt 2012).
func (p *Integers) flooded() error {
	of, t := noiseOf(&p.Ring), float64(integerModulus)
	n, f := float64(p.rlwe.N()), of.fresh
	bound := float64(2*n*t*f) + float64(t*f*f) + float64(n*t) + of.relin[p.rlwe.MaxLevel()] + of.rounding
	bound = float64(bound * float64(p.Ciphertexts(p.rows)))
	p.noise = math.Ldexp(float64(p.openings)*bound, StatisticalSecurity-1)
	q, _ := new(big.Float).SetInt(p.rlwe.RingQ().Modulus()).Float64()
	shares := float64(float64(p.holders) * (float64(tail*p.noise) + 1))
	if 2*t*(bound+shares+1) > q {
		return fmt.Errorf("encrypted: sums of %d rows by %d holders, %d times, are %w", p.rows, p.holders,
			p.openings, ErrModulus)
	}
	return nil
}

// IntegerKeys are the public keys of a run: anyone encrypts and evaluates with them, one goroutine at a time.
type IntegerKeys struct {
	params *Integers
	public *rlwe.PublicKey
	eval   *bgv.Evaluator
}

// Keys is that of Parameters.
func (p *Integers) Keys(r ReferenceString, public Shares, ones, twos *Round) (*IntegerKeys, error) {
	key, relin, err := p.keys(r, public, ones, twos)
	if err != nil {
		return nil, err
	}
	return &IntegerKeys{params: p, public: key,
		eval: bgv.NewEvaluator(p.bgv, rlwe.NewMemEvaluationKeySet(relin))}, nil
}

// An IntegerColumn is one whole number a row, encrypted.
type IntegerColumn struct{ parts []*rlwe.Ciphertext }

// ColumnSize is the number of bytes of a column.
func (p *Integers) ColumnSize() int {
	return 2 * p.Ciphertexts(p.rows) * size(p.rlwe.N(), p.rlwe.Q())
}

// Encrypt encrypts a column under the collective key, and returns its bytes: the two polynomials of each
// ciphertext. It is fresh at every call: what was sent once is sent again as it was.
func (k *IntegerKeys) Encrypt(values []int64) ([]byte, error) {
	p := k.params
	if len(values) != p.rows {
		return nil, fmt.Errorf("encrypted: a column of %d rows, and not %d", len(values), p.rows)
	}
	out := make([]byte, 0, p.ColumnSize())
	encoder, encryptor := bgv.NewEncoder(p.bgv), rlwe.NewEncryptor(p.bgv, k.public)
	for first := 0; first < len(values); first += p.Rows() {
		plain := bgv.NewPlaintext(p.bgv, p.rlwe.MaxLevel())
		if err := encoder.Encode(values[first:min(len(values), first+p.Rows())], plain); err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		c, err := encryptor.EncryptNew(plain)
		if err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		for _, q := range c.Value {
			out = appendPoly(out, q, p.rlwe.Q())
		}
	}
	return out, nil
}

// Column reads the bytes of a column.
func (p *Integers) Column(data []byte) (*IntegerColumn, error) {
	c, r := &IntegerColumn{}, reader{rest: data}
	for range p.Ciphertexts(p.rows) {
		part := bgv.NewCiphertext(p.bgv, 1, p.rlwe.MaxLevel())
		for _, q := range part.Value {
			if err := r.poly(q, p.rlwe.Q()); err != nil {
				return nil, fmt.Errorf("encrypted: a column: %w", err)
			}
		}
		c.parts = append(c.parts, part)
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("encrypted: a column: %w", err)
	}
	return c, nil
}

// An IntegerSum is an encrypted sum over rows. There is no way to make one from bytes, so that a holder gives
// no share of a ciphertext that it did not derive itself.
type IntegerSum struct {
	params     *Integers
	head, tail ring.Poly // coefficient 0 of c₀, and c₁
}

// Inner is the sum over rows of the product of two columns: the same bytes at everyone who derives it from
// the same columns.
func (k *IntegerKeys) Inner(a, b *IntegerColumn) (*IntegerSum, error) {
	sum, err := k.added(len(a.parts), func(i int) (*rlwe.Ciphertext, error) {
		return k.eval.MulNew(a.parts[i], b.parts[i])
	})
	if err == nil {
		err = k.eval.Relinearize(sum, sum)
	}
	return k.sum(sum, err)
}

// Total is the sum over rows of a column times a number of at most 2^30.
func (k *IntegerKeys) Total(a *IntegerColumn, times int64) (*IntegerSum, error) {
	sum, err := k.added(len(a.parts), func(i int) (*rlwe.Ciphertext, error) {
		return a.parts[i].CopyNew(), nil
	})
	if err == nil {
		err = k.eval.Mul(sum, uint64(times), sum)
	}
	return k.sum(sum, err)
}

// added adds up the blocks of a sum.
func (k *IntegerKeys) added(blocks int, of func(i int) (*rlwe.Ciphertext, error)) (sum *rlwe.Ciphertext,
	err error) {
	for i := 0; i < blocks && err == nil; i++ {
		var c *rlwe.Ciphertext
		if c, err = of(i); sum == nil {
			sum = c
		} else if err == nil {
			err = k.eval.Add(sum, c, sum)
		}
	}
	return sum, err
}

func (k *IntegerKeys) sum(sum *rlwe.Ciphertext, err error) (*IntegerSum, error) {
	if err != nil {
		return nil, fmt.Errorf("encrypted: %w", err)
	}
	if sum.Scale.Cmp(k.params.bgv.DefaultScale()) != 0 {
		return nil, errors.New("encrypted: a sum with another scale")
	}
	return &IntegerSum{k.params, head(k.params.rlwe.RingQ().SubRings, sum.Value[0].Coeffs), sum.Value[1]}, nil
}

// Digest is the SHA-256 of the ciphertext.
func (s *IntegerSum) Digest() [sha256.Size]byte {
	primes := s.params.rlwe.Q()
	return sha256.Sum256(appendPoly(appendPoly(nil, s.head, primes), s.tail, primes))
}

// IntegerShareSize is the number of bytes of a share of a sum.
func (p *Integers) IntegerShareSize() int { return size(1, p.rlwe.Q()) }

// IntegerShare is the holder's share of the decryption of a sum, to which it adds a whole number: the sum of
// all holders' is decrypted. It is the protocol from an encryption to shares of its plaintext (Mouchet and
// others, PETS 2021, 3.4; multiparty/mpbgv of the library), in which a holder's own share is the number that
// it takes off. It is fresh at every call and counts as an opening: what was sent once is sent again as it
// was.
func (s *Secret) IntegerShare(sum *IntegerSum, added *big.Int) ([]byte, error) {
	p := sum.params
	if p.Digest() != s.params.Digest() {
		return nil, errors.New("encrypted: a sum of other parameters")
	}
	t, q := big.NewInt(integerModulus), p.rlwe.RingQ().Modulus()
	m := new(big.Int).ModInverse(big.NewInt(int64(p.Rows())), t)
	m.Mul(m, added).Mod(m, t)
	return s.share(sum.tail, p.noise, m.Mul(m, new(big.Int).ModInverse(t, q)).Mod(m, q))
}

// Open adds the shares of all holders and returns the sum with all that was added: exactly, as long as it is
// below 2^LogInteger. A share that is not of the form is a *HolderError; one that was altered gives a wrong
// number.
func (s *IntegerSum) Open(shares Shares) (*big.Int, error) {
	v, err := s.params.opened(s.head, shares)
	if err != nil {
		return nil, err
	}
	t, q := big.NewInt(integerModulus), s.params.rlwe.RingQ().Modulus()
	half := new(big.Int).Rsh(q, 1)
	v.Mul(v, t).Add(v, half).Mod(v, q).Sub(v, half)
	v.Mul(v, big.NewInt(int64(s.params.Rows()))).Mod(v, t)
	if v.Cmp(new(big.Int).Rsh(t, 1)) > 0 {
		v.Sub(v, t)
	}
	return v, nil
}
