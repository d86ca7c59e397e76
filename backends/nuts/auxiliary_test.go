package nuts

import (
	"context"
	"math"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// unequal is an Env whose clients have auxiliary variables of different sds; testmodel's have one. It
// evaluates at whatever z the algorithm makes.
type unequal struct {
	density.Env
	blocks []density.Block
}

type unequalBlock struct {
	density.Block
	cuts []density.Cut
}

func (b unequalBlock) Cuts() []density.Cut { return b.cuts }

func (e unequal) Blocks() []density.Block { return e.blocks }

func withRho(env density.Env, rho []float64) unequal {
	e := unequal{Env: env}
	for b, block := range env.Blocks() {
		if b > 0 {
			cuts := append([]density.Cut{}, block.Cuts()...)
			cuts[0].Rho = rho[b-1]
			block = unequalBlock{block, cuts}
		}
		e.blocks = append(e.blocks, block)
	}
	return e
}

// In linear regression the auxiliary variables z_1 … z_J of a row, given the parameters, are normal: with
// ρ_j² on the diagonal of D and the response y = b + Σz + N(0, σ²), with covariance D − D11ᵀD/(σ² + Σρ²) and
// means g_j + ρ_j²(y − b − Σg)/(σ² + Σρ²), whether noise has unit masses or estimated ones.
func TestAuxiliariesAreTheirConditional(t *testing.T) {
	rho := []float64{0.5, 1, 1.5}
	total := 0.25 + 1 + 2.25
	m := testmodel.Linear(3, 12, []int{1, 2, 1}, 0.8)
	given := map[string]string{"warmup": "300", "draws": "3500", "target-accept": "0.9"}
	s, err := Algorithm().Resolve(stdlib.Augmented, given)
	if err != nil {
		t.Fatal(err)
	}
	env := withRho(m.Env(4), rho)
	k, err := newChain(env, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	theta, z := make([][]float64, 4), make([][]float64, 4)
	for b, block := range env.blocks {
		theta[b], z[b] = make([]float64, block.Dim()), make([]float64, block.AuxLen())
	}
	means, perCriterion := [3][]float64{}, [3][3][]float64{}
	for draws := 0; draws < 3500; {
		info, err := k.Step(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if draws = info.Draws; draws == 0 {
			continue
		}
		k.Draw(draws-1, theta)
		if err := k.Auxiliary(context.Background(), draws-1, z); err != nil {
			t.Fatal(err)
		}
		sums, squares := [3]float64{}, [3][3]float64{}
		for i, y := range m.Y {
			rest := y - theta[0][0]
			for j := range rho {
				rest -= k.parties[j+1].cut[i]
			}
			var e [3]float64
			for j, r := range rho {
				e[j] = z[j+1][i] - k.parties[j+1].cut[i] - r*r*rest/(0.64+total)
				sums[j] += e[j] / float64(len(m.Y))
			}
			for j := range rho {
				for l := range rho {
					squares[j][l] += e[j] * e[l] / float64(len(m.Y))
				}
			}
		}
		for j := range rho {
			means[j] = append(means[j], sums[j])
			for l := range rho {
				perCriterion[j][l] = append(perCriterion[j][l], squares[j][l])
			}
		}
	}
	for j, r := range rho {
		within(t, "auxiliary variables", means[j], 0)
		for l, q := range rho {
			want := -r * r * q * q / (0.64 + total)
			if j == l {
				want += r * r
			}
			within(t, "auxiliary variables", perCriterion[j][l], want)
		}
	}
}

// within wants the mean of a chain within four and a half Monte Carlo standard errors.
func within(t *testing.T, what string, chain []float64, want float64) {
	t.Helper()
	mean := 0.0
	for _, v := range chain {
		mean += v / float64(len(chain))
	}
	if se := posterior.MCSEMean([][]float64{chain}); !(math.Abs(mean-want) < 4.5*se) || se > 0.05 {
		t.Errorf("%q: mean %v ± %v, want %v", what, mean, se, want)
	}
}
