package lower_test

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
)

// A document is data by name, as of a Stan-JSON file.
type document map[string]any

func (d document) text(t *testing.T) string {
	t.Helper()
	out, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The rows of the tables of these tests: visits to sites, of which site 4 has none in one of them.
var (
	visits = []int{1, 3, 2, 3, 1, 5, 3, 5, 1, 2, 5, 5}
	others = []int{2, 5, 1, 3, 2, 4, 5, 1}
	second = []int{1, 2, 2, 1, 2, 1, 1, 2, 2, 1, 2, 1}
)

func numbers(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Round(1000*r.NormFloat64()) / 1000
	}
	return out
}

func columns(r *rand.Rand, n, k int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = numbers(r, k)
	}
	return out
}

// evaluated evaluates a model at parameters, drawn with a seed, with its gradient by parties in one list.
func evaluated(t *testing.T, f fixture, o check.Options, seed uint64) (lp float64, theta, grad []float64) {
	t.Helper()
	j, r := newJoint(t, f.Bind(t, o).Plan, 0), rand.New(rand.NewPCG(seed, 1))
	for b := range j.theta {
		for i := range j.theta[b] {
			j.theta[b][i] = 0.6 * r.NormFloat64()
		}
	}
	lp = j.value(t)
	for b := range j.theta {
		theta, grad = append(theta, j.theta[b]...), append(grad, j.grad[b]...)
	}
	return lp, theta, grad
}

var owners = regexp.MustCompile(` @ \w+|(?m)^(server|client|transform) .*$`)

// groupModels are likelihoods of values by groups in a model of two clients, each with rows of its own in the
// groups of the server's rows. Parameters of the server come first, then those of a and of b.
var groupModels = []string{
	"n ~ poisson_log(m + sum(XA * u by ga) + sum(XB * v by gb))",
	"n ~ poisson_log(m + mean(XA * u by g5) + w[1])",
	"n ~ poisson(exp(m + sum(XA * u by ga)) + 1)",
	"y ~ normal(m + log_sum_exp(XA * u by g5) + v[1] * sum(XB by gb)[:, 1], s)",
	"y ~ normal(max(XA * u by g5) - min(XA * u by g5) + m + v[2] * sum(XB by gb)[:, 2], s)",
	"y ~ normal(m + sum(w[ga] .* xa by ga) + 0.3 * sum(v[1] * XB[:, 1] by gb), s)",
	"y ~ normal(m + row_sums(sum(col(w[ga]) .* XA by ga)), s)",
	"y ~ normal(m + row_max(sum(w[ga] .* xa by ga, ha)) + col_min(sum(XB .* 2 by gb)')[1] * v[1], s)",
	"y ~ normal(m + (u[1] * sum(xa by ga))[site], s)",
	"y ~ normal(m + sum(xa .* exp(u[ha]) by ga), s)\nra ~ normal(mean(u) * sum(xa by ga)[ga], 1)",
	"y ~ normal(m + sum(XA * u - XC * v by t), s)",
	"y ~ normal(s * mean(XA * u + XC * v + 0.3 * w[ga] by t) + sum(XB * v by gb), 1)",
	"y ~ normal(sum(w[site][t] - XC * v + m by t), s)",
	"xb ~ normal(mean(v), 1)\ny ~ normal(sum(XA * u + 0.5 by ga), s)",
}

const groupText = `server registry
client a, b
data n : count[G] @ registry
data y : real[G] @ registry
data site : level(G)[G] @ registry
data XA : real[NA, 2] @ a
data xa : real[NA] @ a
data ra : real[NA] @ a
data ga : level(G)[NA] @ a
data g5 : level(G)[NA] @ a
data ha : level(2)[NA] @ a
data XB : real[NB, 2] @ b
data xb : real[NB] @ b
data gb : level(G)[NB] @ b
data XC : real[NA, 2] @ b
data t : level(G)[NA] @ shared
param m ~ normal(0, 1)
param s ~ half_normal(1)
param u : real[2] ~ normal(0, 1) @ a
param w : real[G] ~ normal(0, 1) @ a
param v : real[2] ~ normal(0, 1) @ b
`

func groupData() map[string]document {
	r := rand.New(rand.NewPCG(8, 9))
	g5 := append([]int{4}, visits[1:]...)
	return map[string]document{
		"registry": {"n": []int{1, 0, 3, 2, 5}, "y": numbers(r, 5), "site": []int{2, 1, 5, 4, 3}, "G": 5},
		"a": {"XA": columns(r, 12, 2), "xa": numbers(r, 12), "ra": numbers(r, 12), "ga": visits, "g5": g5,
			"ha": second, "G": 5},
		"b": {"XB": columns(r, 8, 2), "xb": numbers(r, 8), "gb": others, "XC": columns(r, 12, 2),
			"G": 5},
		"shared": {"t": g5},
	}
}

