package def

// A Statistic is the function T of a value x by which alone x enters what a parameter θ_k moves, given the
// other parameters:
//
//	log p(x) = T(x)·a(θ_k) + b(θ_k) + c(x)
//
// A parameter that is integral multiplies b. So the sum over rows of a log density, and its derivative by a
// predictor behind θ_k, need of the values T alone.
type Statistic struct {
	Name  string // T as an expression of x and the parameters: log(x)
	Of    func(x float64, theta []float64) float64
	Fixed []int // the parameters that T depends on
}
