package lower_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"gonum.org/v1/gonum/mat"
)

// nested has effects whose location is another parameter's effects, non-centred ones, and ones with a
// location and a scale for each column. The location of tail is not noted: the scale of flat, whose map is
// built before, depends on it.
var nested = fixture{
	Text: `data y : real[N]
data g : level(J)[N]
param m               ~ normal(0, 1)
param s               ~ half_normal(1)
param t               ~ half_normal(1)
param logs  : real[2] ~ normal(0, 1)
param locs  : real[2] ~ normal(0, 1)
param q               ~ normal(0, 1)
param mid   : real[J] ~ normal(m, s)
param top   : real[J] ~ student_t(5, mid, t) noncentered
param per   : real[J, 2] ~ normal(locs, exp(logs))
param flat  : real[J] ~ normal(0.5, exp(q))
param tail  : real[J] ~ normal(q, s)
param above : real<lower=0>[J] ~ normal(m, s)
param plain : real[J] ~ normal(m, 2)
y ~ normal(top[g] + per[g, 1] + flat[g] + tail[g] + above[g] + plain[g], 1)
`,
	Tables: map[string]string{"server": "y,g\n0.3,1\n-0.2,2\n0.5,3\n1,2\n"},
}

// written has effects in standard form, without a word of it: what z is multiplied by is positive and depends
// on other parameters, by element or once for all that are gathered. That of w is not sure to be positive, v
// has two, u none that is a parameter. a is an effect by its logarithm, and therefore no scale of d whose
// coordinates are bent.
var written = fixture{
	Text: `data y : real[N]
data g : level(J)[N]
param s           ~ half_normal(1)
param t           ~ normal(0, 1)
param l : real[J] ~ half_cauchy(1)
param z : real[J] ~ normal(0, 1)
param x : real[J] ~ student_t(4, 0, 1)
param w : real[J] ~ normal(0, 1)
param v : real[J] ~ normal(0, 1)
param u : real[J] ~ normal(0, 1)
param a : real[J] ~ lognormal(t, s)
param d : real[J] ~ normal(0, a)
let beta = 2 * z .* l / 3 * sqrt(s)
y ~ normal(beta[g] + exp(t) * x[g] + t * w[g] + s * v[g] + 2 * s * v[g] + 2 * u[g] + d[g], 1)
`,
	Tables: nested.Tables,
}

// walking has walks of one party, with and without a drift. Added to h are m and b, which is itself noted
// without a as it is needed first; p is gathered, so that nothing of one number is added to it, and fixed has
// a scale that is a number.
var walking = fixture{
	Text: `data y : real[T]
data g : level(J)[T]
param m             ~ normal(0, 1)
param s             ~ half_normal(1)
param drift         ~ normal(0, 1)
param h     : real[T] ~ gaussian_random_walk(drift, s)
param b     : real[T] ~ gaussian_random_walk(0, exp(m))
param p     : real[J] ~ gaussian_random_walk(0.3, s)
param fixed : real[T] ~ gaussian_random_walk(0, 1)
y ~ normal(m + h + b, 1)
y ~ normal(p[g] + fixed, 1)
`,
	Tables: nested.Tables,
}

// processes are standard normals that a root multiplies, elements with a covariance or its root, and vectors
// that are none: the root of v is fixed, w has two and k one that is no triangle. To r nothing is added, as f
// needs it.
var processes = fixture{
	Text: `data y : real[N]
data x : real[N]
param m           ~ normal(0, 1)
param l           ~ inv_gamma(5, 5)
param a           ~ half_normal(1)
param z : real[N] ~ normal(0, 1)
param r : real[N] ~ normal(0, 1)
param f : real[N] ~ multi_normal(m, gp_exp_quad(x, a, l))
param h : real[N] ~ multi_normal_cholesky(x * m, a * cholesky(gp_matern32(x, 1, 1)))
param v : real[N] ~ normal(0, 1)
param w : real[N] ~ normal(0, 1)
param k : real[N] ~ normal(0, 1)
param q : real[N] ~ multi_normal_prec(0, a * gp_exp_quad(x, 1, 1))
let L = cholesky(gp_matern52(x, a, l))
y ~ normal(m + L * z + a * x, 1)
y ~ normal(a * (cholesky(gp_exp_quad(x, 1, 1)) * r) + f, 1)
y ~ normal(h + cholesky(gp_exp_quad(x, 1, 1)) * v, 1)
y ~ normal(q, 1)
y ~ normal(L * w + cholesky(gp_exp_quad(x, 2, l)) * w + gp_exp_quad(x, a, l) * k, 1)
`,
	Tables: map[string]string{"server": "y,x\n0.3,1\n-0.2,2\n0.5,2.5\n1,4\n"},
}

