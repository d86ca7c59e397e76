package sfvi

import (
	"context"
	"errors"
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	vec "github.com/vflc/vflc/runtime/vector"
)

// With local steps every party moves several times between two round trips, each time along the gradient at a
// draw of its own. Of what the others compute a client knows the adjoint a at the z₀ that it sent, and the
// curvature w of the likelihood there. Beyond the first step it takes
//
//	a − w (z − z̄) − J w (z̄ − z̄₀)
//
// for the adjoint at z, with z̄ the value of z without noise. Its noise is independent of that of z₀, so that
// the mean of the first two terms is the mean of the adjoint, and by Stein's identity their product with the
// noise has the mean that it has with the adjoint: means and spread of q tend to where they do with one step.
// The third term keeps J clients that move at once from going too far, since (Σδ_j)² ≤ J Σδ_j². The server
// sees its own likelihood, at the sum that it received.
type stepping struct {
	steps   int
	missed  []float64 // by block: local steps whose gradient was not finite
	answers [2]float64
	// moved, above and below are what the server receives, and its adjoints, where the curvature is measured.
	moved, above, below []float64
}

// A place is what a party keeps to evaluate its own density by itself.
type place struct {
	block          density.Standalone
	role           density.BlockRole
	g, z, own      []float64 // z is g where there is one step and no noise
	w              []float64 // at the server, and with several steps
	adj, curve     []float64 // a and w, these and what follows with several steps alone
	centre, begun  []float64 // z̄ and z̄₀
	clients        []float64 // J
	received, back []float64
}

// unplaced is the reason why a block's density cannot be evaluated without the others; nil where it can.
func unplaced(b density.Block, s backends.Settings) error {
	w, err := density.RequireOf[density.Standalone](b)
	if err != nil {
		return err
	}
	at := w.BlockRole()
	switch {
	case s.Transform.AtClients():
		return errors.New("the clients evaluate the likelihood")
	case s.Int(minibatch) > 0:
		return fmt.Errorf("--%s moves guides of other rows in every round", minibatch)
	case at.Parties == 1:
		return errors.New("there is no client, and so nothing between two steps")
	case at.Shared > 0:
		return fmt.Errorf("%s: parties share parameters", b.Party())
	case b.Index() > 0 && len(at.Receives) > 0:
		return fmt.Errorf("%s: its density depends on what others send", b.Party())
	}
	return nil
}

// place prepares what needs densities of single parties: local steps, which are refused where they are asked
// for and not possible, and many draws in one message.
func (k *kernel) place() error {
	steps := k.settings.Int(localSteps)
	for _, b := range k.env.Blocks() {
		err := unplaced(b, k.settings)
		if err != nil && steps > 1 {
			return &backends.Refusal{Code: diag.NoLocalSteps, Err: fmt.Errorf("--%s %d: %w", localSteps,
				steps, err), Out: fmt.Sprintf("--%s 1", localSteps)}
		}
		if err != nil {
			return nil
		}
	}
	relay, ok := density.As[density.Relaying](k.env)
	if !ok {
		return nil
	}
	k.relay = relay
	for b, block := range k.env.Blocks() {
		block := block.(density.Standalone)
		w := block.BlockRole()
		at := &place{
			block: block, role: w, g: make([]float64, w.Cuts), own: make([]float64, w.Cuts),
			received: make([]float64, block.Received()), back: make([]float64, block.Received()),
		}
		if at.z = at.g; steps > 1 || k.parties[b].guide != nil {
			at.z = make([]float64, w.Cuts)
		}
		if steps > 1 || block.Index() == 0 {
			at.w = make([]float64, w.Cuts)
		}
		if steps > 1 {
			for _, v := range []*[]float64{&at.adj, &at.curve, &at.centre, &at.begun, &at.clients} {
				*v = make([]float64, w.Cuts)
			}
		}
		k.places = append(k.places, at)
	}
	if steps > 1 {
		k.stepping = &stepping{steps: steps, missed: make([]float64, len(k.parties))}
		if server := k.places[0]; server.block.Index() == 0 {
			n := len(server.received)
			v := make([]float64, 3*n)
			k.stepping.moved, k.stepping.above, k.stepping.below = v[:n:n], v[n:2*n:2*n], v[2*n:]
		}
	}
	return nil
}

// firstLocal is the round of noise of the first draw that is not sent.
const firstLocal = 1 << 40

