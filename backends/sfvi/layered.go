package sfvi

import (
	"errors"
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/lastlayer"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
)

// mostClimbs is the most round trips to the mode of hidden layers.
const mostClimbs = 500

// newLastLayer makes the kernel of a fit of the last layers of networks, by quadrature where the hidden ones
// are at their mode.
func newLastLayer(env density.Env, s backends.Settings) (backends.Kernel, error) {
	var r *backends.Refusal
	if errors.As(lastlayer.Refuse(unlayered(s)), &r) {
		if !s.Transform.CutsCross() || s.Transform.AtClients() {
			r.Out = "--transform exact"
		}
		return nil, r
	}
	return lastlayer.New(env, lastlayer.Options{
		Iterations: min(s.Int(iterations), mostClimbs), Tolerance: max(s.Float(tolerance), 1e-9),
		Heading: fmt.Sprintf("vflc sfvi last layer checkpoint 1: %s", s), Climbing: steppingExchange,
		Given: func(given density.Env) (lastlayer.Given, error) {
			return newQuadrature(given, givenFeatures(s), 0)
		},
	})
}

// givenFeatures are the settings of the fit by quadrature.
func givenFeatures(s backends.Settings) backends.Settings {
	return settled(s.With(estimator, byQuadrature), nil)
}

// unlayered is the reason why settings exclude that.
func unlayered(s backends.Settings) error {
	switch {
	case !s.Transform.CutsCross() || s.Transform.AtClients():
		return fmt.Errorf("transform %s: contributions themselves must cross, to a likelihood at "+
			"the server, as under exact", s.Transform)
	case s.Differs(localSteps):
		return fmt.Errorf("--%s: parties make as many as they need", localSteps)
	}
	return refused(s)
}

// layeredExchanges are those of such a fit.
func layeredExchanges(s backends.Settings) []density.Use {
	climb := density.Use{
		Exchange: steppingExchange, Often: "every step to the mode", Least: lastlayer.Scalars,
		Most: lastlayer.Scalars, LeastAnswers: lastlayer.Answers, MostAnswers: lastlayer.Answers,
		LeastColumns: 2, MostColumns: 2,
		Scalars: "log density of its own parameters plus the logarithm of the volume of its last layer's " +
			"posterior, at two points, and how many are in hidden layers",
		Answers: "what follows from the log density of the model, this, and how many " +
			"parameters are in hidden layers",
	}
	given := givenFeatures(s)
	return append([]density.Use{climb}, quadrature.Exchanges(given.Text(guideForm), given.Text(thetaGuide),
		false, weighs(given), 1)...)
}
