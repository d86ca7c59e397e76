package session

import (
	"context"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
)

// A relay is the arrays of one size of round trips in which sums are answered: those of the parties of this process.
type relay struct {
	size    density.RelaySize
	up      [][][]float64       // by client of this process and membership
	scalars [][]float64         // by client of this process
	parts   [][]transport.Array // at the server, by sum and member, where somebody watches
	lost    []bool              // by sum
	sum     [][]float64         // by sum
	folded  []int               // parts that are in sum, by sum
	tallied int                 // and in total
	kept    [][]float64         // sum, before the algorithm changes it, where somebody watches
	total   []float64
	down    [][]float64
	answers []float64
	byRole  [][][]float64 // down by client of this process and membership
}

// newRelay makes the arrays for clients with these roles.
func newRelay(plan *model.Plan, size density.RelaySize, roles []model.Role) *relay {
	r := &relay{size: size, total: make([]float64, size.Scalars), lost: make([]bool, len(plan.Groups)), folded: make([]int, len(plan.Groups)), answers: make([]float64, size.Answers)}
	for _, g := range plan.Groups {
		n := g.Len * size.Columns
		r.parts, r.sum, r.down = append(r.parts, make([]transport.Array, len(g.Members))), append(r.sum, make([]float64, n)), append(r.down, make([]float64, g.Len*size.Down()))
	}
	for _, role := range roles {
		var up, down [][]float64
		for _, m := range role.Members {
			up, down = append(up, make([]float64, plan.Groups[m.Group].Len*size.Columns)), append(down, r.down[m.Group])
		}
		r.up, r.byRole, r.scalars = append(r.up, up), append(r.byRole, down), append(r.scalars, make([]float64, size.Scalars))
	}
	return r
}

// Piece implements density.Relaying.
func (b *base) Piece(columns int) int { return min(columns, density.Piece(Column(b.plan))) }

// Column is how many numbers all clients together send for one column of draws.
func Column(plan *model.Plan) (numbers int) {
	for _, g := range plan.Groups {
		numbers += g.Len * len(g.Members)
	}
	return numbers
}

// resized is the relay of a size, made when it is first needed.
func (b *base) resized(size density.RelaySize, roles func() []model.Role) *relay {
	r := b.relays[size]
	if r == nil {
		r = newRelay(b.plan, size, roles())
		if b.relays == nil {
			b.relays = map[density.RelaySize]*relay{}
		}
		b.relays[size] = r
	}
	return r
}

// fold adds what a client sent to the sums, so that its message is needed no longer, but where somebody watches. Clients are
// folded in party order.
func (b *base) fold(x *density.Exchange, r *relay, h *sums, c *script, up *frame) {
	codings := b.relayed(x)
	for i, m := range c.role.Members[:min(len(c.role.Members), up.vectors())] {
		a := &up.arrays[i]
		foldIn(r.sum[m.Group], a, codings[m.Group], r.folded[m.Group] == 0)
		r.folded[m.Group]++
		if b.watched() {
			r.parts[m.Group][m.Place] = *a
		}
	}
	if up.hasScalars() {
		foldIn(r.total, up.scalars(), h.codes.scalars, r.tallied == 0)
		r.tallied++
	}
}

// begin forgets the sums of the round trip before.
func (r *relay) begin() {
	clear(r.lost)
	clear(r.folded)
	clear(r.total)
	r.tallied = 0
}

// foldIn adds an array to the sum of those before it: as a number each, or as words, which unfold reads.
func foldIn(dst []float64, a *transport.Array, c *coding, first bool) {
	switch {
	case c != nil:
		c.include(a, first)
	case first:
		copy(dst, a.Data)
	default:
		vector.Accumulate(len(dst), dst, a.Data)
	}
}

// addUp ends the sums of what the clients sent, lets the algorithm answer, and chooses the grids of the next round.
func (b *base) addUp(x *density.Exchange, r *relay, h *sums, by density.Relayed) {
	codings := b.relayed(x)
	for g := range r.sum {
		if r.size.Columns == 0 || codings[g] == nil {
			continue
		}
		largest, valid := codings[g].total(r.sum[g])
		r.lost[g] = !valid
		if b.told(x) {
			codings[g].follow(largest, valid)
		}
	}
	if c := h.codes.scalars; c != nil && r.tallied > 0 {
		c.total(r.total)
	}
	if b.watched() {
		r.kept = r.kept[:0]
		for _, sum := range r.sum {
			r.kept = append(r.kept, slices.Clone(sum))
		}
	}
	by.Answer(r.sum, r.total, r.down, r.answers)
}

// told reports whether the answer of a relay tells the grids of the next vectors.
func (b *base) told(x *density.Exchange) bool {
	here := circumstances(b.plan, false)
	return slices.ContainsFunc(x.Down.Carries, func(c density.Carried) bool { return c.Applies(here) && c.Scale != density.Unscaled })
}

// relayed are the codings of the vectors that an exchange brings up, by sum.
func (b *base) relayed(x *density.Exchange) []*coding { return b.codes.bySum(x.Up.Carries[0]) }