// What parties compute of a model by groups, with each z at its cut, is what one program with all data does:
// density and gradient.
func TestGroupsOfTwoParties(t *testing.T) {
	split, pooled, all := map[string]string{}, map[string]string{}, document{}
	for party, d := range groupData() {
		split[party] = d.text(t)
		maps.Copy(all, d)
	}
	pooled["server"] = all.text(t)
	for _, likelihood := range groupModels {
		text := groupText + likelihood + "\n"
		// under noise a mean of fewer is another density: differences between two points are the same
		for _, transform := range []string{"exact", "augmented(rho = 0.5)"} {
			f := fixture{Text: text + "transform " + transform, Tables: split}
			p := fixture{Text: owners.ReplaceAllString(text, ""), Tables: pooled}
			one, _, grad := evaluated(t, f, check.Options{}, 3)
			two, _, _ := evaluated(t, f, check.Options{}, 4)
			want, _, gradient := evaluated(t, p, check.Options{}, 3)
			other, _, _ := evaluated(t, p, check.Options{}, 4)
			if got, want := one-two, want-other; !(math.Abs(got-want) < 1e-9*(1+math.Abs(want))) {
				t.Errorf("%s, %s: difference of log densities %v, want %v", likelihood, transform, got, want)
			}
			for i := range gradient {
				if !(math.Abs(grad[i]-gradient[i]) < 1e-8*(1+math.Abs(gradient[i]))) {
					t.Errorf("%s, %s: gradient %d is %v, want %v", likelihood, transform, i, grad[i],
						gradient[i])
				}
			}
		}
		checkGradient(t, fixture{Text: owners.ReplaceAllString(text, ""), Tables: pooled}.
			Bind(t, check.Options{}).Plan)
	}
}

// Sites are visited as often as chance has it, and one is not: Stan walks through the visits with a position.
// A visit detects where second is 1.
const occupancy = `data det : binary[V]
data x : real[V]
data site : level(S)[V]
data z : real[S]
param a ~ normal(0, 1)
param b ~ normal(0, 1)
param c ~ normal(0, 1)
param d ~ normal(0, 1)
let present = a + b * z
let occupied = log_inv_logit(present) + sum(bernoulli_logit_lpmf(det | c + d * x) by site)
factor where(sum(det by site) > 0, occupied, log_sum_exp(occupied, log1m_inv_logit(present)))
`

func occupancyLoop(x, z []float64, theta []float64) float64 {
	invLogit := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	total := 0.0
	for s := range z {
		psi, seen, p := invLogit(theta[0]+theta[1]*z[s]), false, 1.0
		for v, at := range visits {
			if at != s+1 {
				continue
			}
			q := invLogit(theta[2] + theta[3]*x[v])
			if second[v] == 1 {
				seen, p = true, p*q
			} else {
				p *= 1 - q
			}
		}
		if seen {
			total += math.Log(psi * p)
		} else {
			total += math.Log(psi*p + 1 - psi)
		}
	}
	return total
}

// Histories of animals that were marked at the first occasion: a 1 where one was caught. After the last one
// it may have died at any time: a row for each occasion until which it may have lived.
var histories = [][]int{{1, 0, 1, 1, 0, 0}, {1, 1}, {1, 0, 0, 0}, {1, 1, 1, 0, 1}, {1}}

const captures = `data lived : count[A]
data caught : count[A]
data missed : count[A]
data animal : level(A)[R]
data unseen : count[R]
data died : binary[R]
param f ~ normal(0, 1)
param q ~ normal(0, 1)
let more = unseen * (log_inv_logit(f) + log1m_inv_logit(q)) + died * log1m_inv_logit(f)
factor lived * log_inv_logit(f) + caught * log_inv_logit(q) + missed * log1m_inv_logit(q) +
    log_sum_exp(more by animal)
`

func capturesData() document {
	d := map[string][]int{}
	add := func(name string, v int) { d[name] = append(d[name], v) }
	for i, h := range histories {
		last, caught := 0, 0
		for t, v := range h {
			if v == 1 {
				last, caught = t, caught+1
			}
		}
		add("lived", last)
		add("caught", caught-1) // after the first
		add("missed", last-(caught-1))
		for t := last; t < len(h); t++ {
			add("animal", i+1)
			add("unseen", t-last)
			if t < len(h)-1 {
				add("died", 1)
			} else {
				add("died", 0)
			}
		}
	}
	out := document{}
	for name, v := range d {
		out[name] = v
	}
	return out
}

// capturesLoop is the model as Stan's users' guide writes it, with chi[t], the probability that an animal is
// not seen again after t.
func capturesLoop(theta []float64) float64 {
	phi, p := 1/(1+math.Exp(-theta[0])), 1/(1+math.Exp(-theta[1]))
	total := 0.0
	for _, h := range histories {
		chi := make([]float64, len(h))
		chi[len(h)-1] = 1
		for t := len(h) - 2; t >= 0; t-- {
			chi[t] = 1 - phi + phi*(1-p)*chi[t+1]
		}
		last := 0
		for t, v := range h {
			if v == 1 {
				last = t
			}
		}
		for t := 1; t <= last; t++ {
			total += math.Log(phi) + float64(h[t])*math.Log(p) + float64(1-h[t])*math.Log(1-p)
		}
		total += math.Log(chi[last])
	}
	return total
}

