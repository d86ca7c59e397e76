package def

// A LocationScale names two parameters by index: a location and a scale.
type LocationScale struct{ Location, Scale int }

// A Decay is how fast a density vanishes towards an end of its support, or how fast it has to.
type Decay int

// The decays, each faster than the one before.
const (
	// at most as a power of the distance from a finite end, of 1/|x| towards an infinite one; or not at all
	Algebraic   Decay = iota
	Power             // faster than every such power
	Exponential       // towards an infinite end: faster than exp(-k|x|) for every k
)

// An End is how a density behaves towards one end of its support. The zero value is a finite end with a
// positive finite density, such as 0 of an exponential distribution, or an infinite end where the density
// vanishes as a power of 1/|x| or not at all.
type End struct {
	Decay Decay
	// Exponent, for a finite end with an algebraic decay, is that of the distance from the end to which the
	// density is proportional there; nil: 0.
	Exponent *Exponent
	// Faster, where not nil, reports that the parameters make the decay Exponential; it is false where one
	// that it needs is NaN.
	Faster func(theta []float64) bool
}

// At is the decay for given parameters, which are NaN where they are not known.
func (e End) At(theta []float64) Decay {
	if e.Faster != nil && e.Faster(theta) {
		return Exponential
	}
	return e.Decay
}

// An Exponent is a number that depends on parameters; it is NaN where one of those is.
type Exponent struct {
	Param int // the index of the one that decides its sign
	Of    func(theta []float64) float64
}

// LessOne is the exponent θ_k - 1.
func LessOne(k int) *Exponent {
	return &Exponent{Param: k, Of: func(theta []float64) float64 { return theta[k] - 1 }}
}

// included reports whether the density is positive and finite on a finite end: it is where no power of the
// distance enters, as for a shape of 1. The parameter of an exponent may be NaN where it is not known; the
// end then does not belong to the support.
func (e End) included(theta []float64) bool {
	return e.At(theta) == Algebraic && (e.Exponent == nil || e.Exponent.Of(theta) == 0)
}

// A LinkScale is the scale on which a linear predictor acts.
type LinkScale int

// The scales. The zero value is that of a distribution without a parameter for a linear predictor.
const (
	NoLink       LinkScale = iota
	IdentityLink           // it shifts x: p(x + c | θ + c) = p(x | θ)
	// it is the logarithm of the mean of a count, or scales a positive x: p(c·x | θ + log c) = p(x | θ)/c
	LogLink
	LogitLink  // it is the log odds of a success
	ProbitLink // Phi of it is the probability of a success
)

// A Link names the parameter that takes a linear predictor, and the scale on which it acts.
type Link struct {
	Scale LinkScale
	Param int // its index
	// Steepest is the largest absolute derivative of the log density by it, whatever the values; 0: there is
	// no bound, or none that is known.
	Steepest float64
}

// A Limit is a limit of a function: it tends to Y, which is 0, ∞ or -∞, where its argument tends to X, at a
// rate.
type Limit struct {
	X, Y float64
	Rate Rate
}

// A Rate compares two quantities that tend to limits: one is about the other, a power of it, exponential in
// it, or its logarithm. A quantity that tends to 0 is compared by its reciprocal, and one that tends to a
// finite x by the reciprocal of its distance from x.
type Rate int

// The rates.
const (
	Linear Rate = iota
	PowerLaw
	Exponentially
	Logarithmically
)
