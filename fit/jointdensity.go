package fit

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// A JointDensity is the joint log density of a model with its data as a function of one vector, which holds
// the coordinates of all parties' parameters, party by party, and then the auxiliary variables of all parties
// as they are. All parties are in this process, and what crosses are the numbers themselves: algorithms with
// the same wire get the same bits. Calls may not be made at the same time.
type JointDensity struct {
	Params      []posterior.Variable // parameters and generated quantities, then auxiliary variables
	Coordinates []string             // names of the elements of the vector
	bound       *compile.BoundModel
	env         density.Env
	taker       *Taker
	point       *jointPoint
	lp          []float64
}

// NewJointDensity returns the density of a model under its transform. The model's values must be there; they
// may be released later.
func NewJointDensity(b *compile.BoundModel) (*JointDensity, error) {
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		return nil, err
	}
	labels := map[string][][]string{}
	for _, own := range b.Labels() {
		for name, axes := range own {
			labels[name] = axes
		}
	}
	d := &JointDensity{Params: posterior.Labelled(variables(b.Plan, true), labels), bound: b, env: env,
		taker: NewTaker(env, true), point: newJointPoint(env), lp: make([]float64, len(env.Blocks()))}
	for _, party := range b.Plan.Parties {
		d.Coordinates = append(d.Coordinates, coordinates(party)...)
	}
	for _, c := range posterior.Columns(auxiliaries(d.Params)) {
		d.Coordinates = append(d.Coordinates, c.Name)
	}
	return d, nil
}

// auxiliaries are the auxiliary variables among variables.
func auxiliaries(of []posterior.Variable) (out []posterior.Variable) {
	for _, v := range of {
		if v.Auxiliary {
			out = append(out, v)
		}
	}
	return out
}

// coordinates names the unconstrained parameters of a party: as the elements of a parameter that has as many,
// else by the parameter and their number.
func coordinates(party *model.Spec) (out []string) {
	for _, port := range party.Graph.Params() {
		v := posterior.Variable{Name: port.Name, Dims: []int{port.Len}}
		for _, p := range party.Params {
			if isPort(p, port) {
				if v.Name = p.Name; p.Len == port.Len {
					v.Dims = p.Dims
				}
			}
		}
		for _, c := range posterior.Columns([]posterior.Variable{v}) {
			out = append(out, c.Name)
		}
	}
	return out
}

// isPort reports whether a graph has the coordinates of a parameter there, whose name is that in the program:
// of a member of a family it lacks the owner, or has the member's number alone.
func isPort(p density.Parameter, port graph.Port) bool {
	base, member, _ := strings.Cut(port.Name, "[")
	return p.Name == port.Name || p.Name == p.Owner+"."+port.Name ||
		member != "" && p.Name == p.Owner+"."+base && strings.HasSuffix(p.Owner, "["+member)
}

// Dim is the length of the vector.
func (d *JointDensity) Dim() int { return len(d.Coordinates) }

// LogDensity returns the log density at x in nats, constants included, and sets grad to its gradient. With
// the Jacobian it is a density of the unconstrained parameters; without, a function whose maximum is the mode
// on the declared scale: see density.Block. What is not finite is returned as it is, and Cause says what it
// was.
func (d *JointDensity) LogDensity(ctx context.Context, x []float64, jacobian bool, grad []float64) (float64,
	error) {
	d.point.at(x)
	for _, b := range d.env.Blocks() {
		b.Jacobian(jacobian)
	}
	if err := d.env.Density(ctx, d.point.theta, d.point, d.point.grad, d.lp); err != nil {
		return 0, err
	}
	sum := 0.0
	for b := range d.lp {
		sum += d.lp[b] + d.point.noise[b]
	}
	d.point.gradient(grad)
	return sum, nil
}

// Cause says what was not finite in the last evaluation; "" where all was.
func (d *JointDensity) Cause() string { return d.env.Cause().String() }

// Constrain returns the elements of Params at x, on their declared scale. Generated quantities that are drawn
// follow from the number of the draw.
func (d *JointDensity) Constrain(ctx context.Context, x []float64, draw int) ([]float64, error) {
	d.point.at(x)
	return d.taker.Take(ctx, d.point, draw)
}

