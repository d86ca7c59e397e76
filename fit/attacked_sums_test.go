package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// sumsKnown is what a coalition with the server has learned of one unknown column of 0 and 1 at another party
// from sums over rows of a logistic regression.
type sumsKnown struct {
	columns   [][]float64 // its own, by column
	response  []float64
	predictor [][]float64 // of every evaluation, without the unknown column
	gradient  [][]float64 // by its own coefficients
	unknown   []float64   // by the coefficient of the unknown column; nil: it has none
	// crossed are sums over rows of its columns times the unknown one times the curvature of the row at an
	// evaluation; nil: there are none.
	crossed    []float64
	evaluation int
	noise      float64 // of the sums
	// the coefficient of the unknown column at every evaluation, where it knows that; nil: it does not
	told []float64
}

// Bounds of the search for a column.
const (
	onesShare   = 0.3 // that is expected
	onesSD      = 0.46
	columnSteps = 20
	innerSteps  = 3
	beyondOnes  = 0.3 // by which a row may leave 0 and 1 on the way
)

// column is the coalition's best guess of the unknown column: steps of Gauss and Newton for the rows and for
// the coefficient at every evaluation, which it does not know either, given normal priors of both.
func (s *sumsKnown) column() []float64 {
	x, d := slices.Repeat([]float64{onesShare}, len(s.response)),
		slices.Repeat([]float64{1}, len(s.predictor))
	copy(d, s.told)
	for range columnSteps {
		s.step(x, d)
		for inner := 0; inner < innerSteps && s.told == nil; inner++ {
			for t := range d {
				e := s.at(t, x, d[t])
				d[t] -= (dotted(e.residual, e.by)/(s.noise*s.noise) + d[t] - 1) / (dotted(e.by,
					e.by)/(s.noise*s.noise) + 1)
			}
		}
	}
	return x
}

// sumsAt are the sums of one evaluation: what they are at a guess beyond what they were, and their
// derivatives by the coefficient and by the rows of the unknown column.
type sumsAt struct {
	residual, by []float64
	rows         [][]float64
}

func (s *sumsKnown) at(t int, x []float64, d float64) (e sumsAt) {
	n := len(x)
	left, slope, change, own := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i, eta := range s.predictor[t] {
		without, with := inverseLogit(eta), inverseLogit(eta+d)
		change[i], own[i] = without-with, s.response[i]-with
		left[i] = s.response[i] - without + change[i]*x[i]
		slope[i] = -with * (1 - with) * x[i]
	}
	for j, c := range s.columns {
		row := make([]float64, n)
		for i := range row {
			row[i] = c[i] * change[i]
		}
		e.rows = append(e.rows, row)
		e.residual, e.by = append(e.residual, dotted(c, left)-s.gradient[t][j]),
			append(e.by, dotted(c, slope))
	}
	if s.unknown != nil {
		sum := 0.0
		for _, v := range slope {
			sum += v
		}
		e.rows, e.residual, e.by = append(e.rows, own), append(e.residual, dotted(own, x)-s.unknown[t]),
			append(e.by, sum)
	}
	if s.told != nil {
		clear(e.by)
	}
	return e
}

// step moves the rows, with the coefficients profiled out.
func (s *sumsKnown) step(x, d []float64) {
	n := len(x)
	var rows [][]float64 // of the linear system, divided by the noise
	var right []float64
	for t := range s.predictor {
		e := s.at(t, x, d[t])
		square := dotted(e.by, e.by)
		k := 1 + square/(s.noise*s.noise)
		root := (1 - 1/math.Sqrt(k)) / max(square, 1e-300) // of the projection off the coefficient
		along, middle := dotted(e.by, e.residual), make([]float64, n)
		for j, by := range e.by {
			for i, v := range e.rows[j] {
				middle[i] += by * v
			}
		}
		for j, by := range e.by {
			row := make([]float64, n)
			for i, v := range e.rows[j] {
				row[i] = (v - root*by*middle[i]) / s.noise
			}
			rows, right = append(rows, row),
				append(right, (-e.residual[j]+root*by*along)/s.noise+by*(d[t]-1)/(math.Sqrt(k)*s.noise))
		}
	}
	for j, v := range s.crossed { // a product with a row of 0 or 1 has the curvature with it
		row := make([]float64, n)
		for i, eta := range s.predictor[s.evaluation] {
			p := inverseLogit(eta + d[s.evaluation])
			row[i] = s.columns[j][i] * p * (1 - p) / s.noise
		}
		rows, right = append(rows, row), append(right, v/s.noise-dotted(row, x))
	}
	for i, v := range ridge(rows, right, x) {
		x[i] = min(max(x[i]+v, -beyondOnes), 1+beyondOnes)
	}
}

