package portable

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
)

// The values below are from mpmath 1.4 at 60 digits, at the exact doubles.

var digammaCases = [][2]float64{
	{1e-08, -100000000.57721564},
	{0.001, -1000.5755719318103},
	{0.1, -10.423754940411076},
	{0.5, -1.9635100260214235},
	{0.9999, -0.5773801703298691},
	{1.0, -0.5772156649015329},
	{1.3, -0.16919088886679962},
	{1.4616321449683622, -9.241265521729427e-17},
	{1.4616321449683625, 1.2245374622004068e-16},
	{1.47, 0.008066489011364869},
	{1.9, 0.35618416116405965},
	{2.0, 0.42278433509846713},
	{2.5, 0.7031566406452432},
	{3.7, 1.1671535393615113},
	{9.99, 2.250700372831201},
	{10.0, 2.251752589066721},
	{10.5, 2.3030010342976865},
	{33.25, 3.4889418035209387},
	{1000.0, 6.907255195648812},
	{1000000.0, 13.815510057964191},
	{1000000000000000.0, 34.538776394910684},
}

// {x, a, lgamma(x+a)-lgamma(x), digamma(x+a)-digamma(x)}
var diffCases = [][4]float64{
	{0.5, 0.5, -0.5723649429247001, 1.3862943611198906},
	{0.001, 2.0, -6.906755778649053, 1000.9990009990009},
	{3.0, 0.0001, 9.228040815449581e-05, 3.9492636135613716e-05},
	{12.0, 0.25, 0.6133616598370067, 0.02149297520955694},
	{12.0, 300.0, 1460.36239078391, 3.298738087661418},
	{1000000.0, 0.5, 6.907755153982137, 5.00000125e-07},
	{1000000.0, 3.0, 41.44653467389032, 2.999997000005e-06},
	{10000000000.0, 0.5, 11.512925464957728, 5.000000000125e-11},
	{10000000000.0, 40.0, 921.0340372756183, 3.9999999922e-09},
	{1000000000000000.0, 2.0, 69.07755278982137, 1.999999999999999e-15},
	{0.1, 100000.0, 1051286.6075531016, 21.936676405377472},
	{9.9, 0.01, 0.022417115438221235, 0.0010622665387244733},
	{50.0, 1e-06, 3.901989683528559e-06, 2.0201333022657132e-08},
}

var logBetaCases = [][3]float64{
	{0.5, 0.5, 1.1447298858494002},
	{2.0, 3.0, -2.4849066497880004},
	{0.001, 2.0, 6.906755778649053},
	{100000000.0, 0.001, 6.888758204644896},
	{100000000.0, 0.5, -8.637975427801482},
	{1000000.0, 1000000.0, -1386300.003362921},
	{10000000000.0, 20.0, -421.17713443060967},
	{15.0, 15.0, -20.874596601690644},
	{10.0, 1000000000000.0, -263.508383679249},
	{3.0, 10000000000.0, -68.38440560956143},
	{1e-05, 1e-05, 12.206072645365683},
	{12.5, 9.5, -14.956457965743194},
	{1.0, 1000000000000000.0, -34.538776394910684},
}

func near(got, want, rel float64) bool { return math.Abs(got-want) <= rel*math.Abs(want) }

func TestDigamma(t *testing.T) {
	for _, c := range digammaCases {
		// Beside the root the answer depends on the last bit of x: half an ulp of x moves it by 1e-16.
		if got := Digamma(c[0]); !near(got, c[1], 1e-14) && math.Abs(got-c[1]) > 1e-18 {
			t.Errorf("Digamma(%v) = %v, want %v", c[0], got, c[1])
		}
	}
	if got := Digamma(0); !math.IsInf(got, -1) {
		t.Errorf("Digamma(0) = %v", got)
	}
	for _, x := range []float64{-1, -0.5, math.NaN(), math.Inf(-1)} {
		if got := Digamma(x); !math.IsNaN(got) {
			t.Errorf("Digamma(%v) = %v, want NaN", x, got)
		}
	}
}

