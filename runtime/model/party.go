package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/tape"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/spill"
)

// A Party is one party's evaluation state for one chain. It implements density.Block with every capability;
// the other methods are the phases of an evaluation, to be called in this order: Input (early), Evaluate,
// Input (others), Target, Finish. It is not safe for concurrent use.
type Party struct {
	spec    *Spec
	index   int
	role    Role
	slots   [2]*graph.Exec // each is made when it is first used
	room    *graph.Room    // of Here
	flat    bool           // log-Jacobians are left out
	variant int            // of the data
	cuts    [2][]float64   // of CutAt, where there are several
	noisy   []density.Cut  // those that cross with noise
	group   *vector.Team   // computes pieces of long loops
	seeds   [][]float64    // per graph output: cuts, then what the server shares
	held    []float64      // accumulators set aside while Pull uses them
	// cuts and the log density's derivative by them: arrays of the graph where there is one cut
	g, own     []float64
	cutLen     int // of all cuts
	auxLen     int // of those at which an auxiliary variable crosses
	early      int
	affine     bool
	sums       []int // lengths of the plan's groups
	clients    int
	shared     int // parameters that others than their owner receive
	sentTo     [][]int
	intercepts *intercepts
}

var (
	_ density.Block              = (*Party)(nil)
	_ density.DifferentiableCuts = (*Party)(nil)
	_ density.Standalone         = (*Party)(nil)
	_ density.Recentring         = (*Party)(nil)
	_ density.SeparableEffects   = (*Party)(nil)
	_ density.Intercepts         = (*Party)(nil)
)

// NewParty makes the evaluation state of the party with this index, whose Spec the plan must hold. The plan
// must have passed Verify.
func NewParty(plan *Plan, index int) *Party {
	return NewPartyIn(plan, index, graph.NewRoom(plan.Parties[index].Graph))
}

// NewRoom returns a Room for parties of the plan that one goroutine evaluates.
func NewRoom(plan *Plan, parties []int) *graph.Room {
	var graphs []*graph.Graph
	for _, i := range parties {
		if i >= 0 && i < len(plan.Parties) && plan.Parties[i] != nil {
			graphs = append(graphs, plan.Parties[i].Graph)
		}
	}
	return graph.NewRoom(graphs...)
}

// NewPartyIn is NewParty with a Room that others may use too.
func NewPartyIn(plan *Plan, index int, room *graph.Room) *Party {
	spec := plan.Parties[index]
	p := &Party{spec: spec, index: index, role: plan.Role(index), affine: true, room: room}
	p.seeds = make([][]float64, len(spec.Graph.Outputs()))
	for k, c := range spec.Cuts {
		p.cutLen += c.Len()
		p.affine = p.affine && spec.Graph.Outputs()[k].Affine
	}
	p.noisy = slices.Clone(spec.Auxiliary())
	for _, c := range p.noisy {
		p.auxLen += c.Len()
	}
	for _, m := range p.role.Members {
		if m.Cut < len(p.noisy) {
			p.noisy[m.Cut].Members = len(plan.Groups[m.Group].Members)
		}
	}
	for _, a := range p.role.Arrivals {
		if a.Early {
			p.early += a.Len
		}
	}
	for _, g := range plan.Groups {
		p.sums = append(p.sums, g.LenAt(index))
	}
	p.clients, p.shared = len(plan.Names)-1, len(plan.Shared)
	p.held = make([]float64, p.Dim()+p.early)
	if index == 0 {
		p.intercepts = newIntercepts(plan, spec)
		p.sentTo = sentTo(plan, spec)
	}
	return p
}

// Ready returns the arrays of slot Here. They are others after a Rest.
func (p *Party) Ready() *graph.Exec { return p.here() }

// Rest drops the memory of evaluations until the next one.
func (p *Party) Rest() {
	p.room.Rest()
	p.slots, p.cuts, p.g, p.own = [2]*graph.Exec{}, [2][]float64{}, nil, nil
	p.giveBack()
}

// giveBack gives memory back after the arrays of a graph were dropped.
func (p *Party) giveBack() {
	const few = 4 // numbers there are at least for each that crosses
	spill.GiveBack(few * (p.cutLen + p.Received()))
}

