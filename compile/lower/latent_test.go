package lower_test

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/tests/compiletest"
)

// Models with discrete parameters, of three rows in two groups. R rows have matrices with P columns.
var latentModels = []string{
	"param k : level(3)[N] ~ categorical(w)\ny ~ normal(m[k], s)",
	"param k : level(3)[N] ~ categorical_logit(m)\nlet mean = m[k] + B[k, 1] .* x\n" +
		"y ~ normal(mean, s) censor(right = 0.4)",
	"param k : level(3)[N] ~ ordered_logistic(m[1] * x, ends)\n" +
		"y ~ normal(where(k == 2, m[1], m[2] * x), s) weights v",
	"param k : level(3)[N] ~ categorical(w)\nY ~ normal(B[k], s)\ny ~ student_t(5, rowdot(Y, B[k]), exp(m[k]))",
	"param k : level(3)[G] ~ categorical(w)\ny ~ normal(m[k[g]] + x, s)\nn ~ poisson_log(m[k])",
	"param k : level(3) ~ categorical(w)\ny ~ normal(m[k] * x, s)\nfactor m[k]",
	"param k : level(3)[N] ~ categorical(w)\nY ~ multi_normal(B[k], C)",
	"param k : level(3)[N] ~ categorical(w)\nfactor m[k]",
	"param z : binary[N] ~ bernoulli_logit(m[1] * x)\ny ~ normal(m[2] + z .* x, s)",
	"param k : level(3)[N] ~ categorical(w)\nparam z : binary[N] ~ bernoulli(w[k])\n" +
		"y ~ normal(m[k] + z, s)",
	"param z : binary[G] ~ bernoulli(w[1])\nparam u : real[G] ~ normal(0, where(z == 1, s, 0.1))\ny ~ normal(u[g], 1)",
	"param k : level(2)[G] ~ categorical(rows)\nlet two = m[1:2]\ny ~ normal(two[k[g]] .* x, s)",
}

const latentNames = `data y : real[N]
data x : real[N]
data v : real<lower=0>[N]
data Y : real[N, P]
data g : level(G)[N]
data n : count[G]
data rows : real[G, 2]
data C : real[P, P]
data ends : real[2]
param w : simplex[3] ~ dirichlet(2)
param m : real[3] ~ normal(0, 1)
param B : real[3, P] ~ normal(0, 1)
param s ~ half_normal(1)
`

func latentData() document {
	r := rand.New(rand.NewPCG(3, 3))
	return document{"y": numbers(r, 3), "x": numbers(r, 3), "v": []float64{1, 2, 0.5}, "Y": columns(r, 3, 2),
		"g": []int{2, 1, 2}, "n": []int{3, 0}, "rows": [][]float64{{0.3, 0.7}, {0.9, 0.1}},
		"C": [][]float64{{2, 0.5}, {0.5, 1}}, "ends": []float64{-1, 0.5}, "G": 2, "P": 2, "N": 3}
}

var discrete = regexp.MustCompile(`param (\w) : (level\((\d)\)|binary)(\[\w\])? ~ (.*)`)

// Summed out, a discrete parameter leaves the density and the gradient of the model in which it is data,
// added up over everything that it may be.
func TestDiscreteParametersAreSummedOut(t *testing.T) {
	for _, text := range latentModels {
		summed := fixture{Text: latentNames + text,
			Tables: map[string]string{"server": latentData().text(t)}}
		got, _, grad := evaluated(t, summed, check.Options{}, 5)
		given := discrete.ReplaceAllString(text, "data $1 : $2$4\n$1 ~ $5")
		want, gradient := math.Inf(-1), make([]float64, len(grad))
		configurations(discrete.FindAllStringSubmatch(text, -1), latentData(), func(d document) {
			f := fixture{Text: latentNames + given, Tables: map[string]string{"server": d.text(t)}}
			lp, _, g := evaluated(t, f, check.Options{}, 5)
			sum := max(lp, want) + math.Log1p(math.Exp(-math.Abs(lp-want)))
			for i := range g {
				gradient[i] = gradient[i]*math.Exp(want-sum) + g[i]*math.Exp(lp-sum)
			}
			want = sum
		})
		if !(math.Abs(got-want) < 1e-11*(1+math.Abs(want))) {
			t.Errorf("log density %v, and the sum is %v\n%s", got, want, text)
		}
		for i := range grad {
			if !(math.Abs(grad[i]-gradient[i]) < 1e-10*(1+math.Abs(gradient[i]))) {
				t.Errorf("derivative %d is %v, and that of the sum %v\n%s", i, grad[i], gradient[i], text)
			}
		}
	}
}

