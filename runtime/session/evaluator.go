package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
)

// capable is an Env with every capability, as those of this package are.
type capable interface {
	density.Env
	density.Pipelined
	density.LocallyStepped
	density.Windowed
	density.Relaying
	density.ByteRelaying
	density.Spreading
	density.Chained
	Watchable
}

var _ capable = (*evaluator)(nil)

// An evaluator is the Env over the parties of a process: over all of them, or over one that meets the others
// over a transport. Its executor is all that differs.
type evaluator struct {
	watching
	call
	*common
	executor executor
	plan     *model.Plan
	parties  []*partyState
	blocks   []density.Block
	server   *partyState // nil where it is elsewhere
	sums     *sums       // with the server
	// those of this process; where the server is alone in it, those that it is connected to
	clients []*client
	keys    Keys
	cost    cost
	codes   *codes
	parts   []part
	arrays  *relay // of round trips in which sums are answered; nil before the first
	draw    density.Draw
	group   *vector.Team // nil: no helpers
	runs    []run        // of the clients of this process
	beside  blocks
	alone   bool // the server is the only party: nothing crosses
}

// A client is what a process has of one: its role, the script with it and, where it is of this process, the
// party.
type client struct {
	party  *partyState // nil where it is elsewhere
	block  int         // of this process
	number int         // in party order
	slot   int         // in evaluator.clients
	lost   bool        // a sum in which it has part was lost in this evaluation
	role   model.Role
	*script
}

// A call is what an algorithm has asked for.
type call struct {
	in, out [][]float64 // by block: points and gradients, or centres and their totals
	lp      []float64
	by      algorithm
	part    [][]float64 // scalars that are added up, by block
	total   []float64
	wants   func() bool // whether the evaluation is wanted, by the total; nil: it is
	wanted  bool
	// contributions of this evaluation were sent twice
	repeated bool
	relay    *relay
	bytes    *cargo
}

// A common is what an Env shares with those of its windows.
type common struct {
	work  density.Work
	id    transport.ChainID
	round uint64 // exchanges begun, counted alike at all parties
	grids *grids
	masks []*masker // by party; nil where nothing is masked, and for parties that are not of this process
}

func newCommon(plan *model.Plan, keys Keys) *common {
	return &common{id: keys.ID, grids: newGrids(plan), masks: make([]*masker, len(plan.Names))}
}

// A part is a window: its Env, which others may share, with the number of its data there, and its rows.
type part struct {
	env     *evaluator
	variant int
	rows    []int
}

// newEvaluator makes the Env of the parties given by index, with those of its windows, over the wire or,
// where that is nil, in a loop that is spread over so many helpers. The plan must have passed Verify.
func newEvaluator(plan *model.Plan, keys Keys, shared *common, over *wire, helpers int,
	parties ...int) (*evaluator, error) {
	e, err := newWhole(plan, keys, shared, over, helpers, parties)
	if err != nil {
		return nil, err
	}
	if over != nil {
		over.clients = e.clients
	}
	made := map[*model.Plan]*evaluator{}
	for _, w := range plan.Windows {
		if made[w.Plan] == nil {
			if made[w.Plan], err = newWhole(w.Plan, keys, shared, over, helpers, parties); err != nil {
				return nil, err
			}
		}
		e.parts = append(e.parts, part{made[w.Plan], w.Variant, w.Rows})
	}
	return e, nil
}

// newWhole is newEvaluator without windows.
func newWhole(plan *model.Plan, keys Keys, shared *common, over *wire, helpers int,
	parties []int) (*evaluator, error) {
	e := &evaluator{plan: plan, keys: keys, common: shared, codes: newCodes(plan, shared.grids),
		cost: newCost(plan)}
	e.executor = over
	if over == nil {
		e.executor = &loop{e: e}
		e.alone = len(plan.Names) == 1 && len(plan.Groups) == 0 && len(plan.Shared) == 0
	}
	if len(parties) > 1 {
		e.runs = runsOf(plan, parties, helpers)
	}
	if err := e.people(parties); err != nil {
		return nil, err
	}
	if e.server == nil {
		e.meet(parties[0])
		return e, nil
	}
	e.sums = newSums(plan, e.codes)
	e.sums.of, e.sums.inTurn = e, len(e.runs) < 2 && !plan.Wire.Fixed
	for k := range plan.Names[1:] {
		e.meet(k + 1)
	}
	for g, group := range plan.Groups {
		if e.readsSum(g) == nil {
			e.sums.total[g], e.sums.adjoint[g] = make([]float64, group.Len), make([]float64, group.Len)
		}
	}
	return e, nil
}

