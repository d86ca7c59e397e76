package encrypted

import "math"

// tail is how many deviations a value of an embedding stays below. One passes with probability below 2
// exp(-tail²/2) < 2^-71 (values are sums of independent terms that are strictly sub-Gaussian: Hoeffding
// 1963); there are below 2^31 values in a run, so that all stay below with 1 - 2^-40.
const tail = 10

// errorDeviation is that of the errors of the library, 3.2, with half a unit by which they are rounded.
const errorDeviation = 3.7

// noise bounds what single operations add to the embedding of a ciphertext, at every row: the canonical
// embedding of Gentry, Halevi and Smart (Crypto 2012), in which errors multiply with the values of rows. An
// element of the ring with independent coefficients of variance v has values of variance at most 2Nv. Errors
// of rounding are taken as uniform, as is usual there; secrets are ternary, their variance is 2/3. Bounds
// hold for every input in its range: none is an average over inputs, and none was measured, which is what
// Guo, Nabokov, Suvanto and Johansson (USENIX Security 2024) attack. What rounding in an encoding changes is
// not bounded: it follows from the numbers that were encoded alone, so that it tells nothing of a key.
//
// Special primes are smaller than those of a digit, by 50 bits together: a relinearisation is divided by the
// modulus of its step too, of 74 bits, so that its error stays below that of rounding
// (TestRelinearisationIsBelowRounding).
//
// A sum over rows adds the errors up that one operation made of its rows, times weights a that do not depend
// on them: columns, and derivatives of what followed. The values of an element are an orthogonal map of its
// coefficients, but for a factor, so that Σ aᵢeᵢ is as sub-Gaussian as one value with weight (Σ aᵢ²)^½, and
// is below that many times the bound of one: not below Σ |aᵢ| times that. This is over the coefficients that
// the operation draws or rounds, given all else; where an error is a product with a secret or a key's error,
// these are given and bounded at every row, and are part of the weights. Everything else is added as if it
// were dependent: errors of different operations, holders and digits, also where one ciphertext enters twice;
// and of a product of two errors, which may be that of one with itself, the absolute values of all rows.
//
// Weights may depend on what was decrypted before, and so on errors of columns, which are encrypted once.
// Noise hides these errors in all openings together but for 2^-StatisticalSecurity, so that bounds hold in
// one opening after another with as much less certainty.
type noise struct {
	rounding float64 // of a division by primes: t₀ + t₁s with coefficients of t uniform in ±1/2
	fresh    float64 // of an encryption under the collective public key
	// of a relinearisation, by level, before the modulus of the step divides it, without rounding
	relin []float64
}

func noiseOf(p *Ring) noise {
	n, holders := float64(p.rlwe.N()), float64(p.holders)
	value := func(deviation float64) float64 { return float64(tail * deviation * math.Sqrt(2*n)) }
	unit, one := value(1/math.Sqrt(12)), value(errorDeviation)
	secret, errors := value(math.Sqrt(2.0/3*holders)), float64(one*math.Sqrt(holders))
	out := noise{rounding: unit * (1 + secret)}
	special := p.rlwe.P()
	ephemeral := value(math.Sqrt(2.0 / 3))
	out.fresh = out.rounding + (float64(ephemeral*errors)+float64(one*(1+secret)))/float64(special[0])
	key := (float64(2*secret) + 2) * errors // s e₀ + u e₁ + e₂ + e₃ (Mouchet and others 2021)
	for l := range p.rlwe.Q() {
		sum := 0.0
		for digit := 0; digit <= l; digit += len(special) {
			ratio := 1.0
			for i, prime := range special {
				ratio /= float64(prime)
				if digit+i <= l {
					ratio *= float64(p.rlwe.Q()[digit+i])
				}
			}
			sum += float64(value(0.5) * ratio * key)
		}
		out.relin = append(out.relin, sum)
	}
	return out
}

// flooding returns the deviation of the noise that hides an error of at most bound in all openings of a run:
// sqrt(12 T) 2^(s/2) bound (Li, Micciancio, Schultz and Sorrell, Crypto 2022). Each holder adds as much, so
// that any one suffices.
func (p *Parameters) flooding(bound float64) float64 {
	return math.Sqrt(12*float64(p.openings)) * (1 << (StatisticalSecurity / 2)) * bound
}