// configurations calls f with the data and everything that the parameters which matches list may be.
func configurations(matches [][]string, d document, f func(document)) {
	if len(matches) == 0 {
		f(d)
		return
	}
	name, size := matches[0][1], 1
	first, last := 0, 1
	if matches[0][3] != "" {
		first, last = 1, int(matches[0][3][0]-'0')
	}
	if shape := strings.Trim(matches[0][4], "[]"); shape != "" {
		size = d[shape].(int)
	}
	states := make([]int, size)
	for i := range states {
		states[i] = first
	}
	for {
		d[name] = states
		if matches[0][4] == "" {
			d[name] = states[0]
		}
		configurations(matches[1:], d, f)
		i := 0
		for ; i < size && states[i] == last; i++ {
			states[i] = first
		}
		if i == size {
			return
		}
		states[i]++
	}
}

// The probabilities of states given all else are those of enumeration, of two parameters of one row together;
// what a state looks up is what the state that was drawn has.
func TestStatesAreDrawnGivenAllElse(t *testing.T) {
	f := fixture{Text: latentNames + "param k : level(3)[N] ~ categorical(w)\n" +
		"param z : binary[N] ~ bernoulli(w[k])\ny ~ normal(m[k] + z, s)\ngenerate p = k.probability\n" +
		"generate q = z.probability\ngenerate drawn = m[k] + 10 * z\ngenerate lines = row_sums(Y .* B[k])\n",
		Tables: map[string]string{"server": latentData().text(t)}}
	b := f.Bind(t, check.Options{})
	q, diags := b.Quantities(compiletest.Compile(t, f.Text, check.Options{}), "p", "q", "k", "z", "drawn",
		"lines")
	if diags.HasErrors() {
		t.Fatal(diags[0].Message)
	}
	x, at := unit(q, map[string]float64{}), map[string][]float64{}
	w := []float64{0.2, 0.5, 0.3}
	for k, port := range q.Graph.Params() {
		at[q.Params[k].Name] = x[port.Offset : port.Offset+port.Len]
	}
	copy(at["w"], w)
	copy(at["m"], []float64{-0.5, 0.4, 1})
	got := q.NewSimulator().Evaluate(x)
	for i, y := range b.Values["server"]["y"].Values {
		var joint [3][2]float64
		total := 0.0
		for k := range 3 {
			for z := range 2 {
				e := (y - at["m"][k] - float64(z)) / at["s"][0]
				joint[k][z] = w[k] * []float64{1 - w[k], w[k]}[z] * math.Exp(-e*e/2)
				total += joint[k][z]
			}
		}
		one := 0.0
		for k := range 3 {
			one += joint[k][1] / total
			if want := (joint[k][0] + joint[k][1]) / total; math.Abs(got[0][3*k+i]-want) > 1e-12 {
				t.Errorf("row %d: state %d has the probability %v, want %v", i, k+1, got[0][3*k+i], want)
			}
		}
		if math.Abs(got[1][i]-one) > 1e-12 {
			t.Errorf("row %d: 1 has the probability %v, want %v", i, got[1][i], one)
		}
	}
}

// The forward algorithm has the density and the gradient of the recursion that one writes by hand.
func TestHiddenMarkovModelIsItsRecursion(t *testing.T) {
	const head = "data y : real[T]\nparam mu : ordered[3] ~ normal(0, 3)\n" +
		"param P : simplex[3, 3] ~ dirichlet(2)\nparam rho : simplex[3] ~ dirichlet(1)\nlet lp = [normal_lpdf(y | mu[k], 1) for k in 1..3]\n"
	var values [2]float64
	var gradients [2][]float64
	for i, text := range []string{"factor hmm_marginal(lp, P, rho)",
		"let lq = lp'\nlet A : real[T, 3] = recur A[1] = log(rho) + lq[1], A[t] = log_sum_exp(row(A[t - 1]) + " +
			"log(P)') + lq[t] for t in 2..T\nfactor log_sum_exp(A[T])"} {
		f := fixture{Text: head + text,
			Tables: map[string]string{"server": document{"y": numbers(rand.New(rand.NewPCG(1, 1)), 40)}.text(t)}}
		values[i], _, gradients[i] = evaluated(t, f, check.Options{}, 2)
	}
	for i, want := range append(gradients[1], values[1]) {
		if got := append(gradients[0], values[0])[i]; !(math.Abs(got-want) < 1e-11*(1+math.Abs(want))) {
			t.Errorf("%d: %v, the recursion has %v", i, got, want)
		}
	}
}
