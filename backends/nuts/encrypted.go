package nuts

import (
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/encrypted"
	"github.com/vflc/vflc/density"
)

// evaluated is the Env that a chain evaluates: where rows are encrypted, by sums over them.
func evaluated(env density.Env, s backends.Settings) (density.Env, error) {
	if s.Plan.Encrypted {
		return encrypted.Over(env)
	}
	return env, nil
}

// narrow takes a starting point nearer to 0 with every attempt: contributions of encrypted rows have a range.
func narrow(q []float64, attempt uint64) {
	for i := range q {
		q[i] = math.Ldexp(q[i], -int(attempt))
	}
}

// usualLeapfrogs are the steps of a transition of most regressions over encrypted rows: those of a tree of
// depth 3.
const usualLeapfrogs = 7

// overEncrypted are the exchanges of all chains where rows are encrypted, and what becomes known in each. A
// trajectory of L leapfrogs has L pairs of subtrees, whose criteria are added up with the scalars of each
// state.
func overEncrypted(s backends.Settings) []density.Use {
	transitions, limit := s.Int(Chains)*(s.Int(Warmup)+s.Int(Draws)), 1<<s.Int(maxDepth)-1
	usual, most := transitions*min(usualLeapfrogs, limit), transitions*limit
	opens := func(list ...density.Decryption) (out [3]density.Decryption) {
		copy(out[:], list)
		return out
	}
	// with bounds of columns and of the response, that this is binary, and the predictor around which
	// polynomials are
	start := density.Use{
		Exchange: density.Summing, Often: "at starting points",
		Openings: opens(density.Decryption{Sums: density.Outlined, Number: 2},
			density.Decryption{Sums: density.Told, Number: 7}),
		Times: 1, MostTimes: 1, Least: 2, Most: 2, Scalars: "log density, and the square of its gradient",
	}
	announced := func(n int) density.Decryption {
		return density.Decryption{Sums: density.Announced, Number: n}
	}
	use := func(x *density.Exchange, list ...density.Decryption) density.Use {
		return density.Use{Exchange: x, Often: "every evaluation", Openings: opens(list...), Times: usual,
			MostTimes: most}
	}
	sums := use(density.Summing, density.Decryption{Sums: density.Parts, Number: criteria + perCriterion})
	sums.Least, sums.Most = 2, criteria+perCriterion*(s.Int(maxDepth)+1)
	sums.Scalars = "log density and kinetic energy, and products of momenta"
	return []density.Use{
		use(density.EncryptedSlopes, density.Decryption{Sums: density.OwnGradients}, announced(1)),
		use(density.EncryptedLogLik, density.Decryption{Sums: density.Totals, Number: 1}, announced(3)),
		start, sums,
	}
}
