package lower

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/fn"
)

// Generative lowers a model, with all parties' data, for forward simulation: see package simulate. In the
// augmented model each cut gets its noise. The power model has no generative form: its cuts get no noise, and
// the caller must not present the result as draws from it.
func Generative(c *cut.Program, values map[string]data.Bindings, sizes *Sizes) (*model.SimulatedModel,
	diag.List) {
	g := newGenerative(c, values, sizes)
	return g.whole()
}

// Noised is Generative with noise in the cuts under power too, to compare the densities of rows with noise
// and without. Nothing can be drawn from it under power.
func Noised(c *cut.Program, values map[string]data.Bindings, sizes *Sizes) (*model.SimulatedModel,
	diag.List) {
	g := newGenerative(c, values, sizes)
	g.noisy = c.Transform.Kind.Noise()
	return g.whole()
}

// Priors is Generative with the log densities of the priors.
func Priors(c *cut.Program, values map[string]data.Bindings, sizes *Sizes) (*model.SimulatedModel,
	diag.List) {
	g := newGenerative(c, values, sizes)
	g.priors = true
	return g.whole()
}

// Drawing is Generative for drawing alone, without densities. Elements of data that are NaN are still to be
// drawn: all that depends on them is NaN too, also a comparison with them and what a level among them looks
// up.
func Drawing(c *cut.Program, values map[string]data.Bindings, sizes *Sizes) (*model.SimulatedModel,
	diag.List) {
	g := newGenerative(c, values, sizes)
	g.awaits = true
	return g.whole()
}

// Contributions lowers the cuts of a model, with all parties' data, to functions of the parameters on their
// declared scale: the model has no responses.
func Contributions(c *cut.Program, values map[string]data.Bindings, sizes *Sizes) (*model.SimulatedModel,
	diag.List) {
	g := newGenerative(c, values, sizes)
	g.declareAll()
	for _, k := range g.cuts.Cuts {
		g.eachMember(k.Family, k.Client, func() { g.contribution(k) })
	}
	return g.build()
}

func newGenerative(c *cut.Program, values map[string]data.Bindings, sizes *Sizes) *generative {
	p := PartyData{Program: c.Program, Name: c.Server, Data: values, Sizes: sizes}
	g := &generative{
		lowerer: &lowerer{
			Lowered: &Lowered{Program: c.Program, PartyData: p},
			b:       graph.New(c.Server),
			names:   map[string]graph.ID{}, vars: map[string]int{}, memo: map[memoKey]graph.ID{},
			sums: map[string]graph.ID{},
		},
		cuts: c, noisy: c.Transform.Kind.Augmented(), noise: map[string][]int{},
		model: &model.SimulatedModel{},
	}
	g.facts, g.reference, g.gaps = c.Facts, g.group, g.imputed
	return g
}

// whole lowers what is declared and all likelihoods.
func (g *generative) whole() (*model.SimulatedModel, diag.List) {
	g.declareAll()
	for _, k := range g.cuts.Likelihoods {
		g.eachMember(k.Family != "", k.Family, func() { g.response(k) })
	}
	return g.build()
}

func (g *generative) build() (*model.SimulatedModel, diag.List) {
	if g.diags.HasErrors() {
		return nil, g.diags
	}
	built, err := g.b.Build()
	if err != nil {
		g.errorf(diag.CannotEvaluate, g.cuts.File, "%v", err)
		return nil, g.diags
	}
	g.model.Graph = built
	return g.model, g.diags
}

// A generative lowers parameters to themselves and likelihoods to their arguments.
type generative struct {
	*lowerer
	cuts    *cut.Program
	noisy   bool // cuts get noise
	priors  bool // priors have their densities
	model   *model.SimulatedModel
	noise   map[string][]int // of a group, or of one member's cut in it: the noise that it carries
	reports int
	imputes []imputation
}

// declareAll lowers everything that is declared.
func (g *generative) declareAll() {
	for _, s := range g.Program.Order {
		g.eachMember(s.Family, s.Owner, func() {
			if s.Kind == check.Param && !g.diags.HasErrors() {
				g.declared(s)
				return
			}
			g.declare(s)
		})
	}
	g.imputations()
}

