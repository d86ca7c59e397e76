package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// onGrid are the settings of a fit over a grid of so many draws.
func onGrid(draws, masks string) map[string]string {
	return map[string]string{"estimator": "nested", "draws": draws, "secure-sum": masks}
}

// After a fit over a grid the server has each client's contribution to every row, the span of its covariates
// and its groups, whatever rho; with masks the sum's, and the part of a client whose prior depends on
// hyperparameters, with that of the only other. The verdict names all of it.
func TestAttackOnAGrid(t *testing.T) {
	for _, transform := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
		for _, masks := range []string{"off", "on"} {
			b, given := bindFiles(t, groupedText, transform, 0.5, groupedRows(12, 240)), onGrid("500", masks)
			_, report := attacked(t, b, "sfvi", given)
			if missing := unnamed(verdictOf(t, b, "sfvi", given, nil), report); len(missing) > 0 {
				t.Errorf("%s, masks %s: the verdict does not name\n%s", transform, masks,
					strings.Join(missing, "\n"))
			}
			// directions, and columns of two values, of each client and of the sum
			want := [][2]int{{12, 12}, {1, 0}, {13, 12}}
			if masks == "on" {
				want = want[2:]
			}
			for k, c := range report.Cuts {
				if c.Directions != want[k][0] || math.Abs(float64(c.Span)-1) > 1e-6 ||
					len(c.Columns.Found) != want[k][1] || !(c.Correlation > 0.998) || c.Draws != 500 {
					t.Errorf("%s, masks %s, %s: %d directions with span %.6f, %d columns, "+
						"correlation %.4f at %d draws", transform, masks, c.Name, c.Directions,
						float64(c.Span), len(c.Columns.Found), float64(c.Correlation), c.Draws)
				}
			}
			if masks == "off" {
				if g := report.Cuts[0].Groups; g == nil || g.Found != 12 || g.Rand != 1 ||
					len(report.Separated) > 0 {
					t.Errorf("%s: groups %v", transform, g)
				}
				continue
			}
			shares := report.Separated[0].Groups
			if len(shares) != 2 || shares[0].Party != "a" || len(shares[0].Columns.Found) != 12 ||
				shares[1].Party != "b" {
				t.Fatalf("%s: of the sum %+v", transform, shares)
			}
			for _, s := range shares {
				if !(s.Correlation > 0.998) || !(s.Within > 1-1e-6) {
					t.Errorf("%s: the part of %s has correlation %.4f, and %.6f of its "+
						"directions are in its columns", transform, s.Party, float64(s.Correlation),
						float64(s.Within))
				}
			}
		}
	}
}

// A gridServer computes contributions at draws that never cross, as a curious server does; and keeps what it
// answers.
type gridServer struct {
	kernel   backends.Revealing
	hidden   bool
	of       [3][][]float64 // of both clients together, and of each: all draws
	columns  [][]float64    // of the second client, or under masks of both, that crossed near the start
	answered [][]float64
}

func (*gridServer) Sent(int, [][][]float64, [][]float64) {}
func (*gridServer) Answered([][]float64, [][][]float64)  {}

func (g *gridServer) Relayed(x *density.Exchange, _, columns int, up [][][]float64, sum, down [][]float64) {
	split := func(v []float64) (out [][]float64) {
		for c := range columns {
			out = append(out, slices.Clone(v[c*len(v)/columns:(c+1)*len(v)/columns]))
		}
		return out
	}
	last := split(sum[0])
	for client := range g.of {
		sent := split(sum[0])
		if client > 0 && g.hidden {
			sent = nil
		} else if client > 0 {
			sent = split(up[0][client-1])
			last = sent
		}
		g.of[client] = append(g.of[client], g.kernel.Reveal(x, client, sent, split(down[0]))...)
	}
	if x.Down.Carries[0].Content.Of == density.OfSums {
		g.answered = append(g.answered, split(down[0])...)
	} else {
		g.columns = append(g.columns, last...)
	}
}