// readsSum is the party of this process that alone receives a sum, which is added up where that reads it; nil
// where it is not so.
func (e *evaluator) readsSum(g int) *partyState {
	group := e.plan.Groups[g]
	r := group.Receivers
	if !e.Apart() && len(r) == 1 && group.At == nil && !e.parties[r[0].Party].isMember(g) {
		return e.parties[r[0].Party]
	}
	return nil
}

// wake takes the arrays of the parties' graphs.
func (e *evaluator) wake() {
	woken := false
	for _, s := range e.parties {
		woken = s.wake() || woken
	}
	if !woken || e.server == nil {
		return
	}
	for g, group := range e.plan.Groups {
		if s := e.readsSum(g); s != nil {
			in := group.Receivers[0].Index
			e.sums.total[g], e.sums.adjoint[g] = s.Input(in), s.InputAdjoint(in)
		}
	}
}

// Rest drops the memory of evaluations until the next one.
func (e *evaluator) Rest() {
	for _, s := range e.parties {
		s.rest()
	}
	for g := range e.plan.Groups {
		if e.server != nil && e.readsSum(g) != nil {
			e.sums.total[g], e.sums.adjoint[g] = nil, nil
		}
	}
}

// people makes the state of each party of this process.
func (e *evaluator) people(parties []int) error {
	var room *graph.Room
	var adj []float64
	for k, i := range parties {
		if to := e.begins(k, len(parties)); to > 0 {
			room, adj = model.NewRoom(e.plan, parties[k:to]), nil
		}
		if i < 0 || i >= len(e.plan.Parties) || e.plan.Parties[i] == nil {
			return &model.WiringError{Where: fmt.Sprintf("party %d", i), What: "its program is not loaded"}
		}
		if _, ok := e.keys.Private[e.plan.Names[i]]; !ok {
			return &KeyError{e.plan.Names[i]}
		}
		s := newPartyState(e.plan, i, room, &adj)
		e.parties = append(e.parties, s)
		e.blocks = append(e.blocks, s.Party)
		if i == 0 {
			e.server = s
		}
	}
	return nil
}

// meet makes the script with a client, or takes that of the one before it. In a run clients follow one
// another, and a message of one is done with before the next has its own: those that exchange the same
// channels share the frames, which then stay near. Words are not shared: they are added up when all clients
// have written theirs.
func (e *evaluator) meet(number int) {
	c := &client{number: number, slot: len(e.clients), role: e.plan.Role(number)}
	if follows := c.slot > 0 && !e.Apart() && e.begins(number, len(e.parties)) == 0; follows &&
		!e.plan.Wire.Fixed && !e.plan.Wire.Encrypted && alike(e.clients[c.slot-1].role, c.role) {
		c.script = e.clients[c.slot-1].script
	} else {
		c.script = newScript(e.plan, number, e.codes)
	}
	for b, s := range e.parties {
		if s.Index() == number {
			c.party, c.block = s, b
		}
	}
	e.clients = append(e.clients, c)
}

// begins returns the end of the parties that share memory with the k-th, of n in this process, where it is
// the first of them, else 0: those of a run, and with the first of them the server.
func (e *evaluator) begins(k, n int) int {
	if k == 0 && len(e.runs) == 0 {
		return n
	}
	for i, r := range e.runs {
		if k == r.from && i > 0 || k == 0 && i == 0 {
			return r.to
		}
	}
	return 0
}

// Windows is into how many windows the rows are divided, 0 for none.
func (e *evaluator) Windows() int { return len(e.parts) }

// Window returns the Env of window k and its rows.
func (e *evaluator) Window(k int) (density.Env, []int) { return e.parts[k].env, e.parts[k].rows }

// Turn makes the Env of window k evaluate that window from now on.
func (e *evaluator) Turn(k int) {
	p := &e.parts[k]
	p.env.window = k
	for _, s := range p.env.parties {
		s.Load(p.variant)
	}
}

