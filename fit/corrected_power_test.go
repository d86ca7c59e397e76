package fit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/testmodel"
)

// Under power the corrected draws are of the posterior that Stan samples with all auxiliary variables, on the
// paper's logistic design: two clients, where the noise of each is integrated out by itself, and ten, where
// it is correlated between the clients' likelihoods. Reference means have Monte Carlo errors of about 0.01
// standard deviations.
func TestPowerIsCorrected(t *testing.T) {
	const folder = "../tests/reference"
	for _, c := range []struct {
		clients int
		rho     float64
		more    bool
	}{{2, 0.5, true}, {2, 2, false}, {10, 1, true}} {
		if c.more && !*brief.Every {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("reference/logistic_power_J%d_rho%g.json",
			c.clients, c.rho)))
		if err != nil {
			t.Fatal(err)
		}
		var reference struct {
			Parameters map[string]struct{ Mean, SD float64 }
		}
		if err := json.Unmarshal(text, &reference); err != nil {
			t.Fatal(err)
		}
		p, diags, err := OpenBound(paperLogistic(t, folder, c.clients, stdlib.Power, c.rho),
			Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"correct": "true"}, Seed: 1})
		good(t, diags, err)
		r, err := p.Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		d := r.Document
		if k := float64(d.Diagnostics.Khat); !d.Diagnostics.Corrected || k > 0.7 {
			t.Errorf("J = %d, ρ = %g: k̂ %.2f, corrected: %t", c.clients, c.rho, k, d.Diagnostics.Corrected)
		}
		if len(d.Parameters) != 21 {
			t.Fatalf("%d parameters", len(d.Parameters))
		}
		for i, row := range d.Parameters {
			name := "b"
			if i > 0 {
				name = fmt.Sprintf("beta[%d]", i)
			}
			want, ok := reference.Parameters[name]
			if !ok {
				t.Fatalf("the reference has no %s", name)
			}
			if shift, wider := math.Abs(float64(row.Mean)-want.Mean)/want.SD,
				float64(row.SD)/want.SD-1; shift > 0.08 || math.Abs(wider) > 0.07 {
				t.Errorf("J = %d, ρ = %g: %s is %.3f standard deviations off, its sd by %.1f %%", c.clients,
					c.rho, row.Name, shift, 100*wider)
			}
		}
		t.Logf("J = %d, ρ = %g: k̂ %.2f, %d round trips", c.clients, c.rho, float64(d.Diagnostics.Khat),
			d.Work.Sequential)
	}
}

// Two responses that see one sum see the same noise, which is integrated out of both together: of normal
// responses the rows have the covariance diag(σ²) + v·11ᵀ, v = Jρ² under augmented and (J−1)²ρ²/J under
// power, and the corrected posterior is that of generalised least squares.
func TestResponsesWithOneNoise(t *testing.T) {
	const n, j, rho = 40, 3, 0.3
	random := rand.New(rand.NewPCG(5, 6))
	files := map[string]string{"server.csv": "id,y,w\n"}
	text := "data y : real[N] @ shared\ndata w : real[N] @ shared\nparam b ~ normal(0, " +
		"1)\nparam c ~ normal(0, 1)\n"
	sum, x, y := "", make([][]float64, j), make([][2]float64, n)
	for k := range j {
		name := fmt.Sprintf("c%d", k+1)
		text += fmt.Sprintf("client %s\ndata x%d : real[N] @ %[1]s from x\nparam t%[2]d "+
			"~ normal(0, 1) @ %[1]s\n", name, k+1)
		sum += fmt.Sprintf(" + x%d * t%[1]d", k+1)
		table := "id,x\n"
		for i := range n {
			v := math.Round(1e3*random.NormFloat64()) / 1e3
			x[k] = append(x[k], v)
			table += fmt.Sprintf("%d,%g\n", i, v)
		}
		files[name+".csv"] = table
	}
	text += "y ~ normal(b" + sum + ", 0.5)\nw ~ normal(c" + sum + ", 0.9)\n"
	for i := range n {
		s := 0.3*x[0][i] - 0.5*x[1][i] + 0.1*x[2][i]
		y[i] = [2]float64{math.Round(1e3*(s+0.4+0.5*random.NormFloat64())) / 1e3,
			math.Round(1e3*(s-0.2+0.9*random.NormFloat64())) / 1e3}
		files["server.csv"] += fmt.Sprintf("%d,%g,%g\n", i, y[i][0], y[i][1])
	}
	for transform, v := range map[string]float64{"augmented": j * rho * rho,
		"power": (j - 1) * (j - 1) * rho * rho / j} {
		a, b := 0.25+v, 0.81+v
		det := a*b - v*v
		w := [2][2]float64{{b / det, -v / det}, {-v / det, a / det}}
		const d = 2 + j
		precision, right := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
		for i := range n {
			row := func(r int) []float64 {
				return []float64{float64(1 - r), float64(r), x[0][i], x[1][i], x[2][i]}
			}
			for r := range 2 {
				for s := range 2 {
					for p, xp := range row(r) {
						right.SetVec(p, right.AtVec(p)+xp*w[r][s]*y[i][s])
						for q, xq := range row(s) {
							if q <= p {
								precision.SetSym(p, q, precision.At(p, q)+xp*w[r][s]*xq)
							}
						}
					}
				}
			}
		}
		for p := range d {
			precision.SetSym(p, p, precision.At(p, p)+1)
		}
		var factor mat.Cholesky
		var mean mat.VecDense
		var cov mat.SymDense
		if !factor.Factorize(precision) || factor.SolveVecTo(&mean, right) != nil ||
			factor.InverseTo(&cov) != nil {
			t.Fatal("the precision is not positive definite")
		}
		kind := stdlib.Augmented
		if transform == "power" {
			kind = stdlib.Power
		}
		p, diags, err := OpenBound(bindFiles(t, text, kind, rho, files),
			Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"correct": "true"}, Seed: 2})
		good(t, diags, err)
		r, err := p.Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Document.Diagnostics.Corrected {
			t.Errorf("%s: k̂ %.2f, not corrected", transform, float64(r.Document.Diagnostics.Khat))
		}
		all := 0.0 // responses with noise of their own would make the standard deviations 8 to 10 % too small
		for i, row := range r.Summary() {
			sd := math.Sqrt(cov.At(i, i))
			shift, wider := math.Abs(float64(row.Mean)-mean.AtVec(i))/sd, math.Log(float64(row.SD)/sd)
			if shift > 0.1 || math.Abs(wider) > 0.15 {
				t.Errorf("%s: %s is %.3f standard deviations off, its sd by %.1f %%", transform, row.Name,
					shift, 100*wider)
			}
			all += wider / d
		}
		if math.Abs(all) > 0.04 {
			t.Errorf("%s: standard deviations are off by %.1f %%", transform, 100*all)
		}
	}
}

