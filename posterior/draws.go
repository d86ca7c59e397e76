// Package posterior holds draws, computes their diagnostics and summaries, and writes and reads the files of
// a run: its record, its draws, and what says whether they are as the run wrote them.
package posterior

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Variable is a parameter as declared: a scalar where Dims is empty.
type Variable struct {
	Name  string `json:"name"`  // "beta_a", "hospital[4].beta"
	Owner string `json:"owner"` // the party that holds it, or "shared"
	Dims  []int  `json:"dims"`
	// Auxiliary marks an auxiliary variable, which comes after all parameters among draws, and is summarised
	// only on request by name.
	Auxiliary bool `json:"-"`
	// Point marks a weight, of which a point is estimated: all its draws are equal.
	Point bool `json:"point_estimate,omitempty"`
	// Generated marks a generated quantity, which follows from parameters.
	Generated bool `json:"generated,omitempty"`
	// Labels name the elements along each axis: the column of a matrix, or the category, that belongs to
	// them. nil, as a whole or for one axis, where numbers do.
	Labels [][]string `json:"-"`
}

// Len is the number of scalars of v.
func (v Variable) Len() int {
	n := 1
	for _, d := range v.Dims {
		n *= d
	}
	return n
}

// index returns the 1-based subscripts of the k-th scalar, first index fastest.
func (v Variable) index(k int) []int {
	out := make([]int, len(v.Dims))
	for i, d := range v.Dims {
		out[i] = k%d + 1
		k /= d
	}
	return out
}

// A Scalar is one scalar.
type Scalar struct {
	Name      string // as in "slope[2,3]": the key in files
	Owner     string
	Label     string // as in "slope[west, zscore(age)]"; "" where it is the name
	Point     bool   // of a weight
	Generated bool   // of a generated quantity
}

// Shown is how tables and plots call a column.
func (c Scalar) Shown() string { return shown(c.Name, c.Label) }

// Columns names the scalars of variables in the order of their storage: variable by variable, first index
// fastest.
func Columns(vars []Variable) []Scalar {
	var out []Scalar
	for _, v := range vars {
		for k := range v.Len() {
			index := v.index(k)
			out = append(out, Scalar{v.Name + subscript(index, "[", ",", "]"), v.Owner, v.label(index),
				v.Point, v.Generated})
		}
	}
	return out
}

func subscript(index []int, open, sep, end string) string {
	if len(index) == 0 {
		return ""
	}
	text := make([]string, len(index))
	for i, k := range index {
		text[i] = strconv.Itoa(k)
	}
	return open + strings.Join(text, sep) + end
}

// A Transition has the statistics of the Hamiltonian Markov chain step that produced a draw. Energies and log
// densities are in nats, summed over all parties.
type Transition struct {
	LP        float64 // log density of the draw on the unconstrained scale
	Accept    float64 // mean acceptance probability over the trajectory
	StepSize  float64
	TreeDepth int
	Leapfrogs int
	Divergent bool
	Energy    float64
}

// Draws are the values of some variables in some chains.
type Draws struct {
	Vars []Variable // parameters, then auxiliary variables
	// Transitions has, by chain, one element per draw; it is nil where draws are independent.
	Transitions [][]Transition
	// Superchains is the number of starting points of the chains where they share them, as many consecutive
	// chains each; 0: each chain has one of its own.
	Superchains int
	columns     []Scalar
	values      [][][]float64 // chain, column, draw
	// draws of each chain where there are no columns: a party alone may have no parameters
	without []int
}

// NewDraws returns empty draws with memory for a number of draws per chain.
func NewDraws(vars []Variable, chains, room int) *Draws {
	d := &Draws{Vars: vars, columns: Columns(vars), values: make([][][]float64, chains)}
	for c := range d.values {
		d.values[c] = make([][]float64, len(d.columns))
		for k := range d.values[c] {
			d.values[c][k] = make([]float64, 0, room)
		}
	}
	return d
}