// Persons and questions are separable each; what a sum over all of them, or a product with a matrix, enters
// is not, but for sums that are only generated.
func TestSeparable(t *testing.T) {
	f := fixture{
		Text: `data y : binary[N]
data i : level(P)[N]
data j : level(Q)[N]
data X : real[N, 2]
param theta : real[P] ~ normal(0, 1)
param a     : real[Q] ~ lognormal(0, 0.5)
param beta  : real[2] ~ normal(0, 1)
param b     : real[Q] ~ normal(0, 1)
param far   : real[P] ~ normal(0, 1)
factor -0.5 * sum(far)^2
y ~ bernoulli_logit(a[j] .* (theta[i] - b[j]) + X * beta + far[i])
generate level = mean(theta)
`,
		Tables: map[string]string{"server": "y,i,j,X1,X2\n0,1,1,0.5,1\n1,2,2,1,0\n0,3,1,0,0\n"},
	}
	var got []int
	for _, e := range f.Bind(t, check.Options{}).Plan.Parties[0].Separable {
		got = append(got, e.Offset, e.Len)
	}
	if want := []int{0, 3, 3, 2, 7, 2}; !slices.Equal(got, want) {
		t.Errorf("offsets and lengths of separable parameters are %v, want %v", got, want)
	}
}

// Effects are the parameters on the real line whose prior's scale depends on parameters of the same party,
// their locations, the parameters with a lower bound that their scales depend on, and terms.
func TestEffects(t *testing.T) {
	for _, c := range []struct {
		f    fixture
		want map[string][]string
	}{
		{nested, map[string][]string{"server": {"location of mid", "mid", "top", "location of per", "per",
			"flat", "tail", "s", "t", "terms"}}},
		{written, map[string][]string{"server": {"location of a", "a", "d", "z", "x", "s", "l", "terms"}}},
		{walking, map[string][]string{"server": {"b", "h", "p", "s"}}},
		{processes, map[string][]string{"server": {"r", "f", "h", "q", "z"}}},
		{logistic, map[string][]string{}},
		{shared, map[string][]string{"server": {"m", "tau", "terms"}}}, // the scale of the clients' is the server's
	} {
		for k, spec := range c.f.Bind(t, check.Options{}).Plan.Parties {
			var names []string
			for _, e := range model.NewParty(c.f.Bind(t, check.Options{}).Plan, k).Effects() {
				names = append(names, e.Name)
			}
			if !slices.Equal(names, c.want[spec.Party]) {
				t.Errorf("%s: effects %v, want %v", spec.Party, names, c.want[spec.Party])
			}
		}
	}
}

// The maps between coordinates are inverse to one another and keep what they should: at the centring 1
// coordinates are the effects, at 0 their standard form. Their log-Jacobians and the gradients that they pull
// back are those of finite differences.
func TestRecentring(t *testing.T) {
	p := model.NewParty(nested.Bind(t, check.Options{}).Plan, 0)
	theta := thereAndBack(t, p)
	standard(t, p.Effects(), p.FromTheta(), theta)
	informed(t, p.Effects(), p.FromTheta(), theta)
}

// thereAndBack holds the maps of a party against each other and against differences at centrings that are
// drawn; it returns the point.
func thereAndBack(t *testing.T, p *model.Party) (theta []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	effects, to, from := p.Effects(), p.ToTheta(), p.FromTheta()
	theta = make([]float64, p.Dim())
	u, back := make([]float64, p.Dim()), make([]float64, p.Dim())
	for i := range theta {
		theta[i] = 0.7 * r.NormFloat64()
	}
	for range 5 {
		c := make([]float64, len(effects))
		anchored := len(c)
		for k, e := range effects {
			if c[k] = r.Float64(); !e.Anchored && r.IntN(2) == 0 {
				c[k] = density.Informed
			} else if e.Walk || e.Process || e.Terms != nil {
				c[k] = float64(r.IntN(2)) * e.Centring
			}
			if e.Terms != nil {
				c = append(c, positive(r, e.Len)...)
			} else if e.Vector > 0 {
				c = append(c, toldOfVectors(r, e)...)
			}
			for range e.Anchors() - (len(c) - anchored) {
				c = append(c, 2*r.Float64())
			}
			anchored = len(c)
		}
		there := from.At(c, theta, u)
		again := to.At(c, u, back)
		if math.Abs(there+again) > 1e-12*math.Abs(there) {
			t.Errorf("log-Jacobians %v and %v", there, again)
		}
		for i := range theta {
			if math.Abs(back[i]-theta[i]) > 1e-13*(1+math.Abs(theta[i])) {
				t.Errorf("coordinate %d is %v, and was %v", i, back[i], theta[i])
			}
		}
		differences(t, to, c, u)
		differences(t, from, c, theta)
	}
	return theta
}

