package def

// A RowLoop names a loop over rows of observations that gives the log density and its derivatives in one
// step, together with the product of a matrix with coefficients where the predictor is one. The most common
// likelihoods have one. It runs where the observations are data inside the support and every parameter but
// that of the link is one number for all rows (of binomial_logit, or data); that of the normal density always
// runs.
type RowLoop int

// The loops over rows. The zero value is that of a distribution without one.
const (
	NoRows RowLoop = iota
	NormalRows
	BernoulliLogitRows
	BinomialLogitRows
	PoissonLogRows
	NegBinomial2LogRows
	BernoulliProbitRows
	GeometricRows // of the log odds of a failure
	StudentTRows
)

// A FuncLoop names a vector loop for the values and derivatives of an elementwise function.
type FuncLoop int

// The vector loops of functions. The zero value is that of a function that runs by its own Forward and
// Backward.
const (
	NoLoop FuncLoop = iota
	AbsLoop
	ExpLoop
	Expm1Loop
	LogLoop
	Log1pLoop
	Log1mLoop
	SqrtLoop
	SquareLoop
	InvLogitLoop
	TanhLoop
	ReluLoop
	SoftplusLoop
	LgammaLoop
	LogPhiLoop
	SinLoop
	CosLoop
	LogInvLogitLoop
	Log1mInvLogitLoop
	Log1mExpLoop
	LogitLoop
	InvLoop
	CloglogLoop
	InvCloglogLoop
	PhiApproxLoop
	PhiLoop
	GeluLoop
	AtanLoop
	AsinLoop
	AcosLoop
	ErfLoop
	InvPhiLoop
	BesselLoop     // log I0
	HalfNormalLoop // log erf(x/√2), of the absolute value of a normal number
	Log2Loop
	Log10Loop
	CauchyLoop     // the log of the Cauchy distribution function
	HalfCauchyLoop // and of that of its absolute value
)
