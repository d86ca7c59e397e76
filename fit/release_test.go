package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/release"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
)

const releasedModel = `client a, b
levels R = "p", "q", "r"
data y : real<lower=-8, upper=8>[N]
data x : real<lower=0, upper=2>[N] @ a
data g : binary[N] @ a
data Z : real<lower=-4, upper=4>[N, 2] @ b
data h : level(R)[N] @ b
param c ~ normal(0, 5)
param bx ~ normal(0, 2) @ a
param bg ~ normal(0, 2) @ a
param bz : real[2] ~ normal(0, 1) @ b
param u : real[R] ~ normal(0, 1) @ b
param s ~ half_normal(3)
let own = bx * x - bg * g
y ~ normal(c + own + Z * bz - u[h], 2 * s)
transform private(epsilon = 3, delta = 1e-6)
`

// releasedValues are rows on the grid of the release, so that nothing is rounded.
func releasedValues(n int) map[string]data.Bindings {
	r := rand.New(rand.NewPCG(5, 6))
	column := func(width int, draw func() float64) *data.BoundValue {
		b := &data.BoundValue{Dims: []int{n}, ByRow: true}
		if width > 1 {
			b.Dims = append(b.Dims, width)
		}
		for range n * width {
			b.Values = append(b.Values, draw())
		}
		return b
	}
	grid := func(low, high float64) func() float64 {
		return func() float64 { return math.Round((low+(high-low)*r.Float64())*1024) / 1024 }
	}
	return map[string]data.Bindings{
		"server": {"y": column(1, grid(-8, 8))},
		"a":      {"x": column(1, grid(0, 2)), "g": column(1, func() float64 { return float64(r.IntN(2)) })},
		"b": {"Z": column(2, grid(-4, 4)), "h": column(1, func() float64 {
			return float64(1 + r.IntN(3))
		})},
	}
}

// logDensity evaluates a model of one party, and its gradient.
func logDensity(t *testing.T, b *compile.BoundModel) func(theta []float64) (float64, []float64) {
	t.Helper()
	env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
	if err != nil {
		t.Fatal(err)
	}
	return func(theta []float64) (float64, []float64) {
		lp, grad := []float64{0}, [][]float64{make([]float64, len(theta))}
		if err := env.Density(t.Context(), [][]float64{theta}, point{[][]float64{nil}}, grad,
			lp); err != nil {
			t.Fatal(err)
		}
		return lp[0], grad[0]
	}
}

func boundValues(t *testing.T, m *compile.Model, diags diag.List,
	values map[string]data.Bindings) *compile.BoundModel {
	t.Helper()
	good(t, diags, nil)
	b, diags, err := compile.BindValues(m, values, nil)
	good(t, diags, err)
	return b
}

// Without noise the posterior given the release is that given the rows: their log densities differ by a
// constant.
func TestReleaseWithoutNoiseIsThePooledPosterior(t *testing.T) {
	t.Parallel()
	values := releasedValues(120)
	compiled := func(o check.Options) *compile.BoundModel {
		m, diags := compile.Compile(source.New("m.vfl", releasedModel), o)
		return boundValues(t, m, diags, values)
	}
	rows := logDensity(t, compiled(check.Options{Transform: stdlib.NoTransform}))
	b := compiled(check.Options{Accept: []string{"no-noise"}})
	moments, err := b.Moments()
	if err != nil {
		t.Fatal(err)
	}
	p, diags := b.Posterior(moments)
	given := logDensity(t, boundValues(t, p, diags, map[string]data.Bindings{}))
	r, first := rand.New(rand.NewPCG(1, 1)), 0.0
	for k := range 20 {
		theta := make([]float64, 9)
		for i := range theta {
			theta[i] = r.NormFloat64()
		}
		theta[8] /= 2 // log s: densities of -1e6 have no digits for 1e-6
		d, _ := rows(theta)
		l, _ := given(theta)
		d -= l
		if k == 0 {
			first = d
		}
		if math.Abs(d-first) > 1e-6 {
			t.Errorf("at %.2f the log densities differ by %.9f, and by %.9f at the first point", theta, d,
				first)
		}
	}
}