// positive is a random positive definite matrix.
func positive(r *rand.Rand, n int) []float64 {
	root, of := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range root.RawMatrix().Data {
		root.RawMatrix().Data[i] = r.NormFloat64()
	}
	of.Mul(root, root.T())
	return of.RawMatrix().Data
}

// toldOfVectors are random precision matrices of vectors, of the first nothing, as their anchors have them.
func toldOfVectors(r *rand.Rand, e density.Effects) []float64 {
	n, h := e.Len/e.Vector, make([]float64, e.Len*e.Vector)
	for i := 1; i < n; i++ {
		for j, v := range positive(r, e.Vector) {
			h[i+n*j] = v
		}
	}
	return h
}

// sideBySide has effects, centred and not, and constants, which make terms: no location or scale depends on
// them, as s does.
var sideBySide = fixture{
	Text: `data y : real[N]
data g : level(J)[N]
data X : real[N, 2]
param m           ~ normal(0, 1)
param b : real[2] ~ normal(0, 2)
param q           ~ normal(0, 1)
param s           ~ half_normal(1)
param r           ~ half_normal(1)
param u : real[J] ~ normal(2 * q, s)
param z : real[2] ~ normal(0, 1)
y ~ normal(m + X * b + u[g] + X * (r .* z), r)
`,
	Tables: map[string]string{"server": "y,g,X1,X2\n0.3,1,1,2\n-0.2,2,0,1\n0.5,3,2,2\n1,2,1,0\n"},
}

// Terms are few: work on their precision matrix grows with the cube of their number.
func TestTermsAreFew(t *testing.T) {
	for levels, want := range map[int]bool{63: true, 64: false} {
		table := strings.Builder{}
		table.WriteString("y,g\n")
		for g := range levels {
			fmt.Fprintf(&table, "%d,%d\n", g%3, g+1)
		}
		f := fixture{
			Text: `data y : real[N]
data g : level(J)[N]
param m           ~ normal(0, 1)
param s           ~ half_normal(1)
param u : real[J] ~ normal(0, s)
y ~ normal(m + u[g], 1)
`,
			Tables: map[string]string{"server": table.String()},
		}
		effects := model.NewParty(f.Bind(t, check.Options{}).Plan, 0).Effects()
		if got := effects[len(effects)-1].Terms != nil; got != want {
			t.Errorf("%d effects and a constant: terms %t, want %t", levels, got, want)
		}
	}
}

// The coordinates of terms are standard normal given all else: half their squares is that of the distance
// from the mean by the precision, whose root is the Jacobian.
func TestTerms(t *testing.T) {
	p := model.NewParty(sideBySide.Bind(t, check.Options{}).Plan, 0)
	theta := thereAndBack(t, p)
	effects, n := p.Effects(), 8
	terms := effects[len(effects)-1]
	names := map[int][2]float64{} // location and variance of elements of θ that are effects; z has v = r·z
	at := make([]float64, len(effects))
	s, r := math.Exp(theta[4]), math.Exp(theta[5])
	for k, e := range effects {
		at[k] = e.Centring
		at = append(at, make([]float64, e.Anchors())...)
		for i := range e.Len {
			switch e.Name {
			case "u":
				names[e.Offset+i] = [2]float64{2 * theta[3], s * s}
			case "z":
				names[e.Offset+i] = [2]float64{0, r * r}
			}
		}
	}
	if terms.Len != n {
		t.Fatalf("terms %v of %v, want m, b, u and z", terms, effects)
	}
	random := rand.New(rand.NewPCG(7, 7))
	anchors, h := at[len(at)-n*(n+1):], positive(random, n)
	copy(anchors, h)
	precision := mat.NewSymDense(n, slices.Clone(h))
	pull, v := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	i := 0
	var place []int
	for _, of := range terms.Terms {
		for k := range of.Len {
			at := of.Offset + k
			place = append(place, at)
			anchors[n*n+i] = random.NormFloat64()
			pull.SetVec(i, anchors[n*n+i])
			v.SetVec(i, theta[at])
			if prior, effect := names[at]; effect {
				precision.SetSym(i, i, precision.At(i, i)+1/prior[1])
				pull.SetVec(i, pull.AtVec(i)+prior[0]/prior[1])
				if prior[0] == 0 {
					v.SetVec(i, r*theta[at])
				}
			}
			i++
		}
	}
	at[len(effects)-1] = density.Informed
	u := make([]float64, p.Dim())
	logJacobian := p.FromTheta().At(at, theta, u)
	var root mat.Cholesky
	var mean, off mat.VecDense
	if !root.Factorize(precision) {
		t.Fatal("no root")
	}
	if err := root.SolveVecTo(&mean, pull); err != nil {
		t.Fatal(err)
	}
	off.SubVec(v, &mean)
	squares := 0.0
	for _, at := range place {
		squares += u[at] * u[at]
	}
	near(t, squares, mat.Inner(&off, precision, &off))
	near(t, logJacobian, root.LogDet()/2+2*math.Log(r)) // of u by v, and of v = r·z by z
}

