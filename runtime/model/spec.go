// Package model holds parties at run time: what the lowering of a party program with data gives (Spec), how
// parties are wired (Plan), and one party's evaluation state. A Simulator runs a model forwards: it draws
// parameters from their priors and responses from their likelihoods, and computes the log density of each
// element of a response at given parameters; it needs all parties' data and parameters in one process.
package model

import (
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
)

// A Spec is one party: its graph and what the ports of the graph mean. It is immutable and shared between
// chains.
type Spec struct {
	Party string // "registry", "hospital_a", "lab[3]"
	Graph *graph.Graph
	// Variants are the data of the windows that are evaluated by this graph; nil where it has data of its
	// own.
	Variants *graph.Variants
	Params   []density.Parameter // in the order of the graph's reports: Params[k] is report k
	// Weights are the parameters that are weights, in the order of their coordinates.
	Weights []Weight
	// Hierarchical is true where a prior depends on other parameters, this party's or another's.
	Hierarchical bool
	// Mixture is true where rows of data are from one of several distributions, which are added up, or are
	// angles.
	Mixture bool
	// Bends is true where the location of a likelihood, or a cut, is a curved function of parameters.
	Bends bool
	// Interpolates is true where the location of a likelihood has as many parameters as values of one scale.
	Interpolates bool
	// Standardises is true where Recentring has all parameters whose priors depend on other ones.
	Standardises bool
	// RecentringGraphs is nil where no prior has a location and scale that depend on other parameters of this
	// party.
	Recentring *RecentringGraphs
	// Separable are the parameters whose elements are independent of each other given all others.
	Separable []density.Effects
	// Intercepts are the parameters that are added to whole sums which the party receives, and those that
	// others receive and may add to such.
	Intercepts []graph.Intercept
	// Cuts[k] is graph output k. Later outputs are the server parameters that are sent to clients.
	Cuts []density.Cut
	// Draws are the generated quantities that are drawn for each draw of the parameters, in an order in which
	// each depends on earlier ones only.
	Draws []DrawnQuantity
	// Split divides the log density into likelihoods of rows and the rest, given which inputs are sums; nil
	// where nobody asks for it.
	Split *graph.Splitter
}

// A DrawnQuantity is a generated quantity that is drawn: from a law whose arguments are reports of the graph,
// after those of Params, into an input of the graph, which other quantities may depend on.
type DrawnQuantity struct {
	Law
	Name  string
	Input int
	Shape graph.Shape
}

// Like reports whether another Spec of the party, with so many rows, differs from this one in its data alone.
func (s *Spec) Like(o *Spec, rows int) bool {
	for k, c := range s.Cuts {
		if k >= len(o.Cuts) || c.Rows != rows || c.Cols != o.Cuts[k].Cols {
			return false
		}
	}
	return len(s.Cuts) == len(o.Cuts) && s.Variants.Has(o.Graph)
}

// Auxiliary lists the cuts at which an auxiliary variable crosses: all of them, or none where the cuts
// themselves cross.
func (s *Spec) Auxiliary() []density.Cut {
	if len(s.Cuts) > 0 && s.Cuts[0].Rho == 0 {
		return nil
	}
	return s.Cuts
}

// A Weight is a parameter without a prior, of which a point is estimated.
type Weight struct {
	Offset  int // of its first coordinate in θ
	Dims    []int
	Initial *def.Initial
}

// Len is the number of its coordinates.
func (w Weight) Len() int {
	n := 1
	for _, d := range w.Dims {
		n *= d
	}
	return n
}

// A Port is one input or output of one party.
type Port struct{ Party, Index int }

// A Group is a sum of auxiliary variables, or of cuts where these cross themselves, and who receives it: who
// evaluates a likelihood at it. A receiver that is itself a member gets the sum without its own. The server
// is the only receiver unless clients evaluate likelihoods. Auxiliary variables that another party must see
// one by one are groups of one member.
type Group struct {
	Name    string
	Len     int
	Members []Port // Index: cut of that party; in party order
	// Receivers have Index: graph input of that party; in party order. Where clients evaluate likelihoods a
	// sum that generated quantities alone read has none.
	Receivers []Port
	// Quantities is where the server's generated quantities read the sum of a draw: one graph input of the
	// server, none where they do not.
	Quantities []Port
	// At has, where the server looks rows up in the sum, the element of each row from 0, and is known to the
	// server alone; nil: the rows are the elements.
	At []int `json:"-"`
	// Singly, in a plan without graphs, is of a family of which each member's is a group by itself.
	Singly bool `json:"-"`
}

