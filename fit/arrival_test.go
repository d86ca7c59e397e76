package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

// Chains that start where the log density is −1e4 to −1e9, and its gradient 1e9 times what it is in the
// posterior, all arrive there: a centred Poisson model under default settings, from seeds with which
// estimates of the metric from the first draws on kept one of four chains away.
func TestChainsArrive(t *testing.T) {
	bound := bindModel(t, "../bench/chains/models/glmm.vfl", stdlib.NoTransform)
	for _, seed := range []uint64{10, 14, 15, 16} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			arrive(t, bound, seed, "200", 1.5)
		})
	}
}

// Times of a Weibull distribution whose scale depends on a covariate with a standard deviation of 20. At one
// of four starting points its gradient is beyond 1e20, and at one of a hundred beyond 1e90: chains that began
// there were still on their way when the warm-up was over.
func TestChainsBeginWhereTheyCanLeave(t *testing.T) {
	var table strings.Builder
	table.WriteString("t,x\n")
	for i := range 50 {
		x := 20 * math.Sin(float64(3*i))
		fmt.Fprintf(&table, "%.4g,%.4g\n", math.Exp(2-0.02*x)*(0.2+math.Abs(math.Cos(float64(i)))), x)
	}
	const text = "data t : real<lower=0>[N]\ndata x : real[N]\nparam a ~ normal(2, 2)\nparam b ~ normal(0, " +
		"1)\nparam shape ~ lognormal(0, 1)\nt ~ weibull(shape, exp(a + b * x))\n"
	bound := bindFiles(t, text, stdlib.NoTransform, 1, map[string]string{"data.csv": table.String()})
	for seed := range uint64(6) {
		arrive(t, bound, seed+1, "200", 1.1)
	}
}

// Chains of a mixture of three lines all arrive where the data have them, also where the lines are states of
// a discrete parameter. With one starting point each, some keep two components on one line, and R-hat is
// above 2.
func TestChainsArriveInMixtures(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var table strings.Builder
	table.WriteString("y,x\n")
	for i := range 1000 {
		k, x := []int{0, 1, 2, 1}[i%4], r.NormFloat64()
		line := []float64{-3, 0, 3.5}[k] + float64([]float64{1, -0.6, 0.3}[k]*x)
		fmt.Fprintf(&table, "%.5f,%.5f\n", line+float64([]float64{0.7, 1, 0.5}[k]*r.NormFloat64()), x)
	}
	const lines = "data y : real[N]\ndata x : real[N]\nparam w : simplex[3] ~ dirichlet(2)\n" +
		"param a : ordered[3] ~ normal(0, 5)\nparam b : real[3] ~ normal(0, 2)\n" +
		"param s : real[3] ~ half_normal(2)\n"
	for name, likelihood := range map[string]string{
		"mixture": "y ~ mixture(w, normal(a[1] + b[1] * x, s[1]), normal(a[2] + b[2] * x, s[2]), " +
			"normal(a[3] + b[3] * x, s[3]))\n",
		"states": "param k : level(3)[N] ~ categorical(w)\ny ~ normal(a[k] + b[k] .* x, s[k])\n",
	} {
		t.Run(name, func(t *testing.T) {
			bound := bindFiles(t, lines+likelihood, stdlib.NoTransform, 1,
				map[string]string{"data.csv": table.String()})
			for seed := range uint64(3) {
				arrive(t, bound, seed+1, "300", 1.05)
			}
		})
	}
}