// At the centring 0 a walk is its steps in units of their scale. Informed, its coordinates are standard
// normal given all else: half their squares is that of the distance from the mean by the precision, whose
// root is the Jacobian. That mean minimises the misfits to steps and to what data say.
func TestWalks(t *testing.T) {
	p := model.NewParty(walking.Bind(t, check.Options{}).Plan, 0)
	theta := thereAndBack(t, p)
	effects, from, u := p.Effects(), p.FromTheta(), make([]float64, p.Dim())
	h, b := effects[1], effects[0]
	n, at := h.Len, make([]float64, len(effects))
	m, s, drift := theta[0], math.Exp(theta[1]), theta[2]
	for k, e := range effects {
		if at[k] = 1; e.Name == h.Name {
			at[k] = 0
		}
		at = append(at, make([]float64, e.Anchors())...)
	}
	from.At(at, theta, u)
	x, last := theta[h.Offset:][:n], 0.0
	precision, pull := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	anchors := at[len(effects)+b.Anchors():]
	for i, v := range x {
		near(t, u[h.Offset+i], (v-last-drift)/s)
		last = v
		precision.SetSym(i, i, precision.At(i, i)+1/s/s)
		pull.SetVec(i, pull.AtVec(i)+drift/s/s)
		if i > 0 {
			precision.SetSym(i-1, i-1, precision.At(i-1, i-1)+1/s/s)
			precision.SetSym(i-1, i, -1/s/s)
			pull.SetVec(i-1, pull.AtVec(i-1)-drift/s/s)
		}
		said, mean := 0.4*float64(i), 1-0.5*float64(i) // the first of nothing
		precision.SetSym(i, i, precision.At(i, i)+said)
		pull.SetVec(i, pull.AtVec(i)+said*(mean-m-theta[b.Offset+i]))
		anchors[i], anchors[n+i] = said, said*mean
	}
	at[1] = density.Informed
	logJacobian := from.At(at, theta, u)
	var root mat.Cholesky
	var mean, off mat.VecDense
	if !root.Factorize(precision) || root.SolveVecTo(&mean, pull) != nil {
		t.Fatal("the precision has no root")
	}
	off.SubVec(mat.NewVecDense(n, x), &mean)
	squares := 0.0
	for _, v := range u[h.Offset:][:n] {
		squares += v * v
	}
	near(t, squares, mat.Inner(&off, precision, &off))
	near(t, logJacobian, root.LogDet()/2)
}

