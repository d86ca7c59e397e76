package session

import (
	"context"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/spill"
)

// A relay is the arrays of round trips in which sums are answered, of the parties of this process: those of
// the latest one, whose place the next one's take.
type relay struct {
	size     density.RelaySize
	exchange *density.Exchange // under way, and the algorithm's part in it
	by       density.Relayed
	up       [][][]float64         // by client of this process and membership
	scalars  [][]float64           // by client of this process
	parts    [][]transport.Channel // at the server, by sum and member, where somebody watches
	lost     []bool                // by sum
	sum      [][]float64           // by sum
	lone     []*[]float64          // by sum, what its only member sends, where that is the sum; else nil
	folded   []int                 // parts that are in sum, by sum
	tallied  int                   // and in total
	total    []float64
	down     [][]float64
	answers  []float64
	received [][][]float64 // down by client of this process and membership
}

// relaying is a round trip in which sums are answered.
var relaying = []turn{
	{down: silent, work: (*evaluator).ask, up: relayUp, take: (*evaluator).fold, after: (*evaluator).addUp},
	{down: relayDown, load: (*evaluator).loadAnswer, work: (*evaluator).hear, up: silent},
}

// Relay implements density.Relaying.
func (e *evaluator) Relay(ctx context.Context, x *density.Exchange, size density.RelaySize,
	by density.Relayed) error {
	if e.arrays == nil {
		e.arrays = newRelay(e.plan, e.clients)
	}
	r := e.arrays
	size.Over = size.Over && e.server != nil && !e.watched()
	r.resize(e.plan, size, e.clients, e.server != nil)
	r.exchange, r.by = x, by
	clear(r.lost)
	clear(r.folded)
	clear(r.total)
	r.tallied = 0
	defer e.forget(x)
	return e.meeting(ctx, &call{relay: r}, relaying, price{rounds: 1})
}

// forget leaves nothing of the arrays in the messages of an exchange, which may not come again.
func (e *evaluator) forget(x *density.Exchange) {
	for _, c := range e.clients {
		p := c.relay(x)
		for _, f := range []*frame{&p.up, &p.down} {
			for k := range f.arrays {
				f.arrays[k].Data = nil
			}
		}
		clear(e.arrays.received[c.slot])
	}
}

// newRelay is a relay of these clients, of no size.
func newRelay(plan *model.Plan, clients []*client) *relay {
	groups := len(plan.Groups)
	r := &relay{lost: make([]bool, groups), folded: make([]int, groups), sum: make([][]float64, groups),
		down: make([][]float64, groups), lone: make([]*[]float64, groups),
		received: make([][][]float64, len(clients)), scalars: make([][]float64, len(clients))}
	for _, g := range plan.Groups {
		r.parts = append(r.parts, make([]transport.Channel, len(g.Members)))
	}
	for _, c := range clients {
		var up [][]float64
		if c.party != nil {
			up = make([][]float64, len(c.role.Members))
		}
		for i := range up {
			if g := c.role.Members[i].Group; len(plan.Groups[g].Members) == 1 && !plan.Wire.Fixed {
				r.lone[g] = &up[i]
			}
		}
		r.up = append(r.up, up)
	}
	return r
}

// resize gives the arrays the lengths of a size, all numbers 0 where it is another than before: those of sums
// and answers at a server. Those that have another place are dropped before there are new ones.
func (r *relay) resize(plan *model.Plan, size density.RelaySize, clients []*client, server bool) {
	if r.size == size {
		return
	}
	if r.size.Over || size.Over { // down has the place of sums, or is to have it
		clear(r.down)
	}
	r.size = size
	dropped := 0
	r.each(plan, clients, server, func(v *[]float64, n, room int) {
		if had := cap(*v); had < room || n > 0 && had-room >= max(n, spare) {
			*v = nil
			dropped += had
		}
	})
	for k := range r.lone {
		if r.lone[k] != nil {
			r.sum[k] = nil
		}
	}
	spill.GiveBack(dropped)
	r.each(plan, clients, server, func(v *[]float64, n, room int) {
		if *v == nil {
			*v = make([]float64, n, room)
		}
		*v = (*v)[:n]
		clear(*v)
	})
	for k, v := range r.lone {
		if v != nil && server {
			r.sum[k] = *v
		}
		if size.Over {
			r.down[k] = r.sum[k][:plan.Groups[k].Len*size.Down()]
		}
	}
}

