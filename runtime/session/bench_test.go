package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// noNoise are auxiliary variables that equal their cuts.
type noNoise struct{}

func (noNoise) Value(_ int, g, z []float64) { copy(z, g) }

func (noNoise) Adjoint(_ int, adj, own, w, _ []float64) {
	for i := range w {
		w[i] = adj[i] + own[i]
	}
}

// logistic is y ~ bernoulli_logit(b + Σ_j X_j β_j) over clients that share out 20 covariates of 500 rows, with standard normal priors.
func logistic(tb testing.TB, clients int) *model.Plan {
	const n, p = 500, 20
	r := rand.New(rand.NewPCG(1, 2))
	universe := stdlib.New()
	normal, _ := universe.Dist("normal")
	logit, _ := universe.Dist("bernoulli_logit")
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	finish := func(b *graph.Builder) *graph.Graph {
		g, err := b.Build()
		must(err)
		return g
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(r.IntN(2))
	}
	server := graph.New("registry")
	intercept, sum := server.Param("b", nil), server.Input("z", graph.Shape{n})
	eta, err := server.Apply("add", graph.Attr{}, intercept, sum)
	must(err)
	must(server.Density("b", normal, intercept, []graph.ID{server.Scalar(0), server.Scalar(1)}, graph.NoID, 1))
	must(server.Density("y", logit, server.Const("y", graph.Shape{n}, y), []graph.ID{eta}, graph.NoID, 1))
	plan := &model.Plan{Names: []string{"registry"}, Parties: []*model.Spec{{Party: "registry", Graph: finish(server)}}}
	group := model.Group{Name: "z", Len: n, Receivers: []model.Port{{}}}
	for j := range clients {
		name := fmt.Sprint("hospital", j)
		x := make([]float64, n*p/clients)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		b := graph.New(name)
		beta := b.Param("beta", graph.Shape{p / clients})
		g, err := b.Apply("matmul", graph.Attr{}, b.Const("X", graph.Shape{n, p / clients}, x), beta)
		must(err)
		must(b.Density("beta", normal, beta, []graph.ID{b.Scalar(0), b.Scalar(1)}, graph.NoID, 1))
		b.Output("z", g)
		plan.Names = append(plan.Names, name)
		plan.Parties = append(plan.Parties, &model.Spec{Party: name, Graph: finish(b), Cuts: []density.Cut{{Name: "z", Rows: n, Cols: 1, Rho: 1}}})
		group.Members = append(group.Members, model.Port{Party: j + 1})
	}
	plan.Groups = []model.Group{group}
	return plan
}

// BenchmarkDensity is one evaluation over all parties.
func BenchmarkDensity(b *testing.B) {
	for _, clients := range []int{2, 10} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			plan := logistic(b, clients)
			env := local(b, plan)
			var theta, grad [][]float64
			for _, block := range env.Blocks() {
				theta, grad = append(theta, make([]float64, block.Dim())), append(grad, make([]float64, block.Dim()))
			}
			lp := make([]float64, len(theta))
			b.ReportAllocs()
			for b.Loop() {
				if err := env.Density(context.Background(), theta, noNoise{}, grad, lp); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
