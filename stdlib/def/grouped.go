package def

// Grouped is the log density of n values that have the same parameters, by a few functions of the values.
type Grouped struct {
	// One is a value that stands for all of them, such as their mean or their sum.
	One func(x []float64) float64
	// Write adds the density of groups of values, given One and how many there are of each group, without
	// the carrier.
	Write func(b DensityBuilder, one, count Value, theta []Value)
	// Rest is what is added besides: Σ Of(x)·By(one, θ) of the groups.
	Rest []GroupStatistic
}

// A GroupStatistic is a function of some values, given what stands for them, times one of that and the
// parameters.
type GroupStatistic struct {
	Of func(x []float64, one float64) float64
	By func(b DensityBuilder, one Value, theta []Value) Value
}