// ridge solves rows·move = right with the prior of the rows, in as many unknowns as there are equations or
// rows, whichever are fewer.
func ridge(rows [][]float64, right, x []float64) []float64 {
	const variance = onesSD * onesSD
	m, n := len(rows), len(x)
	j := mat.NewDense(m, n, nil)
	for k, row := range rows {
		j.SetRow(k, row)
	}
	off := mat.NewVecDense(n, nil) // from the guess to the prior's mean
	for i, v := range x {
		off.SetVec(i, onesShare-v)
	}
	b := mat.NewVecDense(m, append([]float64(nil), right...))
	out := mat.NewVecDense(n, nil)
	if m < n {
		var pull mat.VecDense
		pull.MulVec(j, off)
		b.SubVec(b, &pull)
		square := mat.NewSymDense(m, nil)
		square.SymOuterK(variance, j)
		for k := range m {
			square.SetSym(k, k, square.At(k, k)+1)
		}
		out.MulVec(j.T(), solved(square, b))
		out.ScaleVec(variance, out)
		out.AddVec(out, off)
		return out.RawVector().Data
	}
	square := mat.NewSymDense(n, nil)
	square.SymOuterK(1, j.T())
	out.MulVec(j.T(), b)
	for i := range n {
		square.SetSym(i, i, square.At(i, i)+1/variance)
		out.SetVec(i, out.AtVec(i)+off.AtVec(i)/variance)
	}
	return solved(square, out).RawVector().Data
}

func solved(a *mat.SymDense, b *mat.VecDense) *mat.VecDense {
	var f mat.Cholesky
	out := mat.NewVecDense(b.Len(), nil)
	if f.Factorize(a) {
		_ = f.SolveVecTo(out, b) // the condition is of no matter to a search
	}
	return out
}