// gridded runs a fit over a grid that is watched, and returns what the server computed with the parameters of
// both clients and of the server, unconstrained, draw by draw.
func gridded(t *testing.T, b *compile.BoundModel, given map[string]string) (*gridServer, [][][]float64) {
	t.Helper()
	p, diags, err := OpenBound(b, Options{Algorithm: backend(t, "sfvi"), Settings: given, Seed: 4})
	good(t, diags, err)
	g := &gridServer{hidden: given["secure-sum"] == "on"}
	var draws [][][]float64
	err = session.Run(t.Context(), p.Plan, session.OneLoop, 4,
		func(ctx context.Context, env density.Env) error {
			env.(session.Watchable).Watch(g)
			k, err := p.Algorithm.New(env, p.Settings)
			if err == nil {
				err = k.Init(ctx)
			}
			var info backends.StepInfo
			for g.kernel = k.(backends.Revealing); err == nil && !info.Done; {
				info, err = k.Step(ctx)
			}
			k.(backends.Weighted).Propose(true)
			for id := range info.Draws {
				theta := make([][]float64, len(env.Blocks()))
				for i, block := range env.Blocks() {
					theta[i] = make([]float64, block.Dim())
				}
				k.Draw(id, theta)
				draws = append(draws, theta)
			}
			return err
		})
	good(t, nil, err)
	return g, draws
}

// values are those of the second column of a table: numbers, or g00, g01 and so on as 0, 1.
func values(t *testing.T, table string) (out []float64) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		_, cell, _ := strings.Cut(line, ",")
		v, err := strconv.ParseFloat(strings.TrimPrefix(cell, "g"), 64)
		good(t, nil, err)
		out = append(out, v)
	}
	return out
}

// What the server computes are the contributions at the draws themselves, to rounding, which the clients
// alone draw: of each client, and under masks of their sum and of the parts that divide. Columns that
// parameters of the server multiply cross themselves.
func TestAServerHasContributionsAtDraws(t *testing.T) {
	const groups, n = 10, 200
	files := groupedRows(groups, n)
	x := values(t, files["b.csv"])
	of := values(t, files["a.csv"])
	for _, masks := range []string{"off", "on"} {
		for name, change := range map[string][2]string{"own": {}, "shared": sharings["a coefficient"],
			"mean": sharings["their mean"]} {
			text := strings.Replace(groupedText, change[0], change[1], 1)
			g, draws := gridded(t,
				bound(t, besideModel(t, text, files), check.Options{Transform: stdlib.Augmented, Rho: 0.5,
					Accept: diag.AcceptanceNames()}), onGrid("40", masks))
			for client, cuts := range g.of {
				if len(cuts) != len(draws) && (masks == "off" || client == 0 || name == "own") {
					t.Fatalf("%s, masks %s, client %d: contributions at %d draws of %d", name, masks, client,
						len(cuts), len(draws))
				}
				for id, cut := range cuts {
					theta, worst := draws[id], 0.0
					beta := theta[len(theta)-1]
					if name == "shared" {
						beta = theta[0][1:]
					}
					for i, v := range cut {
						parts := [3]float64{0, theta[1][1+int(of[i])], x[i] * beta[0]}
						parts[0] = parts[1] + parts[2]
						worst = max(worst, math.Abs(v-parts[client]))
					}
					// what parameters of the server add is not divided
					if hidden := masks == "on" && client > 0 && name != "own"; !(worst < 1e-6) && !hidden {
						t.Fatalf("%s, masks %s, client %d, draw %d: off by %.2g", name, masks, client, id,
							worst)
					}
				}
			}
			found := slices.ContainsFunc(g.columns, func(v []float64) bool {
				return math.Abs(stat.Correlation(v, x, nil)) > 1-1e-12
			})
			if name == "shared" && !found {
				t.Errorf("masks %s: the column of a shared coefficient is not among those that cross", masks)
			}
		}
	}
}

// covarianceOf are means and covariances of rows over vectors.
func covarianceOf(vectors [][]float64) (mean []float64, c *mat.SymDense) {
	n := len(vectors[0])
	all := mat.NewDense(len(vectors), n, nil)
	mean = make([]float64, n)
	for k, v := range vectors {
		all.SetRow(k, v)
	}
	for i := range mean {
		mean[i] = stat.Mean(mat.Col(nil, i, all), nil)
	}
	c = mat.NewSymDense(n, nil)
	stat.CovarianceMatrix(c, all, nil)
	return mean, c
}

// beside is the inverse of the covariance of vectors, where it is orthogonal to two of what a client knows.
func beside(c *mat.SymDense, one, other []float64) [][]float64 {
	n := len(one)
	var factor mat.Cholesky
	var inverse mat.SymDense
	if !factor.Factorize(c) || factor.InverseTo(&inverse) != nil {
		return nil
	}
	known := mat.NewDense(n, 2, nil)
	known.SetCol(0, one)
	known.SetCol(1, other)
	var qr mat.QR
	qr.Factorize(known)
	var q, p, left, both mat.Dense
	qr.QTo(&q)
	rest := q.Slice(0, n, 2, n)
	p.Mul(rest, rest.T())
	left.Mul(&p, &inverse)
	both.Mul(&left, &p)
	out := make([][]float64, n)
	for i := range out {
		out[i] = slices.Clone(both.RawRowView(i))
	}
	return out
}