// Coordinates of a process that are Informed are standard normal given all else: half their squares is that
// of the distance from the mean by the precision, whose root is the Jacobian where θ has the elements. Where
// it has z, the root of the covariance comes before. At the centring 0 elements are z.
func TestProcesses(t *testing.T) {
	p := model.NewParty(processes.Bind(t, check.Options{}).Plan, 0)
	theta := thereAndBack(t, p)
	effects, from, u := p.Effects(), p.FromTheta(), make([]float64, p.Dim())
	m, l, a := theta[0], math.Exp(theta[1]), math.Exp(theta[2])
	x := []float64{1, 2, 2.5, 4}
	n, at := len(x), make([]float64, len(effects))
	for k, e := range effects {
		at[k] = e.Centring
		at = append(at, make([]float64, e.Anchors())...)
	}
	said := at[len(effects):]
	var unit mat.Cholesky
	var l1 mat.TriDense
	if !unit.Factorize(covariance(x, func(d float64) float64 { return math.Exp(-d * d / 2) })) {
		t.Fatal("the covariance has no root")
	}
	unit.LTo(&l1)
	ofR, ofV := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	ofR.MulVec(&l1, mat.NewVecDense(n, theta[effects[0].Offset:][:n]))
	ofV.MulVec(&l1, mat.NewVecDense(n, theta[effects[4].Offset+4*n:][:n]))
	for k, e := range effects {
		prior := covariance(x, func(d float64) float64 {
			return a * a * map[string]float64{"f": math.Exp(-d * d / 2 / l / l), "r": math.Exp(-d * d / 2),
				"h": (1 + math.Sqrt(3)*d) * math.Exp(-math.Sqrt(3)*d),
				"q": math.Exp(-d*d/2) / a,
				"z": (1 + math.Sqrt(5)*d/l + 5*d*d/3/l/l) * math.Exp(-math.Sqrt(5)*d/l)}[e.Name]
		})
		var root, of mat.Cholesky
		if e.Name == "q" { // that is its precision
			if !root.Factorize(prior) || root.InverseTo(prior) != nil {
				t.Fatal("the precision has no root")
			}
		}
		precision := mat.NewSymDense(n, nil)
		mean, pull, v := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			mean.SetVec(i, map[string]float64{"f": m, "h": x[i] * m}[e.Name])
			added := map[string]float64{"f": a * ofR.AtVec(i), "h": ofV.AtVec(i), "z": m + a*x[i]}[e.Name]
			h, y := 0.4*float64(i), 1-0.5*float64(i) // the first of nothing
			said[i], said[n+i] = h, h*y
			precision.SetSym(i, i, h)
			pull.SetVec(i, h*(y-added))
			v.SetVec(i, theta[e.Offset+i])
		}
		at[k] = density.Informed
		logJacobian := from.At(at, theta, u)
		var inverse mat.SymDense
		if !root.Factorize(prior) || root.InverseTo(&inverse) != nil {
			t.Fatal("the covariance has no root")
		}
		if e.Centring == 0 { // v is z
			var lower mat.TriDense
			root.LTo(&lower)
			v.MulVec(&lower, v)
			logJacobian -= root.LogDet() / 2
		}
		var fromPrior, centre, off mat.VecDense
		fromPrior.MulVec(&inverse, mean)
		pull.AddVec(pull, &fromPrior)
		precision.AddSym(precision, &inverse)
		if !of.Factorize(precision) || of.SolveVecTo(&centre, pull) != nil {
			t.Fatal("the precision has no root")
		}
		off.SubVec(v, &centre)
		squares := 0.0
		for _, w := range u[e.Offset:][:n] {
			squares += w * w
		}
		if want := mat.Inner(&off, precision, &off); math.Abs(squares-want) > 1e-10*want {
			t.Errorf("%s: the coordinates' squares are %v, want %v", e.Name, squares, want)
		}
		if want := of.LogDet() / 2; math.Abs(logJacobian-want) > 1e-10 {
			t.Errorf("%s: the log-Jacobian is %v, want %v", e.Name, logJacobian, want)
		}
		clear(said[:2*n])
		at[k], said = e.Centring, said[2*n:]
	}
}

// covariance is that of values at points, a function of their distance.
func covariance(x []float64, of func(distance float64) float64) *mat.SymDense {
	out := mat.NewSymDense(len(x), nil)
	for i := range x {
		for j := range x {
			out.SetSym(i, j, of(math.Abs(x[i]-x[j])))
		}
	}
	return out
}

// Evidence of a walk is that of its elements with what is added to them, and the slope that of the
// likelihood.
func TestEvidenceOfWalks(t *testing.T) {
	p := model.NewParty(walking.Bind(t, check.Options{}).Plan, 0)
	r := rand.New(rand.NewPCG(4, 5))
	theta, g := make([]float64, p.Dim()), make([]float64, p.Dim())
	for i := range theta {
		theta[i], g[i] = r.NormFloat64(), r.NormFloat64()
	}
	b, h := p.Effects()[0], p.Effects()[1]
	n := h.Len
	v, slope, weight := make([]float64, 2*n+3), make([]float64, 2*n+3), make([]float64, 2*n+3) // J is 3
	p.FromTheta().Evidence(theta, g, v, slope, weight)
	x, s := append([]float64{0}, theta[h.Offset:][:n]...), math.Exp(theta[1])
	for i := range n {
		prior := -(x[i+1] - x[i] - theta[2]) / s / s
		if i+1 < n {
			prior += (x[i+2] - x[i+1] - theta[2]) / s / s
		}
		near(t, v[n+i], x[i+1]+theta[0]+theta[b.Offset+i])
		near(t, slope[n+i], g[h.Offset+i]-prior)
	}
}