// contribution reports the cut of a client, or of the current member of a family.
func (g *generative) contribution(k *cut.Expression) {
	if g.diags.HasErrors() {
		return
	}
	id, party := g.expr(k.Expr), k.Client
	if g.diags.HasErrors() {
		return
	}
	if k.Family {
		party = memberName(party, g.member)
	}
	g.model.Cuts = append(g.model.Cuts, model.CutReport{Name: k.Name, Party: party, Report: g.report(id)})
}

// declared lowers a parameter to a graph parameter on its declared scale.
func (g *generative) declared(s *check.Symbol) {
	shape, ok := g.shape(s)
	if !ok {
		return
	}
	args := g.arguments(s.Dist, s.Args)
	lower, upper, ok := g.ends(s, args)
	if !ok || g.diags.HasErrors() {
		return
	}
	key := g.key(s.Name)
	g.names[key] = g.b.Param(key, shape)
	name, owner := s.Name, s.Owner
	if s.Family {
		owner = memberName(s.Owner, g.member)
		name = owner + "." + name
	}
	p := model.Param{
		Name: name, Owner: owner, Law: g.law(s.Dist, args, shape), Lower: lower, Upper: upper,
		Structure: s.Structure, Improper: g.improper(s, args, lower, upper), Initial: s.Initial, Prior: -1,
	}
	if g.priors && s.Dist != nil && s.Initial == nil {
		g.prior(s, args, &p)
	}
	g.model.Params = append(g.model.Params, p)
}

// prior reports the log density of a parameter's prior.
func (g *generative) prior(s *check.Symbol, args []graph.ID, p *model.Param) {
	lp, err := g.b.LogDensity(s.Dist, g.names[g.key(s.Name)], args, graph.NoID)
	if err != nil {
		g.errorf(diag.CannotEvaluate, s.Ident, "%v", err)
		return
	}
	p.Prior, p.Top, p.Equal = g.report(lp), true, true
	theta := make([]float64, len(args))
	for k, id := range args {
		v, fixed := g.b.Value(id)
		if p.Top, p.Equal = p.Top && fixed, p.Equal && len(v) == 1; len(v) > 0 {
			theta[k] = v[0]
		}
	}
	if s.Structure == nil {
		lower, upper := s.Dist.Bounds(theta)
		p.Cut = p.Lower > lower || p.Upper < upper
	}
}

// ends are the bounds of the elements of a parameter.
func (g *generative) ends(s *check.Symbol, args []graph.ID) (lower, upper float64, ok bool) {
	if s.Structure != nil {
		lower, upper = s.Structure.Support.Bounds(nil)
		return lower, upper, true
	}
	return g.support(s, args)
}

// improper returns why a prior cannot be drawn from, "" if it can.
func (g *generative) improper(s *check.Symbol, args []graph.ID, lower, upper float64) string {
	if s.Dist.Proper() && !s.Dist.Drawable() {
		return "has a prior from which nothing can be drawn: " + s.Dist.WithoutDraws()
	}
	if s.Structure != nil && s.Structure.Support == def.ZeroSum && s.Dist.Event != nil &&
		s.Dist.Event.Centred != nil {
		return ""
	}
	if !s.Dist.Proper() && (s.Structure != nil || s.Dist.Event != nil || math.IsInf(lower, 0) ||
		math.IsInf(upper, 0)) {
		return "has the improper prior " + s.Dist.Name + ", from which nothing can be drawn"
	}
	if t := s.Structure; t != nil && s.Dist.Event == nil && t.Support != def.Ordered &&
		t.Support != def.PositiveOrdered {
		return "is a " + t.Name + " whose elements have the density of " + s.Dist.Name +
			", which is not normalised over them"
	}
	for _, id := range args {
		if _, fixed := g.b.Value(id); !fixed && (s.Lower != nil || s.Upper != nil) {
			return "has bounds that cut off a part of its prior, by a share that depends on other " +
				"parameters: the density is not normalised, so its prior cannot be drawn from; use `truncate`"
		}
	}
	if g.gaps != nil && g.reads(s.Args, (*check.Symbol).Imputed) {
		return "has a prior that depends on imputed data, which are drawn after the parameters"
	}
	return ""
}