// Append adds a draw to a chain: one value per column. It panics on a draw of another length.
func (d *Draws) Append(chain int, values []float64) {
	if len(values) != len(d.columns) {
		panic(fmt.Sprintf("posterior: a draw of %d values for %d columns", len(values), len(d.columns)))
	}
	for k, v := range values {
		d.values[chain][k] = append(d.values[chain][k], v)
	}
	if len(d.columns) == 0 {
		if d.without == nil {
			d.without = make([]int, len(d.values))
		}
		d.without[chain]++
	}
}

// AppendTransition adds the statistics of the draw last appended to a chain. A chain has a transition for
// every draw or for none.
func (d *Draws) AppendTransition(chain int, t Transition) {
	if d.Transitions == nil {
		d.Transitions = make([][]Transition, len(d.values))
	}
	d.Transitions[chain] = append(d.Transitions[chain], t)
}

// Independent reports whether the draws are independent, not those of Markov chains.
func (d *Draws) Independent() bool { return d.Transitions == nil }

// HasTrajectories reports whether a Hamiltonian sampler made the draws, whose transitions have leapfrog steps
// and energies.
func (d *Draws) HasTrajectories() bool {
	for _, chain := range d.Transitions {
		for _, t := range chain {
			if t.Leapfrogs > 0 || t.TreeDepth > 0 {
				return true
			}
		}
	}
	return false
}

// Parameters returns the number of columns of parameters, which come first.
func (d *Draws) Parameters() int {
	n := 0
	for _, v := range d.Vars {
		if !v.Auxiliary {
			n += v.Len()
		}
	}
	return n
}

// Select returns the draws of only some columns of d, as scalar parameters. They share their values with d.
func (d *Draws) Select(columns []int) *Draws {
	s := &Draws{Transitions: d.Transitions, Superchains: d.Superchains,
		values: make([][][]float64, len(d.values))}
	for _, k := range columns {
		s.Vars = append(s.Vars, Variable{Name: d.columns[k].Name, Owner: d.columns[k].Owner,
			Point: d.columns[k].Point, Generated: d.columns[k].Generated})
		s.columns = append(s.columns, d.columns[k])
		for c := range d.values {
			s.values[c] = append(s.values[c], d.values[c][k])
		}
	}
	return s
}

// With returns draws that have the columns of d and, after its parameters, those of another, which has the
// same chains. The error names a column that both have.
func (d *Draws) With(other *Draws) (*Draws, error) {
	for _, c := range other.columns {
		if slices.ContainsFunc(d.columns, func(o Scalar) bool { return o.Name == c.Name }) {
			return nil, fmt.Errorf("both have %s", c.Name)
		}
	}
	at, own := d.Parameters(), slices.IndexFunc(d.Vars, func(v Variable) bool { return v.Auxiliary })
	if own < 0 {
		own = len(d.Vars)
	}
	out := *d
	out.Vars = slices.Concat(d.Vars[:own], other.Vars, d.Vars[own:])
	out.columns = slices.Concat(d.columns[:at], other.columns, d.columns[at:])
	out.values = make([][][]float64, len(d.values))
	for c := range d.values {
		out.values[c] = slices.Concat(d.values[c][:at], other.values[c], d.values[c][at:])
	}
	return &out, nil
}

// Columns returns the names of the columns.
func (d *Draws) Columns() []Scalar { return d.columns }

// Chains returns the number of chains.
func (d *Draws) Chains() int { return len(d.values) }

// Len returns the number of draws of a chain.
func (d *Draws) Len(chain int) int {
	if len(d.columns) == 0 {
		if chain < len(d.without) {
			return d.without[chain]
		}
		return 0
	}
	return len(d.values[chain][0])
}

// Column returns the draws of column k, chain by chain. The slices belong to d.
func (d *Draws) Column(k int) [][]float64 {
	out := make([][]float64, len(d.values))
	for c := range d.values {
		out[c] = d.values[c][k]
	}
	return out
}
