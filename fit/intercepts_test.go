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
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
)

// An offsetModel is a normal regression with an intercept at the server and covariates that are far from
// centred, one of each client and perhaps one of the server: data of n rows with the residual sd sigma.
type offsetModel struct {
	x, own     [][]float64
	y          []float64
	sigma, tau float64
}

func newOffset(tau float64, clients int, own bool) offsetModel {
	r := rand.New(rand.NewPCG(5, 1))
	m := offsetModel{x: make([][]float64, clients), sigma: 0.5, tau: tau}
	if own {
		m.own = make([][]float64, 1)
	}
	for range 60 {
		eta := 0.3
		for _, list := range [][][]float64{m.x, m.own} {
			for k := range list {
				x := 20 + r.NormFloat64()
				list[k] = append(list[k], x)
				eta += 0.7 * x
			}
		}
		m.y = append(m.y, eta+m.sigma*r.NormFloat64())
	}
	return m
}

func (m offsetModel) bind(t *testing.T, transform def.Transform, rho float64) *compile.BoundModel {
	owner := "server"
	if transform == stdlib.Power {
		owner = "shared"
	}
	text, files := fmt.Sprintf("data y : real[N] @ %s\nparam a ~ normal(0, %v)\n", owner, m.tau),
		map[string]string{}
	column := func(party, names string, columns ...[]float64) {
		var b strings.Builder
		fmt.Fprintf(&b, "id,%s\n", names)
		for i := range m.y {
			fmt.Fprintf(&b, "%d", i)
			for _, c := range columns {
				fmt.Fprintf(&b, ",%v", c[i])
			}
			b.WriteByte('\n')
		}
		files[party+".csv"] = b.String()
	}
	var names, terms []string
	for k, x := range m.x {
		name := fmt.Sprintf("c%d", k+1)
		text += fmt.Sprintf("data x%[1]d : real[N] @ c%[1]d\nparam b%[1]d ~ normal(0, 1) @ c%[1]d\n", k+1)
		names, terms = append(names, name), append(terms, fmt.Sprintf("b%[1]d * x%[1]d", k+1))
		column(name, fmt.Sprintf("x%d", k+1), x)
	}
	if column("server", "y", m.y); m.own != nil {
		text += "data w : real[N] @ server\nparam d ~ normal(0, 1)\n"
		terms = append(terms, "d * w")
		column("server", "y,w", m.y, m.own[0])
	}
	text = "client " + strings.Join(names, ", ") + "\n" + text + fmt.Sprintf("y ~ normal(a + %s, %v)\n",
		strings.Join(terms, " + "), m.sigma)
	return bindFiles(t, text, transform, rho, files)
}

// columns are the covariates in the order of the parameters, after a constant one: the server's come before
// the clients'.
func (m offsetModel) columns() [][]float64 {
	ones := make([]float64, len(m.y))
	for i := range ones {
		ones[i] = 1
	}
	return append(append([][]float64{ones}, m.own...), m.x...)
}

// posterior is that of all parameters: their means and standard deviations, where the noise on a row's
// predictor has a variance.
func (m offsetModel) posterior(noise float64) (mean, sd []float64) {
	columns, w := m.columns(), 1/(m.sigma*m.sigma+noise)
	n := len(columns)
	precision, right := make([][]float64, n), make([]float64, n)
	for i := range precision {
		precision[i] = make([]float64, 2*n) // beside the identity, which becomes the covariance
		precision[i][n+i] = 1
		precision[i][i] = 1
		if i == 0 {
			precision[0][0] = 1 / (m.tau * m.tau)
		}
		for row, y := range m.y {
			right[i] += w * columns[i][row] * y
			for j := range n {
				precision[i][j] += w * columns[i][row] * columns[j][row]
			}
		}
	}
	for i, pivot := range precision {
		by := pivot[i]
		for j := range pivot {
			pivot[j] /= by
		}
		for k, other := range precision {
			if by := other[i]; k != i {
				for j := range other {
					other[j] -= by * pivot[j]
				}
			}
		}
	}
	mean, sd = make([]float64, n), make([]float64, n)
	for i, row := range precision {
		for j, v := range right {
			mean[i] += row[n+j] * v
		}
		sd[i] = math.Sqrt(row[n+i])
	}
	return mean, sd
}