// nearestAlike is how many rows are most correlated with one of their own group.
func nearestAlike(rows [][]float64, group func(int) int) (alike int) {
	for i := range rows {
		at, best := 0, -1.0
		for k := range rows {
			if r := stat.Correlation(rows[i], rows[k], nil); k != i && r > best {
				at, best = k, r
			}
		}
		if group(at) == group(i) {
			alike++
		}
	}
	return alike
}

// From the vectors that come back with draws a client has the response of each row, which rows share a group
// of another client's, and the level of that client's scale, which it is told but for a number of its
// owner's.
func TestAClientReadsTheVectorsOfAGrid(t *testing.T) {
	const groups, n = 10, 200
	files := groupedRows(groups, n)
	y, x := values(t, files["server.csv"]), values(t, files["b.csv"])
	g, draws := gridded(t, bindFiles(t, groupedText, stdlib.Exact, 0, files), onGrid("1600", "off"))
	mean, c := covarianceOf(g.answered)
	for i, v := range mean {
		if (v > 0) != (y[i] == 1) {
			t.Errorf("the mean of the vectors in row %d is %.3f, and its response %.0f", i, v, y[i])
		}
	}
	others, level := beside(c, slices.Repeat([]float64{1}, n), x), 0.0
	// of the inverse of a Wishart matrix
	unbiased := float64(len(g.answered)-n-2) / float64(len(g.answered)-1)
	for i := range n {
		others[i][i] = 0
		for k, v := range others[i] {
			if k != i && k%groups == i%groups {
				level += unbiased * v / n / (n/groups - 1)
			} else if k != i {
				level -= unbiased * v / n / (n - n/groups)
			}
		}
	}
	if alike := nearestAlike(others, func(i int) int { return i % groups }); alike < n*98/100 {
		t.Errorf("%d rows of %d are nearest to one of their group", alike, n)
	}
	var scale []float64
	for _, theta := range draws {
		scale = append(scale, theta[1][0])
	}
	// where the number of its owner's has a standard deviation of 1
	if off := math.Log(level)/2 - stat.Mean(scale, nil); !(math.Abs(off) < 0.25) {
		t.Errorf("the level of log tau is off by %.2f", off)
	}
}

// After a walk to the posterior the vectors tell as much: the server has the contributions at the draws, and
// a client the responses.
func TestAWalkHidesNothing(t *testing.T) {
	const groups, n = 30, 90
	files := groupedRows(groups, n)
	r := rand.New(rand.NewPCG(3, 4))
	var y []float64
	files["server.csv"] = "id,y\n"
	for i := range n {
		y = append(y, float64(r.IntN(12)/11))
		files["server.csv"] += fmt.Sprintf("%d,%g\n", i, y[i])
	}
	text := strings.Replace(groupedText, "half_normal(1)", "half_normal(3)", 1)
	g, draws := gridded(t, bindFiles(t, text, stdlib.Exact, 0, files), onGrid("1024", "off"))
	first := len(g.of[1]) - len(draws)
	if first == 0 {
		t.Fatal("no draw walks")
	}
	for id, cut := range g.of[1][first:] {
		for i, v := range cut {
			if want := draws[id][1][1+i%groups]; !(math.Abs(v-want) < 1e-6*(1+math.Abs(want))) {
				t.Fatalf("draw %d: %.8f in row %d, want %.8f", id, v, i, want)
			}
		}
	}
	mean, _ := covarianceOf(g.answered[first:])
	ones, zeros := math.Inf(1), math.Inf(-1)
	for i, v := range mean {
		if y[i] == 1 {
			ones = min(ones, v)
		} else {
			zeros = max(zeros, v)
		}
	}
	if !(ones > zeros) {
		t.Errorf("the means of the vectors are at least %.3f where the response is 1, and at "+
			"most %.3f where it is 0", ones, zeros)
	}
}

