// Package session evaluates the joint density of a plan for inference algorithms: it is their density.Env. NewLocal loops over all parties, in one
// goroutine or with helpers (Chains.Spread); NewRemote is one party that meets the others over a transport. Both do the same arithmetic in the same order, so an
// algorithm gets the same bits from either.
//
// One evaluation. Server and clients exchange, client by client, the messages of a script that follows from the plan (script.go) and the table of kinds (kinds.go):
//
//	early    ↓ shared parameters that cuts depend on
//	aux      ↑ z of each cut, or the cuts themselves, and scalars to be added up first
//	reply    ↓ the other shared parameters; power: the sums, else their adjoints; totals of the scalars
//	partial  ↑ power: adjoints of the received sums, gradients of shared parameters
//	whole    ↓ power: adjoints of the sums, added over all receivers
//	trailing ↑ gradients of shared parameters that were not sent yet
//
// A draw that is kept takes two: values ↓ the shared parameters, drawn ↑ what generated quantities of the server read.
//
// Where it follows from the totals of the scalars that the evaluation is not wanted, it ends with the reply, whose adjoints then are those of the
// evaluation before.
//
// Where the plan's wire is fixed, what is added up travels as words (coding.go), and with masks as masked ones (masks.go).
//
// A sum s = Σ z (z is the cut itself where that crosses) and the adjoints of its receivers are added in party order; a receiver that is a member subtracts its own share, in one process as
// in many. A message that the script does not expect ends the run with an error at both ends.
package session

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/rng"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/workers"
)

// Keys are the sources of the random streams. A party of a deployment holds its own private key and no other.
type Keys struct {
	Shared  rng.Key
	Private map[string]rng.Key // by party name
	// ID is that of the run and its resumption, the same at all parties. Masks are made for it: no two sessions of these parties may have the same.
	ID transport.ID
	// Agreed is the digest of all that a client was told before the session, which the others were told too. Clients compare it as what they receive later, and their masks follow from it.
	Agreed [sha256.Size]byte
	Masks  *MaskKeys // nil where there are fewer than two clients, or where they are not apart and nothing is masked
}

// SimulatedKeys derives the keys of all named parties from a seed, for runs where one process plays every party. Two runs with one seed have one ID, and so the same masks: what
// passes inside a process is hidden from nobody.
func SimulatedKeys(seed uint64, names []string) Keys {
	k := Keys{Shared: rng.SharedKey(seed), Private: map[string]rng.Key{}}
	run := sha256.Sum256(append([]byte("vflc simulated run "), k.Shared[:]...))
	copy(k.ID.Run[:], run[:])
	for _, name := range names {
		k.Private[name] = rng.SimulatedKey(seed, name)
	}
	return k
}

// WithMasks returns the keys with those for masks and seals, derived from the private ones of all parties, where the plan has two clients or more and there are none.
func (k Keys) WithMasks(plan *model.Plan) (Keys, error) {
	if len(plan.Names) <= 2 || k.Masks != nil {
		return k, nil
	}
	var err error
	k.Masks, err = simulatedMaskKeys(plan.Names, k.Private)
	return k, err
}

// Only returns the keys as one party holds them.
func (k Keys) Only(name string) Keys {
	return Keys{Shared: k.Shared, Private: map[string]rng.Key{name: k.Private[name]}, ID: k.ID, Agreed: k.Agreed, Masks: k.Masks.only(name)}
}

// A KeyError is the error where a party of this process has no private key.
type KeyError struct{ Party string }

func (e *KeyError) Error() string { return fmt.Sprintf("session: no private key for %q", e.Party) }

// capable is an Env with every capability, as all of this package are.
type capable interface {
	density.Env
	density.Pipelined
	density.Totaler
	density.LocallyStepped
	density.Windowed
	density.Relaying
	density.Spreading
	density.Chained
}

var (
	_ capable = (*local)(nil)
	_ capable = (*client)(nil)
	_ capable = (*server)(nil)
)

// base is what both kinds of Env have in common: the blocks of this process and the random streams.
type base struct {
	watching
	plan    *model.Plan
	parties []*partyState
	blocks  []density.Block
	keys    Keys
	cost    cost
	codes   *codes
	*common
	parts      []part
	relays     map[density.RelaySize]*relay
	allScripts []*script
	group      *workers.Group // nil: no helpers
	runs       []run          // of the clients of this process
	beside     blocks
}

// A common is what an Env shares with those of its windows.
type common struct {
	work  density.Work
	id    transport.ID
	round uint64 // exchanges begun, counted alike at all parties
	grids *grids
	masks []*masker // by party; nil where nothing is masked, and for parties that are not of this process
}

func newCommon(plan *model.Plan, keys Keys) *common {
	return &common{id: keys.ID, grids: newGrids(plan), masks: make([]*masker, len(plan.Names))}
}

// A part is a window: its Env, which others may share, with the number of its data there, and its rows.
type part struct {
	env     density.Env
	variant int
	rows    []int
}

// divide makes the windows of the plan, given how the Env of one is made.
func (b *base) divide(with func(*model.Plan) (density.Env, error)) error {
	made := map[*model.Plan]density.Env{}
	for _, w := range b.plan.Windows {
		if made[w.Plan] == nil {
			env, err := with(w.Plan)
			if err != nil {
				return err
			}
			made[w.Plan] = env
		}
		b.parts = append(b.parts, part{made[w.Plan], w.Variant, w.Rows})
	}
	return nil
}

