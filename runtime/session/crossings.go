package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// A Crossing is one channel of one kind of message between the server and a client.
type Crossing struct {
	Content *density.Content
	density.Use
	Kind    string           // of the message
	Channel string           // its name on the wire
	Client  int              // index in the plan
	Up      bool             // from the client to the server; otherwise back
	Of      int              // the sum or the shared parameter of the plan, -1 for scalars
	Numbers *density.Content // of the channel: Content, unless that is what crosses with them
	Hidden  bool             // by masks: the receiver has the total over two or more clients alone
	Wanted  bool             // only where an evaluation is wanted, by the totals of scalars beside it
	// What crosses, what masks it, and what a curious receiver can compute: texts in which {name}, {cut},
	// {client}, {rho} and {scalars} stand for those of the model.
	What, Masked, Learns string
	Reach                density.Reach
}

// Crossings lists everything that server and clients exchange in a run that uses these exchanges, client by
// client, from the scripts that the run itself follows. The plan need hold no graphs: lengths are not looked
// at.
func Crossings(plan *model.Plan, uses []density.Use) []Crossing {
	var out []Crossing
	of := newCodes(plan, newGrids(plan))
	steps := slices.ContainsFunc(uses, func(u density.Use) bool {
		return u.Exchange != density.Reporting && !isRelay(u.Exchange) &&
			slices.ContainsFunc(ownKindsOf(u.Exchange), tellsValues)
	})
	pipelined := slices.ContainsFunc(uses, isPipeline)
	for client := 1; client < len(plan.Names); client++ {
		s := newScript(plan, client, of)
		for _, use := range uses {
			for _, f := range s.framesOf(use.Exchange) {
				for i := range f.channels {
					c := &f.channels[i]
					one := crossing(use, f.kind, c, f.arrays[i].Name, client)
					one.Wanted = pipelined && c.wanted
					if c.content == Value && !steps {
						one.Learns = reported
					}
					out = append(out, f.hidden(i, one))
					if c.coding != nil && !c.coding.saturates {
						out = append(out, one.beside(Mark))
					}
					if c.tells != nil {
						out = append(out, one.beside(Grid))
					}
				}
			}
		}
	}
	return out
}

// reported is what a receiver learns from values of a parameter at the draws of the result alone.
const reported = "the draws of its posterior that the result has, which do not follow from one another as the " +
	"steps of a sampler do"

func isPipeline(u density.Use) bool { return u.Exchange == density.Pipeline }

func tellsValues(at int) bool {
	return slices.ContainsFunc(kinds[at].Carries, func(c density.Carried) bool { return c.Content == Value })
}

func crossing(use density.Use, k kind, c *channel, name string, client int) Crossing {
	d := describe(c.content, use.Auxiliaries)
	return Crossing{
		Content: c.content, Numbers: c.content, Use: use, Kind: k.Name, Channel: name, Client: client,
		Up: k.up, Of: c.of,
		What: d.What, Masked: d.Masked, Learns: d.Learns, Reach: d.Reach,
	}
}

// HowOften is when it crosses.
func (c Crossing) HowOften() string {
	if c.Content == Again {
		return whereOutgrown
	}
	if c.Wanted {
		return strings.Replace(c.Often, eachEvaluation, eachEvaluation+WhereWanted, 1)
	}
	return c.Often
}

// WhereWanted stands behind "every evaluation" where what crosses is left out of one that ends with the
// totals of its scalars.
const (
	WhereWanted    = " that is wanted"
	eachEvaluation = "every evaluation"
)

// whereOutgrown is when contributions are sent once more.
const whereOutgrown = "where a number has no short word"

// hidden is the crossing of channel i with what masks hide of it.
func (f *frame) hidden(i int, c Crossing) Crossing {
	if f.encoding(i) == transport.Masked {
		c.Masked, c.Learns = "masks, which cancel in the sum over its clients", c.Content.Total
		c.Hidden = true
		if c.Reach == density.Contribution && c.Motion != density.Otherwise {
			c.Learns += c.separated()
		}
	}
	return c
}

// separated is what a receiver can do with totals of which one evaluation follows from another.
func (c Crossing) separated() string {
	text := "; the mask does not keep clients apart: " + c.Exchange.Divides
	if c.Exchange.Divides == "" {
		text += "at draws whose covariance is each client's own and changes over the fit, two stretches of " +
			"it may divide the total into each client's part"
		if c.DenseMost > 0 { // a metric
			text = "; the mask does not keep clients apart: along a trajectory a total changes by a known " +
				"multiple of the adjoint, by which two chains divide it into each client's part, row by row"
		}
	}
	switch c.Motion {
	case density.ByColumn:
		text += ", and by column"
	case density.Adapted:
		text += fmt.Sprintf(", and by column where the client's metric is diagonal, as --metric auto may have it "+
			"of more than %d parameters or of priors that depend on one another", c.DenseMost)
	}
	return text
}