// Chains of concentrations in thirty subjects arrive where absorption is faster than elimination, as in the
// data, and not where the two have changed places, with 200 nats less: from one starting point each, all four
// came there, with one mode for all and R-hat of 1. So they do where the curve is a laboratory's and the
// server has the concentrations, and contributions have no noise.
func TestChainsArriveWhereRatesKeepTheirPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var whole, lab, server strings.Builder
	whole.WriteString("c,t,g\n")
	lab.WriteString("id,t,g\n")
	server.WriteString("id,c\n")
	for g := range 30 {
		k, e, v := 1.4, math.Exp(-2+0.3*r.NormFloat64()), math.Exp(1.5+0.2*r.NormFloat64())
		for i, t := range []float64{0.25, 0.5, 1, 2, 4, 8, 12, 24} {
			c := 100 * k / (v * (k - e)) * (math.Exp(-e*t) - math.Exp(-k*t)) * math.Exp(0.15*r.NormFloat64())
			fmt.Fprintf(&whole, "%.6g,%g,%d\n", c, t, g+1)
			fmt.Fprintf(&lab, "%d,%g,%d\n", 8*g+i, t, g+1)
			fmt.Fprintf(&server, "%d,%.6g\n", 8*g+i, c)
		}
	}
	const text = "client lab\ndata c : real<lower=0>[N] @ shared\ndata t : real[N] @ lab\n" +
		"data g : level(G)[N] @ lab\nparam mc ~ normal(-2, 1) @ lab\nparam sc ~ half_normal(1) @ lab\n" +
		"param mv ~ normal(1, 1) @ lab\nparam sv ~ half_normal(1) @ lab\n" +
		"param ka ~ normal(0, 1) @ lab\nparam sigma ~ half_normal(1)\n" +
		"param clear : real[G] ~ normal(mc, sc) @ lab\nparam v : real[G] ~ normal(mv, sv) @ lab\n" +
		"let k = exp(ka)\nlet e = exp(clear)[g]\n" +
		"c ~ lognormal(log(100 * k) - v[g] + log((exp(-e .* t) - exp(-k * t)) ./ (k - e)), sigma)\n"
	held := map[string]string{"server.csv": server.String(), "lab.csv": lab.String()}
	for _, transform := range stdlib.Transforms() {
		if transform.Released() || transform.Noise() {
			continue
		}
		t.Run(transform.Name, func(t *testing.T) {
			rho, seeds, text, tables := 0.02, uint64(1), text, held
			if transform == stdlib.NoTransform {
				text = strings.ReplaceAll(strings.Replace(text, "client lab\n", "", 1), " @ lab", "")
				text = strings.Replace(text, " @ shared", "", 1)
				seeds, tables = 3, map[string]string{"data.csv": whole.String()}
			}
			bound := bindFiles(t, text, transform, rho, tables)
			for seed := range seeds {
				for _, row := range arrive(t, bound, seed+1, "300", 1.05) {
					if row.Name == "sigma" && math.Abs(float64(row.Mean)-0.15) > 0.03 {
						t.Errorf("seed %d: sigma is %.2f, and 0.15 in the data", seed+1, float64(row.Mean))
					}
				}
			}
		})
	}
}

// Chains begin nearer to 0 where half of the attempts have found no number: of a hundred means some are so
// large at every point of (−2, 2) that exp of exp overflows.
func TestChainsBeginNearZeroWhereTheyMust(t *testing.T) {
	text := "data y : count[N]\nparam m ~ normal(0, 1)\nparam u : real[N] ~ normal(m, 0.3)\n" +
		"y ~ poisson(exp(exp(4 * u)))\n"
	bound := bindFiles(t, text, stdlib.NoTransform, 1,
		map[string]string{"data.csv": "y\n" + strings.Repeat("2\n3\n4\n5\n", 25)})
	arrive(t, bound, 1, "300", 1.1)
}

// Chains of five series along one autoregression arrive where it follows them all, as in the data. Where it
// is equal to one series the density grows without bound as that one's errors go to 0, though next to nothing
// of the posterior is there: chains that climbed began there, with R-hat of 3.
func TestChainsArriveWhereAFactorIsNoSeries(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var data strings.Builder
	data.WriteString("Y.1,Y.2,Y.3,Y.4,Y.5\n")
	f := 0.0
	for range 80 {
		f = 0.7*f + r.NormFloat64()
		for k, load := range []float64{1, 0.8, 0.6, 0.9, 0.7} {
			end := ","
			if k == 4 {
				end = "\n"
			}
			fmt.Fprintf(&data, "%.6g%s", load*f+0.6*r.NormFloat64(), end)
		}
	}
	bound := bindFiles(t, "data Y : real[T, K]\nparam load : real[K] ~ half_normal(1)\n"+
		"param s : real[K] ~ half_normal(1)\nparam phi ~ uniform(-1, 1)\nparam e : real[T] ~ normal(0, 1)\n"+
		"let f : real[T] = recur f[1] = e[1] / sqrt(1 - phi^2), f[t] = phi * f[t - 1] + e[t] for t in 2..T\n"+
		"Y ~ normal(outer(f, load), row(s))\n", stdlib.NoTransform, 1,
		map[string]string{"data.csv": data.String()})
	for seed := range uint64(3) {
		arrive(t, bound, seed+1, "300", 1.05)
	}
}

// Chains of a volatility that rises after losses arrive where returns and shocks go together as in the data.
// Where they are one, rho is ±1, the shocks are equal to all returns, and the density grows without bound:
// chains that climbed began there, with R-hat of 1.6 to 3.8.
func TestChainsArriveWhereShocksAreNoReturns(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	data, h := "y\n", -1.0
	for range 400 {
		e, own := r.NormFloat64(), r.NormFloat64()
		data += fmt.Sprintf("%.6g\n", math.Exp(h/2)*(-0.5*e+math.Sqrt(0.75)*own))
		h = -1 + 0.9*(h+1) + 0.3*e
	}
	bound := bindFiles(t, "data y : real[T]\nparam mu ~ normal(-1, 1)\nparam phi ~ beta(20, 2)\n"+
		"param sigma ~ half_normal(0.3)\nparam rho ~ uniform(-1, 1)\nparam e : real[T] ~ normal(0, 1)\n"+
		"let h : real[T] = recur h[1] = mu + sigma * e[1], h[t] = mu + phi * (h[t - 1] - mu) + sigma * e[t] "+
		"for t in 2..T\ny[1 .. T - 1] ~ normal(rho * exp(h[1 .. T - 1] / 2) .* e[2..T], "+
		"exp(h[1 .. T - 1] / 2) * sqrt(1 - rho^2))\n", stdlib.NoTransform, 1, map[string]string{"data.csv": data})
	for seed := range uint64(3) {
		arrive(t, bound, seed+1, "500", 1.1)
	}
}