// binaryModel is releasedModel with a binary response.
var binaryModel = strings.NewReplacer("y : real<lower=-8, upper=8>", "y : binary",
	"normal(c + own + Z * bz - u[h], 2 * s)",
	"bernoulli_logit(c + own + Z * bz - u[h])", "param s ~ half_normal(3)\n", "").Replace(releasedModel)

// A logistic regression without noise has the slope and the curvature of the rows' log density at the
// maximum of the latter, in units of the standard deviations there; and its gradient is the difference
// quotient of its density, as is that of the posteriors given noise.
func TestReleasedScoresAreThoseOfTheRows(t *testing.T) {
	t.Parallel()
	values := releasedValues(400)
	y := values["server"]["y"].Values
	for i, z := range values["b"]["Z"].Values[:400] {
		y[i] = float64(int(y[i]-z+16) / 8 % 2)
	}
	compiled := func(text string, o check.Options, v map[string]data.Bindings) *compile.BoundModel {
		m, diags := compile.Compile(source.New("m.vfl", text), o)
		return boundValues(t, m, diags, v)
	}
	posterior := func(b *compile.BoundModel) func([]float64) (float64, []float64) {
		moments, err := b.Moments()
		good(t, nil, err)
		p, diags := b.Posterior(moments)
		return logDensity(t, boundValues(t, p, diags, map[string]data.Bindings{}))
	}
	const p = 8
	rows := logDensity(t, compiled(binaryModel, check.Options{Transform: stdlib.NoTransform}, values))
	given := posterior(compiled(binaryModel, check.Options{Accept: []string{"no-noise"}}, values))
	at := make([]float64, p)
	var hessian *mat.SymDense
	for range 12 {
		_, g := rows(at)
		hessian = hessianOf(rows, at)
		var step mat.VecDense
		good(t, nil, step.SolveVec(hessian, mat.NewVecDense(p, g)))
		for i := range at {
			at[i] -= step.AtVec(i)
		}
	}
	_, g := given(at)
	other := hessianOf(given, at)
	for i := range p {
		sd := 1 / math.Sqrt(-hessian.At(i, i))
		if math.Abs(g[i]*sd) > 2e-4 {
			t.Errorf("at the mode of the rows the gradient is %.2g of a standard deviation", g[i]*sd)
		}
		for j := range p {
			// the curvature is that at the likelihood's maximum, a prior away
			if d := (other.At(i, j) - hessian.At(i, j)) * sd / math.Sqrt(-hessian.At(j, j)); math.Abs(d) >
				2e-3 {
				t.Errorf("curvature %d, %d differs by %.2g of the diagonal", i, j, d)
			}
		}
	}
	noisy := posterior(compiled(releasedModel, check.Options{}, releasedValues(20000)))
	for f, n := range map[*func([]float64) (float64, []float64)]int{&given: p, &noisy: p + 1} {
		theta := []float64{.2, .1, -.3, .2, -.1, .3, .1, -.2, .2}[:n]
		_, g := (*f)(theta)
		for i := range theta {
			const h = 1e-5
			up, down := slices.Clone(theta), slices.Clone(theta)
			up[i], down[i] = theta[i]+h, theta[i]-h
			high, _ := (*f)(up)
			low, _ := (*f)(down)
			if d := (high - low) / (2 * h); math.Abs(d-g[i]) > 1e-5*(1+math.Abs(d)) {
				t.Errorf("partial %d is %.8g, and the difference quotient %.8g", i, g[i], d)
			}
		}
	}
}

