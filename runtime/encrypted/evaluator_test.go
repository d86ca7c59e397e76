package encrypted

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// Products that are relinearised and divided at once are those that the library relinearises and divides one
// after the other, but for rounding: no coefficient differs by more than 1, modulo the primes that are left.
// Coefficient 0 alone is that among all.
func TestDivisionAtOnce(t *testing.T) {
	r := start(t, tinyLog, 2, 10)
	e, p, rng := r.keys.eval, r.params.ckks, rand.New(rand.NewPCG(1, 9))
	for left := 1; left <= Steps; left++ {
		for degree := 1; degree <= 2; degree++ {
			c := ckks.NewCiphertext(p, degree, level(left))
			for _, q := range c.Value {
				for i, prime := range p.Q()[:level(left)+1] {
					for j := range q.Coeffs[i] {
						q.Coeffs[i][j] = rng.Uint64N(prime)
					}
				}
			}
			want := c.CopyNew()
			if err := e.Evaluator.Rescale(library(t, e, want), want); err != nil {
				t.Fatal(err)
			}
			after, parts, err := e.undivided(c)
			if err != nil {
				t.Fatal(err)
			}
			first := e.dividedHead(after, parts[0])
			if err := e.Rescale(c, c); err != nil {
				t.Fatal(err)
			}
			if c.Level() != want.Level() || c.Degree() != want.Degree() || c.Scale.Cmp(want.Scale) != 0 {
				t.Fatalf("level %d, degree %d, scale %v; want %d, %d, %v", c.Level(), c.Degree(), c.Scale,
					want.Level(), want.Degree(), want.Scale)
			}
			q := p.RingQ().AtLevel(c.Level())
			for i := range c.Value {
				q.INTT(c.Value[i], c.Value[i])
				q.INTT(want.Value[i], want.Value[i])
				if i == 0 && !first.Equal(&ring.Poly{Coeffs: heads(c.Value[0])}) {
					t.Errorf("level %d, degree %d: coefficient 0 is another alone", level(left), degree)
				}
				q.Sub(c.Value[i], want.Value[i], c.Value[i])
				for _, d := range integers(q, c.Value[i]) {
					if d.CmpAbs(big.NewInt(1)) > 0 {
						t.Errorf("level %d, degree %d: coefficients differ by %v", level(left), degree, d)
					}
				}
			}
		}
	}
}

// library relinearises by the library alone.
func library(t *testing.T, e *evaluator, c *rlwe.Ciphertext) *rlwe.Ciphertext {
	if c.Degree() == 2 {
		if err := e.Evaluator.Relinearize(c, c); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func heads(p ring.Poly) (out [][]uint64) {
	for _, c := range p.Coeffs {
		out = append(out, c[:1])
	}
	return out
}

func integers(q *ring.Ring, p ring.Poly) []*big.Int {
	out := make([]*big.Int, q.N())
	for i := range out {
		out[i] = new(big.Int)
	}
	q.PolyToBigintCentered(p, 1, out)
	return out
}
