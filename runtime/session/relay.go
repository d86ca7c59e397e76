package session

import (
	"context"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
)

// A relay is the arrays of one size of round trips in which sums are answered: those of the parties of this process.
type relay struct {
	size    density.RelaySize
	up      [][][]float64 // by client of this process and membership
	scalars [][]float64   // by client of this process
	parts   [][][]float64 // at the server, by sum and member
	sum     [][]float64   // by sum
	total   []float64
	down    [][]float64
	answers []float64
	byRole  [][][]float64 // down by client of this process and membership
}

// newRelay makes the arrays for clients with these roles.
func newRelay(plan *model.Plan, size density.RelaySize, roles []model.Role) *relay {
	r := &relay{size: size, total: make([]float64, size.Scalars), answers: make([]float64, size.Answers)}
	for _, g := range plan.Groups {
		r.parts, r.sum = append(r.parts, make([][]float64, len(g.Members))), append(r.sum, make([]float64, g.Len*size.Columns))
		r.down = append(r.down, make([]float64, g.Len*size.Down()))
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

// addUp adds what the clients sent, in party order, and lets the algorithm answer.
func (r *relay) addUp(scalars [][]float64, by density.Relayed) {
	if r.size.Columns > 0 {
		add(r.sum, r.parts)
	}
	clear(r.total)
	for _, s := range scalars {
		model.Add(r.total, s)
	}
	by.Answer(r.sum, r.total, r.down, r.answers)
}

// shown shows the watcher the vectors of a relay.
func (b *base) shown(x density.Exchange, r *relay) {
	if b.watcher == nil || b.muted || r.size.Columns == 0 {
		return
	}
	switch x {
	case density.Stepping: // an evaluation, of which the adjoints are the first column that comes back
		adjoints := make([][]float64, len(r.down))
		for g, v := range r.down {
			adjoints[g] = v[:len(v)/r.size.Down()]
		}
		b.watcher.Sent(b.window, r.parts)
		b.watcher.Answered(adjoints, nil)
	default:
		b.watcher.Relayed(x, r.size.Columns, r.parts, r.down)
	}
}

// price of a relay: one round trip.
func (b *base) priceOf(x density.Exchange, size density.RelaySize) price {
	p := price{rounds: 1}
	for i := range b.plan.Names[1:] {
		s := b.scriptsOf()[i]
		for _, k := range kindsOf(x) {
			s.relayed[k].resize(b.plan, size, kinds[k].up)
			p.bytes += s.relayed[k].bytes()
		}
	}
	return p
}

// resize sets the lengths of the arrays of a frame of a relay.
func (f *frame) resize(plan *model.Plan, size density.RelaySize, up bool) {
	columns := size.Columns
	if !up {
		columns = size.Down()
	}
	for k, c := range f.channels {
		switch c.Content {
		case Scalars:
			f.lens[k] = size.Scalars
		case Answer:
			f.lens[k] = size.Answers
		default:
			f.lens[k] = plan.Groups[c.of].Len * columns
		}
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

// hasScalars reports whether the last channel is of scalars.
func (f *frame) hasScalars() bool { return f.channels[len(f.channels)-1].Content == Scalars }

// scriptsOf are the scripts of all clients, made when they are first asked for.
func (b *base) scriptsOf() []*script {
	if b.allScripts == nil {
		for k := range b.plan.Names[1:] {
			b.allScripts = append(b.allScripts, newScript(b.plan, k+1))
		}
	}
	return b.allScripts
}

// Relay implements density.Relaying.
func (e *local) Relay(ctx context.Context, x density.Exchange, size density.RelaySize, by density.Relayed) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	clients := e.parties[1:]
	r := e.resized(size, func() (roles []model.Role) {
		for _, s := range clients {
			roles = append(roles, s.role)
		}
		return roles
	})
	for k, s := range clients {
		by.Send(k+1, r.up[k], r.scalars[k])
		for i, m := range s.role.Members {
			r.parts[m.Group][m.Place] = r.up[k][i]
		}
	}
	r.addUp(r.scalars, by)
	for k := range clients {
		by.Receive(k+1, r.byRole[k], r.answers)
	}
	e.shown(x, r)
	e.spend(e.priceOf(x, size))
	return nil
}

// Relay is the client's side.
func (c *client) Relay(ctx context.Context, x density.Exchange, size density.RelaySize, by density.Relayed) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	r := c.resized(size, func() []model.Role { return []model.Role{c.party.role} })
	by.Send(0, r.up[0], r.scalars[0])
	kinds := kindsOf(x)
	up, down := &c.script.relayed[kinds[0]], &c.script.relayed[kinds[1]]
	up.resize(c.plan, size, true)
	down.resize(c.plan, size, false)
	for i, v := range r.up[0] {
		if i < up.vectors() {
			up.load(i, v)
		}
	}
	if up.hasScalars() {
		*up.scalars() = r.scalars[0]
	}
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
	by.Receive(0, received, *down.scalars())
	c.measured(price{rounds: 1})
	return nil
}

// Relay is the server's side.
func (s *server) Relay(ctx context.Context, x density.Exchange, size density.RelaySize, by density.Relayed) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	r := s.resized(size, func() []model.Role { return nil })
	kinds := kindsOf(x)
	var scalars [][]float64
	for k, c := range s.scripts {
		up := &c.relayed[kinds[0]]
		up.resize(s.plan, size, true)
		if err := s.recv(ctx, s.peers[k], up); err != nil {
			return err
		}
		for i, m := range c.role.Members[:min(len(c.role.Members), up.vectors())] {
			r.parts[m.Group][m.Place] = up.arrays[i].Data
		}
		if up.hasScalars() {
			scalars = append(scalars, *up.scalars())
		}
	}
	r.addUp(scalars, by)
	for k, c := range s.scripts {
		down := &c.relayed[kinds[1]]
		down.resize(s.plan, size, false)
		for i, m := range c.role.Members {
			if i < down.vectors() {
				down.load(i, r.down[m.Group])
			}
		}
		*down.scalars() = r.answers
		if err := s.send(ctx, s.peers[k], down); err != nil {
			return err
		}
	}
	s.shown(x, r)
	s.measured(price{rounds: 1})
	return nil
}
