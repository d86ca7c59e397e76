package session_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// A design is a family of small models that use every kind of connection. With β_j and B_j parameters of
// client j, b, μ and c of the server, u_j = 1 and c = 1 where they are left out, and y, Y, X_j data:
//
//	cuts        g1_j = X_j (β_j ∘ β_j ∘ c)    g2_j = X_j B_j (two columns)    g3_j = X_j β_j (each in a group of its own)
//	likelihood  L(s1, s2, u) = -½ Σ r² - 0.05 Σ r⁴ - ½ Σ (Y - s2)²,  r = y - b - s1 - 0.1 Π_j u_j
//	client      -½ Σ (β_j - μ)² - ½ Σ B_j² - 0.01 Σ g1_j²
//	server      -½ (b - 0.3)² - ½ Σ μ² - ½ Σ c² - ½ Σ (μ ∘ c - 0.2)²
//
// In the exact model s1, s2 and u_j are sums of cuts. In the power model every client receives all groups,
// its own among them, and b is flat, so that only the clients' densities depend on it.
type design struct {
	power, single, late, early bool
	exact                      bool // the cuts themselves cross
	clients                    int
}

func (d design) String() string {
	return fmt.Sprintf("power=%t single=%t late=%t early=%t exact=%t clients=%d", d.power, d.single, d.late,
		d.early, d.exact, d.clients)
}

// designs are all combinations that the tests go through.
func designs() []design {
	var all []design
	for k := range 16 {
		for _, clients := range []int{1, 2, 5} {
			d := design{power: k&1 > 0, single: k&2 > 0, late: k&4 > 0, early: k&8 > 0, clients: clients}
			all = append(all, d)
			if d.exact = !d.power; d.exact {
				all = append(all, d)
			}
		}
	}
	return all
}

const (
	rows = 7
	vars = 2 // columns of each X
)

// A world is a design with data.
type world struct {
	design
	y, y2 []float64
	x     [][]float64 // by client
}

func newWorld(d design) *world {
	r := rand.New(rand.NewPCG(3, 4))
	w := &world{design: d, y: normals(r, rows), y2: normals(r, 2*rows)}
	for range d.clients {
		w.x = append(w.x, normals(r, rows*vars))
	}
	return w
}