// informed checks density.Informed coordinates, of effects written as they are and of others in standard
// form: of an effect v whose prior is normal(m, s), if data say normal(y, 1/√h) of it, they are (v - mean)/sd
// of the posterior.
func informed(t *testing.T, effects []density.Effects, from density.Map, theta []float64) {
	t.Helper()
	c := []float64{1, density.Informed, density.Informed, 1, 1, 1, 1, 1, 1, 0}
	const h, y = 1.7, -0.4
	for _, e := range effects {
		for i := range e.Anchors() {
			c = append(c, map[bool]float64{true: h, false: h * y}[i < e.Len])
		}
	}
	u := make([]float64, len(theta))
	from.At(c, theta, u)
	coordinate := func(v, m, s float64) float64 {
		precision := 1/s/s + h
		return (v - (m/s/s+h*y)/precision) * math.Sqrt(precision)
	}
	for i := range 3 {
		mid, top := effects[1].Offset+i, effects[2].Offset+i
		scale := math.Exp(theta[2])
		near(t, u[mid], coordinate(theta[mid], theta[0], math.Exp(theta[1])))
		near(t, u[top], coordinate(theta[mid]+scale*theta[top], theta[mid], scale))
	}
}

func near(t *testing.T, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-13*(1+math.Abs(want)) {
		t.Errorf("a coordinate is %v, want %v", got, want)
	}
}

// Evidence gives effects and the derivatives of the log likelihood by them: those of the whole density less
// those of the prior.
func TestEvidence(t *testing.T) {
	p := model.NewParty(nested.Bind(t, check.Options{}).Plan, 0)
	r := rand.New(rand.NewPCG(4, 5))
	theta, g := make([]float64, p.Dim()), make([]float64, p.Dim())
	for i := range theta {
		theta[i], g[i] = r.NormFloat64(), r.NormFloat64()
	}
	v, slope, weight := make([]float64, 18), make([]float64, 18), make([]float64, 18)
	effects := p.Effects() // mid, top, per, flat, tail: J is 3
	p.FromTheta().Evidence(theta, g, v, slope, weight)
	s, scale := math.Exp(theta[1]), math.Exp(theta[2])
	for i := range 3 {
		mid, top := effects[1].Offset+i, effects[2].Offset+i
		near(t, v[i], theta[mid])
		near(t, slope[i], g[mid]+(theta[mid]-theta[0])/s/s)
		near(t, v[3+i], theta[mid]+scale*theta[top])
		near(t, slope[3+i], (g[top]+theta[top])/scale)
		near(t, weight[i], s*s)
		near(t, weight[3+i], scale*scale)
		flat := effects[5].Offset + i
		near(t, v[12+i], theta[flat])
	}
}

// standard checks the ends of the scale. In theta: m, log s, log t, logs, locs, q, mid, x of top, per; J is
// 3.
func standard(t *testing.T, effects []density.Effects, from density.Map, theta []float64) {
	t.Helper()
	m, s, scale := theta[0], math.Exp(theta[1]), math.Exp(theta[2])
	mid, x := theta[effects[1].Offset:][:3], theta[effects[2].Offset:][:3]
	u := make([]float64, len(theta))
	from.At(slices.Concat([]float64{0, 0, 1, 0, 1, 1, 1, 0, 0.5, 0, 0.25}, make([]float64, 12),
		[]float64{0.5, -0.5}, make([]float64, 24), []float64{3, -2}), theta, u)
	if got, want := u[effects[0].Offset], (m-0.25)/s; math.Abs(got-want) > 1e-14*(1+math.Abs(want)) {
		t.Errorf("the location of mid is %v in units of the scale from its anchor, want %v", got, want)
	}
	for i, anchor := range []float64{0.5, -0.5} {
		if got, want := u[effects[3].Offset+i],
			(theta[5+i]-anchor)/math.Exp(theta[3+i]); math.Abs(got-want) > 1e-14*(1+math.Abs(want)) {
			t.Errorf("location %d of per is %v in units of its scale from its anchor, want %v", i, got, want)
		}
	}
	// s is below its anchor, where log s = 3 + u√(1 + u²) at the centring 0, and t above its own, where it is
	// moved only.
	if v := u[1]; v >= 0 || math.Abs(3+v*math.Sqrt(1+v*v)-theta[1]) > 1e-14 {
		t.Errorf("the scale s has the coordinate %v for %v", v, theta[1])
	}
	if got, want := u[2], theta[2]+2; got != want {
		t.Errorf("the scale t has the coordinate %v, want %v", got, want)
	}
	for i := range 3 {
		if got, want := u[effects[1].Offset+i], (mid[i]-m)/s; math.Abs(got-want) > 1e-14*(1+math.Abs(want)) {
			t.Errorf("mid %d is %v non-centred, want %v", i, got, want)
		}
		if got, want := u[effects[2].Offset+i],
			mid[i]+scale*x[i]; math.Abs(got-want) > 1e-14*(1+math.Abs(want)) {
			t.Errorf("top %d is %v centred, want %v", i, got, want)
		}
	}
}