// hessianOf is the matrix of second derivatives, of differences of gradients.
func hessianOf(f func([]float64) (float64, []float64), at []float64) *mat.SymDense {
	const h = 1e-5
	out := mat.NewSymDense(len(at), nil)
	for i := range at {
		up, down := slices.Clone(at), slices.Clone(at)
		up[i], down[i] = at[i]+h, at[i]-h
		_, a := f(up)
		_, b := f(down)
		for j := i; j < len(at); j++ {
			out.SetSym(i, j, (a[j]-b[j])/(2*h))
		}
	}
	return out
}

// Whoever knows all values of a table but one tells it from a release little more often than by a guess:
// no column is found, binary or not, and over all of them and three releases the share is below what
// epsilon allows. From one without noise each column is found, and with an epsilon of 900 those of two
// values.
func TestAttackOnReleases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		accept []string
		finds  bool
	}{
		{text: releasedModel}, {text: binaryModel},
		{releasedModel, []string{"no-noise"}, true}, {binaryModel, []string{"no-noise"}, true},
		{text: strings.Replace(binaryModel, "epsilon = 3", "epsilon = 900", 1), finds: true},
	} {
		values := releasedValues(150)
		if y := values["server"]["y"].Values; strings.Contains(c.text, "y : binary") {
			for i, v := range y {
				y[i] = float64(int(v+8) % 2)
			}
		}
		m, diags := compile.Compile(source.New("m.vfl", c.text), check.Options{Accept: c.accept})
		b := boundValues(t, m, diags, values)
		_, rows, err := b.ReleasedRows()
		good(t, nil, err)
		tried, told, found, most := 0, 0, 0, 0.0
		for range 3 {
			moments, err := b.Moments()
			good(t, nil, err)
			most = moments.MostTold()
			for _, of := range moments.Attack(rows, 60) {
				tried, told = tried+of.Tried, told+of.Told
				if of.Found() {
					found++
				}
				// with an epsilon near values are alike
				if of.Found() != c.finds && !(c.finds && c.accept == nil) {
					t.Errorf("%v: %s is told of %d of %d rows", c.accept, of.Column, of.Told, of.Tried)
				}
			}
		}
		if c.finds && found < 6 {
			t.Errorf("%d columns are found, and two at least have two values", found)
		}
		if share := float64(told) / float64(tried); !c.finds && share > most {
			t.Errorf("%.2f of the values are told, and epsilon allows %.2f", share, most)
		}
	}
}

// Each of these is refused by name, and a run without the release of it too.
func TestModelsThatAreNotReleased(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, new string
		code     diag.Code
	}{
		{"bx * x", "sin(bx * x)", diag.NotReleased},
		{"normal(c + own + Z * bz - u[h], 2 * s)", "student_t(4, c + own, s)", diag.NotReleased},
		{"bx * x", "bx * x .* g", diag.NotReleased},
		{"real<lower=0, upper=2>[N]", "real<lower=0>[N]", diag.NoBounds},
		{"upper=2>[N] @ a", "upper=2>[N] @ a from zscore(x)", diag.NoBounds},
		{"real<lower=-4, upper=4>[N, 2] @ b", "real[N, 2] @ b from clip(v, -4, 4), w", diag.NoBounds},
		{"real<lower=-4, upper=4>[N, 2] @ b", "real[N, 2] @ b from clip(v, 4, -4), clip(w, 0, 1)",
			diag.BadFrom},
		{"epsilon = 3, ", "", diag.NoBudget},
		{"delta = 1e-6", "delta = 2", diag.BadTransform},
		{"private(", "exact(", diag.BadTransform},
	} {
		_, diags := compile.Compile(source.New("m.vfl", strings.Replace(releasedModel, c.old, c.new, 1)),
			check.Options{})
		if !slices.ContainsFunc(diags, func(d *diag.Diagnostic) bool { return d.Code == c.code }) {
			t.Errorf("%s: %v, and not %s", c.new, data.Errors(diags), c.code)
		}
	}
	m, diags := compile.Compile(source.New("m.vfl", releasedModel), check.Options{})
	b := boundValues(t, m, diags, releasedValues(60))
	if _, diags, err := OpenBound(b, Options{}); err != nil || len(diags) == 0 ||
		diags[0].Code != diag.ReleasedOnly {
		t.Error(diags, err)
	}
}

