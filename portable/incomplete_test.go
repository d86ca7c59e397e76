package portable

import (
	"math"
	"testing"
)

// Values from mpmath at 60 digits: logarithms of the regularised incomplete gamma function and its
// complement, with derivatives in a.
func TestLogIncGamma(t *testing.T) {
	for _, c := range []struct{ a, x, p, pa, q, qa float64 }{
		{2.0, 0.5, -2.405681391360371, -1.6743627715379468, -0.09453489189183562, 0.16600890599740786},
		{0.75, 0.25, -1.0596987462661946, -1.7157930266025507, -0.42550486517094493, 0.9099928822802423},
		{0.125, 3.0, -0.0020451295037611722, -0.019883360278781858, -6.193316554948639, 9.712360586041926},
		{40.0, 20.0, -9.841414096317443, -0.7267290169388289, -5.3203440390397535e-05,
			3.8665512492701146e-05},
		{40.0, 70.0, -3.8640132592822744e-05, -2.3243471943480455e-05, -10.161238437138659,
			0.6015254431417463},
		{5.0, 5.0, -0.5806997496314213, -0.3242483144968905, -0.819860077614913, 0.41185442643112946},
		{1000.0, 990.0, -0.9688443502997507, -0.03177093562353011, -0.47726412865859935, 0.01943298103788223},
		{0.5, 1e-08, -9.08955813767427, -18.457170722375388, -0.00011284428301004562, 0.0020829037162383964},
		{1.0, 800.0, 0.0, 0.0, -800.0, 7.2630758339611345},
		{3.0, 1e-06, -43.23829189312086, -15.07162828889608, -1.6666654166671664e-19, 2.511936164196564e-18},
	} {
		check := func(upper bool, want, slope float64) {
			got, da, dx := LogIncGamma(c.a, c.x, upper)
			if !near(got, want, 3e-12) || !near(da, slope, 1e-9) {
				t.Errorf("a = %v, x = %v, upper %t: %v with slope %v, want %v with %v", c.a, c.x, upper, got,
					da, want, slope)
			}
			density := math.Exp((c.a-1)*math.Log(c.x) - c.x - LogAbsGamma(c.a) - want)
			if upper {
				density = -density
			}
			if !near(dx, density, 1e-10) {
				t.Errorf("a = %v, x = %v, upper %t: slope in x %v, want %v", c.a, c.x, upper, dx, density)
			}
		}
		check(false, c.p, c.pa)
		check(true, c.q, c.qa)
	}
}

// Values from mpmath at 60 digits: the logarithm of I_x(a, b), with its derivatives in a and b.
func TestLogIncBeta(t *testing.T) {
	for _, c := range []struct{ a, b, x, v, va, vb float64 }{
		{2.0, 3.0, 0.5, -0.3746934494414107, -0.2840562714690362, 0.2241578093454297},
		{0.5, 0.5, 0.125, -1.4694435789655138, -2.663975084975207, 1.3421826128178067},
		{20.0, 5.0, 0.25, -19.54120895186576, -1.2111736250136669, 1.4214924118570127},
		{5.0, 20.0, 0.75, -3.2610749709387518e-09, -4.635593333244772e-09, 3.949728000433405e-09},
		{100.0, 150.0, 0.375, -1.5568419347093374, -0.10897592627235186, 0.06889375235715917},
		{0.25, 40.0, 0.0009765625, -0.7222927209989399, -3.0456633497572003, 0.006116097164232901},
		{40.0, 0.25, 0.984375, -2.0930246508240624, -0.026877853654621635, 4.367407639399687},
		{1.5, 2.0, 1e-10, -33.62248566309653, -22.625850929956457, 0.6803723054867761},
		{3.0, 1.0, 0.5, -2.0794415416798357, -0.6931471805599453, 1.3520302639196171},
	} {
		got, da, db, flow := LogIncBeta(c.a, c.b, c.x, 1-c.x)
		if !near(got, c.v, 3e-12) || !near(da, c.va, 1e-9) || !near(db, c.vb, 1e-9) {
			t.Errorf("I_%v(%v, %v): log %v with slopes %v and %v, want %v with %v and %v", c.x, c.a, c.b, got,
				da, db, c.v, c.va, c.vb)
		}
		want := math.Exp(c.a*math.Log(c.x) + c.b*math.Log1p(-c.x) - LogBeta(c.a, c.b) - c.v)
		if !near(flow, want, 1e-10) {
			t.Errorf("I_%v(%v, %v): flow %v, want %v", c.x, c.a, c.b, flow, want)
		}
	}
}

func TestIncompleteEnds(t *testing.T) {
	for _, x := range []float64{0, -1} {
		if v, da, dx := LogIncGamma(2, x, false); !math.IsInf(v, -1) || da != 0 || dx != 0 {
			t.Errorf("log P(2, %v) = %v, %v, %v", x, v, da, dx)
		}
	}
	if v, _, _ := LogIncGamma(2, math.Inf(1), true); !math.IsInf(v, -1) {
		t.Errorf("log Q(2, ∞) = %v", v)
	}
	for _, v := range []float64{first(LogIncGamma(0, 1, false)), first(LogIncGamma(1, math.NaN(), false)),
		first4(LogIncBeta(-1, 1, 0.5, 0.5))} {
		if !math.IsNaN(v) {
			t.Errorf("a parameter outside its domain gives %v", v)
		}
	}
}

func first(v, _, _ float64) float64     { return v }
func first4(v, _, _, _ float64) float64 { return v }

// TestLogPoissonTail compares it with the incomplete gamma function, on both sides of where the products end.
func TestLogPoissonTail(t *testing.T) {
	for _, n := range []float64{0, 1, 2, 5, 17, 60, 100, 101, 1000} {
		for lambda := 1e-3; lambda < 2000; lambda *= 1.7 {
			for _, upper := range []bool{false, true} {
				v, d := LogPoissonTail(n, lambda, upper)
				want, _, slope := LogIncGamma(n+1, lambda, !upper)
				if !(math.Abs(v-want) <= 3e-13*math.Abs(want) || math.Abs(v-want) < 1e-300) ||
					!(math.Abs(d-slope) <= 3e-13*math.Abs(slope)*max(1, math.Abs(want))) {
					t.Errorf("%v at most %v (more: %v): %v with slope %v, want %v with slope %v", lambda, n, upper,
						v, d, want, slope)
				}
			}
		}
	}
}
