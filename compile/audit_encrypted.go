package compile

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// crossings are those of a session, without exchanges that it does not send.
func crossings(plan *model.Plan, uses []density.Use) []session.Crossing {
	return session.Crossings(plan, slices.DeleteFunc(slices.Clone(uses), func(u density.Use) bool {
		return u.Exchange.Sealed()
	}))
}

// An opened is how an audit tells of numbers that depend on encrypted rows: {to} is who knows them.
type opened struct {
	what, from, to, shape, learns string // to is "" for each party
}

// Who knows numbers of encrypted rows, beside one party.
const (
	theServer = "{server}"
	everyone  = "every party"
)

// opens are the texts of what becomes known of encrypted rows, but for scalars, which a session adds up.
var opens = map[density.Sums]opened{
	density.OwnGradients: {"gradient by its own parameters", "all parties", "", "its parameters",
		"for each of its columns the sum over rows of that column times the derivative of the log likelihood"},
	density.Gradients: {"gradients by the parameters of each party", "each party", theServer,
		"parameters of all parties", "the same sums for the columns of all parties"},
	density.CrossProducts: {"weighted products of all columns", "all parties", theServer, "pairs of columns",
		"for each pair of columns, of different parties too, the sum over rows of their product " +
			"times a weight of the row"},
	density.Steps: {"its part of the step", "{server}", "", "its parameters",
		"what follows for its parameters from gradients and products of all columns"},
	density.Covariances: {"its part of each draw's deviation from the mode", "{server}", "",
		"draws of its parameters",
		"the covariance of its parameters, and together with another that of theirs"},
	density.Totals: {"log density at the mode, at draws that are weighed, and at states of a chain",
		"all parties", theServer, "draws", "the sum of the log likelihood over rows and of the priors"},
	density.Deviations: {"draws of the deviations of its effects from the mode, and of parameters of " +
		"the server that their prior depends on", "each party", theServer, "draws of its parameters",
		"where priors depend on parameters, of the party with effects: how they spread, and towards what " +
			"their prior draws them, so roughly their level and that of their scales"},
	density.Told: {"mean curvature, centre, bounds of the response, what to do next, " +
		"weights of draws, evidence", "{server}", everyone, "1 and more",
		"what follows from what the server knows"},
	density.Announced: {"bound of its contribution, in 64ths of the range; where the log density is " +
		"decrypted, of its prior too", "each party", everyone, "1 or 3",
		"how large its largest contribution is"},
	density.Declared: {"how many parameters priors depend on, and of the server's that effects of a " +
		"client depend on the prior", "each party", everyone, "3, or a table",
		"nothing of rows: it follows from the programs"},
	density.Outlined: {"bounds of its columns and of their squares, as powers of 2", "each party",
		everyone, "2 for each column", "how large a column is"},
}

// sealed lists who knows what of encrypted rows, and what nobody does.
func (a *auditor) sealed(uses []density.Use) {
	const share = "encrypted: every party gives a share of the key for what it has derived itself"
	fill := func(text, party string) string {
		if text == theServer {
			return a.Manifest.Server
		}
		if text == "" {
			return party
		}
		return text
	}
	if of := a.Manifest.Release; of != nil {
		masked, learns := "the noise of all parties",
			fmt.Sprintf("of one person's row what epsilon %s at delta %s allow, against all parties but one",
				of.Epsilon, of.Delta)
		if of.NoNoise {
			masked, learns = "no", "the sums themselves: of few rows, the rows"
		}
		a.add(Disclosure{What: "second moments of the columns of all parties", From: "all parties",
			To: everyone, Shape: []string{"pairs of columns"}, Often: "once", Masked: masked, Learns: learns})
		a.add(Disclosure{What: "columns", From: "each party", To: "nobody", Shape: []string{"rows"},
			Often: "once", Masked: share,
			Learns: "nothing, while one party keeps its share of the key to itself"})
		return
	}
	for _, u := range uses {
		for _, o := range u.Openings {
			t, ok := opens[o.Sums]
			if !ok {
				continue
			}
			masked := share
			switch o.Sums {
			case density.Gradients, density.Steps, density.Covariances, density.Told, density.Announced,
				density.Outlined:
				masked = "no"
			}
			to := []string{a.Manifest.Server}
			if t.to == "" {
				to = a.plan.Names
				if t.from == theServer {
					to = to[1:]
				}
			}
			for _, name := range to {
				a.add(Disclosure{What: t.what, From: fill(t.from, name), To: fill(t.to, name),
					Shape: []string{t.shape}, Often: u.Often, Masked: masked, Learns: t.learns})
			}
		}
	}
	a.add(Disclosure{What: "columns, responses, contributions, their sum, and derivatives by it",
		From: "each party", To: "nobody", Shape: []string{"rows"}, Often: "every evaluation", Masked: share,
		Learns: "nothing, while one party keeps its share of the key to itself"})
}
