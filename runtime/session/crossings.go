package session

import (
	"strings"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// A Crossing is one channel of one kind of message between the server and a client.
type Crossing struct {
	Content
	density.Use
	Kind    string  // of the message
	Channel string  // its name on the wire
	Client  int     // index in the plan
	Up      bool    // from the client to the server; otherwise back
	Of      int     // the sum or the shared parameter of the plan, -1 for scalars
	Numbers Content // of the channel: Content, unless that is what crosses with them
	Hidden  bool    // by masks: the receiver has the total over two or more clients alone
	// What crosses, what masks it, and what a curious receiver can compute: texts in which {name}, {cut}, {client}, {rho} and {scalars} stand for those of the
	// model.
	What, Masked, Learns string
	Reach                Reach
}

// Crossings lists everything that server and clients exchange in a run that uses these exchanges, client by client, from the scripts that the run itself
// follows. The plan need hold no graphs: lengths are not looked at.
func Crossings(plan *model.Plan, uses []density.Use) []Crossing {
	var out []Crossing
	of := newCodes(plan, newGrids(plan))
	for client := 1; client < len(plan.Names); client++ {
		frames := newScript(plan, client, of).framesWithScalars()
		for _, use := range uses {
			for _, k := range kindsOf(use.Exchange) {
				f := frames[use.Exchange == density.Pipeline][k]
				for i, c := range f.channels {
					one := crossing(use, kinds[k], c, f.arrays[i].Name, client)
					out = append(out, f.hidden(i, one))
					if f.codings[i] != nil && !f.codings[i].saturates {
						out = append(out, one.beside(Mark))
					}
					if f.tells[i] != nil {
						out = append(out, one.beside(Grid))
					}
				}
			}
		}
	}
	return out
}

func crossing(use density.Use, k kind, c channel, name string, client int) Crossing {
	d := describe(c.Content, use.Auxiliaries)
	if what, other := elsewhere[use.Exchange][c.Content]; other {
		d.what = what
	}
	return Crossing{
		Content: c.Content, Numbers: c.Content, Use: use, Kind: k.name, Channel: name, Client: client, Up: k.up, Of: c.of,
		What: d.what, Masked: d.masked, Learns: d.learns, Reach: d.reach,
	}
}

// elsewhere is what crosses where an exchange uses a content for something near to it.
var elsewhere = map[density.Exchange]map[Content]string{
	density.CutMoments: {Moment: "mean and variance of {cut} under the approximation", MomentSum: "sums of mean and variance of the cuts of {name}"},
	density.Expansion:  {SlopePart: "expected slope and curvature at {client} of the likelihood in {name}, the noise integrated out, and the curvature that mixes with the server's parameters"},
}

// hidden is the crossing of channel i with what masks hide of it.
func (f *frame) hidden(i int, c Crossing) Crossing {
	if f.encoding(i) == transport.Masked {
		c.Masked, c.Learns = "masks, which cancel in the sum over its clients", descriptions[c.Content].total
		c.Hidden = true
		if c.Reach == Contribution && c.Motion != density.Otherwise {
			c.Learns += c.separated()
		}
	}
	return c
}

// separated is what a receiver can do with totals of which one evaluation follows from another.
func (c Crossing) separated() string {
	text := "; the mask does not keep clients apart: " + separable[c.Exchange]
	if separable[c.Exchange] == "" {
		text += "at draws whose covariance is each client's own and changes over the fit, two stretches of it divide the total into each client's part"
		if c.DenseMost > 0 { // a metric
			text = "; the mask does not keep clients apart: along a trajectory a total changes by a known multiple of the adjoint, by which two chains divide it into each client's part, row by row"
		}
	}
	switch c.Motion {
	case density.ByColumn:
		text += ", and by column"
	case density.Adapted:
		text += ", and by column where the client's metric is diagonal, as --metric auto may have it of more than 64 parameters or of priors that depend on one another"
	}
	return text
}

// separable is by what totals divide where no trajectory is.
var separable = map[density.Exchange]string{
	density.Moments:    variancesDivide,
	density.CutMoments: variancesDivide,
	density.Solving:    variancesDivide,
	density.DrawSlopes: "half the differences of draws of two evaluations have each client's directions in common, by which the total divides into each client's part, row by row",
}

const variancesDivide = "the variances in all rows follow from one matrix for each client, and those of two iterations divide the total into each client's part, row by row"

// besides name what crosses with the numbers of a channel.
var besides = map[Content]string{Mark: " (mark)", Grid: " (grid)"}

// beside is what crosses with the numbers of a channel.
func (c Crossing) beside(content Content) Crossing {
	d := descriptions[content]
	c.Channel += besides[content]
	c.Content, c.What, c.Masked, c.Learns, c.Reach = content, d.what, d.masked, d.learns, d.reach
	return c
}

// framesWithScalars are the frames of exchanges without scalars on the way, and of those with.
func (s *script) framesWithScalars() map[bool][kindsOfScripts]*frame {
	with := s.frames()
	with[kindAux], with[kindReply] = &s.auxTally, &s.replyTally
	return map[bool][kindsOfScripts]*frame{false: s.frames(), true: with}
}

// A Form is one channel of one kind of message between the server and a client, as the scripts of all exchanges have it.
type Form struct {
	Client  string `json:"client"`
	Up      bool   `json:"up,omitempty"` // from the client to the server; otherwise back
	Kind    string `json:"kind"`         // of the message
	Channel string `json:"channel"`
	// Length is how many numbers the channel has for each column of the exchange, 0 where the exchange decides: totals.
	Length  int  `json:"length,omitempty"`
	Columns bool `json:"columns,omitempty"` // exchanges may have several
	Words   bool `json:"words,omitempty"`   // as integers, one or two for each number
	Masked  bool `json:"masked,omitempty"`  // so that the receiver has the total alone
	// Bound is what a party can hold the numbers that it receives to.
	Bound Bound `json:"bound,omitempty"`
	Alike bool  `json:"alike,omitempty"` // all clients that have the channel receive the same
}

// A Bound is what is known of the numbers of a channel that goes down, beyond that they are finite. What has none are sums of what clients send, parameters, and the server's decisions.
type Bound string

// The bounds.
const (
	BoundSlopes     Bound = "slopes"     // derivatives of the log likelihood of each row by an element of a sum, or their mean
	BoundCurved     Bound = "curved"     // in the first column slopes, in the second curvatures: second derivatives, or their mean
	BoundDirections Bound = "directions" // vectors of the server's choice, which the client multiplies: they are counted
)

// BoundOf is what the numbers of a channel that goes down can be held to.
func BoundOf(kind, channel string) Bound {
	for _, k := range kinds {
		for _, c := range k.carries {
			if d := descriptions[c.content]; k.name == kind && !k.up && d.prefix != "" && strings.HasPrefix(channel, d.prefix) && !strings.HasSuffix(channel, besides[Grid]) {
				return d.bound
			}
		}
	}
	return ""
}

// Forms lists the channels of the scripts of a party, given by its index, client by client, each once: nothing else crosses, but for messages of the kind Ending.
func Forms(plan *model.Plan, party int) []Form {
	var out []Form
	of := newCodes(plan, newGrids(plan))
	for client := 1; client < len(plan.Names); client++ {
		if party > 0 && party != client {
			continue
		}
		all := newScript(plan, client, of).framesWithScalars()
		for k, f := range all[true] {
			for i, c := range f.channels {
				one := Form{
					Client: plan.Names[client], Up: kinds[k].up, Kind: kinds[k].name, Channel: f.arrays[i].Name, Words: f.codings[i] != nil, Masked: f.encoding(i) == transport.Masked,
					Columns: k >= kindMoments && !c.seals(), Bound: descriptions[c.Content].bound, Alike: f.alike[i] != nil,
				}
				if c.of >= 0 || c.seals() {
					one.Length = f.lens[i]
				}
				out = append(out, one)
			}
		}
	}
	return out
}

// Fits reports whether a form has an array of this length.
func (f Form) Fits(length int) bool {
	switch most := 2 * f.Length; {
	case f.Length == 0:
		return true
	case f.Columns:
		return length%f.Length == 0
	case f.Words:
		return length == f.Length || length == most
	}
	return length == f.Length
}

// Announced reports whether the sender of an array of adjoints has said that the sums were not finite.
func Announced(a transport.Array) bool { return a.Grid == none }

// Ending is the kind of the message by which a party tells that it ends the run: it has a code and no numbers.
const Ending = kindEnd