// A model with other priors and fewer columns is fitted to the same release, and one with other bounds is
// not.
func TestReleaseServesOtherModels(t *testing.T) {
	t.Parallel()
	m, diags := compile.Compile(source.New("m.vfl", releasedModel), check.Options{})
	moments, err := boundValues(t, m, diags, releasedValues(60)).Moments()
	if err != nil {
		t.Fatal(err)
	}
	for change, fits := range map[[2]string]bool{
		{" + Z * bz", ""}:                                                true,
		{"normal(0, 2) @ a", "normal(0, .1) @ a"}:                        true,
		{"upper=2>", "upper=3>"}:                                         false,
		{"real<lower=-8", "real<lower=-9"}:                               false,
		{"bx ~ normal(0, 2) @ a", "bx ~ normal(0, 2)"}:                   true, // no row is evaluated
		{"u : real[R] ~ normal(0, 1) @ b", "u : real[R] ~ normal(0, 1)"}: true,
	} {
		other, diags := compile.Compile(source.New("m.vfl", strings.Replace(releasedModel, change[0],
			change[1], 1)), check.Options{})
		good(t, diags, nil)
		if _, diags = other.Posterior(moments); diags.HasErrors() == fits {
			t.Error(fmt.Sprint(change), data.Errors(diags))
		}
	}
}

// Each column of a matrix from clip has the bounds that are written there, and values beyond count as the
// bound: in the release of these and of the same values held by hand, and without an owner of the parameters.
func TestClippedColumnsAreReleasedWithTheirBounds(t *testing.T) {
	t.Parallel()
	const beyond = "id,v,w\n1,-9,3\n2,2,0.5\n3,4,-7\n4,-3,1\n"
	const held = "id,v,w\n1,-4,1\n2,2,0.5\n3,4,0\n4,-3,1\n"
	const text = `client a
data y : real<lower=-8, upper=8>[N]
data Z : real[N, 2] @ a from clip(v, -4, 4), clip(w, 0, 1)
param c ~ normal(0, 5)
param b : real[2] ~ normal(0, 1)
y ~ normal(c + Z * b, 2)
transform private(epsilon = 3, delta = 1e-6)
`
	released := func(model, table string) *release.Moments {
		dir := t.TempDir()
		path := filepath.Join(dir, "m.vfl")
		for name, text := range map[string]string{"server.csv": "id,y\n1,1\n2,-11\n3,0\n4,8\n",
			"a.csv": table} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m, diags := compile.Compile(source.New(path, model), check.Options{Accept: []string{"no-noise"}})
		good(t, diags, nil)
		sources, err := data.Locate(path, m.Parties(), []string{"server=" + filepath.Join(dir, "server.csv"),
			"a=" + filepath.Join(dir, "a.csv")})
		good(t, nil, err)
		out, diags, err := Release(m, sources, data.Joining{})
		good(t, diags, err)
		return out
	}
	got, want := released(text, beyond), released(text, held)
	if diff := cmp.Diff(want.Matrix(), got.Matrix()); diff != "" {
		t.Errorf("(-held +clipped) %s", diff)
	}
	for k, c := range []release.BoundedColumn{{Name: "Z[clip(v)]", Owner: "a", Lower: -4, Upper: 4},
		{Name: "Z[clip(w)]", Owner: "a", Upper: 1}, {Name: "y", Owner: "server", Lower: -8, Upper: 8}} {
		if got.Columns[k] != c {
			t.Errorf("column %d is %v, not %v", k, got.Columns[k], c)
		}
	}
	// 1 + z1² of the scaled first column: −1, .5, 1, −.75
	if z := got.Matrix()[1][1]; math.Abs(z-(1+.25+1+.5625)) > 1e-5 {
		t.Errorf("the square of the first column is %v", z)
	}
}