// Unconstrain returns the vector at which Constrain gives these entries: one for each parameter and auxiliary
// variable, by name. Generated quantities are passed over. The errors say which entry is not possible.
func (d *JointDensity) Unconstrain(entries []*data.Entry) ([]float64, []error) {
	generated, auxiliary := map[string]bool{}, map[string]*data.Entry{}
	for _, v := range d.Params {
		generated[v.Name] = v.Generated
		if v.Auxiliary {
			auxiliary[v.Name] = nil
		}
	}
	var own []*data.Entry
	for _, e := range entries {
		if _, is := auxiliary[e.Name]; is {
			auxiliary[e.Name] = e
		} else if !generated[e.Name] {
			own = append(own, e)
		}
	}
	given := lower.Given(own)
	starts := make([][]density.Init, len(d.bound.Lowered))
	for k, party := range d.bound.Lowered {
		starts[k] = party.Unconstrain(given)
	}
	errs := given.Foreign(own)
	x := d.point.place(starts)
	if len(errs) == 0 {
		errs = d.placeAuxiliary(x[len(x)-d.point.auxLen:], auxiliary)
	}
	for i := range x {
		if len(errs) == 0 && math.IsNaN(x[i]) {
			errs = append(errs, fmt.Errorf("no value is given from which %s follows", d.Coordinates[i]))
		}
	}
	return x, errs
}

// placeAuxiliary sets z to the given auxiliary variables, and what is not given to NaN.
func (d *JointDensity) placeAuxiliary(z []float64, given map[string]*data.Entry) (errs []error) {
	for _, v := range auxiliaries(d.Params) {
		n := v.Len()
		switch e := given[v.Name]; {
		case e == nil:
		case len(e.Values) != n:
			errs = append(errs, fmt.Errorf("%s: %s has %d numbers here, but the model has %d", e.Place(n),
				e.Name, len(e.Values), n))
		default:
			copy(z, e.Values)
		}
		z = z[n:]
	}
	return errs
}

// A jointPoint is a point of the vector by blocks, at which auxiliary variables are held: they are
// coordinates of their own. Every array is by block.
type jointPoint struct {
	theta, grad    [][]float64
	z, gradZ, cuts [][]float64
	noise          []float64 // Σ log N(z; cut, rho²) of the last evaluation
	blocks         []density.Block
	auxLen         int // of all blocks
}

func newJointPoint(env density.Env) *jointPoint {
	p := &jointPoint{blocks: env.Blocks(), noise: make([]float64, len(env.Blocks()))}
	for _, b := range p.blocks {
		p.theta, p.grad = append(p.theta, make([]float64, b.Dim())), append(p.grad, make([]float64, b.Dim()))
		p.z, p.gradZ = append(p.z, make([]float64, b.AuxLen())), append(p.gradZ, make([]float64, b.AuxLen()))
		p.cuts = append(p.cuts, make([]float64, b.AuxLen()))
		p.auxLen += b.AuxLen()
	}
	return p
}

// at moves the point.
func (p *jointPoint) at(x []float64) {
	for _, parts := range [][][]float64{p.theta, p.z} {
		for _, part := range parts {
			x = x[copy(part, x):]
		}
	}
}

// gradient joins the gradients of all blocks.
func (p *jointPoint) gradient(to []float64) {
	for _, parts := range [][][]float64{p.grad, p.gradZ} {
		for _, part := range parts {
			to = to[copy(to, part):]
		}
	}
}

// place returns a vector with these coordinates, and NaN elsewhere.
func (p *jointPoint) place(starts [][]density.Init) []float64 {
	var x []float64
	for b, block := range p.blocks {
		part := make([]float64, block.Dim())
		for i := range part {
			part[i] = math.NaN()
		}
		for _, s := range starts[b] {
			copy(part[s.Offset:], s.Values)
		}
		x = append(x, part...)
	}
	for range p.auxLen {
		x = append(x, math.NaN())
	}
	return x
}

// Value sets the auxiliary variables of a block, wherever its cuts are.
func (p *jointPoint) Value(b int, g, z []float64) {
	copy(p.cuts[b], g)
	copy(z, p.z[b])
}

// Adjoint adds the log density of the auxiliary variables around their cuts, and its derivatives.
func (p *jointPoint) Adjoint(b int, adj, own, w, _ []float64) {
	p.noise[b] = 0
	for _, c := range p.blocks[b].Cuts() {
		constant := -portable.Log(c.Rho) - halfLog2Pi
		for i := c.Offset; i < c.Offset+c.Len(); i++ {
			e := (p.z[b][i] - p.cuts[b][i]) / c.Rho
			p.noise[b] += constant - float64(0.5*e*e)
			w[i] = own[i] + e/c.Rho
			p.gradZ[b][i] = adj[i] - e/c.Rho
		}
	}
}

// halfLog2Pi is log √(2π).
const halfLog2Pi = 0.91893853320467274178032973640561763986139747363778341282

// Draw copies the parameters of the point.
func (p *jointPoint) Draw(_ int, theta [][]float64) {
	for b := range theta {
		copy(theta[b], p.theta[b])
	}
}

// Auxiliary copies its auxiliary variables.
func (p *jointPoint) Auxiliary(_ context.Context, _ int, z [][]float64) error {
	for b := range z {
		copy(z[b], p.z[b])
	}
	return nil
}
