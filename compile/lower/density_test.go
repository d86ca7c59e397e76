package lower_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/tests/compiletest"
	"github.com/vflc/vflc/tests/densities"
)

const observations = `id,y,t,k,d,x
1,0.5,0.5,1,1,0.1
2,-1.25,1.25,2,0,-0.4
3,2,2,1,1,0.3
4,0.75,0.75,4,1,0.9
5,3.5,3.5,3,0,-1.1
6,-0.5,0.25,1,1,0.2
`

const declared = `data y : real[N]
data t : real<lower=0>[N]
data k : count[N]
data d : binary[N]
data x : real[N]
param a ~ normal(0, 1)
param s ~ half_normal(1)
param w ~ beta(2, 2)
`

// at are values of a, s and w, at which known holds the log joint density of each model, from SciPy 1.17.
var at = [3][3]float64{{0.3, 0.8, 0.25}, {-0.6, 1.5, 0.7}, {1.2, 0.4, 0.5}}

var known = []struct {
	text string
	want [3]float64
}{
	{`factor normal_lpdf(y | a, s)
factor -0.5 * a ^ 2
factor sum(exponential_lccdf(t | s)) + sum(gamma_lcdf(t | 2, s))`, [3]float64{-36.31054228728275, -35.388709303410025, -71.72318092070779}}, // factor
	// mixture per row
	{`factor log_mix(w, normal_lpdf(y | a, s), student_t_lpdf(y, 4, 0, 2))`,
		[3]float64{-13.544486634123379, -15.1787148397668, -15.110385179526537}},
	// mixture of sums
	{`factor log_mix(w, sum(normal_lpdf(y | a, s)), sum(normal_lpdf(y | 0, 2)))`,
		[3]float64{-13.709199789219245, -15.160845808645476, -14.264301240888889}},
	// mixture
	{`y ~ mixture([0.2, 0.3, 0.5], normal(a, s), normal(0, 2), normal(w, 1))`,
		[3]float64{-13.634229692655522, -14.327209598256601, -14.123641570716773}},
	// mixture of counts
	{`k ~ mixture(w, poisson_log(a + x), poisson_log(log(s)))`,
		[3]float64{-12.890761335589756, -14.182544114172128, -15.51371690056571}},
	// truncated
	{`y ~ normal(a, s) truncate(lower=-2 - w, upper=5)`, [3]float64{-18.38662867976223, -15.666974652217906,
		-50.03952658572434}},
	// truncated counts
	{`k ~ poisson_log(a + x) truncate(lower=1)`, [3]float64{-10.77547543486491, -13.479145323289032,
		-15.83381975254697}},
	// censored
	{`t ~ weibull(s, exp(a + x)) censor(right=d == 0)`, [3]float64{-12.591035778111, -96.03298290148868,
		-10.987392506937015}},
	// censored at a bound
	{`t ~ lognormal(a, s) censor(right=1)`, [3]float64{-5.684240512098004, -7.182002668360131,
		-38.20327049223616}},
	// interval
	{`t ~ loglogistic(exp(a + x), s) censor(interval=t + 1)`,
		[3]float64{-14.659040599011341, -15.82666537591107, -18.245254827780226}},
	// delayed entry
	{`t ~ weibull(s, exp(a + x)) truncate(lower=0.125) censor(right=d == 0)`,
		[3]float64{-11.572111741361496, -94.99734317251658, -9.318899542316192}},
}

func TestKnownDensities(t *testing.T) {
	for _, k := range known {
		b := compiletest.Fixture{Text: declared + k.text + "\n",
			Tables: map[string]string{"server": observations}}.Bind(t, check.Options{})
		j := newJoint(t, b.Plan, 0)
		for i, p := range at {
			a, s, w := p[0], p[1], p[2]
			copy(j.theta[0], []float64{a, math.Log(s), math.Log(w / (1 - w))})
			if got := j.value(t) - math.Log(s*w*(1-w)); math.Abs(got-k.want[i]) > 1e-9*math.Abs(k.want[i]) {
				t.Errorf("%s\nat %v: %v, want %v", k.text, p, got, k.want[i])
			}
		}
		checkGradient(t, b.Plan)
	}
}