// differences holds a map at x against central differences: of f + log|J|, f a function of the result, and of
// the result for |J|.
func differences(t *testing.T, m density.Map, c, x []float64) {
	t.Helper()
	n := len(x)
	const h = 1e-5
	f := func(y []float64) (v float64) {
		for i, q := range y {
			v += math.Sin(float64(i)+1) * q * q
		}
		return v
	}
	y := make([]float64, n)
	logJacobian := m.At(c, x, y)
	g := make([]float64, n)
	for i, q := range y {
		g[i] = 2 * math.Sin(float64(i)+1) * q
	}
	before := slices.Clone(g)
	m.Pull(g)
	lifted := slices.Clone(g)
	m.At(c, x, y)
	m.Lift(lifted)
	for i, want := range before {
		if math.Abs(lifted[i]-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("derivative by result %d is %v, lifted %v", i, want, lifted[i])
		}
	}
	jacobian := mat.NewDense(n, n, nil)
	for i := range x {
		var value [2]float64
		var to [2][]float64
		for side, step := range []float64{-h, h} {
			moved := slices.Clone(x)
			moved[i] += step
			to[side] = make([]float64, n)
			value[side] = m.At(c, moved, to[side])
			value[side] += f(to[side])
		}
		if want := (value[1] - value[0]) / (2 * h); math.Abs(g[i]-want) > 1e-7*(1+math.Abs(want)) {
			t.Errorf("derivative by coordinate %d is %v, by differences %v", i, g[i], want)
		}
		for k := range y {
			jacobian.Set(k, i, (to[1][k]-to[0][k])/(2*h))
		}
	}
	if want, sign := mat.LogDet(jacobian); sign < 0 || math.Abs(logJacobian-want) > 1e-7*(1+math.Abs(want)) {
		t.Errorf("log-Jacobian %v, by differences %v", logJacobian, want)
	}
}

// vectored has effects of vectors with one root each, about locations of their own, and effects with scales
// by column.
var vectored = fixture{
	Text: `data y : real[N]
data x : real[N]
data g : level(J)[N]
param m : real[3]    ~ normal(0, 1)
param a              ~ half_normal(1)
param b              ~ half_normal(1)
param r : real[3]    ~ normal(0, 1)
param u : real[J, 3] ~ multi_normal_cholesky(m, a * [[1, 0, 0], [0, 0, 0], [0, 0, 1]] +
    b * [[0, 0, 0], [0, 1, 0], [0, 0, 0]] + r[1] * [[0, 0, 0], [1, 0, 0], [0, 0, 0]] +
    r[2] * [[0, 0, 0], [0, 0, 0], [1, 0, 0]] + r[3] * [[0, 0, 0], [0, 0, 0], [0, 1, 0]])
param v : real[J, 2] ~ multi_normal(0, a * [[1, 0], [0, 0]] + b * [[0, 0.1], [0.1, 1]] +
    [[1, 0], [0, 1]])
param s : real[2]    ~ half_normal(1)
param w : real[J, 2] ~ normal(0, s)
y ~ normal(u[g, 1] + u[g, 2] .* x + u[g, 3] + v[g, 1] + v[g, 2] .* x, 1)
y ~ normal(w[g, 1] + w[g, 2] .* x, 1)
`,
	Tables: map[string]string{"server": "y,x,g\n0.3,1,1\n-0.2,2,2\n0.5,2.5,3\n1,4,4\n0,1,5\n"},
}