// The recurrence digamma(x+1) = digamma(x) + 1/x crosses every branch.
func TestDigammaRecurrence(t *testing.T) {
	for x := 0.05; x < 40; x += 0.0371 {
		if got, want := Digamma(x+1), Digamma(x)+1/x; math.Abs(got-want) > 2e-15*(1+1/x) {
			t.Errorf("x = %v: digamma(x+1) = %v, digamma(x) + 1/x = %v", x, got, want)
		}
	}
}

func TestDifferences(t *testing.T) {
	for _, c := range diffCases {
		x, a := c[0], c[1]
		// Below 10 the difference has the absolute error of lgamma(10) ≈ 12.8, an ulp or two.
		if got := LgammaDiff(x, a); !near(got, c[2], 1e-14) && math.Abs(got-c[2]) > 4e-15 {
			t.Errorf("LgammaDiff(%v, %v) = %v, want %v", x, a, got, c[2])
		}
		if got := DigammaDiff(x, a); !near(got, c[3], 1e-13) && math.Abs(got-c[3]) > 1e-15 {
			t.Errorf("DigammaDiff(%v, %v) = %v, want %v", x, a, got, c[3])
		}
	}
}

func TestLogBeta(t *testing.T) {
	for _, c := range logBetaCases {
		if got := LogBeta(c[0], c[1]); !near(got, c[2], 1e-14) {
			t.Errorf("LogBeta(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
		if LogBeta(c[0], c[1]) != LogBeta(c[1], c[0]) {
			t.Errorf("LogBeta(%v, %v) is not symmetric", c[0], c[1])
		}
	}
}

func TestDigammaIsDerivativeOfLgamma(t *testing.T) {
	for x := 0.3; x < 30; x += 0.7 {
		want := fd.Derivative(LogAbsGamma, x, &fd.Settings{Formula: fd.Central, Step: 1e-5 * x})
		if got := Digamma(x); math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
			t.Errorf("Digamma(%v) = %v, derivative %v", x, got, want)
		}
	}
}

func TestLogistic(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ x, invLogit, log1pExp float64 }{
		{0, 0.5, math.Ln2},
		{-40, 4.248354255291589e-18, 4.248354255291589e-18},
		{-700, 9.85967654375977e-305, 9.85967654375977e-305},
		{2, 0.8807970779778824, 2.1269280110429722},
		{-2, 0.11920292202211756, 0.1269280110429725},
		{800, 1, 800},
		{inf, 1, inf},
		{-inf, 0, 0},
	} {
		if got := Sigmoid(c.x); !near(got, c.invLogit, 1e-15) {
			t.Errorf("InvLogit(%v) = %v, want %v", c.x, got, c.invLogit)
		}
		if got := Log1pExp(c.x); got != c.log1pExp && !near(got, c.log1pExp, 1e-15) {
			t.Errorf("Log1pExp(%v) = %v, want %v", c.x, got, c.log1pExp)
		}
	}
}

func TestLog1pSquare(t *testing.T) {
	for _, c := range []struct{ w, value, ratio float64 }{
		{0, 0, 0},
		{-1, math.Ln2, -0.5},
		{3, math.Log(10), 0.3},
		{1e8, 36.841361487904734, 1e-8},
		{-1e9, 41.446531673892822, -1e-9},
		{1e200, 921.03403719761827, 1e-200},
		{1e-200, 0, 1e-200},
	} {
		value, ratio := Log1pSquare(c.w)
		if math.Abs(value-c.value) > 1e-15*math.Abs(c.value) ||
			math.Abs(ratio-c.ratio) > 1e-15*math.Abs(c.ratio) {
			t.Errorf("Log1pSquare(%v) = %v, %v; want %v, %v", c.w, value, ratio, c.value, c.ratio)
		}
	}
}
