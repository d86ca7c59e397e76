package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// noNoise are auxiliary variables that equal their cuts.
type noNoise struct{}

func (noNoise) Value(_ int, g, z []float64) { copy(z, g) }

func (noNoise) Adjoint(_ int, adj, own, w, _ []float64) {
	for i := range w {
		w[i] = adj[i] + own[i]
	}
}

// normalNoise is the passes that algorithms make over auxiliary variables, with noise that is 0.
type normalNoise struct{ e, grad []float64 }

func (p normalNoise) Value(_ int, g, z []float64) { vector.Noise(len(z), z, g, p.e, 1) }

func (p normalNoise) Adjoint(_ int, adj, own, w, _ []float64) {
	vector.NoiseBack(len(w), w, p.grad, adj, own, p.e, 1)
}

// A logisticModel is y ~ bernoulli_logit(b + Σ_j X_j β_j) over clients that share out 20 covariates of some
// rows, or have one each where they are more, with standard normal priors.
type logisticModel struct {
	tb            testing.TB
	random        *rand.Rand
	rows          int
	columns       int // of a client
	y             []float64
	normal, logit *def.Dist
	power         float64 // of the likelihood
}

// benchRows is the number of rows in benchmarks.
const benchRows = 500

// transformed is the model under a transform. Under power each client has the likelihood to the power of 1/J.
func transformed(tb testing.TB, clients, rows int, transform string) *model.Plan {
	m := &logisticModel{tb: tb, random: rand.New(rand.NewPCG(1, 2)), rows: rows, columns: max(1, 20/clients),
		power: 1}
	universe := stdlib.New()
	m.normal, _ = universe.Dist("normal")
	m.logit, _ = universe.Dist("bernoulli_logit")
	for range rows {
		m.y = append(m.y, float64(m.random.IntN(2)))
	}
	power := transform == "power"
	if power {
		m.power = 1 / float64(clients)
	}
	server := graph.New("registry")
	intercept := server.Param("b", nil)
	m.prior(server, "b", intercept)
	plan := &model.Plan{Names: []string{"registry"}, AtClients: power, Exact: transform == "exact"}
	group := model.Group{Name: "z", Len: rows}
	if power {
		server.Output("b", intercept)
		plan.Shared = []model.Shared{{Name: "b"}}
	} else {
		m.likelihood(server, intercept, server.Input("z", graph.Shape{m.rows}))
		group.Receivers = []model.Port{{}}
	}
	plan.Parties = []*model.Spec{{Party: "registry", Graph: m.finish(server)}}
	for j := range clients {
		b := graph.New(fmt.Sprint("hospital", j))
		beta, g := m.cut(b)
		m.prior(b, "beta", beta)
		b.Output("z", g)
		if power {
			eta, err := b.Apply("add", graph.Attr{}, g, b.Input("z", graph.Shape{m.rows}))
			m.must(err)
			m.likelihood(b, b.Input("b", nil), eta)
			group.Receivers = append(group.Receivers, model.Port{Party: j + 1})
			plan.Shared[0].To = append(plan.Shared[0].To, model.Port{Party: j + 1, Index: 1})
		}
		name := fmt.Sprint("hospital", j)
		plan.Names = append(plan.Names, name)
		cut := density.Cut{Name: "z", Rows: rows, Cols: 1, Rho: 1}
		if plan.Exact {
			cut.Rho = 0
		}
		plan.Parties = append(plan.Parties, &model.Spec{Party: name, Graph: m.finish(b),
			Cuts: []density.Cut{cut}})
		group.Members = append(group.Members, model.Port{Party: j + 1})
	}
	plan.Groups = []model.Group{group}
	return plan
}

func (m *logisticModel) must(err error) {
	m.tb.Helper()
	if err != nil {
		m.tb.Fatal(err)
	}
}

func (m *logisticModel) prior(b *graph.Builder, name string, x graph.ID) {
	m.must(b.Density(name, m.normal, x, []graph.ID{b.Scalar(0), b.Scalar(1)}, graph.NoID, 1))
}

func (m *logisticModel) likelihood(b *graph.Builder, intercept, sum graph.ID) {
	eta, err := b.Apply("add", graph.Attr{}, intercept, sum)
	m.must(err)
	m.must(b.Density("y", m.logit, b.Const("y", graph.Shape{m.rows}, m.y), []graph.ID{eta}, graph.NoID,
		m.power))
}

// cut is X·beta.
func (m *logisticModel) cut(b *graph.Builder) (beta, g graph.ID) {
	x := make([]float64, m.rows*m.columns)
	for i := range x {
		x[i] = m.random.NormFloat64()
	}
	beta = b.Param("beta", graph.Shape{m.columns})
	g, err := b.Apply("matmul", graph.Attr{}, b.Const("X", graph.Shape{m.rows, m.columns}, x), beta)
	m.must(err)
	return beta, g
}

func (m *logisticModel) finish(b *graph.Builder) *graph.Graph {
	g, err := b.Build()
	m.must(err)
	return g
}

// BenchmarkDensity is an evaluation over all parties, in turn with the graphs of the same parties alone:
// their outputs, densities and gradients. The difference, by client, is the overhead of a client.
func BenchmarkDensity(b *testing.B) {
	// As many evaluations follow one another, as in a fit, so that the caches have what an evaluation leaves
	// in them and not the other copy of the parties.
	const series = 16
	note := func(times []float64, start time.Duration) []float64 {
		if len(times) == cap(times) {
			return times
		}
		return append(times, float64(stopwatch.Process()-start))
	}
	for _, transform := range []string{"augmented", "exact", "power"} {
		for _, clients := range []int{2, 10, 50, 200} {
			b.Run(fmt.Sprintf("%s/%d", transform, clients), func(b *testing.B) {
				plan := transformed(b, clients, benchRows, transform)
				env := local(b, plan)
				var theta, grad [][]float64
				var alone []*model.Party
				for k, block := range env.Blocks() {
					theta, grad = append(theta, make([]float64, block.Dim())),
						append(grad, make([]float64, block.Dim()))
					alone = append(alone, model.NewParty(plan, k))
				}
				lp := make([]float64, len(theta))
				w := make([]float64, benchRows)
				all, graphs := make([]float64, 0, 1<<16), make([]float64, 0, 1<<16)
				noise := &normalNoise{make([]float64, benchRows), make([]float64, benchRows)}
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					start := stopwatch.Process()
					if whole := n/series%2 == 0; whole {
						if err := env.Density(context.Background(), theta, noise, grad, lp); err != nil {
							b.Fatal(err)
						}
						all = note(all, start)
					} else {
						for k, p := range alone {
							p.Evaluate(theta[k])
							p.Target()
							p.Finish(w[:p.SendLen()], nil, nil, grad[k])
						}
						graphs = note(graphs, start)
					}
				}
				if len(graphs) == 0 {
					return // the first try of a benchmark is one evaluation
				}
				least, bare := slices.Min(all), slices.Min(graphs)
				slices.Sort(all)
				slices.Sort(graphs)
				each := float64(clients)
				b.ReportMetric(all[len(all)/2]/each, "ns/client")
				b.ReportMetric((all[len(all)/2]-graphs[len(graphs)/2])/each, "overhead-ns/client")
				b.ReportMetric((least-bare)/each, "least-overhead-ns/client")
			})
		}
	}
}
