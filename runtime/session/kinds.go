package session

import (
	"github.com/vflc/vflc/density"
)

// Content is what a channel of a message carries.
type Content int

// The contents. Every channel of every message has one of them.
const (
	Value       Content = iota // ↓ a shared parameter
	Gradient                   // ↑ the gradient by a shared parameter
	Z                          // ↑ an auxiliary variable
	OthersSum                  // ↓ power: a sum of auxiliary variables
	Partial                    // ↑ power: the adjoint of that sum at one client
	Adjoint                    // ↓ the adjoint of a sum, added over all that evaluate it
	Centre                     // ↑ a cut without noise
	Total                      // ↓ the sum of such cuts
	Scalars                    // ↑ numbers to be added up
	ScalarTotal                // ↓ their totals
	contents
)

// A description is what is known of a content beside the data: how its channel is named, and what the audit prints of it. In the texts {name} is the
// parameter, cut or sum, {client} the client at the other end, {rho} the deviation of its noise and {scalars} what is added up.
type description struct {
	prefix string // of the channel's name
	what   string
	masked string // "no", or what hides it
	learns string // what a curious receiver can compute
}

var descriptions = [contents]description{
	Value:    {"value ", "value of {name}", "no", "the value at every evaluation, and so its whole course; nothing about a row"},
	Gradient: {"gradient ", "gradient of {name}", "no", "one function of {client}'s data and parameters for each element of {name}, without noise; where an element of {name} is used by few rows, close to the data of these rows"},
	Z: {"z ", "z of {name}", "noise of sd {rho}", "the cut {name} within {rho} at once; the mean of z − rho²·(its adjoint) over n evaluations is the cut's posterior mean within about {rho}/√n, " +
		"row by row: rho is no differential privacy"},
	OthersSum: {"sum ", "sum of z over {name}", "noise of sd {rho} in each z", "the other clients' z, by taking its own away: with two clients the other's, of which it then knows what the server knows"},
	Partial: {"adjoint ", "adjoint of the others' sum at {client}", "no", "where the likelihood can be inverted, {client}'s exact cut row by row, whatever rho: the adjoint is a function of the " +
		"response, of the others' sum and of that cut, and all but the cut are known"},
	Adjoint: {"adjoint ", "adjoint of {name}", "no", "{response}"},
	Centre:  {"centre ", "cut {name} at the guide's mean", "no", "the cut {name} itself, row by row and exactly, at the client's current estimate"},
	Total:   {"total ", "sum of the cuts {name} at the guides' means", "no", "the sum of the other clients' cuts, exactly: with two clients the other's cut"},
	Scalars: {"", "{scalars}", "no", "these numbers, without noise: each is a function of {client}'s parameters, and its log density and energies also of its data through all rows at once"},
	ScalarTotal: {"", "totals of: {scalars}", "no",
		"the others' numbers added up: with two clients and what is known of the server's, those of the other client"},
}

// zDescriptions are those of Z where the algorithm does not draw it around the cut.
var zDescriptions = map[density.Auxiliaries]description{
	density.AtCut:     {"z ", "{name} itself, as z", "no", "the cut {name}, row by row and exactly, at the client's starting point"},
	density.Maximised: {"z ", "z of {name}", "no", "once the fit has settled, z − rho²·(its adjoint) is the cut {name} averaged over the client's chains, row by row and without noise"},
}

// A kind is one kind of message of a script: its name on the wire and what it carries, in this order. The loops of server and client, the check of every
// message and the audit all follow from this table.
type kind struct {
	name    string
	up      bool // from a client to the server; otherwise back
	carries []carried
}

// A carried content has one channel for every shared parameter, sum or cut that it applies to and that when accepts.
type carried struct {
	content Content
	when    func(power, early bool) bool // early: a cut depends on the shared parameter
}

// Positions in kinds.
const (
	kindEarly = iota
	kindAux
	kindReply
	kindPartial
	kindWhole
	kindTrailing
	kindCentre
	kindTotal
	kindPart
	kindSum
	kindValues
	kindsOfScripts
)

// kindEnd goes either way: the sender has met an error, whose code is the message's reason.
const kindEnd = "end of run"

var kinds = [kindsOfScripts]kind{
	kindEarly:    {"early", false, []carried{{Value, ofCuts}}},
	kindAux:      {"aux", true, []carried{{Z, always}}},
	kindReply:    {"reply", false, []carried{{Value, ofRest}, {Adjoint, underAugmented}, {OthersSum, underPower}}},
	kindPartial:  {"partial", true, []carried{{Gradient, beforeAdjoints}, {Partial, underPower}}},
	kindWhole:    {"whole", false, []carried{{Adjoint, underPower}}},
	kindTrailing: {"trailing", true, []carried{{Gradient, afterAdjoints}}},
	kindCentre:   {"centre", true, []carried{{Centre, always}}},
	kindTotal:    {"total", false, []carried{{Total, always}}},
	kindPart:     {"sum part", true, []carried{{Scalars, always}}},
	kindSum:      {"sum", false, []carried{{ScalarTotal, always}}},
	kindValues:   {"values", false, []carried{{Value, always}}},
}

func always(bool, bool) bool                { return true }
func ofCuts(_, early bool) bool             { return early }
func ofRest(_, early bool) bool             { return !early }
func underPower(power, _ bool) bool         { return power }
func underAugmented(power, _ bool) bool     { return !power }
func beforeAdjoints(power, early bool) bool { return power && !early }
func afterAdjoints(power, early bool) bool  { return !beforeAdjoints(power, early) }

// exchanges lists the kinds of message of each exchange in their order. Under Pipeline aux and reply also carry scalars.
var exchanges = map[density.Exchange][]int{
	density.Evaluation:    {kindEarly, kindAux, kindReply, kindPartial, kindWhole, kindTrailing},
	density.Pipeline:      {kindEarly, kindAux, kindReply, kindPartial, kindWhole, kindTrailing},
	density.LocalStepping: {kindEarly, kindAux, kindReply, kindPartial, kindWhole, kindTrailing},
	density.Totalling:     {kindCentre, kindTotal},
	density.Summing:       {kindPart, kindSum},
	density.Reporting:     {kindValues},
}