// The models split over two clients, each of which adds to the location: gradients hold under each transform
// that allows them.
func TestKnownDensitiesSplit(t *testing.T) {
	head := "client h, g\n" + strings.Replace(declared, "data x : real[N]\nparam a ~ normal(0, 1)\n",
		"data x : real[N] @ h\ndata v : real[N] @ g\nparam ah ~ normal(0, 1) @ h\nparam "+
			"ag ~ normal(0, 1) @ g\n", 1)
	var v strings.Builder
	x := "id,x\n"
	for _, row := range strings.Split(strings.TrimSpace(observations), "\n")[1:] {
		cells := strings.Split(row, ",")
		x += cells[0] + "," + cells[5] + "\n"
		v.WriteString(cells[0] + "," + cells[1] + "\n")
	}
	tables := map[string]string{"server": observations, "h": x, "g": "id,v\n" + v.String()}
	for _, text := range []string{
		"factor normal_lpdf(y | x * ah + v * ag, s) + log(w)",
		"factor log_mix(w, normal_lpdf(y | x * ah + v * ag, s), student_t_lpdf(y, 4, 0, 2))",
		"y ~ mixture(w, normal(x * ah + v * ag, s), normal(0, 2))",
		"k ~ mixture(inv_logit(v * ag), poisson_log(x * ah), poisson(s / w))",
		"y ~ normal(x * ah + v * ag, s) truncate(lower=-2 - w, upper=5)",
		"k ~ poisson_log(x * ah + v * ag + w * s) truncate(lower=1)",
		"t ~ weibull(s / w, exp(x * ah + v * ag)) censor(right=d == 0)",
	} {
		for _, kind := range []def.Transform{stdlib.Augmented, stdlib.Exact} {
			b := compiletest.Fixture{Text: head + text + "\n", Tables: tables}.Bind(t,
				check.Options{Transform: kind})
			checkGradient(t, b.Plan)
		}
	}
}