// takeSteps is an iteration with local steps: one round trip.
func (k *kernel) takeSteps(ctx context.Context) (ok bool, err error) {
	k.selectView(allRows)
	k.iterationView, k.nextEvaluated = allRows, false
	st := k.stepping
	k.round = uint64(k.iter)
	columns := 0
	for _, p := range k.places {
		columns = max(columns, len(p.role.Sums))
	}
	size := density.RelaySize{Columns: 1, Back: 1, Scalars: 2 + columns, Answers: 2 + columns}
	if err := k.relay.Relay(ctx, steppingExchange, size, stepped{k}); err != nil {
		return false, err
	}
	k.env.Work().Gradients += int64(st.steps)
	clear(st.missed)
	ratio, missed := st.answers[0], st.answers[1]
	k.bad += int(missed)
	if !finite(ratio) {
		return false, nil
	}
	for b, p := range k.parties {
		for i := range st.steps {
			if i > 0 {
				k.settleHere(b, k.places[b].centre)
				k.drawHere(b, firstLocal+uint64(k.iter*2*((st.steps+1)/2)+i-1))
			}
			if !k.slopeHere(b, i > 0) {
				st.missed[b]++
				continue
			}
			if i == 0 && k.closing(k.iter) {
				copy(p.last.slope, p.own.grad)
			}
			p.own.ascend(k.rate())
			p.vars.ascendLater(k.rate())
		}
	}
	if k.iter%2 == 0 {
		k.smooth.add(k.iter, ratio)
	}
	return true, nil
}

// drawHere draws once from a party's q and evaluates its own density there, with what it received last.
func (k *kernel) drawHere(b int, round uint64) {
	k.placeAt(b, fitting, round)
}

// placeAt is drawHere from any stream.
func (k *kernel) placeAt(b int, from source, round uint64) {
	p, at := k.parties[b], k.places[b]
	p.draw(from, round, k.theta[b])
	clear(p.dmu())
	k.lp[b] = at.block.Local(k.theta[b], at.g, at.own)
	if p.guide == nil {
		copy(at.z, at.g)
		return
	}
	p.ratio += p.value(at.g, at.z)
}

// settleHere sets to to z̄ of a client.
func (k *kernel) settleHere(b int, to []float64) {
	p, at := k.parties[b], k.places[b]
	if len(to) == 0 {
		return
	}
	clear(p.theta.eps)
	if p.guide != nil {
		clear(p.guide.noise())
	}
	p.noisy, p.from = false, nil
	p.theta.draw(p.own.phi, k.theta[b])
	at.block.Local(k.theta[b], at.g, at.own)
	if p.guide == nil {
		copy(to, at.g)
		return
	}
	p.value(at.g, to)
}

// slopeHere finds the gradient at the draw that was sent or, away from it, by the local model of what the
// others compute. It reports whether that is finite.
func (k *kernel) slopeHere(b int, away bool) bool {
	p, at := k.parties[b], k.places[b]
	if len(at.z) > 0 {
		for i, a := range at.adj { // the adjoint at z, in its place
			if z := at.z[i]; away {
				a -= float64(at.curve[i] * (z - at.centre[i] +
					float64(at.clients[i]*(at.centre[i]-at.begun[i]))))
			}
			at.z[i] = a
		}
		if p.guide == nil {
			vec.Add(len(at.w), at.w, at.z, at.own)
		} else {
			p.square = p.guide.adjoint(p.vars.phi, at.z, at.own, at.w, nil, p.vars.grad, p.dmu())
		}
	}
	at.block.Gradient(at.w, k.grad[b])
	return p.finish(k.grad[b])
}

// stepped is the round trip.
type stepped struct{ *kernel }

func (k stepped) Send(b int, up [][]float64, scalars []float64) {
	p, at := k.parties[b], k.places[b]
	k.settleHere(b, at.begun)
	k.drawHere(b, k.round)
	clear(scalars)
	scalars[0], scalars[1] = k.lp[b]+p.ratio, k.stepping.missed[b]
	for i, m := range at.role.Members {
		copy(up[i], at.z[m.Offset:m.Offset+m.Len])
		scalars[2+m.Group] = 1
	}
}