// One number that is the mean of a client's coefficients multiplies the sum of its columns, and a vector each
// of them: the verdict names single columns where these cross.
func TestVerdictOfMeansOnAGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	server, a, b := "id,y\n", "id,x1,x2,x3\n", "id,x\n"
	for i := range 60 {
		server, a, b = server+fmt.Sprintf("%d,%d\n", i, r.IntN(2)),
			a+fmt.Sprintf("%d,%.4f,%.4f,%.4f\n", i, r.NormFloat64(), r.NormFloat64(), r.NormFloat64()),
			b+fmt.Sprintf("%d,%.4f\n", i, r.NormFloat64())
	}
	for of, single := range map[string]bool{"": false, "[P]": true} {
		text := strings.NewReplacer("data g : level(G)[N] @ a", "data X : real[N, P] @ a", "param tau",
			"param m"+strings.Replace(of, "[", " : real[", 1)+" ~ normal(0, 1) @ shared\nparam tau",
			"param u : real[G] ~ normal(0, tau)",
			"param u : real[P] ~ normal(m, tau)", "u[g]", "X * u").Replace(groupedText)
		p := bound(t, besideModel(t, text, map[string]string{"server.csv": server, "a.csv": a, "b.csv": b}),
			check.Options{Transform: stdlib.Exact, Accept: diag.AcceptanceNames()})
		named := false
		for _, v := range verdictOf(t, p, "sfvi", onGrid("200", "off"), nil) {
			named = named || slices.Contains(v.Receivers, "server") && slices.ContainsFunc(v.Columns,
				func(c compile.Columns) bool {
					return c.Party == "a" && len(c.All)+len(c.Names) > 0
				})
		}
		if named != single {
			t.Errorf("a mean m%s: single columns of a are named: %v: %v", of, named,
				verdictOf(t, p, "sfvi", onGrid("200", "off"), nil))
		}
	}
}

// Of a client with a matrix of its own beside a column that a parameter of the server multiplies, that column
// alone crosses by itself; where that parameter is a mean of its coefficients, those of the matrix do. A
// parameter of which draws alone are told has no steps that tell a gradient.
func TestVerdictOfAMatrixBesideASharedCoefficient(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	server, a, b := "id,y\n", "id,x1,x2,x3,w\n", "id,x\n"
	for i := range 60 {
		server, a, b = server+fmt.Sprintf("%d,%d\n", i, r.IntN(2)),
			a+fmt.Sprintf("%d,%.4f,%.4f,%.4f,%.4f\n", i, r.NormFloat64(), r.NormFloat64(), r.NormFloat64(),
				r.NormFloat64()), b+fmt.Sprintf("%d,%.4f\n", i, r.NormFloat64())
	}
	for form, want := range map[string]string{"X * u + w * m[1]": "w", "w * m[1] + u[1]": "w",
		"X * (u + m)": "x1 x2 x3", "X * (u .* m) + w * c2": "x1 x2 x3 w"} {
		text := strings.NewReplacer("data g : level(G)[N] @ a",
			"data X : real[N, 3] @ a from x1, x2, x3\ndata w : real[N] @ a\nparam m : real[3] ~ "+
				"normal(0, 1) @ shared\nparam c2 ~ normal(0, 1) @ shared", "real[G]", "real[3]",
			"u[g]", form).Replace(groupedText)
		p := bound(t, besideModel(t, text, map[string]string{"server.csv": server, "a.csv": a, "b.csv": b}),
			check.Options{Transform: stdlib.Exact, Accept: diag.AcceptanceNames()})
		seen := false
		for _, v := range verdictOf(t, p, "sfvi", onGrid("200", "off"), nil) {
			for _, c := range v.Columns {
				seen = seen || c.Party == "a"
				got := strings.Join(append(slices.Clone(c.Names), c.All...), " ")
				if c.Party == "a" && v.Receivers[0] == "server" && got != want {
					t.Errorf("%s: single columns of a are %q, want %q", form, got, want)
				}
			}
		}
		if !seen {
			t.Errorf("%s: no column of a is named", form)
		}
		for name, steps := range map[string]bool{"sfvi": false, "nuts": true} {
			given := map[string]string{}
			if !steps {
				given = onGrid("200", "off")
			}
			if got := valueBySteps(t, p, name, given); got != steps {
				t.Errorf("%s: an audit of %s says that steps of a sampler tell m's gradient: %v", form, name, got)
			}
		}
	}
}

// valueBySteps reports whether an audit says that steps of a sampler tell the gradient by m.
func valueBySteps(t *testing.T, p *compile.BoundModel, name string, given map[string]string) bool {
	t.Helper()
	bundle, diags := p.Bundle()
	good(t, diags, nil)
	of, err := trafficOf(bundle.Manifest, backend(t, name), given)
	good(t, nil, err)
	for _, d := range bundle.Audit(of.uses, of.wire) {
		if d.What == "value of m" {
			return strings.Contains(d.Learns, "from the steps of a sampler")
		}
	}
	t.Errorf("%s: no value of m crosses", name)
	return false
}