// In a recursion, what was before is added up by groups at each step.
const network = `data y : real[T, G]
data X : real[T, S]
data g : level(G)[S]
param b ~ normal(0, 1)
param q ~ normal(0, 1)
let h : real[T, S] = recur h[1] = b * X[1, :],
    h[t] = tanh(q) * h[t - 1] + b * X[t, :] + 0.1 * sum(h[t - 1] by g)[g] for t in 2..T
y ~ normal(sum(h' by g)', 1)
`

func networkLoop(y, x [][]float64, g []int, theta []float64) float64 {
	total, h := 0.0, make([]float64, len(g))
	for t := range y {
		sums := make([]float64, len(y[t]))
		for s, k := range g {
			sums[k-1] += h[s]
		}
		now := make([]float64, len(y[t]))
		for s, k := range g {
			h[s] = math.Tanh(theta[1])*h[s] + theta[0]*x[t][s] + 0.1*sums[k-1]
			now[k-1] += h[s]
		}
		for k, v := range y[t] {
			total -= (v-now[k])*(v-now[k])/2 + math.Log(2*math.Pi)/2
		}
	}
	return total
}

// Models of ragged groups in one line have the density of the loops over them, up to the standard normal
// priors.
func TestRaggedGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x, z := numbers(r, len(visits)), numbers(r, 5)
	detected := make([]int, len(visits))
	for i, v := range second {
		detected[i] = v % 2
	}
	of := document{"det": detected, "x": x, "site": visits, "z": z, "S": 5}
	y, states, of3 := columns(r, 4, 3), columns(r, 4, 5), []int{1, 3, 2, 3, 3}
	for _, c := range []struct {
		text string
		data document
		loop func(theta []float64) float64
	}{
		{occupancy, of, func(theta []float64) float64 { return occupancyLoop(x, z, theta) }},
		{captures, capturesData(), capturesLoop},
		{network, document{"y": y, "X": states, "g": of3}, func(theta []float64) float64 {
			return networkLoop(y, states, of3, theta)
		}},
	} {
		f := fixture{Text: c.text, Tables: map[string]string{"server": c.data.text(t)}}
		for seed := range uint64(3) {
			got, theta, _ := evaluated(t, f, check.Options{}, seed)
			want := c.loop(theta)
			for _, v := range theta {
				want -= v*v/2 + math.Log(2*math.Pi)/2
			}
			if !(math.Abs(got-want) < 1e-10*(1+math.Abs(want))) {
				t.Errorf("log density %v, and the loops give %v\n%s", got, want, c.text)
			}
		}
		checkGradient(t, f.Bind(t, check.Options{}).Plan)
	}
}

// The gradient in a shared parameter of each row, which a client adds up by groups of its own, is the adjoint
// of the row's group: whoever receives it has, from one round, which rows are of one group. So check refuses
// such a cut, unless it is accepted.
func TestGroupsThatAGradientGives(t *testing.T) {
	const text = `client a
data y : real[G]
data g : level(G)[N] @ a
param row : real[N] ~ normal(0, 1) @ shared
param s ~ half_normal(1)
y ~ normal(sum(row by g), s)
transform exact
`
	f := fixture{Text: text, Tables: map[string]string{
		"server": document{"y": numbers(rand.New(rand.NewPCG(1, 1)), 5), "G": 5}.text(t),
		"a":      document{"g": visits, "G": 5}.text(t),
	}}
	_, theta, grad := evaluated(t, f, check.Options{Accept: diag.Accepted{"gradient-leak"}}, 1)
	for i, g := range visits {
		for k, h := range visits {
			same := math.Abs(grad[i]+theta[i]-grad[k]-theta[k]) < 1e-12 // without the slope of the prior
			if same != (g == h) {
				t.Errorf("rows %d and %d of groups %d and %d: equal adjoints: %t", i, k, g, h, same)
			}
		}
	}
}

// Rows with other columns, of which each group has the same sums, give the same cuts, densities and
// gradients: what crosses does not tell rows of a group apart.
func TestRowsOfGroupsThatAddUpTheSame(t *testing.T) {
	text := groupText + groupModels[0] + "\ntransform exact\n"
	seen := func(shift float64) (lp float64, grad []float64) {
		tables := map[string]string{}
		for party, d := range groupData() {
			if party == "a" { // rows 1 and 5 are of one group, and rows 2 and 7
				x := d["XA"].([][]float64)
				x[0][0], x[4][0] = x[0][0]+shift, x[4][0]-shift
				x[1][1], x[6][1] = x[1][1]-shift, x[6][1]+shift
			}
			tables[party] = d.text(t)
		}
		lp, _, grad = evaluated(t, fixture{Text: text, Tables: tables}, check.Options{}, 2)
		return lp, grad
	}
	lp, grad := seen(0)
	other, gradient := seen(0.75)
	if !(math.Abs(lp-other) < 1e-12*math.Abs(lp)) {
		t.Errorf("log densities %v and %v", lp, other)
	}
	for i := range grad {
		if !(math.Abs(grad[i]-gradient[i]) < 1e-12*(1+math.Abs(grad[i]))) {
			t.Errorf("gradient %d: %v and %v", i, grad[i], gradient[i])
		}
	}
}