// each passes the arrays, with their lengths by the size and those that they have room for.
func (r *relay) each(plan *model.Plan, clients []*client, server bool, pass func(v *[]float64, n, room int)) {
	exactly := func(v *[]float64, n int) { pass(v, n, n) }
	columns := r.size.Columns
	if r.size.Over {
		columns = max(columns, r.size.Down())
	}
	exactly(&r.total, r.size.Scalars)
	exactly(&r.answers, r.size.Answers)
	for k, c := range clients {
		exactly(&r.scalars[k], r.size.Scalars)
		for i := range r.up[k] {
			g := c.role.Members[i].Group
			if v, n := &r.up[k][i], plan.Groups[g].Len; r.lone[g] == v {
				pass(v, n*r.size.Columns, n*columns)
			} else {
				exactly(v, n*r.size.Columns)
			}
		}
	}
	for k, g := range plan.Groups {
		if server && r.lone[k] == nil {
			pass(&r.sum[k], g.Len*r.size.Columns, g.Len*columns)
		}
		if server && !r.size.Over {
			exactly(&r.down[k], g.Len*r.size.Down())
		}
	}
}

// spare is how many numbers too many an array may have, if it is not twice too long.
const spare = 1 << 17

// Piece implements density.Relaying.
func (e *evaluator) Piece(columns int) int { return min(columns, density.Piece(Column(e.plan))) }

// Column is how many numbers all clients together send for one column of draws.
func Column(plan *model.Plan) (numbers int) {
	for _, g := range plan.Groups {
		numbers += g.Len * len(g.Members)
	}
	return numbers
}

// ask loads what a client sends.
func (e *evaluator) ask(c *client, _, up *frame) {
	r := e.relay
	vectors, scalars := r.up[c.slot], r.scalars[c.slot]
	r.by.Send(c.block, vectors, scalars)
	for i, v := range vectors[:min(len(vectors), up.vectors())] {
		up.load(i, v)
	}
	if up.hasScalars() {
		up.loadScalars(scalars)
	}
}

// fold adds what a client sent to the sums, so that its message is needed no longer, but where somebody
// watches. Clients are folded in party order.
func (e *evaluator) fold(c *client, up *frame) {
	r := e.relay
	codings := e.relayed(r.exchange)
	for i, m := range c.role.Members[:min(len(c.role.Members), up.vectors())] {
		a := &up.arrays[i]
		foldIn(r.sum[m.Group], a, codings[m.Group], r.folded[m.Group] == 0)
		r.folded[m.Group]++
		if e.watched() {
			r.parts[m.Group][m.Place] = *a
		}
	}
	if up.hasScalars() {
		foldIn(r.total, up.scalars(), e.codes.scalars, r.tallied == 0)
		r.tallied++
	}
}

// foldIn adds an array to the sum of those before it: as a number each, or as words, which unfold reads.
func foldIn(dst []float64, a *transport.Channel, c *coding, first bool) {
	switch {
	case c != nil:
		c.include(a, first)
	case first:
		copy(dst, a.Data)
	default:
		vector.Accumulate(len(dst), dst, a.Data)
	}
}

// addUp ends the sums of what the clients sent, lets the algorithm answer, and chooses the grids of the next
// round.
func (e *evaluator) addUp() {
	r := e.relay
	codings := e.relayed(r.exchange)
	for g := range r.sum {
		if r.size.Columns == 0 || codings[g] == nil {
			continue
		}
		largest, valid := codings[g].total(r.sum[g])
		r.lost[g] = !valid
		if e.told(r.exchange) {
			codings[g].follow(largest, valid)
		}
	}
	if c := e.codes.scalars; c != nil && r.tallied > 0 {
		c.total(r.total)
	}
	r.by.Answer(r.sum, r.total, r.down, r.answers)
	e.shown(r)
	for _, parts := range r.parts {
		clear(parts)
	}
}