// Windows is into how many windows the rows are divided, 0 for none.
func (b *base) Windows() int { return len(b.parts) }

// Window returns the Env of window k and its rows.
func (b *base) Window(k int) (density.Env, []int) { return b.parts[k].env, b.parts[k].rows }

// Turn makes the Env of window k evaluate that window from now on.
func (b *base) Turn(k int) {
	p := &b.parts[k]
	in := of(p.env)
	in.window = k
	for _, s := range in.parties {
		s.Load(p.variant)
	}
}

// newBase makes the state of each of the parties given by index, for evaluations that are spread over so many helpers. The plan must have passed Verify.
func newBase(plan *model.Plan, keys Keys, shared *common, helpers int, parties ...int) (base, error) {
	b := base{plan: plan, keys: keys, common: shared, codes: newCodes(plan, shared.grids)}
	if len(parties) > 1 {
		b.runs = runsOf(plan, parties, helpers)
	}
	var room *graph.Room
	var adj []float64
	for k, i := range parties {
		if to := b.begins(k, len(parties)); to > 0 {
			room, adj = model.NewRoom(plan, parties[k:to]), nil
		}
		if i < 0 || i >= len(plan.Parties) || plan.Parties[i] == nil {
			return b, &model.WiringError{Where: fmt.Sprintf("party %d", i), What: "its program is not loaded"}
		}
		if _, ok := keys.Private[plan.Names[i]]; !ok {
			return b, &KeyError{plan.Names[i]}
		}
		s := newPartyState(plan, i, room, &adj)
		b.parties = append(b.parties, s)
		b.blocks = append(b.blocks, s.Party)
	}
	b.cost = newCost(plan)
	return b, nil
}

// begins returns the end of the parties that share memory with the k-th, of n in this process, where it is the first of them, else 0: those of a run, and with the
// first of them the server.
func (b *base) begins(k, n int) int {
	if k == 0 && len(b.runs) == 0 {
		return n
	}
	for i, r := range b.runs {
		if k == r.from && i > 0 || k == 0 && i == 0 {
			return r.to
		}
	}
	return 0
}

// use gives evaluations helpers, nil for none, those of windows too.
func (b *base) use(g *workers.Group) {
	b.group = g
	b.lent(g)
	for _, p := range b.parts {
		of(p.env).use(g)
	}
}

// splits reports whether helpers would have anything to do.
func (b *base) splits() bool {
	return len(b.runs) > 1 || slices.ContainsFunc(b.parties, func(s *partyState) bool { return s.Splits() }) ||
		slices.ContainsFunc(b.parts, func(p part) bool { return of(p.env).splits() })
}

// passes reports whether a loop reads so many data that chains on one core make it together.
func (b *base) passes() bool {
	return slices.ContainsFunc(b.parties, func(s *partyState) bool { return s.Passes() })
}

// mustHaveAuxiliaries panics where the cuts themselves cross: an algorithm then has nothing to choose at them, and sees none.
func (b *base) mustHaveAuxiliaries() {
	if b.plan.Exact {
		panic("session: the cuts themselves cross, and this exchange is about auxiliary variables")
	}
}

// Number implements density.Chained.
func (b *base) Number(chain int) { b.id.Chain = uint32(chain) }

// Remember implements density.Chained: what is remembered are the grids.
func (b *base) Remember(to []int) []int {
	to = to[:0]
	if !b.plan.Wire.Fixed {
		return to
	}
	for _, v := range b.grids.all() {
		for _, g := range *v {
			to = append(to, int(g.exponent))
		}
	}
	return to
}

// Recall implements density.Chained.
func (b *base) Recall(from []int) {
	for _, v := range b.grids.all() {
		for k := range *v {
			if len(from) > 0 {
				(*v)[k].exponent, from = int16(from[0]), from[1:]
			}
		}
	}
}

// Blocks are the parties of this process.
func (b *base) Blocks() []density.Block { return b.blocks }

// ReadsAuxiliaries reports whether a generated quantity of the server depends on auxiliary variables.
func (b *base) ReadsAuxiliaries() bool {
	return !b.plan.Exact && slices.ContainsFunc(b.plan.Groups, func(g model.Group) bool { return len(g.Quantities) > 0 })
}

// Augmented reports whether a cut crosses with noise.
func (b *base) Augmented() bool { return !b.plan.Exact && len(b.plan.Groups) > 0 }

// Work counts evaluations and messages since the start.
func (b *base) Work() *density.Work { return &b.work }

// Shared returns the stream of this name that all parties have in common, at its start.
func (b *base) Shared(name string) density.Stream { return rng.New(b.keys.Shared, name) }

// Private returns the stream of this name of block i, at its start.
func (b *base) Private(i int, name string) density.Stream {
	return rng.New(b.keys.Private[b.parties[i].Party.Party()], name)
}

// Cause is what was not finite in the last Density, at the first party of this process where something was not. A cut comes before densities, which
// it makes not finite elsewhere.
func (b *base) Cause() density.Cause {
	for _, s := range b.parties {
		if c, bad := s.CutCause(); bad {
			return c
		}
	}
	for _, s := range b.parties {
		if c, bad := s.Cause(); bad {
			return c
		}
	}
	return density.Cause{}
}