func (k stepped) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	at := k.places[0]
	at.receive(sum, 0)
	k.curvature(at, down)
	at.block.SetReceived(at.received)
	k.drawHere(0, k.round)
	at.block.Gradient(at.w, k.grad[0])
	at.block.ReceivedGradient(at.back)
	for _, m := range at.role.Receives {
		copy(down[m.Group], at.back[m.Offset:m.Offset+m.Len])
	}
	copy(out, total)
	out[0] += k.lp[0] + k.parties[0].ratio
	out[1] += k.stepping.missed[0]
	copy(k.stepping.answers[:], out)
}

// receive takes column c of the sums.
func (at *place) receive(sum [][]float64, c int) {
	for _, m := range at.role.Receives {
		copy(at.received[m.Offset:m.Offset+m.Len], sum[m.Group][c*m.Len:])
	}
}

// drawn is the exchange of n draws of a stream, the at-th and those after it of all whose terms of the
// integrand the parties add up. The last such exchange has the other terms too.
type drawn struct {
	*kernel
	from  source
	first uint64
	at, n int
	all   int
	each  int // terms of a draw: that of the integrand, and its squared length where it is 2
}

func (k drawn) Send(b int, up [][]float64, scalars []float64) {
	at := k.places[b]
	for d := range k.n {
		k.placeAt(b, k.from, k.first+uint64(d))
		k.term(b, d, scalars)
		for i, m := range at.role.Members {
			copy(up[i][d*m.Len:], at.z[m.Offset:m.Offset+m.Len])
		}
	}
	copy(scalars[k.each*k.n:], k.terms[b][k.each*k.all:])
}

// term sets the terms of draw d, which has just been made.
func (k drawn) term(b, d int, to []float64) {
	p := k.parties[b]
	if to[d] = k.lp[b] + p.ratio; k.each == 2 {
		to[k.n+d] = p.theta.square
	}
}

// Answer sets adjoints too, which are not sent: a server can compute them, so whoever watches it has them.
func (k drawn) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	at := k.places[0]
	for d := range k.n {
		at.receive(sum, d)
		at.block.SetReceived(at.received)
		k.placeAt(0, k.from, k.first+uint64(d))
		k.term(0, d, out)
		at.block.Gradient(at.w, k.grad[0])
		at.block.ReceivedGradient(at.back)
		for _, m := range at.role.Receives {
			copy(down[m.Group][d*m.Len:], at.back[m.Offset:m.Offset+m.Len])
		}
	}
	copy(out[k.each*k.n:], k.terms[0][k.each*k.all:])
	vec.Accumulate(len(out), out, total)
	k.keep(out)
}

func (k drawn) Receive(_ int, _ [][]float64, out []float64) { k.keep(out) }

// keep takes the totals.
func (k drawn) keep(out []float64) {
	for i := range k.each {
		copy(k.sums[i*k.all+k.at:], out[i*k.n:][:k.n])
	}
	copy(k.sums[k.each*k.all:], out[k.each*k.n:])
}

// curvatureStep is the distance at which the curvature is measured.
const curvatureStep = 1e-3

// curvature sets the second column of what goes down: minus the change of the adjoint, over the distance,
// when the whole sum moves.
func (k stepped) curvature(at *place, down [][]float64) {
	k.drawHere(0, k.round)
	above, below := k.stepping.above, k.stepping.below
	k.adjointAway(at, curvatureStep, above)
	k.adjointAway(at, -curvatureStep, below)
	for _, m := range at.role.Receives {
		curve := down[m.Group][m.Len:]
		for i := range curve {
			curve[i] = max(0, (below[m.Offset+i]-above[m.Offset+i])/(2*curvatureStep))
		}
	}
}

// adjointAway sets back to the adjoints where every sum has moved so far.
func (k stepped) adjointAway(at *place, by float64, back []float64) {
	moved := k.stepping.moved
	copy(moved, at.received)
	for _, m := range at.role.Receives {
		vec.AddScalar(m.Len, moved[m.Offset:], at.received[m.Offset:], by)
	}
	at.block.SetReceived(moved)
	at.block.Local(k.theta[0], nil, nil)
	at.block.Gradient(at.w, k.grad[0])
	at.block.ReceivedGradient(back)
}

func (k stepped) Receive(b int, down [][]float64, out []float64) {
	at := k.places[b]
	for i, m := range at.role.Members {
		copy(at.adj[m.Offset:m.Offset+m.Len], down[i])
		copy(at.curve[m.Offset:m.Offset+m.Len], down[i][m.Len:])
		for j := range m.Len {
			at.clients[m.Offset+j] = out[2+m.Group]
		}
	}
	copy(k.stepping.answers[:], out)
}