func (g *generative) arguments(d *def.Dist, exprs []ast.Expr) []graph.ID {
	out := make([]graph.ID, len(d.Params))
	for i, e := range exprs {
		if e == nil {
			out[i] = g.b.Scalar(d.Params[i].Default)
		} else {
			out[i] = g.expr(e)
		}
	}
	return out
}

// law reports the arguments of a distribution in the shape of its variable.
func (g *generative) law(d *def.Dist, args []graph.ID, shape graph.Shape) model.Law {
	l := model.Law{Dist: d}
	for k, id := range args {
		l.Args = append(l.Args, g.report(g.spread(id, g.argument(d, k, args, shape))))
	}
	return l
}

// argument is the shape of argument k with a value for each outcome.
func (l *lowerer) argument(d *def.Dist, k int, args []graph.ID, shape graph.Shape) graph.Shape {
	if d.Event == nil || l.diags.HasErrors() {
		return shape
	}
	if d.Params[k].OwnSize {
		return l.b.Shape(args[k])
	}
	size := 1
	if d.Event.Rank > 0 {
		size = shape[len(shape)-1]
	}
	for j, id := range args {
		if s := l.b.Shape(id); d.Event.Rank == 0 && d.Params[j].Rank > 0 && len(s) > 0 {
			size = s[len(s)-1]
		}
	}
	out := slices.Clone(shape[:len(shape)-d.Event.Rank])
	for range d.Params[k].Rank {
		out = append(out, size)
	}
	return out
}

func (g *generative) report(id graph.ID) int {
	if !g.diags.HasErrors() {
		g.b.Report(fmt.Sprint("r", g.reports), id)
	}
	g.reports++
	return g.reports - 1
}

func (g *generative) response(k *cut.Likelihood) {
	if g.diags.HasErrors() {
		return
	}
	switch {
	case k.Factor():
		g.factor(k)
		return
	case g.Program.ImputedBy(&check.Likelihood{Stmt: k.Stmt}) != nil: // the law of a parameter
		return
	}
	if k.Dist.Joint() != "" {
		g.model.Undrawn = append(g.model.Undrawn,
			k.Dist.Name+", a likelihood of all rows together that is no distribution to draw from")
		return
	}
	left, weights := g.expr(k.Left), graph.NoID
	args := g.arguments(k.Dist, k.Args)
	if k.Weights != nil {
		weights = g.expr(k.Weights)
	}
	if g.diags.HasErrors() {
		return
	}
	shape := g.b.Shape(left)
	values, ok := g.b.Value(left)
	if !ok {
		g.errorf(diag.CannotEvaluate, k.Stmt, "the left side is not data")
		return
	}
	y := model.Response{Name: g.responseName(k), Left: format.Expr(k.Stmt.Left), Shape: shape,
		Values: values, Weighted: k.Weights != nil, Law: g.law(k.Dist, args, shape),
		Outcomes: outcomes(k.Dist, shape)}
	g.replaced(&y, k.Stmt.Left)
	if g.awaits {
		g.model.Responses = append(g.model.Responses, y)
		return
	}
	lp, err := g.b.LogDensityByVectors(k.Dist, left, args, weights)
	rowwise, other := g.b.LogDensity(k.Dist, left, args, weights)
	if err := errors.Join(err, other); err != nil {
		g.errorf(diag.CannotEvaluate, k.Stmt, "%v", err)
		return
	}
	y.LogDensity, y.Rowwise = g.report(lp), g.report(rowwise)
	y.Noise, y.Dependent = g.reach(k, shape)
	y.Powers = g.Program.Transform.Kind.Powers() && k.Party == "" && k.Home == g.Program.Server
	y.Predictor, y.NoPredictor = g.predictor(k, args, shape)
	g.model.Responses = append(g.model.Responses, y)
}

// replaced finds the data that a left side is, or of which it is a part.
func (g *generative) replaced(y *model.Response, left ast.Expr) {
	n, whole := left.(*ast.Name)
	part, _ := left.(*ast.Index)
	if part != nil {
		n, _ = part.X.(*ast.Name)
	}
	if n == nil || g.Program.Symbols[n.Name] == nil || g.Program.Symbols[n.Name].Kind != check.Data {
		return
	}
	s := g.Program.Symbols[n.Name]
	if !whole {
		positions := g.b.Shape(g.expr(n))
		each := make([]float64, positions.Len())
		for i := range each {
			each[i] = float64(i)
		}
		at, ok := g.b.Value(g.indexed(part, g.b.Const("", positions, each), part.Args))
		if !ok {
			return
		}
		for _, i := range at {
			y.Elements = append(y.Elements, int(i))
		}
	}
	y.Data = s.Name
	if s.Owner != check.Shared {
		y.Holder = g.holder(s)
	}
}

