package encrypted

import (
	"fmt"
	"math"
	"math/big"

	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/utils/sampling"
)

const (
	// narrow is the deviation of the library's sampler as it is used here.
	narrow = 16
	// floodPrime is a prime that is 1 modulo twice the degree, of the smallest ring that the library has.
	floodDegree, floodPrime = 16, 12289
)

// flood returns an integer of a discrete Gaussian of at least a deviation. The library's sampler has 31
// random bits, so that a wide Gaussian of it lies on a grid, in which an error shows: at 2^36 one integer in
// about 30 can occur. A wide one is therefore the sum of narrow ones with factors, z_0 + a_1 z_1 + a_2 z_2 +
// …, which is a discrete Gaussian as long as each factor is below the deviation so far over the smoothing
// parameter of the integers, 1.7 at 2^-80 (Peikert, Crypto 2010, theorem 3.1; Micciancio and Walter, Crypto
// 2017); here a half.
func (p *Ring) flood(deviation float64) (*big.Int, error) {
	random, err := sampling.NewPRNG()
	if err != nil {
		return nil, fmt.Errorf("encrypted: %w", err)
	}
	of := ring.DiscreteGaussian{Sigma: narrow, Bound: 12 * narrow}
	sampler := ring.NewGaussianSampler(random, p.small, of, false)
	var draws []uint64
	sum, so := new(big.Int), 0.0
	for factor := 1.0; ; {
		if len(draws) == 0 {
			draws = sampler.ReadNew().Coeffs[0]
		}
		z := int64(draws[0])
		if draws = draws[1:]; z > floodPrime/2 {
			z -= floodPrime
		}
		whole, _ := big.NewFloat(factor).Int(nil)
		sum.Add(sum, whole.Mul(whole, big.NewInt(z)))
		so = math.Sqrt(float64(so*so) + float64(factor*factor*narrow*narrow))
		if so >= deviation {
			return sum, nil
		}
		need := math.Ceil(math.Sqrt(float64(deviation*deviation)-float64(so*so)) / narrow)
		factor = min(math.Floor(so/2), need)
	}
}