// begin makes the arrays of slot Here.
func (p *Party) begin() {
	e := p.newExec(p.room)
	if p.slots[density.Here] = e; p.flat {
		e.Jacobian(false)
	}
	if len(p.spec.Cuts) == 1 {
		p.g, p.own = e.Output(0), e.Own(0)
	} else {
		p.g, p.own = make([]float64, p.cutLen), make([]float64, p.cutLen)
	}
}

// Party is the party's name.
func (p *Party) Party() string { return p.spec.Party }

// Index is the party's place in the party order.
func (p *Party) Index() int { return p.index }

// Dim is the number of unconstrained parameters.
func (p *Party) Dim() int { return p.spec.Graph.Dim() }

// Cuts describes the party's cuts that cross with noise.
func (p *Party) Cuts() []density.Cut { return p.noisy }

// AuxLen is the total length of Cuts.
func (p *Party) AuxLen() int { return p.auxLen }

// Sends describes all cuts of the party, also where they cross themselves.
func (p *Party) Sends() []density.Cut { return p.spec.Cuts }

// SendLen is the total length of Sends.
func (p *Party) SendLen() int { return p.cutLen }

// Affine reports whether every cut is affine in the parameters.
func (p *Party) Affine() bool { return p.affine }

// Hierarchical reports whether the prior of a parameter depends on other parameters.
func (p *Party) Hierarchical() bool { return p.spec.Hierarchical }

// Multimodal implements density.Multimodal.
func (p *Party) Multimodal() bool { return p.spec.Mixture || p.spec.Bends || p.here().Solves() }

// Bounded implements density.Multimodal.
func (p *Party) Bounded() bool {
	return !p.spec.Interpolates && (!p.spec.Hierarchical || p.spec.Standardises)
}

// Weights lists the coordinates that are weights.
func (p *Party) Weights() []int {
	var out []int
	for _, w := range p.spec.Weights {
		for i := range w.Len() {
			out = append(out, w.Offset+i)
		}
	}
	return out
}

// StartWeights sets the weights in theta to initial values of their kinds.
func (p *Party) StartWeights(theta []float64, from density.Stream) {
	for _, w := range p.spec.Weights {
		w.Initial.Fill(w.Dims, from.Rand(), theta[w.Offset:w.Offset+w.Len()])
	}
}

// Early is the total length of the shared parameters that arrive before the cuts are evaluated, in the order
// of the plan.
func (p *Party) Early() int { return p.early }

// Params describes the reported parameters.
func (p *Party) Params() []density.Parameter { return p.spec.Params }

// Role is the party's part in the plan.
func (p *Party) Role() Role { return p.role }

// Cut evaluates the outputs at theta in a slot and copies the cuts to g (length AuxLen). Centre sees the
// shared parameters that Here last received. A party without cuts does nothing.
func (p *Party) Cut(slot density.Slot, theta, g []float64) {
	if p.auxLen > 0 {
		p.collect(p.forward(slot, theta), g)
	}
}

// CutAt is Cut that returns an array of the party's own, which it overwrites at the next evaluation in the
// slot.
func (p *Party) CutAt(slot density.Slot, theta []float64) []float64 {
	e := p.forward(slot, theta)
	if len(p.spec.Cuts) == 1 {
		return e.Output(0)
	}
	if p.cuts[slot] == nil {
		p.cuts[slot] = make([]float64, p.cutLen)
	}
	p.collect(e, p.cuts[slot])
	return p.cuts[slot]
}

// forward evaluates the outputs at theta in a slot.
func (p *Party) forward(slot density.Slot, theta []float64) *graph.Exec {
	e := p.exec(slot)
	if slot == density.Centre {
		p.copyEarly(e)
	}
	e.Forward(theta)
	return e
}

// collect copies the cuts to g.
func (p *Party) collect(e *graph.Exec, g []float64) {
	for k, c := range p.spec.Cuts {
		copy(g[c.Offset:c.Offset+c.Len()], e.Output(k))
	}
}