// shown shows the watcher the vectors of a relay, one evaluation after another where they are of evaluations.
func (b *base) shown(x *density.Exchange, r *relay) {
	if !b.watched() || r.size.Columns == 0 {
		return
	}
	seen := b.seen(r.parts, b.relayed(x))
	if !x.Evaluations {
		b.blind(r.parts, -1, r.size.Columns)
		b.watcher.Relayed(x, r.size.Columns, seen, r.kept, r.down)
		return
	}
	z, none := make([][][]float64, len(r.kept)), make([][][]float64, len(r.kept))
	total, adjoint := make([][]float64, len(r.kept)), make([][]float64, len(r.kept))
	for c := range r.size.Columns {
		for g, group := range b.plan.Groups {
			column := func(v []float64) []float64 { return v[c*group.Len : (c+1)*group.Len] }
			z[g] = z[g][:0]
			for _, v := range seen[g] {
				z[g] = append(z[g], column(v))
			}
			total[g], adjoint[g] = column(r.kept[g]), column(r.down[g])
		}
		b.blind(r.parts, c, r.size.Columns)
		b.watcher.Sent(b.window, z, total)
		b.watcher.Answered(adjoint, none)
	}
}

// price of a relay: one round trip.
func (b *base) priceOf(x *density.Exchange, size density.RelaySize) price {
	p := price{rounds: 1}
	for i := range b.plan.Names[1:] {
		m := b.scriptsOf()[i].relay(x)
		m.up.resize(b.plan, size)
		m.down.resize(b.plan, size)
		p.bytes += payload(&m.up, &m.down)
	}
	return p
}

// resize sets the lengths of the arrays of a frame of a relay.
func (f *frame) resize(plan *model.Plan, size density.RelaySize) {
	columns := size.Columns
	if !f.kind.up {
		columns = size.Down()
	}
	for k, c := range f.channels {
		switch c.content.Of {
		case density.OfScalars:
			f.lens[k] = size.Scalars
		case density.OfAnswers:
			f.lens[k] = size.Answers
		case density.OfSeals:
		default:
			f.lens[k] = plan.Groups[c.of].Len * columns
		}
	}
}

// loadRelay loads what a client sends.
func (s *script) loadRelay(plan *model.Plan, x *density.Exchange, size density.RelaySize, vectors [][]float64, scalars []float64) *frame {
	up := &s.relay(x).up
	up.resize(plan, size)
	for i, v := range vectors[:min(len(vectors), up.vectors())] {
		up.load(i, v)
	}
	if up.hasScalars() {
		up.loadScalars(scalars)
	}
	return up
}

// release forgets the arrays of a message, which are in the sums.
func (f *frame) release() {
	for k := range f.arrays {
		f.arrays[k].Data, f.arrays[k].Words = nil, nil
	}
}

// vectors is the number of channels that are not of scalars.
func (f *frame) vectors() (n int) {
	for _, c := range f.channels {
		if c.of >= 0 {
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

// scriptsOf are the scripts of all clients with numbers as they are, for prices, made when they are first asked for.
func (b *base) scriptsOf() []*script {
	if b.allScripts == nil {
		b.allScripts = plainScripts(b.plan)
	}
	return b.allScripts
}

// Relay implements density.Relaying.
func (e *local) Relay(ctx context.Context, x *density.Exchange, size density.RelaySize, by density.Relayed) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	clients := e.parties[1:]
	r := e.resized(size, func() (roles []model.Role) {
		for _, s := range clients {
			roles = append(roles, s.role)
		}
		return roles
	})
	r.begin()
	for k := range clients {
		by.Send(k+1, r.up[k], r.scalars[k])
		up, err := e.post(k, e.scripts[k].loadRelay(e.plan, x, size, r.up[k], r.scalars[k]))
		if err != nil {
			return err
		}
		e.fold(x, r, e.sums, e.scripts[k], up)
	}
	e.addUp(x, r, e.sums, by)
	for k := range clients {
		by.Receive(k+1, r.byRole[k], r.answers)
	}
	e.shown(x, r)
	e.spend(e.priceOf(x, size))
	return nil
}

// Relay is the client's side.
func (c *client) Relay(ctx context.Context, x *density.Exchange, size density.RelaySize, by density.Relayed) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	r := c.resized(size, func() []model.Role { return []model.Role{c.party.role} })
	by.Send(0, r.up[0], r.scalars[0])
	up, down := c.script.loadRelay(c.plan, x, size, r.up[0], r.scalars[0]), &c.script.relay(x).down
	down.resize(c.plan, size)
	if err := c.send(ctx, c.server, up); err != nil {
		return err
	}
	if err := c.recv(ctx, c.server, down); err != nil {
		return err
	}
	received := r.byRole[0][:0]
	for i := range down.arrays[:down.vectors()] {
		received = append(received, down.arrays[i].Data)
	}
	by.Receive(0, received, down.scalars().Data)
	c.measured(price{rounds: 1})
	return nil
}

// Relay is the server's side.
func (s *server) Relay(ctx context.Context, x *density.Exchange, size density.RelaySize, by density.Relayed) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	r := s.resized(size, func() []model.Role { return nil })
	r.begin()
	for k, c := range s.scripts {
		up := &c.relay(x).up
		up.resize(s.plan, size)
		if err := s.recv(ctx, s.peers[k], up); err != nil {
			return err
		}
		s.fold(x, r, s.sums, c, up)
		up.release()
	}
	s.addUp(x, r, s.sums, by)
	s.shown(x, r)
	for _, parts := range r.parts {
		clear(parts)
	}
	for k, c := range s.scripts {
		down := &c.relay(x).down
		down.resize(s.plan, size)
		for i, m := range c.role.Members {
			if i < down.vectors() {
				down.load(i, r.down[m.Group])
				down.flag(i, r.lost[m.Group])
			}
		}
		down.loadScalars(r.answers)
		if err := s.send(ctx, s.peers[k], down); err != nil {
			return err
		}
	}
	s.measured(price{rounds: 1})
	return nil
}
