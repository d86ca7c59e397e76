// Package noise fits a model at several values of rho, side by side: to extrapolate the posterior to rho = 0,
// and to compare posterior and cost at each value.
//
// Under the augmented transform the posterior of the parameters is that of the true model with noise of
// variance v = ρ²J on the predictor, so its means and standard deviations are smooth functions of v; under
// the power transform they are of ρ². Three fits give the polynomial of degree two, whose value at v = 0 is
// the estimate for the true model, and two fits the one of degree one. The series in v diverges beyond ρ√J of
// about 3.
package noise