// Evaluate evaluates the outputs at theta in slot Here and returns the cuts, which the next evaluation
// overwrites.
func (p *Party) Evaluate(theta []float64) []float64 {
	p.here().Forward(theta)
	if p.intercepts != nil {
		copy(p.intercepts.theta, theta)
	}
	if len(p.spec.Cuts) > 1 {
		p.collect(p.here(), p.g)
	}
	return p.g
}

// Sent is the array of the cuts that Evaluate returns.
func (p *Party) Sent() []float64 {
	p.here()
	return p.g
}

func (p *Party) exec(slot density.Slot) *graph.Exec {
	if slot == density.Here {
		return p.here()
	}
	if p.slots[slot] == nil {
		// between the parts of an evaluation in the other slot
		p.slots[slot] = p.newExec(graph.NewRoom(p.spec.Graph))
	}
	return p.slots[slot]
}

func (p *Party) newExec(room *graph.Room) (e *graph.Exec) {
	if p.spec.Variants == nil {
		e = p.spec.Graph.NewExecIn(room)
	} else {
		e = p.spec.Variants.NewExecIn(room)
		e.Load(p.variant)
	}
	e.Use(p.group)
	return e
}

// Use lets helpers compute pieces of long loops over rows; nil for none. It changes no number.
func (p *Party) Use(g *vector.Team) {
	p.group = g
	for _, e := range p.slots {
		if e != nil {
			e.Use(g)
		}
	}
}

// Splits reports whether there are such loops.
func (p *Party) Splits() bool { return p.here().Splits() }

// Passes reports whether there are loops over so many data that chains on one core make them together.
func (p *Party) Passes() bool { return p.here().Passes() }

// Seed is where the seeds on the cuts may be written for Finish, of length SendLen, so that they need not be
// copied. Others with the same Room may overwrite it after that.
func (p *Party) Seed() []float64 { return p.SeedAt(density.Here) }

// SeedAt is Seed of a slot.
func (p *Party) SeedAt(slot density.Slot) []float64 {
	if s := p.exec(slot).Seed(); len(p.spec.Cuts) == 1 && s != nil {
		return s
	}
	return make([]float64, p.cutLen)
}

// Load makes the next evaluation one of a variant of the data, of which the Spec has several or, as number 0,
// its own.
func (p *Party) Load(variant int) {
	p.variant = variant
	if p.spec.Variants == nil {
		return
	}
	for _, e := range p.slots {
		if e != nil {
			e.Load(variant)
		}
	}
}

func (p *Party) copyEarly(to *graph.Exec) {
	for _, a := range p.role.Arrivals {
		if a.Early {
			copy(to.Input(a.Input), p.here().Input(a.Input))
		}
	}
}

func (p *Party) here() *graph.Exec {
	if p.slots[density.Here] == nil {
		p.begin()
	}
	return p.slots[density.Here]
}

// Pull adds Jᵀw to grad (length Dim): J is the Jacobian of the cuts by the parameters at the slot's point. It
// may be called at any time after Cut, also between Target and Finish: what the graph has accumulated for the
// log density is set aside meanwhile.
func (p *Party) Pull(slot density.Slot, w, grad []float64) {
	e := p.pull(slot, w)
	Add(grad, e.Grad())
	p.restore(e)
}

// PullEarly adds Jᵀw to early (length Early): J is the Jacobian of the cuts by the shared parameters that
// they depend on. It may be called when Pull may.
func (p *Party) PullEarly(slot density.Slot, w, early []float64) {
	e := p.pull(slot, w)
	p.AddEarly(slot, early)
	p.restore(e)
}

// pull sets aside what the slot's graph has accumulated, and leaves Jᵀw there until restore.
func (p *Party) pull(slot density.Slot, w []float64) *graph.Exec {
	e := p.exec(slot)
	p.setAside(e)
	p.seedCuts(w)
	e.Pull(p.seeds)
	return e
}

func (p *Party) setAside(e *graph.Exec) {
	held := p.held
	held = take(held, e.Grad())
	for _, a := range p.role.Arrivals {
		if a.Early {
			held = take(held, e.InputAdjoint(a.Input))
		}
	}
}

// take moves v to the front of held, leaving zeros, and returns the rest of held.
func take(held, v []float64) []float64 {
	copy(held, v)
	clear(v)
	return held[len(v):]
}

