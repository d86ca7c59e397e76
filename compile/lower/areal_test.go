package lower_test

import (
	"math"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/tests/compiletest"
)

// The scale of glm.bym2 is the geometric mean of the variances that the pseudo-inverse of the graph's matrix
// has; on a path of four regions they are 7/8 at the ends and 3/8 inside. The effects are made of the
// parameters as the paper has them. Regions that no path joins are refused.
func TestBYM2(t *testing.T) {
	const text = "import glm\ndata y : real[R]\ndata a : level(R)[E]\ndata b : level(R)[E]\n" +
		"let u = glm.bym2(a, b, R)\ny ~ normal(u, 1)\ngenerate scale = u.scale\ngenerate effects = u\n"
	f := fixture{Text: text, Tables: map[string]string{"server": document{"R": 4, "y": []int{1, 2, 0, 1},
		"a": []int{1, 3, 3}, "b": []int{2, 2, 4}}.text(t)}}
	q, diags := f.Bind(t, check.Options{}).Quantities(compiletest.Compile(t, text, check.Options{}), "scale",
		"effects")
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	x, at := unit(q, map[string]float64{"u.rho": 0.3, "u.sd": 1.7}), map[string][]float64{}
	for k, port := range q.Graph.Params() {
		at[q.Params[k].Name] = x[port.Offset : port.Offset+port.Len]
	}
	got := q.NewSimulator().Evaluate(x)
	scale := math.Sqrt(7 * 3 / 64.0)
	if math.Abs(got[0][0]-scale) > 1e-14 {
		t.Errorf("scale %v, want %v", got[0][0], scale)
	}
	for i, u := range got[1] {
		want := 1.7 * (math.Sqrt(0.7)*at["u.theta"][i] + math.Sqrt(0.3/scale)*at["u.phi"][i])
		if math.Abs(u-want) > 1e-13 {
			t.Errorf("effect %d is %v, want %v", i+1, u, want)
		}
	}
	f.Tables["server"] = document{"R": 4, "y": []int{1, 2, 0, 1}, "a": []int{1, 3}, "b": []int{2, 4}}.text(t)
	if d := f.Refused(t); d.Code != diag.OutsideSupport {
		t.Errorf("two parts: %s %s", d.Code, d.Message)
	}
}

// A vector that sums to 0 has the density of its free elements: with a normal likelihood the log density and
// its gradient are those of the coordinates.
func TestZeroSumNormal(t *testing.T) {
	f := fixture{Text: "data y : real[K]\nparam s ~ exponential(1)\n" +
		"param u : sum_to_zero[K] ~ zero_sum_normal(s)\ny ~ normal(u, 1)", Tables: map[string]string{"server": document{"y": []float64{1, -1, 0.5}}.text(t)}}
	lp, theta, _ := evaluated(t, f, check.Options{}, 4)
	s := math.Exp(theta[0])
	want := theta[0] - s // the prior of s and its Jacobian
	for _, v := range theta[1:] {
		want -= v*v/(2*s*s) + math.Log(s) + math.Log(2*math.Pi)/2
	}
	for i, y := range []float64{1, -1, 0.5} {
		a, b := theta[1]/math.Sqrt2, theta[2]/math.Sqrt(6)
		u := []float64{a + b, b - a, -2 * b}[i]
		want -= (y-u)*(y-u)/2 + math.Log(2*math.Pi)/2
	}
	if math.Abs(lp-want) > 1e-12*math.Abs(want) {
		t.Errorf("log density %v, want %v", lp, want)
	}
	checkGradient(t, f.Bind(t, check.Options{}).Plan)
}

// Averaged over its errors, the density of a row of a multivariate probit model is the probability of an
// orthant, which three normal variables of mean 0 have in closed form: 1/8 + Σ ± asin(ρ)/(4π).
func TestMultivariateProbitIsAnOrthant(t *testing.T) {
	const side, text = 40, "import glm\ndata y : binary[N, 3]\ndata L : real[3, 3]\nparam b ~ normal(0, 1)\n" +
		"let lp = glm.multi_probit(y, b * (2 * y - 1), L)\nfactor lp\ngenerate p = mean(exp(lp))\n"
	r, sign := []float64{0.5, -0.3, 0.4}, []float64{1, 0, 1} // correlations of 12, 13 and 23
	l22 := math.Sqrt(1 - r[0]*r[0])
	l32 := (r[2] - r[0]*r[1]) / l22
	d := document{"L": [][]float64{{1, 0, 0}, {r[0], l22, 0},
		{r[1], l32, math.Sqrt(1 - r[1]*r[1] - l32*l32)}}}
	var y [][]float64
	for range side * side {
		y = append(y, sign)
	}
	d["y"] = y
	f := fixture{Text: text, Tables: map[string]string{"server": d.text(t)}}
	q, diags := f.Bind(t, check.Options{}).Quantities(compiletest.Compile(t, text, check.Options{}), "p")
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	x := unit(q, map[string]float64{"b": 0})
	for k, port := range q.Graph.Params() {
		for i := 0; q.Params[k].Name == "lp.u" && i < side*side; i++ { // the last error enters no probability
			x[port.Offset+i] = (float64(i/side) + 0.5) / side
			x[port.Offset+side*side+i] = (float64(i%side) + 0.5) / side
		}
	}
	want := 1.0/8 + (-math.Asin(r[0])+math.Asin(r[1])-math.Asin(r[2]))/(4*math.Pi)
	if got := q.NewSimulator().Evaluate(x)[0][0]; math.Abs(got-want) > 1e-5 {
		t.Errorf("probability %v, want %v", got, want)
	}
	f.Tables["server"] = document{"L": d["L"], "y": [][]float64{{1, 0, 1}, {0, 0, 1}}}.text(t)
	checkGradient(t, f.Bind(t, check.Options{}).Plan)
}
