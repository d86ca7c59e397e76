package compile

import (
	"strings"

	"github.com/vflc/vflc/runtime/session"
)

// atHome says of what crosses between the server and the parties that evaluate likelihoods of their own
// responses what its receiver can compute.
func (a *auditor) atHome(c session.Crossing, d *Disclosure) {
	client := a.plan.Names[c.Client]
	switch c.Content {
	case session.OthersSum:
		if a.plan.Exact {
			d.Masked = "no"
		}
		d.Learns = "what others contribute to a likelihood that it evaluates, added up; of one contributor that " +
			"contribution, in whose span, over the rounds, columns of two values and the categories of factors " +
			"can be found"
	case session.Partial:
		d.Learns = "for each row a function of the response of " + client + ", of what " + client + " itself " +
			"adds, on which there is no noise, and of the sum: the sign gives a binary response; given the " +
			"response it can be solved for what " + client + " adds, in whose span columns of two values and " +
			"the categories of factors can be found"
	case session.Whole:
		var homes []string
		for _, r := range a.readings(c.Of) {
			addTo(&homes, a.plan.Names[r.party])
		}
		d.Learns = "for each row a function of the response of " + strings.Join(homes, " and of ") +
			", of what that party itself adds, and of the sum of what all clients send: the sign gives a binary " +
			"response; where the response is known it can be solved for that sum"
	}
}