func (p *Party) restore(e *graph.Exec) {
	held := p.held[copy(e.Grad(), p.held):]
	for _, a := range p.role.Arrivals {
		if a.Early {
			held = held[copy(e.InputAdjoint(a.Input), held):]
		}
	}
}

func (p *Party) seedCuts(w []float64) {
	clear(p.seeds)
	for k, c := range p.spec.Cuts {
		p.seeds[k] = w[c.Offset : c.Offset+c.Len()]
	}
}

// AddEarly adds what the slot has accumulated for the early inputs to early.
func (p *Party) AddEarly(slot density.Slot, early []float64) {
	for _, a := range p.role.Arrivals {
		if a.Early {
			Add(early[:a.Len], p.exec(slot).InputAdjoint(a.Input))
			early = early[a.Len:]
		}
	}
}

// Add adds v to dst element by element.
func Add(dst, v []float64) { vector.Accumulate(len(v), dst, v) }

// Input is the buffer of graph input k: to be filled before Cut for early shared parameters, before Target
// for everything else.
func (p *Party) Input(k int) []float64 { return p.here().Input(k) }

// Output is the value of graph output k after Cut.
func (p *Party) Output(k int) []float64 { return p.here().Output(k) }

// Target evaluates the log density after Evaluate and the inputs. It returns the derivative of the log
// density by the cuts too (length SendLen), which the next Target overwrites.
func (p *Party) Target() (lp float64, own []float64) {
	if p.intercepts == nil {
		lp = p.here().Target()
	} else {
		lp = p.intercepts.target(p.here())
	}
	if len(p.spec.Cuts) > 1 {
		for k, c := range p.spec.Cuts {
			copy(p.own[c.Offset:], p.Own(k))
		}
	}
	return lp, p.own
}

// Own is the derivative of the log density by graph output k, after Target.
func (p *Party) Own(k int) []float64 { return p.here().Own(k) }

// InputAdjoint is the derivative of the log density by graph input k, after Target; for early inputs it is
// complete after Finish.
func (p *Party) InputAdjoint(k int) []float64 { return p.here().InputAdjoint(k) }

// Finish pulls the seeds back to the parameters and overwrites grad with the whole gradient: w on the cuts,
// and at the server shared[i] on graph output outputs[i], both with the party's own share included.
func (p *Party) Finish(w []float64, outputs []int, shared [][]float64, grad []float64) {
	if len(p.seeds) > 0 {
		p.seedCuts(w)
		for i, k := range outputs {
			p.seeds[k] = shared[i]
		}
		p.here().Pull(p.seeds)
	}
	copy(grad, p.here().Grad())
}

// Local evaluates the cuts and the party's own log density at theta with the inputs as they are. It copies
// the cuts to g and the derivative of the log density by the cuts to own (both of length AuxLen).
func (p *Party) Local(theta, g, own []float64) float64 {
	copy(g, p.Evaluate(theta))
	lp, by := p.Target()
	copy(own, by)
	return lp
}

// Gradient completes Local: grad is overwritten with the gradient of the party's own density and of the seeds
// w on the cuts, its share of outputs that others receive included.
func (p *Party) Gradient(w, grad []float64) {
	if len(p.seeds) > 0 {
		p.seedCuts(w)
		for k := len(p.spec.Cuts); k < len(p.seeds); k++ {
			p.seeds[k] = p.Own(k)
		}
		p.here().Pull(p.seeds)
	}
	copy(grad, p.here().Grad())
}

// ReceivedGradient overwrites received (length Received) with the derivative by every input, in the order of
// the graph, after Gradient.
func (p *Party) ReceivedGradient(received []float64) {
	for k, in := range p.spec.Graph.Inputs() {
		received = received[copy(received, p.InputAdjoint(k)[:in.Len]):]
	}
}

// Received is the total length of the inputs.
func (p *Party) Received() int {
	n := 0
	for _, in := range p.spec.Graph.Inputs() {
		n += in.Len
	}
	return n
}

// SetReceived sets all inputs, laid out as in ReceivedGradient.
func (p *Party) SetReceived(received []float64) {
	for k, in := range p.spec.Graph.Inputs() {
		received = received[copy(p.Input(k)[:in.Len], received):]
	}
}