// The wrong examples of the pages have their code, and the right ones no error.
func TestPagesOfReleases(t *testing.T) {
	t.Parallel()
	for _, code := range []diag.Code{diag.NotReleased, diag.NoBounds, diag.NoBudget} {
		page, _ := diag.Explain(code)
		_, wrong := compile.Compile(source.New("m.vfl", page.Wrong), check.Options{})
		if len(wrong) == 0 || wrong[0].Code != code {
			t.Errorf("%s: %v", code, data.Errors(wrong))
		}
		_, right := compile.Compile(source.New("m.vfl", page.Right), check.Options{})
		good(t, right, nil)
	}
}

// The text of a posterior, which the folder of its run keeps, has nothing that a resumed run would warn of:
// of a normal response from moments and from scores, with all columns and fewer, and of a binary one.
func TestPosteriorsHaveNoWarnings(t *testing.T) {
	t.Parallel()
	fewer := strings.NewReplacer("param bg ~ normal(0, 2) @ a\n", "", " - bg * g", "",
		"data g : binary[N] @ a\n", "").Replace(releasedModel)
	for text, others := range map[string][]string{
		releasedModel: {releasedModel, fewer}, binaryModel: {binaryModel},
	} {
		for _, accepted := range [][]string{nil, {"no-noise"}} {
			o, values := check.Options{Accept: accepted}, releasedValues(400)
			if text == binaryModel {
				y := values["server"]["y"].Values
				for i := range y {
					y[i] = float64(i % 2)
				}
			}
			m, diags := compile.Compile(source.New("m.vfl", text), o)
			moments, err := boundValues(t, m, diags, values).Moments()
			good(t, nil, err)
			for _, other := range others {
				m, diags := compile.Compile(source.New("m.vfl", other), o)
				good(t, diags, nil)
				p, diags := m.Posterior(moments)
				good(t, diags, nil)
				if _, found := compile.Compile(p.Source, check.Options{}); len(found) > 0 {
					t.Errorf("%s: %s", found[0].Code, found[0].Message)
				}
			}
		}
	}
}

// What is known of columns from their encoders and their declaration together is the narrower of both, and a
// column that marks a category has two values: its square is known, and has no noise.
func TestEncodersTellOfReleasedColumns(t *testing.T) {
	t.Parallel()
	of := func(matrix string) []release.BoundedColumn {
		m, diags := compile.Compile(source.New("m.vfl", `client a
data y : real<lower=-1, upper=1>[N]
`+matrix+`
param b : real[3] ~ normal(0, 1) @ a
y ~ normal(W * b, 1)
transform private(epsilon = 3, delta = 1e-6)
`), check.Options{})
		good(t, diags, nil)
		return m.Design.Declared()[:len(m.Design.Declared())-1]
	}
	column := func(lower, upper float64, binary bool) release.BoundedColumn {
		return release.BoundedColumn{Name: "W", Owner: "a", Lower: lower, Upper: upper, Binary: binary}
	}
	for matrix, want := range map[string][]release.BoundedColumn{
		`data W : real[N, 3] @ a from is(sex, "f"), clip(age, 18, 98), is(ward, 3)`: {column(0, 1, true),
			column(18, 98, false), column(0, 1, true)},
		`data W : real<lower=0, upper=60>[N, 3] @ a from is(sex, "f"), clip(age, 18, 98), bmi`: {column(0, 1, true),
			column(18, 60, false), column(0, 60, false)},
		`data W : real[N, 3] @ a from is(ward, 1), is(ward, 2), is(ward, 3)`:   {column(0, 1, true)},
		`data W : real<lower=0, upper=9>[N, 3] @ a from age, bmi, weight`:      {column(0, 9, false)},
		`data W : real<lower=.5, upper=1>[N, 3] @ a from is(sex, "f"), b1, b2`: {column(.5, 1, false)},
	} {
		if got := of(matrix); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", matrix, got, want)
		}
	}
}
