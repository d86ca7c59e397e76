package session

import (
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
)

// A kind is one kind of message of a script: its name on the wire, what it carries, in this order, and
// whether clients seal in it what they have received. The loops of server and client, the check of every
// message and the audit all follow from it.
type kind struct {
	density.MessageKind
	up     bool // from a client to the server; otherwise back
	sealed sealing
	number int  // among the messages of a round
	passes bool // what the clients have sent goes down to others
	// between messages of which some numbers had no short words, where the wire is short
	shortly bool
}

// A sealing is when a message that carries anything has seals: clients compare what they receive.
type sealing int

const (
	unsealed    sealing = iota
	ofSeveral           // where there are two clients or more
	ofSeveralIn         // and sums of what they send
)

// applies reports whether messages of a plan have such seals.
func (s sealing) applies(plan *model.Plan) bool {
	several := len(plan.Names)-1+len(plan.Several) > 1
	return several && (s == ofSeveral || s == ofSeveralIn && len(plan.Groups) > 0)
}

func circumstances(plan *model.Plan, early bool) density.Circumstance {
	return density.Circumstance{AtClients: plan.AtClients, Exact: plan.Exact, Shared: len(plan.Shared) > 0,
		Early: early}
}

// silent is no kind: a turn has no message there.
const silent = -1

// Positions in kinds, which number the messages of a round.
const (
	kindEarly = iota
	kindAux
	kindAgain
	kindAnew
	kindReply
	kindPartial
	kindWhole
	kindTrailing
	kindPart
	kindSum
	kindValues
	kindDrawn
	kindClosing
	kindClosed
	ownKinds
)

// A relay is in a round of its own, and so are bytes, whose messages have the same numbers.
const (
	relayUp = ownKinds + iota
	relayDown
	bytesUp
	bytesDown
)

// kindEnd goes either way: the sender has met an error, whose code is the message's reason.
const kindEnd = "end of run"

// kinds are those of the methods of an Env.
var kinds = [ownKinds]kind{
	kindEarly: own("early", false, unsealed, carried(Value, ofCuts, density.Unscaled)),
	kindAux: own("aux", true, ofSeveralIn, carried(density.Auxiliary, density.Circumstance.Noisy,
		density.Evaluated), carried(density.BareCut, exactly, density.Evaluated)),
	kindAgain: repeated("again", false, carried(Again, nil, density.Unscaled)),
	kindAnew: repeated("anew", true, carried(density.Auxiliary, density.Circumstance.Noisy,
		density.Unscaled), carried(density.BareCut, exactly, density.Unscaled)),
	kindReply: own("reply", false, ofSeveralIn, wanted(Value, ofRest, density.Unscaled),
		wanted(Adjoint, density.Circumstance.AtServer, density.Evaluated),
		wanted(OthersSum, atClients, density.Adjoints)),
	kindPartial: own("partial", true, unsealed, carried(Gradient, beforeAdjoints, density.Unscaled),
		carried(Partial, atClients, density.Adjoints)),
	kindWhole:    own("whole", false, unsealed, carried(Whole, atClients, density.Evaluated)),
	kindTrailing: own("trailing", true, unsealed, carried(Gradient, afterAdjoints, density.Unscaled)),
	kindPart:     own("sum part", true, ofSeveral, carried(density.Scalars, nil, density.Unscaled)),
	kindSum:      own("sum", false, ofSeveral, carried(ScalarTotal, nil, density.Unscaled)),
	kindValues:   own("values", false, unsealed, carried(Value, nil, density.Unscaled)),
	kindDrawn: own("drawn", true, unsealed, carried(density.Auxiliary, ofQuantities, density.Unscaled),
		carried(density.BareCut, ofExactQuantities, density.Unscaled)),
	kindClosing: own("closing", true, ofSeveral),
	kindClosed:  own("closed", false, ofSeveral),
}

func own(name string, up bool, sealed sealing, carries ...density.Carried) kind {
	return kind{MessageKind: density.MessageKind{Name: name, Carries: carries}, up: up, sealed: sealed}
}

// repeated is a kind between two evaluations of the same.
func repeated(name string, up bool, carries ...density.Carried) kind {
	k := own(name, up, unsealed, carries...)
	k.shortly = true
	return k
}

func carried(c *density.Content, when func(density.Circumstance) bool, scale density.Scale) density.Carried {
	return density.Carried{Content: c, When: when, Scale: scale}
}

