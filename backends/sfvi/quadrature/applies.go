package quadrature

import (
	"errors"
	"fmt"

	"github.com/vflc/vflc/density"
)

// Has reports whether there is quadrature for a guide of auxiliary variables.
func Has(guide string) bool { return forms[guide] != nil }

// The largest problems that are solved unless asked for: parameters of a party, and elements of a matrix.
const (
	mostDim    = 1000
	mostMatrix = 1 << 26
)

// Affordable returns an error where solving at every party takes much time or memory. It needs no matrix.
func Affordable(b density.Block) error {
	w, err := density.RequireOf[density.Standalone](b)
	if err != nil {
		return err
	}
	role := w.BlockRole()
	n := role.Cuts
	for _, r := range role.Receives {
		n = max(n, r.Len)
	}
	if d := b.Dim(); d > mostDim || n*d > mostMatrix {
		return fmt.Errorf("%s: %d parameters over %d rows take long to solve for", b.Party(), d, n)
	}
	return nil
}

// Exchanges are those of a run, in which up to so many fits iterate together.
func Exchanges(guide, theta string, atClients, correct bool, fits int) []density.Use {
	out := exchanges(atClients, theta == Joint, correct)
	for i, u := range out {
		switch u.Exchange {
		case momentsExchange, Mixing, slopesExchange:
			severalFits(&out[i], fits)
		}
		switch u.Exchange {
		case momentsExchange:
			// else z does not follow the cut, and its variance tells nothing of the covariance
			if guide != MeanField {
				out[i].Motion = Motion(theta)
			}
		case cutMomentsExchange, solvingExchange:
			out[i].Motion = Motion(theta)
		}
	}
	return out
}

// severalFits raises the bounds of what a fit sends in an iteration to those of several.
func severalFits(u *density.Use, fits int) {
	if fits == 1 {
		return
	}
	u.Often += fmt.Sprintf(", of up to %d fits together", fits)
	u.Most, u.MostAnswers, u.MostColumns = fits*u.Most, fits*u.MostAnswers, fits*u.MostColumns
}

// Motion is how a form of q(θ) moves from iteration to iteration: its covariance is that of each party alone,
// and of each parameter where it is diagonal.
func Motion(theta string) density.Motion {
	if theta == MeanField {
		return density.ByColumn
	}
	return density.ByClient
}

func exchanges(atClients, joint, correct bool) []density.Use {
	terms := "terms of the ELBO at its mean and of products of its latest iterates"
	if atClients {
		out := []density.Use{
			{Exchange: momentsExchange, LeastAnswers: 0, MostAnswers: 10000,
				Answers: "mean and covariance of the server's parameters in the likelihood, " +
					"under the approximation"},
			{Exchange: Mixing, Least: pairs, Most: pairs, Scalars: terms, LeastAnswers: coefficients,
				MostAnswers: coefficients, Answers: "coefficients of the latest iterates"},
			{Exchange: slopesExchange, Least: 1, Most: 10000,
				Scalars: "term of the ELBO, and gradient and curvature of its likelihood in " +
					"the server's parameters", LeastAnswers: decision, MostAnswers: decision,
				Answers: "ELBO and what follows from it"},
		}
		for i := range out {
			out[i].Often, out[i].LeastColumns, out[i].MostColumns = "every iteration", 2, 2
		}
		if joint || correct {
			out[2].MostAnswers = decision + mostSums*perSum
			out[2].Scalars += ", and the variance of its noise"
		}
		return append(out, atTheEnd(atClients, joint, correct)...)
	}
	out := []density.Use{{
		Exchange: momentsExchange, Often: "every iteration", Least: 1 + coefficients, Most: 1 + coefficients,
		Scalars: terms, LeastAnswers: decision + coefficients, MostAnswers: decision + coefficients,
		Answers: "ELBO, and coefficients of the latest iterates", LeastColumns: 2, MostColumns: 2,
	}}
	return append(out, atTheEnd(atClients, joint, correct)...)
}