func normals(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

func (w *world) names() []string {
	names := []string{"registry"}
	for j := range w.clients {
		names = append(names, fmt.Sprintf("lab[%d]", j+1))
	}
	return names
}

// A writer builds a graph; errors fail the test.
type writer struct {
	*graph.Builder
	t *testing.T
}

func (b writer) op(name string, in ...graph.ID) graph.ID {
	b.t.Helper()
	id, err := b.Apply(name, graph.Attr{}, in...)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// quadratic adds k Σ (a - b)² to the target.
func (b writer) quadratic(term string, k float64, a, at graph.ID, power float64) {
	b.t.Helper()
	d := b.op("sub", a, at)
	b.term(term, b.op("mul", b.Scalar(k), b.op("mul", d, d)), power)
}

func (b writer) term(name string, id graph.ID, power float64) {
	b.t.Helper()
	if err := b.Add(name, id, power); err != nil {
		b.t.Fatal(err)
	}
}

func (b writer) build() *graph.Graph {
	b.t.Helper()
	g, err := b.Build()
	if err != nil {
		b.t.Fatal(err)
	}
	return g
}

// likelihood adds L to the target.
func (w *world) likelihood(b writer, intercept, s1, s2 graph.ID, u []graph.ID, power float64) {
	r := b.op("sub", b.op("sub", b.Const("y", graph.Shape{rows}, w.y), intercept), s1)
	if len(u) > 0 {
		product := b.Scalar(0.1)
		for _, v := range u {
			product = b.op("mul", product, v)
		}
		r = b.op("sub", r, product)
	}
	r2 := b.op("mul", r, r)
	b.term("y", b.op("add", b.op("mul", b.Scalar(-0.5), r2),
		b.op("mul", b.Scalar(-0.05), b.op("mul", r2, r2))), power)
	b.quadratic("Y", -0.5, b.Const("Y", graph.Shape{rows, 2}, w.y2), s2, power)
}

// sumInputs adds the inputs of all groups: s1, s2 and the u.
func (w *world) sumInputs(b writer) (s1, s2 graph.ID, u []graph.ID) {
	s1 = b.Input("s1", graph.Shape{rows})
	s2 = b.Input("s2", graph.Shape{rows, 2})
	if w.single {
		for j := range w.clients {
			u = append(u, b.Input(fmt.Sprint("u", j+1), graph.Shape{rows}))
		}
	}
	return s1, s2, u
}

// groupCount is the number of groups, and of inputs that sums take at a receiver: they come first.
func (w *world) groupCount() int {
	if w.single {
		return 2 + w.clients
	}
	return 2
}

func (w *world) server(t *testing.T) *model.Spec {
	b := writer{graph.New("registry"), t}
	intercept, mu, c := b.Param("b", nil), b.Param("mu", graph.Shape{vars}), b.Param("c", graph.Shape{vars})
	b.quadratic("mu", -0.5, mu, b.Scalar(0), 1)
	b.quadratic("c", -0.5, c, b.Scalar(0), 1)
	b.quadratic("both", -0.5, b.op("mul", mu, c), b.Scalar(0.2), 1)
	if w.power {
		b.Output("b", intercept)
	} else {
		s1, s2, u := w.sumInputs(b)
		w.likelihood(b, intercept, s1, s2, u, 1)
		b.quadratic("b", -0.5, intercept, b.Scalar(0.3), 1)
	}
	if w.late {
		b.Output("mu", mu)
	}
	if w.early {
		b.Output("c", c)
	}
	b.Report("b", b.op("mul", b.Scalar(2), intercept))
	return &model.Spec{Party: "registry", Graph: b.build(),
		Params: []density.Parameter{{Name: "b", Owner: "registry", Len: 1}}}
}

func (w *world) client(t *testing.T, j int) *model.Spec {
	b := writer{graph.New(w.names()[j+1]), t}
	x := b.Const("X", graph.Shape{rows, vars}, w.x[j])
	beta, big := b.Param("beta", graph.Shape{vars}), b.Param("B", graph.Shape{vars, 2})
	s1, s2, u := graph.NoID, graph.NoID, []graph.ID(nil)
	intercept := graph.NoID
	if w.power {
		s1, s2, u = w.sumInputs(b)
		intercept = b.Input("b", nil)
	}
	mu := b.Scalar(0)
	if w.late {
		mu = b.Input("mu", graph.Shape{vars})
	}
	square := b.op("mul", beta, beta)
	if w.early {
		square = b.op("mul", square, b.Input("c", graph.Shape{vars}))
	}
	g1, g2, g3 := b.op("matmul", x, square), b.op("matmul", x, big), b.op("matmul", x, beta)
	b.quadratic("beta", -0.5, beta, mu, 1)
	b.quadratic("B", -0.5, big, b.Scalar(0), 1)
	b.quadratic("g1", -0.01, g1, b.Scalar(0), 1)
	if w.power {
		if w.single {
			u[j] = b.op("add", u[j], g3)
		}
		w.likelihood(b, intercept, b.op("add", s1, g1), b.op("add", s2, g2), u, 1/float64(w.clients))
	}
	spec := &model.Spec{Party: w.names()[j+1], Cuts: []density.Cut{
		{Name: "g1", Rows: rows, Cols: 1, Rho: 0.7},
		{Name: "g2", Offset: rows, Rows: rows, Cols: 2, Rho: 1.3, Group: 1},
	}}
	b.Output("g1", g1)
	b.Output("g2", g2)
	if w.single {
		b.Output("g3", g3)
		spec.Cuts = append(spec.Cuts, density.Cut{Name: "g3", Offset: 3 * rows, Rows: rows, Cols: 1, Rho: 0.9,
			Group: 2 + j})
	}
	if w.exact {
		for k := range spec.Cuts {
			spec.Cuts[k].Rho = 0
		}
	}
	b.Report("shifted", b.op("add", beta, mu))
	spec.Params = []density.Parameter{{Name: "shifted", Owner: spec.Party, Dims: []int{vars}, Len: vars}}
	spec.Graph = b.build()
	return spec
}

// plan wires the design.
func (w *world) plan(t *testing.T) *model.Plan {
	t.Helper()
	p := &model.Plan{Names: w.names(), Parties: []*model.Spec{w.server(t)}, AtClients: w.power,
		Exact: w.exact}
	for j := range w.clients {
		p.Parties = append(p.Parties, w.client(t, j))
	}
	for k := range w.groupCount() {
		p.Groups = append(p.Groups, w.group(k))
	}
	out, in := 0, 0 // next output of the server, next input of the clients
	if w.power {
		in = w.groupCount()
	}
	for _, s := range []struct {
		name      string
		on, early bool
	}{{"b", w.power, false}, {"mu", w.late, false}, {"c", w.early, true}} {
		if s.on {
			p.Shared = append(p.Shared, model.Shared{Name: s.name, From: model.Port{Index: out},
				To: w.everyClient(in), Early: s.early})
			out, in = out+1, in+1
		}
	}
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (w *world) everyClient(index int) []model.Port {
	var ports []model.Port
	for j := range w.clients {
		ports = append(ports, model.Port{Party: j + 1, Index: index})
	}
	return ports
}

func (w *world) group(k int) model.Group {
	g := model.Group{Name: fmt.Sprint("s", k+1), Len: rows, Members: w.everyClient(k)}
	if k == 1 {
		g.Len = 2 * rows
	}
	if k >= 2 {
		g.Members = []model.Port{{Party: k - 1, Index: 2}}
	}
	g.Receivers = []model.Port{{Party: 0, Index: k}}
	if w.power {
		g.Receivers = w.everyClient(k)
	}
	return g
}

// A truth evaluates the joint log density of the parties (without log N(z; g, ρ²)) by the formulas of design,
// in plain loops.
type truth struct {
	*world
	server []float64 // b, μ, c
}

func (w *world) logDensity(theta [][]float64, z [][]float64) float64 {
	m := truth{w, theta[0]}
	total := m.serverPart()
	for j := range w.clients {
		total += m.clientPart(j, theta[j+1])
	}
	if w.exact {
		z = [][]float64{nil}
		for j := range w.clients {
			z = append(z, m.cuts(j, theta[j+1]))
		}
	}
	if !w.power {
		return total + m.likelihood(z)
	}
	for j := range w.clients {
		seen := make([][]float64, len(z))
		copy(seen, z)
		seen[j+1] = m.cuts(j, theta[j+1])
		total += m.likelihood(seen) / float64(w.clients)
	}
	return total
}

func (m truth) mu() []float64 { return m.server[1:3] }
func (m truth) c() []float64  { return m.server[3:5] }

func (m truth) serverPart() float64 {
	var lp float64
	if !m.power {
		lp -= 0.5 * (m.server[0] - 0.3) * (m.server[0] - 0.3)
	}
	for k := range vars {
		mu, c := m.mu()[k], m.c()[k]
		lp -= 0.5*mu*mu + 0.5*c*c + 0.5*(mu*c-0.2)*(mu*c-0.2)
	}
	return lp
}

func (m truth) clientPart(j int, theta []float64) (lp float64) {
	for k, v := range theta {
		if k < vars && m.late {
			v -= m.mu()[k]
		}
		lp -= 0.5 * v * v
	}
	for _, g := range m.cuts(j, theta)[:rows] {
		lp -= 0.01 * g * g
	}
	return lp
}

// cuts are g1, both columns of g2, and g3, one after another.
func (m truth) cuts(j int, theta []float64) []float64 {
	g := make([]float64, 4*rows)
	for i := range rows {
		for k := range vars {
			x, c := m.x[j][k*rows+i], 1.0
			if m.early {
				c = m.c()[k]
			}
			g[i] += x * theta[k] * theta[k] * c
			g[rows+i] += x * theta[vars+k]
			g[2*rows+i] += x * theta[2*vars+k]
			g[3*rows+i] += x * theta[k]
		}
	}
	return g
}

func (m truth) likelihood(z [][]float64) (lp float64) {
	for i := range rows {
		r, product := m.y[i]-m.server[0], 0.1
		e0, e1 := m.y2[i], m.y2[rows+i]
		for _, v := range z[1:] {
			r -= v[i]
			e0 -= v[rows+i]
			e1 -= v[2*rows+i]
			if m.single {
				product *= v[3*rows+i]
			}
		}
		if m.single {
			r -= product
		}
		lp -= 0.5*r*r + 0.05*r*r*r*r + 0.5*e0*e0 + 0.5*e1*e1
	}
	return lp
}
