package lower_test

import (
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/transforms"
	"github.com/vflc/vflc/tests/compiletest"
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
	{`factor log_mix(w, normal_lpdf(y | a, s), student_t_lpdf(y, 4, 0, 2))`, [3]float64{-13.544486634123379, -15.1787148397668, -15.110385179526537}},        // mixture per row
	{`factor log_mix(w, sum(normal_lpdf(y | a, s)), sum(normal_lpdf(y | 0, 2)))`, [3]float64{-13.709199789219245, -15.160845808645476, -14.264301240888889}}, // mixture of sums
	{`y ~ mixture([0.2, 0.3, 0.5], normal(a, s), normal(0, 2), normal(w, 1))`, [3]float64{-13.634229692655522, -14.327209598256601, -14.123641570716773}},    // mixture
	{`k ~ mixture(w, poisson_log(a + x), poisson_log(log(s)))`, [3]float64{-12.890761335589756, -14.182544114172128, -15.51371690056571}},                    // mixture of counts
	{`y ~ normal(a, s) truncate(lower=-2 - w, upper=5)`, [3]float64{-18.38662867976223, -15.666974652217906, -50.03952658572434}},                            // truncated
	{`k ~ poisson_log(a + x) truncate(lower=1)`, [3]float64{-10.77547543486491, -13.479145323289032, -15.83381975254697}},                                    // truncated counts
	{`t ~ weibull(s, exp(a + x)) censor(right=d == 0)`, [3]float64{-12.591035778111, -96.03298290148868, -10.987392506937015}},                               // censored
	{`t ~ lognormal(a, s) censor(right=1)`, [3]float64{-5.684240512098004, -7.182002668360131, -38.20327049223616}},                                          // censored at a bound
	{`t ~ loglogistic(exp(a + x), s) censor(interval=t + 1)`, [3]float64{-14.659040599011341, -15.82666537591107, -18.245254827780226}},                      // interval
	{`t ~ weibull(s, exp(a + x)) truncate(lower=0.125) censor(right=d == 0)`, [3]float64{-11.572111741361496, -94.99734317251658, -9.318899542316192}},       // delayed entry
}

func TestKnownDensities(t *testing.T) {
	for _, k := range known {
		b := compiletest.Fixture{Text: declared + k.text + "\n", Tables: map[string]string{"server": observations}}.Bind(t, check.Options{})
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

// The models split over two clients, each of which adds to the location: gradients hold under each transform that allows them.
func TestKnownDensitiesSplit(t *testing.T) {
	head := "client h, g\n" + strings.Replace(declared, "data x : real[N]\nparam a ~ normal(0, 1)\n", "data x : real[N] @ h\ndata v : real[N] @ g\nparam ah ~ normal(0, 1) @ h\nparam ag ~ normal(0, 1) @ g\n", 1)
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
		for _, kind := range []def.Transform{transforms.Augmented, transforms.Exact} {
			b := compiletest.Fixture{Text: head + text + "\n", Tables: tables}.Bind(t, check.Options{Transform: kind})
			checkGradient(t, b.Plan)
		}
	}
}
