package encrypted

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
)

// width is the number of bytes of a residue.
func width(prime uint64) int { return (bits.Len64(prime) + 7) / 8 }

// size is the number of bytes of a polynomial modulo each of some primes.
func size(n int, primes []uint64) int {
	sum := 0
	for _, q := range primes {
		sum += n * width(q)
	}
	return sum
}

// appendPoly appends a polynomial modulo primes: prime by prime, each residue in as many bytes as the prime
// has, least significant first.
func appendPoly(out []byte, p ring.Poly, primes []uint64) []byte {
	var word [8]byte
	for i, q := range primes {
		w := width(q)
		for _, v := range p.Coeffs[i] {
			binary.LittleEndian.PutUint64(word[:], v)
			out = append(out, word[:w]...)
		}
	}
	return out
}

// A reader takes polynomials from bytes. Of every polynomial there is one encoding: a residue that is not
// below its prime is an error.
type reader struct{ rest []byte }

func (r *reader) poly(p ring.Poly, primes []uint64) error {
	for i, q := range primes {
		w, row := width(q), p.Coeffs[i]
		if len(r.rest) < w*len(row) {
			return fmt.Errorf("%d bytes are too few", len(r.rest))
		}
		for k := range row {
			var word [8]byte
			copy(word[:], r.rest[k*w:(k+1)*w])
			if row[k] = binary.LittleEndian.Uint64(word[:]); row[k] >= q {
				return fmt.Errorf("residue %d is not below its prime %d", row[k], q)
			}
		}
		r.rest = r.rest[w*len(row):]
	}
	return nil
}

func (r *reader) polyQP(p ringqp.Poly, params *Ring) error {
	if err := r.poly(p.Q, params.rlwe.Q()); err != nil {
		return err
	}
	return r.poly(p.P, params.rlwe.P())
}

func (r *reader) end() error {
	if len(r.rest) > 0 {
		return fmt.Errorf("%d bytes are too many", len(r.rest))
	}
	return nil
}

func (p *Ring) appendQP(out []byte, q ringqp.Poly) []byte {
	return appendPoly(appendPoly(out, q.Q, p.rlwe.Q()), q.P, p.rlwe.P())
}

// sizeQP is the number of bytes of a polynomial modulo all primes.
func (p *Ring) sizeQP() int { return size(p.rlwe.N(), p.rlwe.Q()) + size(p.rlwe.N(), p.rlwe.P()) }

// PublicSize is the number of bytes of a share of the public key.
func (p *Ring) PublicSize() int { return p.sizeQP() }

// RoundSizes are the numbers of bytes of shares of the relinearisation key, of the first round and of the
// second.
func (p *Ring) RoundSizes() (one, two int) {
	digits := p.rlwe.BaseRNSDecompositionVectorSize(p.rlwe.MaxLevelQ(), p.rlwe.MaxLevelP())
	return 2 * digits * p.sizeQP(), digits * p.sizeQP()
}

// VectorSize is the number of bytes of a vector of n rows.
func (p *Parameters) VectorSize(kind Kind, n int) int {
	return headerSize + 2*p.Ciphertexts(n)*size(p.ckks.N(), p.ckks.Q()[:kind.level()+1])
}

// ShareSize is the number of bytes of a share of the sum.
func (s *EncryptedSum) ShareSize() int { return size(1, s.primes()) }
