package encrypted

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// A Kind says what a vector does in the circuit, and so at which level it is encrypted.
type Kind uint8

// The kinds.
const (
	Contribution Kind = 1 + iota // is added to others, and their sum is the argument of polynomials
	Response                     // is multiplied with a polynomial, and the product with columns
	Column                       // is multiplied with rows, whose sum is opened
	// of others, of which no party is the owner; its level is that of its ciphertexts
	combined
)

func (k Kind) level() int {
	switch k {
	case Contribution:
		return level(Steps)
	case Response:
		return level(responseSteps)
	default:
		return level(columnSteps)
	}
}

// A Range bounds the numbers of a vector. Noise and moduli follow from it, so that the ranges are agreed
// before a run.
type Range struct {
	Max      float64 // of the absolute value of every number
	Squares  float64 // of the sum of the squares
	Interval float64 // of a contribution: the K of the polynomials' interval [-K, K]; 0 for others
}

// headerSize is that of kind, rows and range.
const headerSize = 1 + 4 + 3*8

// A Vector is n numbers, encrypted in ⌈n/N⌉ ciphertexts, the last filled up with zeros.
type Vector struct {
	params *Parameters
	kind   Kind
	n      int
	within Range
	wrong  float64 // bound of the error of a number
	parts  []*rlwe.Ciphertext
}

// Rows is the number of rows n.
func (v *Vector) Rows() int { return v.n }

// Kind is what the vector does.
func (v *Vector) Kind() Kind { return v.kind }

// Range is what its owner states of the numbers; Keys.Encrypt holds to it, and nothing holds who encrypts
// otherwise.
func (v *Vector) Range() Range { return v.within }

// A RangeError says how many numbers are not within the range that was agreed.
type RangeError struct {
	Rows   int // whose absolute value is above Max or not a number; 0 where the squares alone are too many
	Within Range
}

func (e *RangeError) Error() string {
	if e.Rows == 0 {
		return fmt.Sprintf("encrypted: the sum of squares is above %g", e.Within.Squares)
	}
	return fmt.Sprintf("encrypted: %d rows are beyond ±%g", e.Rows, e.Within.Max)
}

func (r Range) check(kind Kind, values []float64) error {
	if err := r.valid(kind); err != nil {
		return err
	}
	beyond, squares := 0, 0.0
	for _, v := range values {
		if !(math.Abs(v) <= r.Max) {
			beyond++
		}
		squares += float64(v * v)
	}
	if beyond > 0 || squares > r.Squares {
		return &RangeError{Rows: beyond, Within: r}
	}
	return nil
}

func (r Range) valid(kind Kind) error {
	positive := func(v float64) bool { return v > 0 && v <= maxMagnitude }
	ok := positive(r.Max) && positive(r.Squares)
	if kind == Contribution {
		ok = ok && positive(r.Interval) && r.Max <= r.Interval
	} else {
		ok = ok && r.Interval == 0 && (kind == Response || kind == Column)
	}
	if !ok {
		return fmt.Errorf("encrypted: a range of %g, squares %g, interval %g", r.Max, r.Squares, r.Interval)
	}
	return nil
}

// maxMagnitude bounds what a range may state, so that every number of the circuit is far from the largest
// float64.
const maxMagnitude = 1e12

// Encrypt encrypts values under the collective key. It is fresh at every call: what was sent once is sent
// again as it was. Values beyond the range are a *RangeError.
func (k *CollectiveKeys) Encrypt(kind Kind, values []float64, within Range) (*Vector, error) {
	if err := within.check(kind, values); err != nil {
		return nil, err
	}
	if len(values) == 0 || len(values) > math.MaxInt32 {
		return nil, fmt.Errorf("encrypted: a vector of %d rows", len(values))
	}
	v := &Vector{params: k.params, kind: kind, n: len(values), within: within, wrong: k.params.freshError()}
	encryptor := rlwe.NewEncryptor(k.params.ckks, k.public)
	block := make([]float64, k.params.Rows())
	for first := 0; first < len(values); first += len(block) {
		clear(block)
		copy(block, values[first:])
		if kind == Contribution {
			for i := range block {
				block[i] /= within.Interval
			}
		}
		plain, err := encode(k.encoder.ShallowCopy(), block, kind.level(), k.params.ckks.DefaultScale())
		if err != nil {
			return nil, err
		}
		c, err := encryptor.EncryptNew(plain)
		if err != nil {
			return nil, fmt.Errorf("encrypted: %w", err)
		}
		v.parts = append(v.parts, c)
	}
	return v, nil
}

func encode(e *ckks.Encoder, block []float64, level int, s scale) (*rlwe.Plaintext, error) {
	plain := ckks.NewPlaintext(e.GetParameters(), level)
	plain.Scale = s
	if err := e.Encode(block, plain); err != nil {
		return nil, fmt.Errorf("encrypted: %w", err)
	}
	return plain, nil
}

// MarshalBinary returns the bytes of a vector: kind, rows, range, and for each ciphertext its two
// polynomials. Of a vector there is one encoding.
func (v *Vector) MarshalBinary() ([]byte, error) {
	primes := v.params.ckks.Q()[:v.kind.level()+1]
	out := make([]byte, 0, headerSize+2*len(v.parts)*size(v.params.ckks.N(), primes))
	out = append(out, byte(v.kind))
	out = binary.LittleEndian.AppendUint32(out, uint32(v.n))
	for _, f := range []float64{v.within.Max, v.within.Squares, v.within.Interval} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(f))
	}
	for _, c := range v.parts {
		for _, p := range c.Value {
			out = appendPoly(out, p, primes)
		}
	}
	return out, nil
}

// Vector is the inverse of Vector.MarshalBinary, for a vector of n rows.
func (p *Parameters) Vector(n int, data []byte) (*Vector, error) {
	v, err := p.vector(n, data)
	if err != nil {
		return nil, fmt.Errorf("encrypted: a vector: %w", err)
	}
	return v, nil
}

func (p *Parameters) vector(n int, data []byte) (*Vector, error) {
	if len(data) < headerSize {
		return nil, fmt.Errorf("%d bytes are too few", len(data))
	}
	number := func(at int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[at:])) }
	v := &Vector{params: p, kind: Kind(data[0]), n: int(binary.LittleEndian.Uint32(data[1:])),
		wrong: p.freshError()}
	v.within = Range{Max: number(5), Squares: number(13), Interval: number(21)}
	if v.n != n || n < 1 {
		return nil, fmt.Errorf("%d rows, and not %d", v.n, n)
	}
	if err := v.within.valid(v.kind); err != nil {
		return nil, err
	}
	primes := p.ckks.Q()[:v.kind.level()+1]
	if want := p.VectorSize(v.kind, n); len(data) != want {
		return nil, fmt.Errorf("%d bytes, and not %d", len(data), want)
	}
	r := reader{rest: data[headerSize:]}
	for range p.Ciphertexts(n) {
		c := ckks.NewCiphertext(p.ckks, 1, v.kind.level())
		for _, q := range c.Value {
			if err := r.poly(q, primes); err != nil {
				return nil, err
			}
		}
		v.parts = append(v.parts, c)
	}
	return v, nil
}

// Digest is the SHA-256 of the vector's bytes, to which its owner commits.
func (v *Vector) Digest() [sha256.Size]byte {
	data, _ := v.MarshalBinary() // never fails
	return sha256.Sum256(data)
}
