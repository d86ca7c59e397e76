package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
)

// HalfStudentT is the distribution of |x| for x Student's t with nu degrees of freedom, location 0 and scale
// sigma.
func HalfStudentT() def.Dist {
	return derived(def.Dist{
		Name: "half_student_t",
		Doc: `The distribution of |u| for u ~ student_t(nu, 0, sigma): a weakly informative prior for scales.

    log p(x) = log(2) + lgamma((nu+1)/2) - lgamma(nu/2) - log(nu π)/2 - log(sigma) - (nu+1)/2 · log(1 + (x/sigma)²/nu)        for x ≥ 0

Source: student_t(nu, 0, sigma) folded at 0; Gelman, Bayesian Analysis 1 (2006).`,
		Params:     []def.Param{nuParam, scaleParam},
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    1,
		Expand:     halfStudentTExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return positive(theta[1]) * math.Abs(standardT(r, theta[0]))
		},
		LogCDF: below(halfStudentTail), LogCCDF: above(halfStudentTail),
		SlowTails: incompleteBeta,
		Slow:      studentForm,
		Examples:  []string{"param tau ~ half_student_t(3, 10)"},
	})
}

func halfStudentTExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Density(StudentT(), x, theta[0], b.Number(0), theta[1])
	b.Each(math.Ln2)
	return true
}

// halfStudentTail is the incomplete beta function at z²/(nu + z²).
func halfStudentTail(x float64, theta [maxParams]float64, upper bool) point {
	nu, sigma := theta[0], positive(theta[1])
	z := max(x, 0) / sigma
	w := z * z / nu
	lp, _, db, flow := betaTail(0.5, 0.5*nu, w/(1+w), 1/(1+w), upper)
	slope := quotient(2*flow, z)
	return point{lp: lp, dx: slope / sigma, dtheta: [maxParams]float64{float64(0.5*db) - flow/nu,
		-slope * z / sigma}}
}
