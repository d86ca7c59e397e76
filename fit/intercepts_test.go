package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/transforms"
)

// An offsetModel is a normal regression with an intercept at the server and a covariate of a client that is far from centred: data of n rows with the residual sd sigma.
type offsetModel struct {
	x, y       []float64
	sigma, tau float64
}

const offsetText = "client c\ndata y : real[N] @ server\ndata x : real[N] @ c\nparam b ~ normal(0, 1) @ c\nparam a ~ normal(0, %v)\ny ~ normal(a + b * x, %v)\n"

func newOffset(tau float64) offsetModel {
	r := rand.New(rand.NewPCG(5, 1))
	m := offsetModel{sigma: 0.5, tau: tau}
	for range 60 {
		x := 20 + r.NormFloat64()
		m.x, m.y = append(m.x, x), append(m.y, 0.3+0.7*x+m.sigma*r.NormFloat64())
	}
	return m
}

func (m offsetModel) bind(t *testing.T, transform def.Transform, rho float64) *compile.Bound {
	var y, x strings.Builder
	for i := range m.x {
		fmt.Fprintf(&y, "%d,%v\n", i, m.y[i])
		fmt.Fprintf(&x, "%d,%v\n", i, m.x[i])
	}
	return bindFiles(t, fmt.Sprintf(offsetText, m.tau, m.sigma), transform, rho, map[string]string{"server.csv": "id,y\n" + y.String(), "c.csv": "id,x\n" + x.String()})
}

// posterior is that of a and b: their means and standard deviations, where noise of sd rho is added to the predictor.
func (m offsetModel) posterior(rho float64) (mean, sd [2]float64) {
	w := 1 / (m.sigma*m.sigma + rho*rho)
	aa, ab, bb, ya, yb := 1/(m.tau*m.tau), 0.0, 1.0, 0.0, 0.0
	for i, x := range m.x {
		aa, ab, bb = aa+w, ab+w*x, bb+w*x*x
		ya, yb = ya+w*m.y[i], yb+w*x*m.y[i]
	}
	det := aa*bb - ab*ab
	return [2]float64{(bb*ya - ab*yb) / det, (aa*yb - ab*ya) / det}, [2]float64{math.Sqrt(bb / det), math.Sqrt(aa / det)}
}

// An intercept that follows a client's contributions has the posterior of the closed form, and is reported as it is declared: with lp__ the log density there. A ridge of correlation -0.9997 costs a few gradients a
// draw, where in declared coordinates it costs more than ten times as many an effective draw.
func TestInterceptsFollowContributions(t *testing.T) {
	m := newOffset(5)
	for _, c := range []struct {
		transform def.Transform
		rho       float64
	}{{transforms.Exact, 0}, {transforms.Augmented, 0.3}} {
		b := m.bind(t, c.transform, c.rho)
		want, sd := m.posterior(c.rho)
		cost := func(given map[string]string) float64 {
			r := run(t, b, given)
			least := math.Inf(1)
			for k := range want {
				x := r.Draws.Column(k)
				got, mcse := mean(x), posterior.MCSEMean(x)
				if math.Abs(got-want[k]) > 4*mcse {
					t.Errorf("%s %v: mean of parameter %d is %.4f ± %.4f, want %.4f", c.transform, given, k, got, mcse, want[k])
				}
				ess := posterior.ESSBulk(x)
				var off [][]float64 // squared distance from the posterior's mean
				for _, chain := range x {
					var squares []float64
					for _, v := range chain {
						squares = append(squares, (v-want[k])*(v-want[k]))
					}
					off = append(off, squares)
				}
				if got, mcse := mean(off), posterior.MCSEMean(off); math.Abs(got-sd[k]*sd[k]) > 4*mcse {
					t.Errorf("%s %v: variance of parameter %d is %.5f ± %.5f, want %.5f", c.transform, given, k, got, mcse, sd[k]*sd[k])
				}
				least = min(least, ess)
			}
			if c.transform == transforms.Exact {
				for _, i := range []int{0, 500, 999} {
					a, slope := r.Draws.Column(0)[1][i], r.Draws.Column(1)[1][i]
					lp := normalLP(a, 0, m.tau) + normalLP(slope, 0, 1)
					for row, x := range m.x {
						lp += normalLP(m.y[row], a+slope*x, m.sigma)
					}
					if got := r.Draws.Transitions[1][i].LP; math.Abs(got-lp) > 1e-7*math.Abs(lp) {
						t.Errorf("%v: lp__ is %v, want %v", given, got, lp)
					}
				}
			}
			return float64(r.Document.Work.Gradients) / least
		}
		follows, declared := cost(nil), cost(map[string]string{"coordinates": "declared"})
		if !(follows < 20) || !(declared > 10*follows) {
			t.Errorf("%s: %.1f gradients an effective draw, %.1f in declared coordinates", c.transform, follows, declared)
		}
	}
}

// A user's initial value of an intercept is where its chains begin, in the coordinates of the model, and they find the posterior from there.
func TestInterceptsBeginWhereTheyAreTold(t *testing.T) {
	const begin = -40
	m := newOffset(5)
	b := m.bind(t, transforms.Exact, 0)
	p := prepared(t, b, backend(t, "nuts"), nil)
	p.starts = [][][]density.Start{{{{Offset: 0, Values: []float64{begin}}}, nil}}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := m.posterior(0)
	for k := range want {
		x := r.Draws.Column(k)
		if got, mcse := mean(x), posterior.MCSEMean(x); math.Abs(got-want[k]) > 4*mcse || posterior.ESSBulk(x) < 400 {
			t.Errorf("mean of parameter %d is %.4f ± %.4f, want %.4f", k, got, mcse, want[k])
		}
	}
	inner, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	env := p.startedAt(inner, 1)
	kernel, err := p.Algorithm.New(env, p.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := kernel.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	theta := [][]float64{make([]float64, 1), make([]float64, 1)}
	if kernel.Draw(0, theta); theta[0][0] != begin {
		t.Errorf("the intercept begins at %v", theta[0][0])
	}
}