// BlockRole describes what the cuts enter and what the party receives.
func (p *Party) BlockRole() density.BlockRole {
	w := density.BlockRole{Parties: p.clients + 1, Cuts: p.cutLen, Sums: p.sums, Shared: p.shared}
	for _, m := range p.role.Members {
		c := p.spec.Cuts[m.Cut]
		w.Members = append(w.Members, density.Member{Group: m.Group, Offset: c.Offset, Len: c.Len()})
	}
	var offsets []int
	at := 0
	for _, in := range p.spec.Graph.Inputs() {
		offsets = append(offsets, at)
		at += in.Len
	}
	for _, r := range p.role.Receptions {
		w.Receives = append(w.Receives, density.Member{Group: r.Group, Offset: offsets[r.Input],
			Len: p.sums[r.Group]})
	}
	return w
}

// Answer replaces the derivatives by the inputs (see InputAdjoint), laid out as in ReceivedGradient.
func (p *Party) Answer(received []float64) {
	for k := range p.spec.Graph.Inputs() {
		received = received[copy(p.InputAdjoint(k), received):]
	}
}

// Jacobian sets whether the log density counts the log-Jacobians of the maps to the parameters' supports, as
// it does at first.
func (p *Party) Jacobian(on bool) {
	p.flat = !on
	p.here().Jacobian(on)
}

// Values draws the quantities that are drawn, from the stream, and copies the reported parameters and
// quantities to dst (one after another, in the order of Params), given the θ of the last Evaluate and the
// shared parameters and sums in the inputs. A nil stream draws nothing. The error names a quantity that
// cannot be drawn.
func (p *Party) Values(dst []float64, s density.Stream) error {
	if s != nil {
		if err := p.draw(s.Rand()); err != nil {
			return err
		}
	}
	for k, v := range p.spec.Params {
		copy(dst[v.Offset:v.Offset+v.Len], p.here().Report(k))
	}
	return nil
}

func (p *Party) draw(r *rand.Rand) error {
	for _, d := range p.spec.Draws {
		var args [][]float64
		for _, k := range d.Args {
			args = append(args, p.here().Report(k))
		}
		if i := d.Draw(r, args, p.here().Input(d.Input), d.Shape); i >= 0 {
			return fmt.Errorf("%s: element %d of %s cannot be drawn from %s: an "+
				"argument is outside its domain", p.Party(), i+1, d.Name, d.Dist.Name)
		}
	}
	return nil
}

// CutCause is a differential equation without a solution, or a cut that was not finite, in the last
// evaluation; false if all were.
func (p *Party) CutCause() (density.Cause, bool) {
	switch name, why := p.here().Unsolved(); why {
	case tape.TooManySteps:
		return density.Cause{Party: p.Party(), Kind: density.StepLimit, Name: name}, true
	case tape.NotFinite:
		return density.Cause{Party: p.Party(), Kind: density.NoSolution, Name: name}, true
	}
	for k, c := range p.spec.Cuts {
		if x, bad := odd(p.Output(k)); bad {
			return density.Cause{Party: p.Party(), Kind: density.CutValue, Name: c.Name, Value: x}, true
		}
	}
	return density.Cause{}, false
}

// Cause is what was not finite in the last evaluation: a cut, a term of the log density or a part of its
// gradient; false if all was finite.
func (p *Party) Cause() (density.Cause, bool) {
	if c, bad := p.CutCause(); bad {
		return c, true
	}
	terms := p.here().TermValues()
	for k, name := range p.spec.Graph.Terms() {
		if x, bad := odd(terms[k : k+1]); bad {
			return density.Cause{Party: p.Party(), Kind: density.TermValue, Name: name, Value: x}, true
		}
	}
	for _, v := range p.spec.Graph.Params() {
		if x, bad := odd(p.here().Grad()[v.Offset : v.Offset+v.Len]); bad {
			return density.Cause{Party: p.Party(), Kind: density.GradientValue, Name: v.Name, Value: x}, true
		}
	}
	return density.Cause{}, false
}

// odd returns the first value that is not finite.
func odd(v []float64) (float64, bool) {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return x, true
		}
	}
	return 0, false
}
