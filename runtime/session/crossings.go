package session

import (
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
	return Crossing{
		Content: c.Content, Numbers: c.Content, Use: use, Kind: k.name, Channel: name, Client: client, Up: k.up, Of: c.of,
		What: d.what, Masked: d.masked, Learns: d.learns,
	}
}

// hidden is the crossing of channel i with what masks hide of it.
func (f *frame) hidden(i int, c Crossing) Crossing {
	if f.encoding(i) == transport.Masked {
		c.Masked, c.Learns = "masks, which cancel in the sum over its clients", descriptions[c.Content].total
		c.Hidden = true
	}
	return c
}

// besides name what crosses with the numbers of a channel.
var besides = map[Content]string{Mark: " (mark)", Grid: " (grid)"}

// beside is what crosses with the numbers of a channel.
func (c Crossing) beside(content Content) Crossing {
	d := descriptions[content]
	c.Channel += besides[content]
	c.Content, c.What, c.Masked, c.Learns = content, d.what, d.masked, d.learns
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
	Adjoint bool `json:"adjoint,omitempty"` // derivatives of the log likelihood by the elements of a sum
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
				one := Form{Client: plan.Names[client], Up: kinds[k].up, Kind: kinds[k].name, Channel: f.arrays[i].Name, Words: f.codings[i] != nil, Masked: f.encoding(i) == transport.Masked, Columns: k >= kindMoments, Adjoint: c.Content == Adjoint || c.Content == Whole}
				if c.of >= 0 {
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
