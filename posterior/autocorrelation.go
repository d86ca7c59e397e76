package posterior

// Autocorrelation returns the correlations of the draws of a chain with those 0, 1, … lags later:
// autocovariances with divisor n over the variance. It has at most lags+1 of them, as many as the chain has
// draws, and is nil where draws are too few, constant or not finite.
func Autocorrelation(chain []float64, lags int) []float64 {
	if !usable([][]float64{chain}) {
		return nil
	}
	a := newAutocovariance([][]float64{chain})
	out := make([]float64, min(lags+1, len(chain)))
	for k := range out {
		out[k] = a.at(k) / a.at(0)
	}
	return out
}