// Coordinates of vectors that are Informed are those of a process, for each vector by itself. At the centring
// 0 effects are in units of the scales of their columns.
func TestVectors(t *testing.T) {
	const n = 5
	p := model.NewParty(vectored.Bind(t, check.Options{}).Plan, 0)
	theta, random := thereAndBack(t, p), rand.New(rand.NewPCG(12, 1))
	effects, from, u := p.Effects(), p.FromTheta(), make([]float64, p.Dim())
	at := make([]float64, len(effects))
	for k, e := range effects {
		at[k] = e.Centring
		at = append(at, make([]float64, e.Anchors())...)
	}
	a, b, r, m := math.Exp(theta[3]), math.Exp(theta[4]), theta[5:8], theta[:3]
	lower := mat.NewDense(3, 3, []float64{a, 0, 0, r[0], b, 0, r[1], r[2], a})
	var square mat.Dense
	square.Mul(lower, lower.T())
	said, seen := at[len(effects):], 0
	for k, e := range effects {
		of := map[string]mat.Matrix{"u": &square,
			"v": mat.NewDense(2, 2, []float64{a + 1, b / 10, b / 10, b + 1})}[e.Name]
		if of == nil {
			if e.Name == "w" {
				at[k] = 0
				from.At(at, theta, u)
				for i, x := range theta[e.Offset:][:2*n] {
					near(t, u[e.Offset+i], x/math.Exp(theta[e.Offset-2+i/n]))
				}
				at[k], seen = e.Centring, seen+1
			}
			said = said[e.Anchors():]
			continue
		}
		seen++
		width := e.Len / n
		copy(said, toldOfVectors(random, e))
		for i := range e.Len {
			said[e.Len*width+i] = float64(i%n) * random.NormFloat64()
		}
		at[k] = density.Informed
		logJacobian, want, squares, misfits := from.At(at, theta, u), 0.0, 0.0, 0.0
		for i := range n {
			precision, pull := mat.NewSymDense(width, nil), mat.NewVecDense(width, nil)
			mean, off := mat.NewVecDense(width, nil), mat.NewVecDense(width, nil)
			var prior mat.Dense
			if err := prior.Inverse(of); err != nil {
				t.Fatal(err)
			}
			if e.Name == "u" {
				pull.MulVec(&prior, mat.NewVecDense(3, m))
			}
			for j := range width {
				for l := range j + 1 {
					precision.SetSym(j, l, prior.At(j, l)+said[i+n*(j+width*l)])
				}
				pull.SetVec(j, pull.AtVec(j)+said[e.Len*width+i+n*j])
				off.SetVec(j, theta[e.Offset+i+n*j])
				squares += u[e.Offset+i+n*j] * u[e.Offset+i+n*j]
			}
			var root mat.Cholesky
			if !root.Factorize(precision) || root.SolveVecTo(mean, pull) != nil {
				t.Fatal("the precision has no root")
			}
			off.SubVec(off, mean)
			misfits += mat.Inner(off, precision, off)
			want += root.LogDet() / 2
		}
		near(t, squares, misfits)
		near(t, logJacobian, want)
		clear(said[:e.Anchors()])
		at[k], said = e.Centring, said[e.Anchors():]
	}
	if seen != 3 {
		t.Errorf("%d of 3 effects have coordinates", seen)
	}
}

// θ tells of standard coordinates what they are, or the log-Jacobian is -Inf: of effects on a location of 3
// whose scale is below the resolution of numbers there, θ would be 3 whatever they are, and the density by θ
// that of no prior.
func TestThetaTellsCoordinates(t *testing.T) {
	for name, c := range map[string]struct {
		f          fixture
		scale, far int // coordinates that are the log of a scale, and of a location, in θ
	}{
		"effects": {nested, 1, 0},
		"terms":   {sideBySide, 4, 3},
		"walks":   {walking, 1, 2},
		"vectors": {fixture{Text: `data y : real[N]
data g : level(J)[N]
param m           ~ normal(0, 1)
param a           ~ normal(0, 1)
param u : real[J, 2] ~ multi_normal_cholesky(m, exp(a) * [[1, 0], [0.3, 1]])
y ~ normal(u[g, 1] + u[g, 2], 1)
`, Tables: nested.Tables}, 1, 0},
		"together": {processes, 2, 0},
	} {
		p := model.NewParty(c.f.Bind(t, check.Options{}).Plan, 0)
		effects, to, from := p.Effects(), p.ToTheta(), p.FromTheta()
		r := rand.New(rand.NewPCG(3, 4))
		lost, kept := 0, 0
		for _, informed := range []bool{false, true} {
			var at []float64
			for _, e := range effects {
				at = append(at, 0)
				if e.Scale || e.Anchored || e.Terms != nil {
					at[len(at)-1] = e.Centring
				} else if informed {
					at[len(at)-1] = density.Informed
				}
			}
			for _, e := range effects {
				at = append(at, make([]float64, e.Anchors())...)
			}
			u, theta, back := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
			for log := 0.0; log > -60; log-- {
				for i := range u {
					u[i] = r.NormFloat64()
				}
				u[c.scale], u[c.far] = log, 3
				if j := to.At(at, u, theta); math.IsInf(j, -1) {
					lost++
					continue
				}
				kept++
				from.At(at, theta, back)
				for i := range u {
					if math.Abs(back[i]-u[i]) > 0x1p-10*(1+math.Abs(u[i])) {
						t.Errorf("%s, scale e^%g: coordinate %d is %v, and was %v", name, log, i, back[i], u[i])
					}
				}
			}
		}
		if kept < 40 || lost < 20 {
			t.Errorf("%s: %d points kept and %d lost", name, kept, lost)
		}
	}
}