// atTheEnd are the exchanges in which a fit is evaluated.
func atTheEnd(atClients, joint, correct bool) (out []density.Use) {
	if joint && atClients {
		out = append(out, density.Use{
			Exchange: cutMomentsExchange, Often: "once, at the end", MostAnswers: 10000,
			Answers: "mean and covariance of the server's parameters in the likelihood, " +
				"under the approximation", LeastColumns: 2, MostColumns: 2,
		}, density.Use{
			Exchange: expansionExchange, Often: "once, at the end", LeastAnswers: 1, MostAnswers: 1,
			Answers: "whether there is a joint Gaussian", LeastColumns: 2, MostColumns: 100,
		})
	}
	if joint {
		out = append(out, density.Use{
			Exchange: solvingExchange, Often: "every step of a linear system at the end" + InPieces, Least: 1,
			Most: 1000, Scalars: "variances of the noise of its auxiliary variables", LeastAnswers: 1,
			MostAnswers: 1,
			Answers:     "whether the system is solved, and the draws' covariance exact", LeastColumns: 1, MostColumns: MostBatch/2 + 3,
		})
	}
	if !correct {
		return out
	}
	out = append(out, density.Use{
		Exchange: Batch, Often: "once, at the end" + InPieces, Least: 2, Most: 2*MostDraws + 1001,
		Scalars: "terms of log p and of the draws' squared lengths, the number of its " +
			"parameters, and variances of noise", MostAnswers: MostDraws + verdicts,
		Answers: whatWeights, LeastColumns: 1, MostColumns: MostBatch + 1,
	})
	if atClients {
		batch := &out[len(out)-1]
		batch.Answers, batch.LeastAnswers, batch.MostAnswers = "the server's parameters in the "+
			"likelihood at the draws", 0, 100*MostBatch
		out = append(out, density.Use{
			Exchange: weighingExchange, Often: "once, at the end, or once before", Least: 2, Most: MostBatch,
			Scalars: "share of the log likelihood at the draws", LeastAnswers: 4,
			MostAnswers: MostBatch + verdicts, Answers: whatWeights,
		})
	}
	return out
}

// whatWeights is what the server tells of them.
const whatWeights = "log p − log q of the draws, whether these need weights, whether there may be several " +
	"modes, and whether more draws would be in vain"

// mostSums is how many sums a model has at most, as the list of exchanges has it.
const mostSums = 1000

// MostBatch is the largest number of draws that are evaluated together.
const MostBatch = 2000

// batchSize is the number of draws that are evaluated together: fewer for more rows, so that a message has
// some megabytes, and an even number.
func batchSize(rows, most int) int {
	s := min(MostBatch, max(500, 2000000/max(1, rows)))
	if rows > 20000 {
		s = max(100, 10000000/rows)
	}
	return max(2, min(s, most)/2*2)
}

// resting is an Env or a Block that can drop the memory of its evaluations until the next one.
type resting interface{ Rest() }

// Applies returns the linear form of a block, or the reason why a fit by quadrature is not possible with it.
// crossing is whether cuts cross themselves.
func Applies(b density.Block, atClients, crossing bool) (*density.Linear, error) {
	if len(b.Weights()) > 0 {
		return nil, fmt.Errorf("%s: it has weights, which are estimated by a point", b.Party())
	}
	l, err := density.RequireOf[density.Linearisable](b)
	if err != nil {
		return nil, err
	}
	lin, err := l.Linear(true)
	if r, ok := b.(resting); ok {
		r.Rest() // a fit by quadrature evaluates the likelihood of rows alone
	}
	if err != nil {
		return nil, err
	}
	if err := Suits(b, lin, atClients, crossing); err != nil {
		return nil, err
	}
	return lin, nil
}

// Suits is the reason why a fit by quadrature is not possible with the linear form of a block; nil: it is.
func Suits(b density.Block, lin *density.Linear, atClients, crossing bool) error {
	switch {
	case lin.Clients == 0 || len(lin.Sums) == 0:
		return errors.New("no client contributes to another party's computation")
	case b.Index() == 0 && !atClients && len(lin.Rows) == 0:
		return fmt.Errorf("%s: no likelihood", b.Party())
	case b.Index() > 0 && !atClients && len(lin.Rows) > 0:
		return fmt.Errorf("%s: it has a likelihood that depends on what the server sends", b.Party())
	}
	if m := len(lin.Globals.Index); m > mostGlobals {
		return fmt.Errorf("%s: its likelihood has %d parameters beside its predictor, over which a rule "+
			"would need too many nodes", b.Party(), m)
	} else if m > 0 && (atClients || b.Index() > 0) {
		return fmt.Errorf("%s: its likelihood has parameters beside its predictor, and is not at the server",
			b.Party())
	}
	for _, r := range lin.Rows {
		if atClients && r.Own < 0 {
			return fmt.Errorf("%s: %s: the client does not contribute to it", b.Party(), r.Term)
		}
		if r.Width > 1 && !crossing {
			return fmt.Errorf("%s: %s: a row of it sees %d predictors, whose noise would be integrated "+
				"out in as many dimensions; under exact there is none", b.Party(), r.Term, r.Width)
		}
	}
	return nil
}