// Where three clients have different rho under power, nothing is corrected and the summary says why; asked to
// correct, the fit is refused. Two clients may differ: each is alone with its noise.
func TestUnlikeNoiseIsNotCorrected(t *testing.T) {
	files, sum, rho := map[string]string{"server.csv": "id,y\n"}, "", ""
	text := "data y : binary[N] @ shared\n"
	random := rand.New(rand.NewPCG(7, 8))
	for i := range 30 {
		files["server.csv"] += fmt.Sprintf("%d,%d\n", i, random.IntN(2))
	}
	for clients := 1; clients <= 3; clients++ {
		name := fmt.Sprintf("c%d", clients)
		text += fmt.Sprintf("client %s\ndata x%d : real[N] @ %[1]s from x\nparam t%[2]d "+
			"~ normal(0, 1) @ %[1]s\n", name, clients)
		files[name+".csv"] = "id,x\n"
		for i := range 30 {
			files[name+".csv"] += fmt.Sprintf("%d,%.3f\n", i, random.NormFloat64())
		}
		sum += fmt.Sprintf(" + x%d * t%[1]d", clients)
		rho += fmt.Sprintf(", %s: %g", name, 0.2+0.1*float64(clients))
		if clients == 1 {
			continue
		}
		model := text + "y ~ bernoulli_logit(" + sum[3:] + ")\ntransform power(rho = {" + rho[2:] + "})\n"
		for _, correct := range []string{"auto", "true"} {
			p, diags, err := OpenBound(bindFiles(t, model, def.Transform{}, 0, files),
				Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"correct": correct},
					Seed: 3})
			good(t, diags, err)
			r, err := p.Sample(t.Context(), nil)
			var refused data.Errors
			switch {
			case clients == 3 && correct == "true":
				if !errors.As(err, &refused) || refused[0].Code != diag.NotCorrected {
					t.Errorf("%v, want %s", err, diag.NotCorrected)
				}
			case err != nil:
				t.Errorf("%d clients, correct %s: %v", clients, correct, err)
			case clients == 3 && (r.Document.Diagnostics.Corrected ||
				!strings.Contains(r.Document.Diagnostics.Uncorrected, "rho differ")):
				t.Errorf("corrected: %t; why not: %q", r.Document.Diagnostics.Corrected,
					r.Document.Diagnostics.Uncorrected)
			case clients == 2 && r.Document.Diagnostics.Uncorrected != "":
				t.Errorf("two clients: %s", r.Document.Diagnostics.Uncorrected)
			}
		}
	}
}

// Draws of clients that have one rho are weighed under power, however many they are and however small it is,
// where totals over them are rounded to integers, as those of a run across processes may be.
func TestOneRhoIsKnownOfRoundedTotals(t *testing.T) {
	m := testmodel.Linear(9, 40, slices.Repeat([]int{1}, 10), 0.7)
	b := bindFiles(t, glmText(m), stdlib.Power, 0.05/math.Sqrt(10), glmFiles(m))
	r, err := wired(t, b, map[string]string{"backend": "sfvi", "draws": "400"},
		map[string]string{"secure-sum": "on"}).Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Document.Diagnostics; d.Uncorrected != "" || math.IsNaN(float64(d.Khat)) {
		t.Errorf("not weighed: %q", d.Uncorrected)
	}
}
