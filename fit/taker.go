package fit

import (
	"context"
	"strings"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
)

// A Taker maps draws to the reported values: parameters of all parties of this process and, on request, their
// auxiliary variables.
type Taker struct {
	env       density.Env
	draw      density.Draw
	values, z [][]float64 // z is nil without auxiliary variables
	auxiliary bool        // z is among the reported values
	row       []float64
}

// NewTaker returns a Taker over the blocks of an Env, with their auxiliary variables on request.
func NewTaker(env density.Env, auxiliary bool) *Taker {
	t := &Taker{env: env, auxiliary: auxiliary}
	reads := env.ReadsAuxiliaries()
	for b, block := range env.Blocks() {
		size := 0
		for _, p := range block.Params() {
			size += p.Len
		}
		t.draw.Theta, t.values = append(t.draw.Theta, make([]float64, block.Dim())),
			append(t.values, make([]float64, size))
		t.draw.Streams = append(t.draw.Streams, env.Private(b, generatedStream))
		if auxiliary || reads {
			t.z = append(t.z, make([]float64, block.AuxLen()))
		}
	}
	if reads {
		t.draw.Z = t.z
	}
	return t
}

// generatedStream is the name of the stream of what a party draws for its generated quantities, one round a
// draw.
const generatedStream = "generated quantities"

// Take returns draw id of a kernel on the declared scale: parameters in party order, then auxiliary
// variables. The next draw overwrites it.
func (t *Taker) Take(ctx context.Context, k drawing, id int) ([]float64, error) {
	k.Draw(id, t.draw.Theta)
	for _, s := range t.draw.Streams {
		s.Round(uint64(id))
	}
	if t.draw.Z != nil {
		if err := k.Auxiliary(ctx, id, t.z); err != nil {
			return nil, err
		}
	}
	if err := t.env.Values(ctx, t.draw, t.values); err != nil {
		return nil, err
	}
	if t.auxiliary && t.draw.Z == nil {
		if err := k.Auxiliary(ctx, id, t.z); err != nil {
			return nil, err
		}
	}
	t.row = t.row[:0]
	for _, v := range t.values {
		t.row = append(t.row, v...)
	}
	if t.auxiliary {
		for _, v := range t.z {
			t.row = append(t.row, v...)
		}
	}
	return t.row, nil
}

// A drawing gives a Taker draws of all blocks, as a backends.Kernel does.
type drawing interface {
	Draw(id int, theta [][]float64)
	Auxiliary(ctx context.Context, id int, z [][]float64) error
}

// variables lists what a Taker reports over all parties of this process: parameters in party order, then
// auxiliary variables.
func variables(plan *model.Plan, auxiliary bool) []posterior.Variable {
	var out []posterior.Variable
	for _, party := range plan.Here() {
		for _, p := range party.Params {
			out = append(out, posterior.Variable{Name: p.Name, Owner: p.Owner, Dims: p.Dims, Point: p.Weight,
				Generated: p.Generated})
		}
	}
	if !auxiliary {
		return out
	}
	for _, party := range plan.Here() {
		for _, c := range party.Auxiliary() {
			out = append(out, auxiliaryVariable(party.Party, c))
		}
	}
	return out
}

// auxiliaryVariable describes the auxiliary variable of a cut. It has the name that it has in the party's
// program, and belongs to that party.
func auxiliaryVariable(party string, c density.Cut) posterior.Variable {
	v := posterior.Variable{Name: c.Name, Owner: party, Auxiliary: true}
	if strings.HasSuffix(party, "]") {
		v.Name = party + "." + c.Name
	}
	switch {
	case c.Cols > 1:
		v.Dims = []int{c.Rows, c.Cols}
	case c.Rows > 1:
		v.Dims = []int{c.Rows}
	}
	return v
}

// maySaveAuxiliaries returns an error for --save-aux where there are no auxiliary variables.
func (p *Prepared) maySaveAuxiliaries() error {
	cuts := 0
	for _, party := range p.Plan.Here() {
		cuts += len(party.Auxiliary())
	}
	switch {
	case !p.options.Auxiliary:
		return nil
	case cuts == 0:
		return usagef("--save-aux: with transform %s this model has no auxiliary variables",
			p.Checked.Transform.Kind)
	}
	return nil
}

// listed returns the auxiliary variables among some variables.
func listed(vars []posterior.Variable) []posterior.Variable {
	var out []posterior.Variable
	for _, v := range vars {
		if v.Auxiliary {
			out = append(out, v)
		}
	}
	return out
}