// use gives evaluations helpers, nil for none, those of windows too.
func (e *evaluator) use(g *vector.Team) {
	e.group = g
	e.lent(g)
	for _, p := range e.parts {
		p.env.use(g)
	}
}

// splits reports whether helpers would have anything to do.
func (e *evaluator) splits() bool {
	return len(e.runs) > 1 || slices.ContainsFunc(e.parties, func(s *partyState) bool {
		return s.Splits()
	}) ||
		slices.ContainsFunc(e.parts, func(p part) bool { return p.env.splits() })
}

// passes reports whether a loop reads so many data that chains on one core make it together.
func (e *evaluator) passes() bool {
	return slices.ContainsFunc(e.parties, func(s *partyState) bool { return s.Passes() })
}

// mustHaveAuxiliaries panics where the cuts themselves cross: an algorithm then has nothing to choose at
// them, and sees none.
func (e *evaluator) mustHaveAuxiliaries() {
	if e.plan.Exact {
		panic("session: the cuts themselves cross, and this exchange is about auxiliary variables")
	}
}

// Apart reports whether other parties are in other processes.
func (e *evaluator) Apart() bool { return e.executor.apart() }

// Number implements density.Chained.
func (e *evaluator) Number(chain int) { e.id.Chain = uint32(chain) }

// Remember implements density.Chained: what is remembered are the grids.
func (e *evaluator) Remember(to []int) []int {
	to = to[:0]
	if !e.plan.Wire.Fixed {
		return to
	}
	for _, v := range e.grids.all() {
		for _, g := range *v {
			to = append(to, int(g.exponent), int(g.size), int(g.room))
		}
	}
	return to
}

// Recall implements density.Chained.
func (e *evaluator) Recall(from []int) {
	for _, v := range e.grids.all() {
		for k := range *v {
			if len(from) > 2 {
				(*v)[k] = grid{int16(from[0]), uint8(from[1]), room(from[2])}
				from = from[3:]
			}
		}
	}
}

// Blocks are the parties of this process.
func (e *evaluator) Blocks() []density.Block { return e.blocks }

// ReadsAuxiliaries reports whether a generated quantity of the server depends on auxiliary variables.
func (e *evaluator) ReadsAuxiliaries() bool {
	return !e.plan.Exact && slices.ContainsFunc(e.plan.Groups, func(g model.Group) bool {
		return len(g.Quantities) > 0
	})
}

// Augmented implements density.Augmented.
func (e *evaluator) Augmented() bool { return !e.plan.Exact && len(e.plan.Groups) > 0 }

// Work counts evaluations and messages since the start.
func (e *evaluator) Work() *density.Work { return &e.work }

// Shared returns the stream of this name that all parties have in common, at its start.
func (e *evaluator) Shared(name string) density.Stream {
	return vector.NewGenerator(e.keys.Shared, name)
}

// Private returns the stream of this name of block i, at its start.
func (e *evaluator) Private(i int, name string) density.Stream {
	return vector.NewGenerator(e.keys.Private[e.parties[i].Party.Party()], name)
}

// Cause is what was not finite in the last Density, at the first party of this process where something was
// not. A cut comes before densities, which it makes not finite elsewhere.
func (e *evaluator) Cause() density.Cause {
	for _, s := range e.parties {
		if c, bad := s.CutCause(); bad {
			return c
		}
	}
	for _, s := range e.parties {
		if c, bad := s.Cause(); bad {
			return c
		}
	}
	return density.Cause{}
}

// begin starts the next exchange.
func (e *evaluator) begin(ctx context.Context, c *call) error {
	if err := e.executor.ready(ctx); err != nil {
		return err
	}
	e.round++
	if e.call = *c; c.relay == nil && c.bytes == nil {
		e.wake()
	}
	e.wanted = true
	return nil
}

// exchange carries out turns, until the evaluation is not wanted.
func (e *evaluator) exchange(ctx context.Context, turns []turn) error {
	for k := range turns {
		err := e.executor.turn(ctx, e, &turns[k])
		if err != nil || !e.wanted && turns[k].when == nil { // else the reply tells so
			return err
		}
	}
	return nil
}