// factor lowers a factor: one of rows is a response that cannot be drawn, with a density for each row. One
// number is no term of a row.
func (g *generative) factor(k *cut.Likelihood) {
	value := g.expr(k.Args[0])
	if g.diags.HasErrors() {
		return
	}
	g.model.Undrawn = append(g.model.Undrawn,
		"a factor, which is a term of the density and not a distribution to draw from")
	shape := g.b.Shape(value)
	if len(shape) == 0 {
		return
	}
	lp := g.report(value)
	y := model.Response{Name: g.responseName(k), Shape: shape, Values: make([]float64, shape.Len()),
		Law: g.law(k.Dist, []graph.ID{value}, shape), LogDensity: lp, Rowwise: lp, Outcomes: shape}
	y.Noise, y.Dependent = g.reach(k, shape)
	y.NoPredictor = "a factor has no predictor"
	g.model.Responses = append(g.model.Responses, y)
}

// outcomes are the dimensions of an array of values of a distribution, without those of one value.
func outcomes(d *def.Dist, shape graph.Shape) graph.Shape {
	if d.Event == nil {
		return shape
	}
	return shape[:len(shape)-d.Event.Rank]
}

// responseName returns a unique name: a number distinguishes statements with one name.
func (g *generative) responseName(k *cut.Likelihood) string {
	name := "likelihood"
	if k.Factor() {
		name = k.Dist.Name
	}
	if n, ok := k.Stmt.Left.(*ast.Name); ok {
		name = n.Name
	}
	if k.Family != "" {
		name = memberName(k.Family, g.member) + "." + name
	}
	base, taken := name, true
	for i := 2; taken; i++ {
		taken = false
		for _, r := range g.model.Responses {
			taken = taken || r.Name == name
		}
		if taken {
			name = fmt.Sprintf("%s_%d", base, i)
		}
	}
	return name
}

// group lowers the reference to a group of cuts: their sum, each with its noise; of a group used one by one,
// the cut of the comprehension's current member.
func (g *generative) group(e *ast.Name) (graph.ID, bool) {
	group := g.cuts.Referenced(e.Name)
	if group == nil {
		return graph.NoID, false
	}
	only := 0
	if group.Each() {
		for _, v := range g.vars {
			only = v
		}
	}
	key := memberName(e.Name, only)
	if id, ok := g.sums[key]; ok {
		return id, true
	}
	var cuts, noises []graph.ID
	vars, member := g.vars, g.member
	g.vars = map[string]int{}
	for _, k := range group.Cuts {
		members := 1
		if k.Family {
			members = g.Sizes.Members[k.Client]
		}
		for j := 1; j <= members; j++ {
			if g.member = 0; k.Family {
				g.member = j
			}
			if only > 0 && j != only {
				continue
			}
			id := g.expr(k.Expr)
			if g.diags.HasErrors() {
				return graph.NoID, true
			}
			cuts = append(cuts, id)
			if g.noisy {
				noises = append(noises, g.deviation(key, k, id))
			}
		}
	}
	g.vars, g.member = vars, member
	id := g.total(key, cuts, noises)
	g.sums[key] = id
	return id, true
}

// total is the sum of cuts, an output so that it is evaluated once for all values of the noise, plus the
// noise.
func (g *generative) total(key string, cuts, noises []graph.ID) graph.ID {
	sum := cuts[0]
	if len(cuts) > 1 {
		sum = g.addUp(cuts)
	}
	if len(noises) == 0 || g.diags.HasErrors() {
		return sum
	}
	g.b.Output(key, sum)
	return g.addUp(append([]graph.ID{sum}, noises...))
}

// addUp adds values, of which some may be one number for all rows.
func (g *generative) addUp(ids []graph.ID) graph.ID {
	for _, id := range ids {
		if !slices.Equal(g.b.Shape(id), g.b.Shape(ids[0])) {
			sum := ids[0]
			for _, next := range ids[1:] {
				sum = g.apply(g.Program.File, "add", graph.Attr{}, sum, next)
			}
			return sum
		}
	}
	return g.apply(g.Program.File, "addn", graph.Attr{}, ids...)
}

