package nested

import (
	"fmt"

	"github.com/vflc/vflc/density"
)

// The messages of a fit: what crosses, and what a receiver can compute from it.

// told are numbers that clients tell of hyperparameters, and points what the server asks about.
var (
	told = &density.Content{
		What: "numbers of hyperparameters", Masked: "no", Of: density.OfScalars, Reach: density.NoRow,
		Learns: "{client}'s {scalars}: numbers without noise, from which the posterior of its " +
			"hyperparameters and every draw of these follow",
		Total: "each client's {scalars}: numbers without noise and client by client, since the " +
			"coefficients of one have no others added; the posterior of its hyperparameters and " +
			"every draw of these follow",
	}
	asked = &density.Content{
		What: "numbers of the server: {answers}", Masked: "no", Of: density.OfAnswers, Reach: density.NoRow,
		Learns: "the course of the fit, draws of what it uses of the server's parameters, and draws of the " +
			"other clients' hyperparameters, each less a number that only its owner knows: at once how far " +
			"a scale's logarithm spreads; its level is not in these numbers, and follows from the vectors " +
			"over rows that come back with draws",
	}
)

// Numbers has numbers that are no vectors over rows: how many parameters there are, then densities and
// coefficients at values of the hyperparameters.
var Numbers = &density.Exchange{
	Name: "hyperparameters",
	Up:   density.MessageKind{Name: "densities given", Carries: []density.Carried{{Content: told}}},
	Down: density.MessageKind{Name: "points", Carries: []density.Carried{{Content: asked}}},
}

// dividing is how totals that have masks divide into clients' parts.
const dividing = "what a client contributes whose priors depend on hyperparameters has a prior covariance " +
	"of its own, which crosses by itself, and along its span the totals at draws divide into that " +
	"client's part, row by row"

// Spanning brings products of the clients' prior covariances with vectors that all parties know.
var Spanning = &density.Exchange{
	Name: "spanning", Divides: dividing,
	Up: density.MessageKind{Name: "spans", Carries: []density.Carried{{Content: &density.Content{
		Prefix: "span ",
		What: "the prior mean of {cut}, and the prior covariance of {cut} times random vectors that all " +
			"parties know: for what does not depend on {client}'s hyperparameters, and for what does at a " +
			"few values of these; and, where {cut} depends on parameters of the server with normal priors, " +
			"its derivative by each of these",
		Masked: "no; sums of it can be masked",
		Learns: "the prior covariance of {cut} over all rows, exactly: the linear span of {client}'s " +
			"covariates, in which columns of two values can be found, and of effects by group which rows " +
			"share a group; and the columns that parameters of the server multiply, themselves",
		Total: "the sum of the prior covariances of its clients over all rows, those that depend on " +
			"hyperparameters client by client, exactly: the linear span of all their covariates, in which " +
			"columns of two values can be found, " +
			"and of effects by group which rows share a group; and the sums of the columns that parameters " +
			"of the server multiply, themselves",
		Columns: true, Bare: true, Reach: density.Contribution, Shows: density.PriorCovariance,
	}}}},
	Down: density.MessageKind{Name: "first points", Carries: []density.Carried{{Content: asked}}},
}

// Drawing brings cuts at draws from the clients' priors; vectors come back that make draws of the
// approximation of these.
var Drawing = &density.Exchange{
	Name: "drawing given hyperparameters", Divides: dividing,
	Up: density.MessageKind{Name: "prior draws", Carries: []density.Carried{{Content: &density.Content{
		Prefix: "prior draws ", What: "{cut} at draws from the prior given values of the hyperparameters",
		Masked: "no; sums of it can be masked",
		Learns: "{cut} at draws that the server then moves to the approximation of the posterior, row by " +
			"row and exactly: the linear span of {client}'s covariates, in which columns of two values can " +
			"be found, and the distribution of {cut} before and after the data",
		Total: "the sum of the clients' cuts at such draws, row by row and exactly: the linear span of the " +
			"covariates of all clients together, in which columns of two values can be found, " +
			"and the distribution of the sum of their cuts",
		Columns: true, Bare: true, Reach: density.Contribution, Shows: density.CutAtPriorDraws,
	}}, {Content: told}}},
	Down: density.MessageKind{Name: "residual draws", Carries: []density.Carried{{Content: &density.Content{
		Prefix: "residuals ",
		What: "vectors over the rows of {name}: what the likelihood's expansion leaves " +
			"at each draw, with noise", Masked: "no",
		Learns: "of as many vectors as there are draws: in their mean the slope of the likelihood of each " +
			"row, which has the sign of a binary response; in their covariance, of which the inverse is C " +
			"+ W⁻¹, W the curvatures and C the prior covariance of the predictors, " +
			"the linear span of all clients' covariates, in which columns of two values can be found, " +
			"which rows share a group, and the level of each scale; where draws walk to the posterior, " +
			"their ways are added, in the same span",
		Of: density.OfSums, Columns: true, Reach: density.Response, Bound: density.BoundDirections,
	}}, {Content: asked}}},
}

// inPieces says when there are several messages: see Kernel.most.
var inPieces = fmt.Sprintf(" (in several messages beyond %d numbers of all clients together, or of each "+
	"eight where there are more)", density.MostNumbers)

// mostFamily is how many clients a list of exchanges has.
const mostFamily = 1000

// Exchanges are those of a run.
func Exchanges() []density.Use {
	const (
		scalars = "log density of its hyperparameters at values of these, and the coefficients of " +
			"its prior covariance there"
		counted = "whether a grid over hyperparameters suits its program, how many hyperparameters, other " +
			"parameters and rows it has, and which parameters of the server it uses as means or coefficients"
		points = "values of the hyperparameters, those of the clients in coordinates of their " +
			"own, and how the fit goes"
		most = header + mostPoints*(mostHyper+mostParams)
	)
	return []density.Use{
		{Exchange: Numbers, Often: "every step of a search over the hyperparameters", Beforehand: counted,
			Most:        max(greeted*mostFamily, mostPoints*(1+mostParts*mostFamily)),
			Scalars:     "number of parameters, " + scalars,
			MostAnswers: max(greeted*mostFamily, most), Answers: points},
		{Exchange: Spanning, Often: "once, near the start" + inPieces, MostAnswers: most, Answers: points,
			Motion: density.ByPrior, LeastColumns: 1,
			MostColumns: 2 * mostParams * (1 + mostHyper*mostParts)},
		{Exchange: Drawing, Often: "once, at the end" + inPieces, Least: 1,
			Most: mostPoints * (1 + mostParts*mostFamily), Scalars: scalars, LeastAnswers: 1,
			MostAnswers: most + 4*mostPoints*(1+mostParams),
			Answers: points +
				", the server's parameters with normal priors that clients use, and log " +
				"p − log q of the draws", LeastColumns: 1, MostColumns: 4 * mostPoints,
			Motion: density.ByPrior},
	}
}