// Rows is how many numbers the server reads of the sum.
func (g *Group) Rows() int {
	if g.At != nil {
		return len(g.At)
	}
	return g.Len
}

// atClients reports whether a client evaluates a likelihood at the sum.
func (g *Group) atClients() bool {
	return slices.ContainsFunc(g.Receivers, func(r Port) bool { return r.Party > 0 })
}

// LenAt is how many numbers a party reads of the sum.
func (g *Group) LenAt(party int) int {
	if party == 0 {
		return g.Rows()
	}
	return g.Len
}

// Look sets rows to what is looked up in the sum.
func (g *Group) Look(rows, sum []float64) {
	for i, k := range g.At {
		rows[i] = sum[k]
	}
}

// Collect is the reverse of Look for derivatives: it adds up those by the rows of each element.
func (g *Group) Collect(sum, rows []float64) {
	clear(sum)
	for i, k := range g.At {
		sum[k] += rows[i]
	}
}

// A Shared is a server parameter that clients use: the value goes out, the adjoints come back and are added
// in party order.
type Shared struct {
	Name  string
	From  Port   // Index: graph output of the server
	To    []Port // Index: graph input
	Early bool   // a cut depends on it: it must be sent before cuts are evaluated
	// Beside are the groups whose receivers are those of the parameter, and all add it, moved by 1 in all
	// elements, to every row of the sum of these groups.
	Beside []int `json:",omitempty"`
}

// A Plan is the whole wiring of a run, the same at every party. Parties[0] is the server; without clients it
// is the only one. A process that holds only some parties has nil elsewhere.
type Plan struct {
	Names   []string // of all parties, in party order
	Parties []*Spec
	Groups  []Group
	Shared  []Shared
	// AtClients: clients evaluate likelihoods at sums that they receive, all or some of which are theirs
	// alone.
	AtClients bool
	// Exact: the cuts themselves cross, and a group is a sum of cuts. Their Rho is 0.
	Exact bool
	Wire  Wire
	// Several lists, in a plan without graphs, the parties that stand for several parties which do the same.
	Several []int
	// Windows are plans of their own over parts of the rows, which together are all of them; none where all
	// rows are always evaluated together.
	Windows []Window
}

// A Window is a plan over some of the rows of another: its likelihoods over rows are scaled by the number of
// windows, so that the mean of the windows' densities is the density over all rows. Windows whose graphs
// differ in their data alone have one Plan, and each a variant of its graphs.
type Window struct {
	*Plan
	Rows    []int // in the whole, ascending
	Variant int
}

// A Wire is how clients write what the server adds up over two or more of them. The zero value: as the
// numbers that they are.
type Wire struct {
	Fixed     bool // as integers, so that sums are exact
	Masked    bool // with masks that cancel in the sum: the server sees no summand. Fixed then holds too
	Encrypted bool // as ciphertexts: the numbers themselves do not cross
	// Short rounds what evaluations exchange to fewer bytes, by what changes a log density too little for a
	// sampler to notice. Fixed then holds too.
	Short bool
}

// On returns the plan with another wire.
func (p *Plan) On(w Wire) *Plan {
	on := *p
	on.Wire = w
	on.Windows = p.windowsBy(func(v *Plan) *Plan { return v.On(w) })
	return &on
}

// windowsBy returns the windows with each of their plans replaced, those that share one by the same.
func (p *Plan) windowsBy(replace func(*Plan) *Plan) []Window {
	out, by := slices.Clone(p.Windows), map[*Plan]*Plan{}
	for k := range out {
		w := &out[k]
		if by[w.Plan] == nil {
			by[w.Plan] = replace(w.Plan)
		}
		w.Plan = by[w.Plan]
	}
	return out
}

// SumsAlone reports whether of a sum the server receives the total alone: it is masked, and two or more
// clients contribute.
func (p *Plan) SumsAlone(group int) bool { return p.Wire.Masked && len(p.Groups[group].Members) > 1 }