// deviation is the noise of one cut, the same wherever the cut occurs.
func (g *generative) deviation(key string, k *cut.Expression, id graph.ID) graph.ID {
	party, rho := k.Client, g.cuts.RhoOf(k.Client)
	if k.Family {
		party = memberName(party, g.member)
	}
	for i, n := range g.model.Noise {
		if n.Cut == k.Name && n.Party == party {
			g.noise[key] = append(g.noise[key], i)
			return g.names["noise "+n.Cut+party]
		}
	}
	input := len(g.model.Noise)
	g.model.Noise = append(g.model.Noise, model.Noise{Cut: k.Name, Party: party, Rho: rho, Input: input})
	g.noise[key] = append(g.noise[key], input)
	out := g.apply(g.Program.File, "mul", graph.Attr{}, g.b.Scalar(rho),
		g.b.Input(k.Name+" "+party, g.b.Shape(id)))
	g.names["noise "+k.Name+party] = out
	return out
}

// reach lists the noise in a likelihood's arguments, and returns why the elements of the response are not
// independent once it is integrated out.
func (g *generative) reach(k *cut.Likelihood, shape graph.Shape) (noise []int, dependent string) {
	if len(k.Groups) == 0 || !g.noisy {
		return nil, ""
	}
	if why := g.dependent(k, shape); why != "" {
		return nil, why
	}
	return g.noise[k.Groups[0].Reference()], ""
}

// dependent returns why the elements of a response that auxiliary variables reach are not independent once
// these are integrated out, "" if they are.
func (g *generative) dependent(k *cut.Likelihood, shape graph.Shape) string {
	group := k.Groups[0]
	switch {
	case len(k.Groups) > 1 || !group.Additive:
		return "it combines several auxiliary variables by more than a sum"
	case len(shape) != 1 || !sameShape(g.b.Shape(g.sums[group.Reference()]), shape):
		return "the auxiliary variables and the response do not have one element per row each"
	}
	for _, other := range g.cuts.Likelihoods {
		for _, o := range other.Groups {
			if other != k && o == group {
				return "another response depends on the same auxiliary variables"
			}
		}
	}
	for _, a := range k.Args {
		if a != nil && !g.elementwise(a, group.Reference()) {
			return "its rows are combined after the auxiliary variables have entered"
		}
	}
	return ""
}

// elementwise reports whether element i of an expression depends only on element i of the value of a name.
func (g *generative) elementwise(e ast.Expr, name string) bool {
	if !mentions([]ast.Expr{e}, []string{name}) {
		return true
	}
	switch e := e.(type) {
	case *ast.Name:
		return true
	case *ast.Paren:
		return g.elementwise(e.X, name)
	case *ast.Unary:
		return g.elementwise(e.X, name)
	case *ast.Binary:
		// else it is a product of matrices
		rows := e.Op != "*" || g.cuts.Facts(e.X).Type.Scalar() || g.cuts.Facts(e.Y).Type.Scalar()
		return rows && g.elementwise(e.X, name) && g.elementwise(e.Y, name)
	case *ast.Call:
		if d, ok := g.Program.Density(e); ok {
			return !slices.ContainsFunc(e.Args, func(a ast.Expr) bool {
				return !g.elementwise(a, name)
			}) && !gathers(d, name)
		}
		for _, f := range fn.Elementwise() {
			if f.Name == e.Name.Name {
				return g.elementwise(e.Args[0], name)
			}
		}
	}
	return false
}

// gathers reports whether a density has a name in a vector or matrix of which it makes one number.
func gathers(d check.Density, name string) bool {
	if d.Dist.Event == nil {
		return false
	}
	if d.Dist.Event.Rank > 0 && mentions([]ast.Expr{d.X}, []string{name}) {
		return true
	}
	for k, a := range d.Args {
		if a != nil && (d.Dist.Event.Rank > 0 || d.Dist.Params[k].Rank > 0) &&
			mentions([]ast.Expr{a}, []string{name}) {
			return true
		}
	}
	return false
}