// loadAnswer loads what the algorithm has answered.
func (e *evaluator) loadAnswer(c *client, down *frame) {
	for i, m := range c.role.Members[:min(len(c.role.Members), down.vectors())] {
		down.load(i, e.relay.down[m.Group])
		down.flag(i, e.relay.lost[m.Group])
	}
	down.loadScalars(e.relay.answers)
}

// hear gives the algorithm at a client what the server has answered.
func (e *evaluator) hear(c *client, down, _ *frame) {
	received := e.relay.received[c.slot][:0]
	for i := range down.vectors() {
		received = append(received, down.arrays[i].Data)
	}
	e.relay.received[c.slot] = received
	e.relay.by.Receive(c.block, received, down.scalars().Data)
}

// told reports whether the answer of a relay tells the grids of the next vectors.
func (e *evaluator) told(x *density.Exchange) bool {
	here := circumstances(e.plan, false)
	return slices.ContainsFunc(x.Down.Carries, func(c density.Carried) bool {
		return c.Applies(here) && c.Scale != density.Unscaled
	})
}

// relayed are the codings of the vectors that an exchange brings up, by sum.
func (e *evaluator) relayed(x *density.Exchange) []*coding { return e.codes.bySum(x.Up.Carries[0]) }

// shown shows the watcher the vectors of a relay, one evaluation after another where they are of evaluations.
func (e *evaluator) shown(r *relay) {
	if !e.watched() || r.size.Columns == 0 {
		return
	}
	x := r.exchange
	seen := e.seen(r.parts, e.relayed(x))
	if !x.Evaluations {
		e.blind(r.parts, -1, r.size.Columns)
		e.showFits(r, seen)
		return
	}
	z, none := make([][][]float64, len(r.sum)), make([][][]float64, len(r.sum))
	total, adjoint := make([][]float64, len(r.sum)), make([][]float64, len(r.sum))
	for c := range r.size.Columns {
		for g, group := range e.plan.Groups {
			column := func(v []float64) []float64 { return v[c*group.Len : (c+1)*group.Len] }
			z[g] = z[g][:0]
			for _, v := range seen[g] {
				z[g] = append(z[g], column(v))
			}
			total[g], adjoint[g] = column(r.sum[g]), column(r.down[g])
		}
		e.blind(r.parts, c, r.size.Columns)
		e.watcher.Sent(e.window, z, total)
		e.watcher.Answered(adjoint, none)
	}
}

// showFits shows it the vectors of a relay fit by fit.
func (e *evaluator) showFits(r *relay, seen [][][]float64) {
	fits := []int{0}
	if s, ok := r.by.(interface{ Fits() []int }); ok {
		fits = s.Fits()
	}
	for i, fit := range fits {
		part := func(vectors [][]float64) (out [][]float64) {
			for _, v := range vectors {
				n := len(v) / len(fits)
				out = append(out, v[i*n:(i+1)*n])
			}
			return out
		}
		var up [][][]float64
		for _, members := range seen {
			up = append(up, part(members))
		}
		e.watcher.Relayed(r.exchange, fit, r.size.Columns/len(fits), up, part(r.sum), part(r.down))
	}
}

// stretch sets the lengths of the arrays of a frame of a relay.
func (f *frame) stretch(plan *model.Plan, size density.RelaySize) {
	columns := size.Columns
	if !f.kind.up {
		columns = size.Down()
	}
	for k := range f.channels {
		switch c := &f.channels[k]; c.content.Of {
		case density.OfScalars:
			f.resize(k, size.Scalars)
		case density.OfAnswers:
			f.resize(k, size.Answers)
		case density.OfSeals:
		default:
			f.resize(k, plan.Groups[c.of].Len*columns)
		}
	}
}

// release forgets the arrays of a message, which are in the sums.
func (f *frame) release() {
	for k := range f.arrays {
		f.arrays[k].Data, f.arrays[k].Words = nil, nil
	}
}

// vectors is the number of channels that are not of scalars.
func (f *frame) vectors() (n int) {
	for k := range f.channels {
		if f.channels[k].of >= 0 {
			n++
		}
	}
	return n
}

// hasScalars reports whether a channel is of scalars.
func (f *frame) hasScalars() bool {
	k := f.scalarsAt()
	return k >= 0 && f.channels[k].content.Of == density.OfScalars
}