// Chains of two traits, each with three indicators of which the first has the loading 1, arrive where
// loadings have the signs that the data have: effects that moved as fast as loadings fitted those where these
// began, with errors of the first indicator as large as it, in a chain of four for most seeds.
func TestChainsArriveWhereLoadingsHaveTheirSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	var data strings.Builder
	data.WriteString("ya,yb,yc,za,zb,zc,x\n")
	for range 300 {
		x, f := r.NormFloat64(), 0.9*r.NormFloat64()
		h := 0.6*f + 0.4*x + 0.7*r.NormFloat64()
		for k, load := range []float64{1, 0.8, 1.2} {
			fmt.Fprintf(&data, "%.6g,", 1-float64(k)+load*f+[]float64{0.6, 0.8, 0.5}[k]*r.NormFloat64())
		}
		for k, load := range []float64{1, 1.1, 0.7} {
			fmt.Fprintf(&data, "%.6g,", 0.5*float64(k)+load*h+[]float64{0.7, 0.6, 0.8}[k]*r.NormFloat64())
		}
		fmt.Fprintf(&data, "%.6g\n", x)
	}
	bound := bindFiles(t, "data Y : real[N, 3] from ya, yb, yc\n"+
		"data Z : real[N, 3] from za, zb, zc\ndata x : real[N]\n"+
		"param my : real[3] ~ normal(0, 2)\nparam mz : real[3] ~ normal(0, 2)\n"+
		"param ly : real[2] ~ normal(1, 0.5)\nparam lz : real[2] ~ normal(1, 0.5)\n"+
		"param sy : real[3] ~ half_normal(1)\nparam sz : real[3] ~ half_normal(1)\n"+
		"param sf ~ half_normal(1)\nparam sh ~ half_normal(1)\nparam beta ~ normal(0, 1)\n"+
		"param gamma ~ normal(0, 1)\nparam f : real[N] ~ normal(0, sf)\n"+
		"param h : real[N] ~ normal(beta * f + gamma * x, sh)\n"+
		"Y ~ normal(row(my) + outer(f, append(1, ly)), row(sy))\n"+
		"Z ~ normal(row(mz) + outer(h, append(1, lz)), row(sz))\n", stdlib.NoTransform, 1,
		map[string]string{"data.csv": data.String()})
	for seed := range uint64(4) {
		arrive(t, bound, seed+1, "300", 1.2) // a chain of four elsewhere is 1.5
	}
}

// Chains of directions at thirty sites arrive where the angles of the sites are near each other, as in the
// data: some went round the circle, with effects of any size and less concentration, and R-hat of 2.1.
func TestChainsArriveWhereAnglesAreNear(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var data strings.Builder
	data.WriteString("y,x,g\n")
	for g := range 30 {
		u := 0.3 * r.NormFloat64()
		for range 25 {
			x := r.NormFloat64()
			y := 0.4 + 2*math.Atan(0.3*x+u) + 0.6*r.NormFloat64()
			fmt.Fprintf(&data, "%.6g,%.6g,%d\n", math.Remainder(y, 2*math.Pi), x, g+1)
		}
	}
	bound := bindFiles(t, "data y : real[N]\ndata x : real[N]\ndata g : level(G)[N]\nparam m ~ normal(0, 1)\n"+
		"param b ~ normal(0, 1)\nparam s ~ half_normal(1)\nparam u : real[G] ~ normal(0, s)\n"+
		"param kappa ~ gamma(2, 0.5)\ny ~ von_mises(m + 2 * atan(b * x + u[g]), kappa)",
		stdlib.NoTransform, 0, map[string]string{"data.csv": data.String()})
	for seed := range uint64(2) {
		for _, row := range arrive(t, bound, seed+1, "300", 1.05) {
			if row.Name == "s" && math.Abs(float64(row.Mean)-0.3) > 0.15 {
				t.Errorf("seed %d: s is %.2f, and 0.3 in the data", seed+1, float64(row.Mean))
			}
		}
	}
}

// arrive samples a model, asks that R-hat of each parameter of numbers is below most, and returns the
// summary.
func arrive(t *testing.T, bound *compile.BoundModel, seed uint64, draws string,
	most float64) []posterior.SummaryRow {
	t.Helper()
	p, diags, err := OpenBound(bound, Options{Seed: seed, Settings: map[string]string{"draws": draws}})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Summary()
	for _, row := range rows {
		if !strings.HasPrefix(row.Name, "k[") && !(float64(row.RHat) < most) {
			t.Errorf("seed %d: %s has R-hat %.2f", seed, row.Name, float64(row.RHat))
		}
	}
	return rows
}