func inverseLogit(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func dotted(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// tapped keeps what parties of encrypted rows put in and what is decrypted.
type tapped struct {
	*protocol.EncryptedEnv
	cut, grad [][][]float64 // by evaluation and party
	gram      []float64
	gramAt    int
}

func (t *tapped) Slopes(ctx context.Context, phi []float64, cut, grad [][]float64) error {
	err := t.EncryptedEnv.Slopes(ctx, phi, cut, grad)
	if err == nil {
		t.cut, t.grad = append(t.cut, copied(cut)), append(t.grad, copied(grad))
	}
	return err
}

func (t *tapped) Curvatures(ctx context.Context, gram []float64) error {
	err := t.EncryptedEnv.Curvatures(ctx, gram)
	t.gram, t.gramAt = slices.Clone(gram), len(t.cut)-1
	return err
}

func copied(v [][]float64) (out [][]float64) {
	for _, x := range v {
		out = append(out, slices.Clone(x))
	}
	return out
}

// sumsModel has a victim with one column of 0 and 1 and an attacker with others, on n rows. It returns the
// run, and what the attacker and the server hold.
func sumsModel(t *testing.T, n, columns int, scaled bool) (p *Prepared, env density.Env, known *sumsKnown,
	victim []float64) {
	t.Helper()
	text, files := ofSums(n, columns)
	if scaled {
		text = strings.Replace(text, "param w ~ normal(0, 2.5)",
			"param tau ~ half_normal(1) @ victim\nparam w ~ normal(0, tau)", 1)
	}
	b := bound(t, besideModel(t, text, files), check.Options{Transform: stdlib.Exact,
		Accept: diag.Accepted{"few-rows"}})
	p, diags, err := OpenBound(b, Options{
		Algorithm: backend(t, "sfvi"), Settings: map[string]string{"wire": "encrypted", "correct": "false"},
		ring: 9, Seed: 3,
	})
	good(t, diags, err)
	if env, err = session.NewLocal(p.Plan, session.SimulatedKeys(3, p.Plan.Names)); err != nil {
		t.Fatal(err)
	}
	known = &sumsKnown{columns: [][]float64{slices.Repeat([]float64{1}, n)}}
	for k, block := range env.Blocks() {
		lin, err := density.Linearised(block)
		if err != nil {
			t.Fatal(err)
		}
		for j := range len(lin.Cuts.Matrix) / n {
			if c := lin.Cuts.Matrix[j*n:][:n]; k == 1 {
				known.columns = append(known.columns, c)
			} else {
				victim = c
			}
		}
		if k == 0 {
			law, err := block.(interface{ Law() (*graph.Law, error) }).Law()
			if err != nil {
				t.Fatal(err)
			}
			known.response = law.X
		}
	}
	return p, env, known, victim
}

// ofSums is the model with its tables.
func ofSums(n, columns int) (text string, files map[string]string) {
	r := rand.New(rand.NewPCG(6, uint64(n)))
	var server, attacker, victim strings.Builder
	server.WriteString("id,y\n")
	attacker.WriteString("id")
	victim.WriteString("id,v\n")
	text = "client attacker, victim\ndata y : binary[N] @ shared\nparam b ~ normal(0, " +
		"2.5)\ndata v : real[N] @ victim\n" +
		"param w ~ normal(0, 2.5) @ victim\n"
	predictor := "b + v * w"
	for j := range columns {
		fmt.Fprintf(&attacker, ",x%d", j)
		text += fmt.Sprintf("data x%d : real[N] @ attacker\nparam u%d ~ normal(0, 2.5) @ attacker\n", j, j)
		predictor += fmt.Sprintf(" + x%d * u%d", j, j)
	}
	attacker.WriteString("\n")
	for i := range n {
		v := indicator(r.Float64() < onesShare)
		eta := v - .5
		fmt.Fprintf(&attacker, "%d", i)
		for range columns {
			x := r.NormFloat64()
			eta += .3 * x
			fmt.Fprintf(&attacker, ",%g", x)
		}
		attacker.WriteString("\n")
		fmt.Fprintf(&victim, "%d,%v\n", i, v)
		fmt.Fprintf(&server, "%d,%v\n", i, indicator(r.Float64() < inverseLogit(eta)))
	}
	return text + "y ~ bernoulli_logit(" + predictor + ")\n",
		map[string]string{"server.csv": server.String(), "attacker.csv": attacker.String(),
			"victim.csv": victim.String()}
}

// explained is the R² of a guess beyond regression on columns.
func explained(columns [][]float64, guess, truth []float64) float64 {
	n := len(truth)
	x := mat.NewDense(n, len(columns), nil)
	for j, c := range columns {
		x.SetCol(j, c)
	}
	var qr mat.QR
	qr.Factorize(x)
	rest := func(v []float64) []float64 {
		var b, fit mat.VecDense
		if err := qr.SolveVecTo(&b, false, mat.NewVecDense(n, v)); err != nil {
			panic(err)
		}
		fit.MulVec(x, &b)
		out := slices.Clone(v)
		for i := range out {
			out[i] -= fit.AtVec(i)
		}
		return out
	}
	r := stat.Correlation(rest(guess), rest(truth), nil)
	return r * r
}

// What a client and the server together have after a run of encrypted rows explains no more of another's
// column than 1.5 D/n of its variance, beyond regression on their own columns: also where the scale of that
// column's coefficient is a parameter, so that the server is told draws, and the coalition is given the
// coefficient itself.
func TestSumsTellAsMuchAsTheirNumber(t *testing.T) {
	t.Parallel()
	for _, scaled := range []bool{false, true} {
		sumsTell(t, scaled)
	}
}

func sumsTell(t *testing.T, scaled bool) {
	const n = 1500
	p, env, known, victim := sumsModel(t, n, 9, scaled)
	if _, err := p.encrypted(t.Context(), env); err != nil {
		t.Fatal(err)
	}
	tap := &tapped{EncryptedEnv: p.rows}
	k, err := p.Algorithm.New(tap, p.Settings)
	if err == nil {
		err = k.Init(t.Context())
	}
	for done := false; err == nil && !done; {
		info, failed := k.Step(t.Context())
		done, err = info.Done, failed
	}
	if err != nil {
		t.Fatal(err)
	}
	for e, cut := range tap.cut {
		eta := slices.Clone(cut[0])
		for i, v := range cut[1] {
			eta[i] += v
		}
		known.predictor, known.gradient = append(known.predictor, eta),
			append(known.gradient, slices.Concat(tap.grad[e][0], tap.grad[e][1]))
		known.unknown = append(known.unknown, tap.grad[e][2][0])
		if scaled {
			known.told = append(known.told, cut[2][slices.Index(victim, 1)])
		}
	}
	all := len(known.columns) + 1
	known.crossed, known.evaluation, known.noise = tap.gram[(all-1)*all:][:all-1], tap.gramAt, 0.05
	d := p.rows.Reckoning().Rest[2]
	r2 := explained(known.columns, known.column(), victim)
	t.Logf("%d evaluations, D/n = %.3f, R² = %.3f", len(tap.cut), float64(d)/n, r2)
	if bound := 1.5 * float64(d) / n; r2 > bound || bound > 0.5 {
		t.Errorf("R² is %.3f, and 1.5 D/n = %.3f", r2, bound)
	}
}

// The same attack has the column after 500 evaluations, with D/n = 16: few evaluations are the protection.
func TestManySumsTellTheColumn(t *testing.T) {
	t.Parallel()
	const n, evaluations, columns = 250, 500, 7
	_, env, known, victim := sumsModel(t, n, columns, false)
	clearing, err := testmodel.NewClearing(5, env.Blocks())
	if err != nil {
		t.Fatal(err)
	}
	secret := density.Must[density.Encrypting](clearing.Env(0, 1, 2))
	r := rand.New(rand.NewPCG(9, 9))
	for range evaluations {
		cut, grad := [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)},
			[][]float64{{0}, make([]float64, columns), {0}}
		add := func(to, column []float64, coefficient float64) {
			for i, v := range column {
				to[i] += coefficient * v
			}
		}
		for j, c := range known.columns {
			add(cut[min(j, 1)], c, .3+.2*r.NormFloat64())
		}
		add(cut[2], victim, 1+.3*r.NormFloat64())
		if err := secret.Slopes(t.Context(), nil, cut, grad); err != nil {
			t.Fatal(err)
		}
		eta := slices.Clone(cut[0])
		add(eta, cut[1], 1)
		known.predictor, known.gradient = append(known.predictor, eta),
			append(known.gradient, slices.Concat(grad[0], grad[1]))
	}
	known.noise = 1e-3
	guess, right := known.column(), 0
	for i, v := range guess {
		if (v > 0.5) == (victim[i] > 0.5) {
			right++
		}
	}
	r2 := explained(known.columns, guess, victim)
	t.Logf("%d of %d rows, R² = %.3f", right, n, r2)
	if right < n*95/100 || r2 < 0.8 {
		t.Errorf("the attack has %d of %d rows, and R² = %.3f", right, n, r2)
	}
}

// The attack on masks finds nothing in what the server of a run of encrypted rows could keep, and on masked
// sums of the same model all eight directions of the columns, and the three clients apart.
func TestTheAttackOnMasksFindsNothingEncrypted(t *testing.T) {
	o := check.Options{Transform: stdlib.Exact, Accept: diag.Accepted{"few-rows"}}
	b := bound(t, threeClients(t), o)
	for wire, ring := range map[string]int{"encrypted": 8, "fixed": 0} {
		given := map[string]string{"wire": wire, "theta-guide": "joint", "draws": "400", "correct": "false"}
		if wire == "fixed" {
			given["secure-sum"] = "on"
		}
		dir := filepath.Join(t.TempDir(), "run")
		p, diags, err := OpenBound(b, Options{Algorithm: backend(t, "sfvi"), Settings: given, Seed: 2,
			Dir: dir, ring: ring})
		good(t, diags, err)
		r, err := p.Sample(t.Context(), nil)
		if err == nil {
			err = r.Save(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		found, seen := 0, 0
		report := attackOn(t, dir)
		for _, s := range report.Separated {
			found += s.Directions + len(s.Groups)
		}
		for _, c := range report.Cuts {
			seen += c.Rounds + c.Iterates + c.Draws + c.Directions
			if c.Inversion != nil || c.Columns != nil || !math.IsNaN(float64(c.Correlation)) {
				seen++
			}
		}
		if encrypted := wire == "encrypted"; encrypted && (found > 0 || seen > 0) || !encrypted &&
			(found < 8+3 || seen == 0) {
			t.Errorf("wire %s: %d directions, %d findings", wire, found, seen)
		}
	}
}