// wanted is carried where it is of an evaluation that may not be wanted.
func wanted(c *density.Content, when func(density.Circumstance) bool, scale density.Scale) density.Carried {
	out := carried(c, when, scale)
	out.Wanted = true
	return out
}

func ofCuts(c density.Circumstance) bool            { return c.Early }
func ofRest(c density.Circumstance) bool            { return !c.Early }
func exactly(c density.Circumstance) bool           { return c.Exact }
func atClients(c density.Circumstance) bool         { return c.AtClients }
func ofQuantities(c density.Circumstance) bool      { return c.Generated && !c.Exact }
func ofExactQuantities(c density.Circumstance) bool { return c.Generated && c.Exact }
func beforeAdjoints(c density.Circumstance) bool    { return c.AtClients && !c.Early }
func afterAdjoints(c density.Circumstance) bool     { return !beforeAdjoints(c) }

// ownKind is the kind at a position, with its number.
func ownKind(at int) kind {
	k := kinds[at]
	k.number = at
	return k
}

// relayKinds are the kinds of the messages of a relay, or of bytes. What carries something has seals, but for
// bytes that not all receive, or that the server alone sends.
func relayKinds(x *density.Exchange) [2]kind {
	sealed, passes := ofSeveralIn, x.Up.Name != "" && x.Down.Name != ""
	switch carried := append(x.Up.Carries, x.Down.Carries...); {
	case len(carried) == 0 || !carried[0].Content.Of.Bytes():
	case passes && carried[0].Content.Of == density.OfShown:
		sealed = ofSeveral
	default:
		sealed = unsealed
	}
	return [2]kind{{MessageKind: x.Up, up: true, sealed: sealed, number: relayUp, passes: passes},
		{MessageKind: x.Down, sealed: sealed, number: relayDown, passes: passes}}
}

// exchanged are the messages of the methods of an Env that are none of an evaluation.
var exchanged = map[*density.Exchange][]int{
	density.Summing:   {kindPart, kindSum},
	density.Reporting: {kindValues, kindDrawn}, density.Closing: {kindClosing, kindClosed},
}

var evaluation = []int{kindEarly, kindAux, kindAgain, kindAnew, kindReply, kindPartial, kindWhole,
	kindTrailing}

// isRelay reports whether the messages of an exchange were declared where they are sent.
func isRelay(x *density.Exchange) bool { return x.Up.Name != "" || x.Down.Name != "" }

// ownKindsOf lists the kinds of message of an exchange that is no relay, in their order. Under Pipeline aux
// and reply carry scalars too.
func ownKindsOf(x *density.Exchange) []int {
	if of, ok := exchanged[x]; ok {
		return of
	}
	return evaluation
}

// relaysIn lists the relays among exchanges, each once.
func relaysIn(uses []density.Use) (out []*density.Exchange) {
	for _, u := range uses {
		if isRelay(u.Exchange) && !slices.Contains(out, u.Exchange) {
			out = append(out, u.Exchange)
		}
	}
	return out
}

// inOrder lists the kinds of message of a run that uses these exchanges: those of the methods of an Env, then
// those of relays, and the end last.
func inOrder(uses []density.Use) (out []kind) {
	for k := range kindClosing {
		out = append(out, ownKind(k))
	}
	for _, x := range relaysIn(uses) {
		pair := relayKinds(x)
		out = append(out, pair[:]...)
	}
	return append(out, ownKind(kindClosing), ownKind(kindClosed))
}

// RoundTrips counts the round trips that messages of these kinds, by name, make where a client and the server
// exchange one of each in these exchanges: the first answer to what the server sends, and each answer to what
// the client sends. What comes last needs none. Messages that nobody answers count as one. Scalars that are
// added up beside evaluations travel with the next of these where they may (density.Pipelined).
func RoundTrips(names map[string]bool, uses []density.Use) int {
	n, begun, asked, sent := 0, false, false, false
	pipelined := slices.ContainsFunc(uses, isPipeline)
	for _, k := range inOrder(uses) {
		beside := pipelined && (k.number == kindPart || k.number == kindSum)
		used := k.number >= ownKinds || slices.ContainsFunc(uses, func(u density.Use) bool {
			return !isRelay(u.Exchange) && slices.Contains(ownKindsOf(u.Exchange), k.number)
		})
		if !names[k.Name] || !used || k.shortly || k.number == kindClosing || k.number == kindClosed ||
			beside && names[kinds[kindAux].Name] {
			continue
		}
		switch {
		case k.up && asked, !k.up && sent:
			n++
		}
		asked, sent, begun = !k.up && !begun, k.up, true
	}
	return max(1, n)
}