// besides name what crosses with the numbers of a channel.
var besides = map[*density.Content]string{Mark: " (mark)", Grid: " (grid)"}

// beside is what crosses with the numbers of a channel.
func (c Crossing) beside(content *density.Content) Crossing {
	c.Channel, c.Wanted = c.Channel+besides[content], false
	c.Content, c.What, c.Masked, c.Learns, c.Reach = content, content.What, content.Masked, content.Learns,
		content.Reach
	return c
}

// framesOf are the messages of an exchange in their order.
func (s *script) framesOf(x *density.Exchange) (out []*frame) {
	if isRelay(x) {
		p := s.relay(x)
		return []*frame{&p.up, &p.down}
	}
	for _, k := range ownKindsOf(x) {
		if x == density.Pipeline {
			out = append(out, s.tallied(k))
		} else {
			out = append(out, &s.messages[k])
		}
	}
	return out
}

// A ChannelForm is one channel of one kind of message between the server and a client, as the scripts of all
// exchanges have it.
type ChannelForm struct {
	Client  string `json:"client"`
	Up      bool   `json:"up,omitempty"` // from the client to the server; otherwise back
	Kind    string `json:"kind"`         // of the message
	Channel string `json:"channel"`
	// Length is how many numbers the channel has for each column of the exchange, 0 where the exchange
	// decides: totals.
	Length  int  `json:"length,omitempty"`
	Columns bool `json:"columns,omitempty"` // exchanges may have several
	Words   bool `json:"words,omitempty"`   // as integers, one or two for each number
	Masked  bool `json:"masked,omitempty"`  // so that the receiver has the total alone
	// Optional: without numbers where totals in the same message say that no evaluation is wanted.
	Optional bool `json:"optional,omitempty"`
	// Bound is what a party can hold the numbers that it receives to.
	Bound density.AnswerBound `json:"bound,omitempty"`
	Alike bool                `json:"alike,omitempty"` // all clients that have the channel receive the same
}

// BoundOf is what the numbers of a channel that goes down can be held to, in a run that uses these exchanges.
func BoundOf(kind, channel string, uses []density.Use) density.AnswerBound {
	for _, k := range inOrder(uses) {
		for _, c := range k.Carries {
			if p := c.Content.Prefix; k.Name == kind && !k.up && p != "" && strings.HasPrefix(channel, p) &&
				!strings.HasSuffix(channel, besides[Grid]) {
				return c.Content.Bound
			}
		}
	}
	return ""
}

// Forms lists the channels of the scripts of a party, given by its index, in a run that uses these exchanges,
// client by client, each once: nothing else crosses, but for messages of the kind Ending.
func Forms(plan *model.Plan, party int, uses []density.Use) []ChannelForm {
	var out []ChannelForm
	of := newCodes(plan, newGrids(plan))
	for client := 1; client < len(plan.Names); client++ {
		if party > 0 && party != client {
			continue
		}
		s := newScript(plan, client, of)
		for k := range s.messages {
			out = s.tallied(k).forms(out, plan.Names[client], false)
		}
		for _, x := range relaysIn(uses) {
			for _, f := range s.framesOf(x) {
				out = f.forms(out, plan.Names[client], true)
			}
		}
	}
	return out
}

// forms adds those of the channels of a message.
func (f *frame) forms(out []ChannelForm, client string, columns bool) []ChannelForm {
	for i := range f.channels {
		c := &f.channels[i]
		one := ChannelForm{
			Client: client, Up: f.kind.up, Kind: f.kind.Name, Channel: f.arrays[i].Name,
			Words: c.coding != nil, Masked: f.encoding(i) == transport.Masked,
			Columns: columns && !c.seals(), Bound: c.content.Bound, Alike: c.alike != nil,
			Optional: f.tallied && c.wanted,
		}
		if c.of >= 0 || c.seals() {
			one.Length = c.len
		}
		out = append(out, one)
	}
	return out
}

// Fits reports whether a form has an array of this length.
func (f ChannelForm) Fits(length int) bool {
	switch most := 2 * f.Length; {
	case f.Length == 0, f.Optional && length == 0:
		return true
	case f.Columns:
		return length%f.Length == 0
	case f.Words:
		return length == f.Length || length == most
	}
	return length == f.Length
}

// Announced reports whether the sender of an array of adjoints has said that the sums were not finite.
func Announced(a transport.Channel) bool { return a.Grid == none }

// Ending is the kind of the message by which a party tells that it ends the run: it has a code and no
// numbers.
const Ending = kindEnd