// literal writes elements of one value of a distribution: a number, a vector, or a matrix, which is given by
// columns.
func literal(v []float64, rank int) string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	if rank == 0 {
		return number(v[0])
	}
	if rank == 1 {
		var out []string
		for _, x := range v {
			out = append(out, number(x))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	k := int(math.Round(math.Sqrt(float64(len(v)))))
	var rows []string
	for i := range k {
		var row []float64
		for j := range k {
			row = append(row, v[i+k*j])
		}
		rows = append(rows, literal(row, 1))
	}
	return "[" + strings.Join(rows, ", ") + "]"
}

// The density functions of vectors and matrices have the values of the descriptors' test vectors.
func TestDensitiesOfVectors(t *testing.T) {
	tested, values := 0, densities.Events()
	for _, d := range dist.Events() {
		if d.Joint() != "" {
			continue
		}
		for _, c := range values[d.Name] {
			if math.IsInf(c.LogP, 0) || slices.ContainsFunc(c.Theta, func(v []float64) bool {
				return len(v) == 0
			}) {
				continue // an array literal has elements
			}
			var args []string
			for k, theta := range c.Theta {
				args = append(args, literal(theta, d.Params[k].Rank))
			}
			ending := "_lpdf"
			if d.Discrete {
				ending = "_lpmf"
			}
			text := fmt.Sprintf("param a ~ normal(0, 1)\nfactor a * %s%s(%s | %s)\n", d.Name, ending,
				literal(c.X, d.Event.Rank), strings.Join(args, ", "))
			j := newJoint(t, compiletest.Fixture{Text: text}.Bind(t, check.Options{}).Plan, 0)
			a := j.theta[0][0]
			got := (j.value(t) + a*a/2 + 0.5*math.Log(2*math.Pi)) / a
			if !(math.Abs(got-c.LogP) <= 1e-11*(1+math.Abs(c.LogP))) {
				t.Errorf("%s%v, want %v", text, got, c.LogP)
			}
			tested++
		}
	}
	if tested < 50 {
		t.Errorf("%d cases", tested)
	}
}

const vectors = `id,a,b,n1,n2,n3,z,v,g
1,0.5,-1.2,3,0,1,1,0.2,1
2,-0.3,0.4,0,2,2,3,-1.1,2
3,1.5,0.1,1,1,1,2,0.7,1
4,-2.1,-0.6,4,0,0,2,0.1,2
`

const vectorModel = `data Y : real[N, 2] from a, b
data C : count[N, 3] from n1, n2, n3
data z : level(3)[N]
data v : real[N]
data g : level(2)[N]
param m : real[2] ~ normal(0, 1)
param M : real[2, 2] ~ normal(0, 1)
param S : cov_matrix[2] ~ inv_wishart(4, [[1, 0], [0, 1]])
param R : corr_matrix[2] ~ lkj_corr(2)
param L : corr_cholesky[2] ~ lkj_corr_cholesky(2)
param p : simplex[3] ~ dirichlet([1, 2, 3])
param q : simplex[2, 3] ~ dirichlet(1)
param c : ordered[2] ~ normal(0, 3)
param e : real[3] ~ normal(0, 1)
param s ~ half_normal(1)
`

// A likelihood, or a prior, of vectors is the sum of the density function of the same words; gradients are
// those of differences, also where the value has fewer leading dimensions than an argument, and in a step of
// a recursion.
func TestDensitiesOfVectorsAreTheirStatements(t *testing.T) {
	bound := func(text string) *joint {
		b := compiletest.Fixture{Text: vectorModel + text + "\n",
			Tables: map[string]string{"server": vectors}}.Bind(t, check.Options{})
		checkGradient(t, b.Plan)
		return newJoint(t, b.Plan, 0)
	}
	for _, pair := range [][2]string{
		{"Y ~ multi_normal(m, S)", "factor multi_normal_lpdf(Y | m, S)"},
		{"Y ~ multi_normal(M[g], S)", "factor multi_normal_lpdf(Y, M[g], S)"},
		{"Y ~ multi_normal_prec(0, S)", "factor sum(multi_normal_prec_lpdf(Y | 0, S))"},
		{"Y ~ multi_normal_cholesky(outer(v, m), L)",
			"factor multi_normal_cholesky_lpdf(Y | outer(v, m), L)"},
		{"Y ~ multi_student_t(4 + s, m, S)", "factor multi_student_t_lpdf(Y | 4 + s, m, S)"},
		{"C ~ multinomial(p)", "factor multinomial_lpmf(C | p)"},
		{"C ~ multinomial(q[g])", "factor multinomial_lpmf(C | q[g])"},
		{"z ~ categorical(p)", "factor categorical_lpmf(z | p)"},
		{"z ~ categorical_logit(e)", "factor categorical_logit_lpmf(z | e)"},
		{"z ~ ordered_logistic(s * v, c)", "factor ordered_logistic_lpmf(z | s * v, c)"},
		{"z ~ ordered_probit(s * v, c)", "factor ordered_probit_lpmf(z | s * v, c)"},
		{"factor normal_lpdf(M[:, 1] | 0, 1) + normal_lpdf(M[:, 2] | 0, 1)",
			"factor multi_normal_lpdf(M | [0, 0], [[1, 0], [0, 1]])"},
		{"factor lkj_corr_lpdf(R | 3) - lkj_corr_lpdf(R | 2)",
			"factor lkj_corr_lpdf(R | 3)\nfactor -lkj_corr_lpdf(R | 2)"},
		{"factor 0 * s", "factor dirichlet_lpdf(p | [1, 2, 3]) - dirichlet_lpdf(p, [1, 2, 3])"},
		{"factor sum(multi_normal_lpdf(Y | M[1], S)) + sum(multi_normal_lpdf(Y | M[2], S))",
			"factor multi_normal_lpdf(Y[1] | M, S)\nfactor multi_normal_lpdf(Y[2] | M, S)\nfactor " +
				"multi_normal_lpdf(Y[3] | M, S)\nfactor multi_normal_lpdf(Y[4] | M, S)"},
		{"factor sum(multi_normal_lpdf(Y | m, S))",
			"let h : real[N] = recur h[1] = multi_normal_lpdf(Y[1] | m, S), h[t] = h[t - 1] + " +
				"multi_normal_lpdf(Y[t] | m, S) for t in 2..N\nfactor h[N]"},
		{"factor log(p[2]) + sum(log(q[:, 3]))",
			"factor categorical_lpmf(2 | p)\nfactor categorical_lpmf(3 | q)"},
		{"factor log_sum_exp(e, s + e, 2 * e)", "factor log_sum_exp(log_sum_exp(e, s + e), 2 * e)"},
		{"factor gaussian_random_walk_lpdf(e | 0, s)",
			"factor normal_lpdf(e[1] | 0, s) + normal_lpdf(e[2] | e[1], s) + normal_lpdf(e[3] | e[2], s)"},
	} {
		if a, b := bound(pair[0]).value(t),
			bound(pair[1]).value(t); !(math.Abs(a-b) <= 1e-11*(1+math.Abs(a))) {
			t.Errorf("%s: %v\n%s: %v", pair[0], a, pair[1], b)
		}
	}
}

// Split over two clients, the location of a density of vectors is cut as that of the likelihood is; log
// densities are those of the likelihood, with and without noise.
func TestDensitiesOfVectorsSplit(t *testing.T) {
	const head = `client h, g
data Y : real[N, 2] from y1, y2
data A : real[N, 2] @ h
data B : real[N, 2] @ g
param a : real[2, 2] ~ normal(0, 1) @ h
param b : real[2, 2] ~ normal(0, 1) @ g
param tau : real[2] ~ half_normal(1)
param L : corr_cholesky[2] ~ lkj_corr_cholesky(2)
`
	tables := map[string]string{"server": table(1, 6, "y1", "y2"), "h": table(2, 6, "u", "v"),
		"g": table(3, 6, "w", "x")}
	for _, kind := range []def.Transform{stdlib.Augmented, stdlib.Exact} {
		var values []float64
		for _, text := range []string{"Y ~ multi_normal_cholesky(A * a + B * b, col(tau) .* L)",
			"factor multi_normal_cholesky_lpdf(Y | A * a + B * b, col(tau) .* L)"} {
			plan := compiletest.Fixture{Text: head + text + "\n", Tables: tables}.Bind(t,
				check.Options{Transform: kind}).Plan
			checkGradient(t, plan)
			values = append(values, newJoint(t, plan, 0.3).value(t))
		}
		if !(math.Abs(values[0]-values[1]) <= 1e-11*math.Abs(values[0])) {
			t.Errorf("%s: %v", kind.Name, values)
		}
	}
}

// The pointwise densities of a factor with rows are those of the likelihood of the same words, one for each
// row.
func TestPointwiseOfFactor(t *testing.T) {
	for _, pair := range [][2]string{
		{"v ~ normal(s, 1)", "factor normal_lpdf(v | s, 1)"},
		{"Y ~ multi_normal(m, S)", "factor multi_normal_lpdf(Y | m, S)"},
	} {
		var rows [2][]float64
		for i, text := range pair {
			m := generative(t, fixture{Text: vectorModel + text + "\n",
				Tables: map[string]string{"server": vectors}}, check.Options{})
			if y := m.Responses[0]; len(y.Outcomes) != 1 || y.Outcomes[0] != 4 {
				t.Fatalf("%s: observations %v", text, y.Outcomes)
			}
			s, x := m.NewSimulator(), make([]float64, m.Graph.Dim())
			if err := s.Prior(rand.New(rand.NewPCG(3, 4)), x, nil); err != nil {
				t.Fatal(err)
			}
			rows[i] = make([]float64, 4)
			if err := s.LogDensity(0, x, rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		for i, v := range rows[0] {
			if !(math.Abs(v-rows[1][i]) <= 1e-12*(1+math.Abs(v))) || v == 0 {
				t.Errorf("%s: row %d has %v, and %v", pair[1], i+1, v, rows[1][i])
			}
		}
	}
}