// An intercept that follows what else is added to its predictor has the posterior of the closed form, and is
// reported as it is declared: with lp__ the log density there. A ridge of correlation -0.999 costs a few
// gradients a draw, where in declared coordinates it costs more than ten times as many an effective draw.
func TestInterceptsFollowContributions(t *testing.T) {
	const rho = 0.3
	for _, c := range []struct {
		transform def.Transform
		noise     float64
		m         offsetModel
		declared  bool // is compared, which costs ten times as much
	}{
		{stdlib.Exact, 0, newOffset(5, 1, false), true},
		{stdlib.Augmented, rho * rho, newOffset(5, 1, false), false},
		{stdlib.Power, rho * rho / 2, newOffset(5, 2, false), false},
		// most of what the intercept varies with is the server's own
		{stdlib.Exact, 0, newOffset(20, 1, true), false},
	} {
		m := c.m
		b := m.bind(t, c.transform, rho)
		want, sd := m.posterior(c.noise)
		columns := m.columns()
		cost := func(given map[string]string) float64 {
			r := run(t, b, given)
			least := math.Inf(1)
			for k := range want {
				x := r.Draws.Column(k)
				got, mcse := mean(x), posterior.MCSEMean(x)
				if math.Abs(got-want[k]) > 4*mcse {
					t.Errorf("%s %v: mean of parameter %d is %.4f ± %.4f, want %.4f", c.transform, given, k,
						got, mcse, want[k])
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
					t.Errorf("%s %v: variance of parameter %d is %.5f ± %.5f, want %.5f", c.transform, given,
						k, got, mcse, sd[k]*sd[k])
				}
				least = min(least, ess)
			}
			if c.transform == stdlib.Exact {
				for _, i := range []int{0, 500, 999} {
					lp, eta := 0.0, make([]float64, len(m.y))
					for k, column := range columns {
						scale, v := 1.0, r.Draws.Column(k)[1][i]
						if k == 0 {
							scale = m.tau
						}
						lp += normalLP(v, 0, scale)
						for row, x := range column {
							eta[row] += v * x
						}
					}
					for row, y := range m.y {
						lp += normalLP(y, eta[row], m.sigma)
					}
					if got := r.Draws.Transitions[1][i].LP; math.Abs(got-lp) > 1e-7*math.Abs(lp) {
						t.Errorf("%v: lp__ is %v, want %v", given, got, lp)
					}
				}
			}
			return float64(r.Document.Work.Gradients) / least
		}
		follows := cost(nil)
		if !(follows < 20) {
			t.Errorf("%s, %d covariates: %.1f gradients an effective draw", c.transform, len(want)-1, follows)
		}
		if c.declared || *brief.Every {
			if declared := cost(map[string]string{"coordinates": "declared"}); !(declared > 10*follows) {
				t.Errorf("%s, %d covariates: %.1f gradients an effective draw, %.1f in declared coordinates",
					c.transform, len(want)-1, follows, declared)
			}
		}
	}
}

// A user's initial value of an intercept is where its chains begin, in the coordinates of the model, and they
// find the posterior from there.
func TestInterceptsBeginWhereTheyAreTold(t *testing.T) {
	const begin = -40
	m := newOffset(5, 1, false)
	b := m.bind(t, stdlib.Exact, 0)
	p := prepared(t, b, backend(t, "nuts"), nil)
	p.starts = [][][]density.Init{{{{Offset: 0, Values: []float64{begin}}}, nil}}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := m.posterior(0)
	for k := range want {
		x := r.Draws.Column(k)
		if got, mcse := mean(x), posterior.MCSEMean(x); math.Abs(got-want[k]) > 4*mcse ||
			posterior.ESSBulk(x) < 400 {
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

// When a chain arrives the scale of the data is far from what it is later, and with it the data's part of
// what is known of an intercept: the share of that moment would leave a ridge between an intercept and
// effects of covariates around 2000, of which a chain of 8000 draws tells as much as some tens.
func TestInterceptsFollowOnceTheScaleIsKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 2))
	var server, years, weights strings.Builder
	server.WriteString("id,y\n")
	years.WriteString("id,year,g\n")
	weights.WriteString("id,weight\n")
	for i := range 200 {
		year, g, weight := 2000+float64(i%20), i/10, 70+12*r.NormFloat64()
		fmt.Fprintf(&server, "%d,%v\n", i, 0.4*year-0.5*weight-27+1.5*float64(g%3)+0.3*r.NormFloat64())
		fmt.Fprintf(&years, "%d,%v,%d\n", i, year, g+1)
		fmt.Fprintf(&weights, "%d,%v\n", i, weight)
	}
	b := bindFiles(t, `client a, b
data y      : real[N]     @ shared
data year   : real[N]     @ a
data g      : level(G)[N] @ a
data weight : real[N]     @ b
param c             ~ normal(0, 20)
param sigma         ~ half_normal(1)
param trend         ~ normal(0, 1)   @ a
param tau           ~ half_normal(1) @ a
param u   : real[G] ~ normal(0, tau) @ a
param slope         ~ normal(0, 1)   @ b
y ~ normal(c + year * trend + u[g] + weight * slope, sigma)
`, stdlib.Exact, 0, map[string]string{"shared.csv": server.String(), "a.csv": years.String(),
		"b.csv": weights.String()})
	for _, row := range run(t, b, map[string]string{"chains": "2", "warmup": "600", "draws": "500"}).Summary() {
		if ess := float64(row.ESSBulk); ess < 250 {
			t.Errorf("%s: of 1000 draws %.0f are effective", row.Name, ess)
		}
	}
}
