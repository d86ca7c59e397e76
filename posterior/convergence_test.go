package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// lcg is the generator of the golden chains: x ← 1664525·x + 1013904223 mod 2³², u = (x + ½)/2³².
func lcg(seed uint32, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		seed = 1664525*seed + 1013904223
		out[i] = (float64(seed) + 0.5) / (1 << 32)
	}
	return out
}

// autoregressive is y_t = φ·y_{t−1} + (sum of three uniforms − 1.5): a correlated chain with the same bits on
// every machine.
func autoregressive(seed uint32, n int, phi float64) []float64 {
	u, y := lcg(seed, 3*n), make([]float64, n)
	last := 0.0
	for t := range y {
		last = phi*last + (u[3*t] + u[3*t+1] + u[3*t+2] - 1.5)
		y[t] = last
	}
	return y
}

func four(n int, phi float64) [][]float64 {
	var out [][]float64
	for seed := range uint32(4) {
		out = append(out, autoregressive(seed+1, n, phi))
	}
	return out
}

func shiftedLast(chains [][]float64, by float64) [][]float64 {
	for i := range chains[3] {
		chains[3][i] += by
	}
	return chains
}

// golden holds values computed by the R package posterior 1.4.0.
type golden struct {
	name                                                string
	chains                                              [][]float64
	mean, sd, rhat, bulk, tail, essMean                 float64
	mcseMean, mcseSD, rhatBasic, essBasic, q5, q95, mq5 float64
}

func goldens() []golden {
	a := func() [][]float64 { return four(500, 0.6) }
	round := func(v float64) float64 { return math.RoundToEven(v*10) / 10 }
	cube := func(v float64) float64 { return v * v * v }
	return []golden{
		{"autoregressive", a(), 0.031240359213, 0.626347850563, 1.0054548793, 498.24228934, 856.62159082,
			500.53967759,
			0.027996022677, 0.015460203775, 1.0054938196, 500.53967759, -1.036752584603, 1.060939160602,
			0.050694679557},
		{"one chain shifted", shiftedLast(a(), 0.3), 0.106240359213, 0.642005162524, 1.0341811237,
			276.50489564, 772.90614081, 276.16664626,
			0.038632508372, 0.016310983581, 1.0341172987, 276.16664626, -0.967775870202, 1.165887176472,
			0.049809882577},
		{"odd length", four(501, 0.6), 0.032035825347, 0.626325547823, 1.0053371860, 497.56813580,
			864.92879751, 500.11361728,
			0.028006948127, 0.015433834186, 1.0053764162, 500.11361728, -1.036503212223, 1.064052981603,
			0.050694679557},
		{"ties", mapped(a(), round), 0.031, 0.626182922576, 1.0054916230, 502.36130502, 785.70171573,
			505.33791387,
			0.027855456341, 0.015415632438, 1.0055049249, 505.33791387, -1, 1.1, 0.05},
		{"heavy tails", mapped(a(), cube), 0.029139466704, 0.868029425219, 1.0054548793, 498.24228934,
			856.62159082, 634.34314398,
			0.034464526988, 0.055518457541, 1.0027693038, 634.34314398, -1.114360412185, 1.194186821145,
			0.161802255881},
		{"antithetic", four(500, -0.7), 0.007034956744, 0.713606266233, 0.9994769291, 6602.05999133,
			1701.90045070, 6602.05999133,
			0.008782515436, 0.017566847890, 0.9983109455, 6602.05999133, -1.170137318017, 1.197767359956,
			0.036819390220},
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

func TestAgainstPosteriorPackage(t *testing.T) {
	for i, v := range []float64{-0.390031768358313, -0.609073814051226, -0.517999519319273,
		-0.498724761743098, -0.136535080693476} {
		near(t, "draw of the golden chain", autoregressive(1, 5, 0.6)[i], v, 1e-14)
	}
	for _, g := range goldens() {
		t.Run(g.name, func(t *testing.T) {
			all := pooled(g.chains)
			sorted := ascending(all)
			near(t, "mean", mean(all), g.mean, 1e-11)
			near(t, "sd", math.Sqrt(variance(all)), g.sd, 1e-11)
			near(t, "R-hat", RHat(g.chains), g.rhat, 1e-10)
			near(t, "bulk ESS", ESSBulk(g.chains), g.bulk, 1e-8)
			near(t, "tail ESS", ESSTail(g.chains), g.tail, 1e-8)
			near(t, "ESS of the mean", ESSMean(g.chains), g.essMean, 1e-8)
			near(t, "MCSE of the mean", MCSEMean(g.chains), g.mcseMean, 1e-12)
			near(t, "MCSE of the sd", MCSESD(g.chains), g.mcseSD, 1e-12)
			near(t, "split R-hat", rhat(split(g.chains)), g.rhatBasic, 1e-10)
			near(t, "split ESS", ess(split(g.chains)), g.essBasic, 1e-8)
			near(t, "5 % quantile", Quantile(sorted, 0.05), g.q5, 1e-11)
			near(t, "95 % quantile", Quantile(sorted, 0.95), g.q95, 1e-11)
			near(t, "MCSE of the 5 % quantile", MCSEQuantile(g.chains, 0.05), g.mq5, 1e-12)
		})
	}
}

// Ranks do not change under increasing maps, so neither do rank-normalised diagnostics; all are free of
// scale.
func TestInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		chains := make([][]float64, rapid.IntRange(1, 4).Draw(t, "chains"))
		n := rapid.IntRange(8, 60).Draw(t, "draws")
		for c := range chains {
			for range n {
				chains[c] = append(chains[c], r.NormFloat64())
			}
		}
		grown := mapped(chains, math.Exp)
		if a, b := ESSBulk(chains), ESSBulk(grown); math.Abs(a-b) > 1e-8*a {
			t.Fatalf("bulk ESS %g becomes %g under exp", a, b)
		}
		moved := mapped(chains, func(v float64) float64 { return 4 * v }) // a power of two: ties stay ties
		for name, f := range map[string]func([][]float64) float64{
			"R-hat": RHat, "tail ESS": ESSTail, "ESS of the mean": ESSMean,
		} {
			if a, b := f(chains), f(moved); math.Abs(a-b) > 1e-6*a {
				t.Fatalf("%s %g becomes %g under 4x", name, a, b)
			}
		}
		if a, b := 4*MCSEMean(chains), MCSEMean(moved); math.Abs(a-b) > 1e-6*a {
			t.Fatalf("MCSE of the mean scales to %g, want %g", b, a)
		}
	})
}

func TestUndefinedIsNaN(t *testing.T) {
	cases := map[string][][]float64{
		"constant": {{2, 2, 2, 2, 2, 2, 2, 2}}, "too short": {{1, 2, 3}}, "no draws": {{}}, "no chains": {},
		"a NaN": {{1, 2, math.NaN(), 4, 5, 6, 7, 8}}, "an infinity": {{1, 2, math.Inf(1), 4, 5, 6, 7, 8}},
	}
	for name, chains := range cases {
		for what, f := range map[string]func([][]float64) float64{"R-hat": RHat, "bulk ESS": ESSBulk,
			"tail ESS": ESSTail, "MCSE": MCSEMean, "MCSE of sd": MCSESD,
			"MCSE of a quantile": func(c [][]float64) float64 { return MCSEQuantile(c, 0.5) }} {
			if v := f(chains); !math.IsNaN(v) {
				t.Errorf("%s of %s draws = %g, want NaN", what, name, v)
			}
		}
	}
}
