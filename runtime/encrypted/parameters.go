package encrypted

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

const (
	// Steps is the number of products that can follow one another. A polynomial of degree d takes
	// ⌈log₂(d+1)⌉ of them.
	Steps = 9
	// MaxDegree is the largest degree of a polynomial of which one product with a column is left.
	MaxDegree = 1<<(Steps-1) - 1
	// responseSteps is how many products a response takes part in: by a factor, with a column, and with
	// another.
	responseSteps = 3
	// columnSteps is how many products a column takes part in.
	columnSteps = 2

	// StatisticalSecurity is s of the flooding noise: what an adversary gains from all openings of a key is
	// below 2^-s (Li, Micciancio, Schultz and Sorrell, Crypto 2022).
	StatisticalSecurity = 40

	// drift is by what scales differ at most: a product has the square of the scale over two primes that are
	// close to it.
	drift = 1.01

	logDegree     = 15
	tinyLog       = 4
	primesPerStep = 2  // an RNS prime has at most 60 bits, and a step divides by scale
	stepBits      = 37 // bits of each of them
	baseBits      = 44 // bits of each of the two primes that no step divides by
	specialBits   = 28 // bits of each of the special primes
	specialPrimes = 4  // of which a digit of the key switch has as many primes
)

// maxLogQP bounds the bits of all primes together for 128 bits of security, by log₂ of the degree, with
// secrets that are uniformly ternary and errors of deviation 3.2: Bossuat and others, Security Guidelines for
// Implementing Homomorphic Encryption (IACR Communications in Cryptology 1(4), 2025; eprint 2024/463), Table
// 5.2. The standard of 2018 (Albrecht and others, HomomorphicEncryption.org, Table 1) has 438 and 881. The
// tables are for lattices of that dimension. The conjugate-invariant ring of degree N is that of the integers
// of the real half of the cyclotomic field of 4N-th roots: an instance has N coefficients with N equations
// each, and no attack on it is known that beats those on dimension N (Kim and Song 2018), which is how its
// authors and the library choose parameters.
var maxLogQP = map[int]float64{14: 430, logDegree: 868}

// Parameters are those of a run: the ring and its primes, and what the noise of an opening follows from.
type Parameters struct {
	Ring
	ckks  ckks.Parameters
	noise noise
	tiny  *Parameters // of the smallest ring, in which levels and scales are the same
}

// A Ring is where keys and shares of decryptions are made, whatever is encrypted in it.
type Ring struct {
	rlwe     rlwe.Parameters
	products int // that can follow one another
	holders  int
	openings int
	small    *ring.Ring // from which the noise of openings is drawn
}

// newRing is that of parameters of a scheme.
func newRing(of rlwe.Parameters, products, holders, openings int) (Ring, error) {
	small, err := ring.NewRing(floodDegree, []uint64{floodPrime})
	if err != nil {
		return Ring{}, fmt.Errorf("encrypted: %w", err)
	}
	return Ring{rlwe: of, products: products, holders: holders, openings: openings, small: small}, nil
}

// New returns the parameters of a run with holders of shares of the key that opens at most openings sums over
// the life of the key.
func New(holders, openings int) (*Parameters, error) {
	if log, err := strconv.Atoi(os.Getenv(SmallRing)); err == nil && testing.Testing() {
		return Insecure(log, holders, openings)
	}
	p, err := build(logDegree, holders, openings)
	if err != nil {
		return nil, err
	}
	if sum := p.ckks.LogQP(); sum > maxLogQP[p.ckks.LogN()] {
		return nil, fmt.Errorf("encrypted: %.1f bits of primes are beyond those of 128 bits of security", sum)
	}
	return p, nil
}

// Insecure is New in a ring of degree 2^log, in which the circuit is the same and nothing is secret. It
// panics outside of a test.
func Insecure(log, holders, openings int) (*Parameters, error) {
	if !testing.Testing() {
		panic("encrypted: parameters without security are for tests")
	}
	return build(log, holders, openings)
}

// SmallRing is the variable of the environment by which a test has the processes that it starts, which are
// test binaries, take the ring of Insecure. No other program reads it.
const SmallRing = "VFLC_TEST_RING"

func build(log, holders, openings int) (*Parameters, error) {
	if holders < 1 || openings < 1 {
		return nil, fmt.Errorf("encrypted: %d holders and %d openings, of each at least one", holders,
			openings)
	}
	stepping := slices.Repeat([]int{stepBits}, primesPerStep*Steps)
	c, err := ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN:            log,
		LogQ:            append(slices.Repeat([]int{baseBits}, primesPerStep), stepping...),
		LogP:            slices.Repeat([]int{specialBits}, specialPrimes),
		LogDefaultScale: primesPerStep * stepBits,
		LogNthRoot:      logDegree + 2, // smaller rings of tests have the primes of the large one
		RingType:        ring.ConjugateInvariant,
	})
	if err != nil {
		return nil, fmt.Errorf("encrypted: %w", err)
	}
	p := &Parameters{ckks: c}
	if p.Ring, err = newRing(c.Parameters, Steps, holders, openings); err != nil {
		return nil, err
	}
	p.noise = noiseOf(&p.Ring)
	if log == tinyLog {
		p.tiny = p
	} else if p.tiny, err = build(tinyLog, holders, openings); err != nil {
		return nil, err
	}
	return p, nil
}

// Rows is the number of rows in one ciphertext, N.
func (p *Ring) Rows() int { return p.rlwe.N() }

// Ciphertexts is the number of ciphertexts of a vector of n rows.
func (p *Ring) Ciphertexts(n int) int { return (n + p.Rows() - 1) / p.Rows() }

// LogModulus is the number of bits of all primes together, of which the security is a function (128 bits: at
// most 868).
func (p *Ring) LogModulus() float64 { return p.rlwe.LogQP() }

// Digest is that of all that holders must have in common before they exchange anything.
func (p *Ring) Digest() [sha256.Size]byte {
	c := p.rlwe
	text := fmt.Appendf(nil, "%d %d %v %v %d %d", c.LogN(), p.products, c.Q(), c.P(), p.holders, p.openings)
	return sha256.Sum256(text)
}

type scale = rlwe.Scale

// level is the number of primes minus one of a ciphertext that takes part in that many more products.
func level(steps int) int { return primesPerStep*(steps+1) - 1 }

// stepsLeft is the inverse of level.
func stepsLeft(level int) int { return (level+1)/primesPerStep - 1 }

// depth is the number of steps that a polynomial takes.
func depth(degree int) int { return bits.Len(uint(max(degree, 0))) }

// stepModulus is what a product at a level is divided by.
func (p *Parameters) stepModulus(level int) rlwe.Scale {
	out := rlwe.NewScale(1)
	for i := range primesPerStep {
		out = out.Mul(rlwe.NewScale(p.ckks.Q()[level-i]))
	}
	return out
}
