package crossvalidate

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/vector"
)

const hearts = `server registry
client hospital_a, hospital_b
data y : binary[N] @ shared from HeartDisease
data XA : real[N, PA] @ hospital_a from zscore(Age), onehot(Sex), onehot(ChestPainType), zscore(RestingBP), zscore(Cholesterol)
data XB : real[N, PB] @ hospital_b from FastingBS, onehot(RestingECG), zscore(MaxHR), onehot(ExerciseAngina), zscore(Oldpeak), onehot(ST_Slope)
param b ~ normal(0, 1)
param wa : real[PA] ~ normal(0, 1) @ hospital_a
param wb : real[PB] ~ normal(0, 1) @ hospital_b
y ~ bernoulli_logit(b + XA * wa + XB * wb)
transform exact
`

// column reads a column of a table as texts.
func column(t *testing.T, file, name string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	k := slices.Index(lines[0], name)
	var out []string
	for _, line := range lines[1:] {
		out = append(out, line[k])
	}
	return out
}

// encoded are the columns of the heart tables with an intercept in one matrix by hand: numbers less the mean
// of the rows in train, by their standard deviation; of words an indicator of each.
func encoded(t *testing.T, parties map[string]string, train []int) [][]float64 {
	n := len(column(t, parties["registry"], "HeartDisease"))
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	out := [][]float64{ones}
	for _, c := range []struct{ party, name, kind string }{
		{"hospital_a", "Age", "z"}, {"hospital_a", "Sex", "w"}, {"hospital_a", "ChestPainType", "w"},
		{"hospital_a", "RestingBP", "z"}, {"hospital_a", "Cholesterol", "z"},
		{"hospital_b", "FastingBS", "n"}, {"hospital_b", "RestingECG", "w"}, {"hospital_b", "MaxHR", "z"},
		{"hospital_b", "ExerciseAngina", "w"}, {"hospital_b", "Oldpeak", "z"},
		{"hospital_b", "ST_Slope", "w"},
	} {
		cells := column(t, parties[c.party], c.name)
		if c.kind == "w" {
			for _, w := range slices.Compact(slices.Sorted(slices.Values(cells))) {
				x := make([]float64, n)
				for i, cell := range cells {
					if cell == w {
						x[i] = 1
					}
				}
				out = append(out, x)
			}
			continue
		}
		x := make([]float64, n)
		for i, cell := range cells {
			x[i], _ = strconv.ParseFloat(cell, 64)
		}
		if c.kind == "z" {
			mean, square := 0.0, 0.0
			for _, i := range train {
				mean += x[i] / float64(len(train))
			}
			for _, i := range train {
				square += (x[i] - mean) * (x[i] - mean) / float64(len(train)-1)
			}
			for i := range x {
				x[i] = (x[i] - mean) / math.Sqrt(square)
			}
		}
		out = append(out, x)
	}
	return out
}

// logit is the logarithm of the probability of y where the log odds are eta.
func logit(y, eta float64) float64 {
	if y == 0 {
		eta = -eta
	}
	return -math.Log1p(math.Exp(-math.Abs(eta))) + min(eta, 0)
}

// pooledScores are the log predictive densities of the rows in test, given those in train, by importance
// sampling from a t distribution about the mode, which Newton's steps find.
func pooledScores(t *testing.T, x [][]float64, y []float64, train, test []int, r *rand.Rand) []float64 {
	p := len(x)
	eta := func(w []float64, i int) (sum float64) {
		for k := range x {
			sum += x[k][i] * w[k]
		}
		return sum
	}
	mode, hessian := mat.NewVecDense(p, nil), mat.NewSymDense(p, nil)
	for range 30 {
		gradient := mat.NewVecDense(p, nil)
		hessian.Zero()
		for k := range p {
			gradient.SetVec(k, -mode.AtVec(k))
			hessian.SetSym(k, k, 1)
		}
		for _, i := range train {
			prob := 1 / (1 + math.Exp(-eta(mode.RawVector().Data, i)))
			for k := range p {
				gradient.SetVec(k, gradient.AtVec(k)+x[k][i]*(y[i]-prob))
				for l := range k + 1 {
					hessian.SetSym(l, k, hessian.At(l, k)+x[k][i]*x[l][i]*prob*(1-prob))
				}
			}
		}
		var step mat.VecDense
		if err := step.SolveVec(hessian, gradient); err != nil {
			t.Fatal(err)
		}
		mode.AddVec(mode, &step)
	}
	var inverse mat.Dense
	if err := inverse.Inverse(hessian); err != nil {
		t.Fatal(err)
	}
	cov := mat.NewSymDense(p, nil)
	for k := range p {
		for l := range k + 1 {
			cov.SetSym(l, k, (inverse.At(k, l)+inverse.At(l, k))/2)
		}
	}
	q, ok := distmv.NewStudentsT(mode.RawVector().Data, cov, 8, r)
	if !ok {
		t.Fatal("the covariance is not positive definite")
	}
	const draws = 6000
	weights, all := make([]float64, draws), make([][]float64, draws)
	for s := range draws {
		w := q.Rand(nil)
		all[s] = w
		weights[s] = -q.LogProb(w)
		for _, v := range w {
			weights[s] -= v * v / 2
		}
		for _, i := range train {
			weights[s] += logit(y[i], eta(w, i))
		}
	}
	total := logMeanExp(weights)
	var out []float64
	for _, i := range test {
		terms := make([]float64, draws)
		for s, w := range all {
			terms[s] = weights[s] + logit(y[i], eta(w, i))
		}
		out = append(out, logMeanExp(terms)-total)
	}
	return out
}

// A cross-validation across parties is the loop that anybody would write by hand with all data in one table:
// the same folds, stratified; encoders fitted to the rows of each fit; the log predictive density of each row
// left out, to Monte Carlo error.
func TestHeartAgainstPooledLoop(t *testing.T) {
	parties := map[string]string{}
	var flags []string
	for _, name := range []string{"hospital_a", "hospital_b", "registry"} {
		parties[name] = filepath.Join("..", "..", "examples", "split_nn", name+".csv")
		flags = append(flags, name+"="+parties[name])
	}
	m, diags := compile.Compile(source.New("m.vfl", hearts), check.Options{})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	sources, err := data.Named(m.Parties(), flags)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Folds: 3, Stratify: true, Seed: 5,
		Fit: fit.Options{Settings: map[string]string{"chains": "2", "warmup": "200", "draws": "800"},
			Seed: 5}}
	got, diags, err := Run(t.Context(), m, sources, o)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	cells := column(t, parties["registry"], "HeartDisease")
	y := make([]float64, len(cells))
	for i, c := range cells {
		y[i], _ = strconv.ParseFloat(c, 64)
	}
	folds := assign(cells, false, o.Folds, vector.SharedKey(o.Seed))
	r := rand.New(rand.NewPCG(1, 2))
	at, sum, apart := 0, 0.0, 0.0
	for k := range o.Folds {
		var train, test []int
		for i, f := range folds {
			if f == k {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		ones := 0.0
		for _, i := range test {
			ones += y[i]
		}
		if share, all := ones/float64(len(test)), mean(y); math.Abs(share-all) > 1.5/float64(len(test)) {
			t.Errorf("fold %d has %v of ones, and all rows %v", k+1, share, all)
		}
		for j, want := range pooledScores(t, encoded(t, parties, train), y, train, test, r) {
			have := float64(got.Responses[0].LogDensities[at])
			if got.Responses[0].Fold[at] != k+1 {
				t.Fatalf("row %d of fold %d is reported in fold %d", j, k+1, got.Responses[0].Fold[at])
			}
			if math.Abs(have-want) > 0.06 {
				t.Errorf("row %d: log density %v, by hand %v", test[j]+1, have, want)
			}
			at++
			sum, apart = sum+want, apart+(have-want)*(have-want)
		}
	}
	n := float64(len(y))
	// The chains have some 1,600 effective draws, of which the log density of a row has a standard deviation
	// of about 0.3, so that its mean has an error of 0.3/√1600. The errors of a fold's rows come from the
	// same draws and are partly equal.
	if rms := math.Sqrt(apart / n); rms > 2*0.3/40 {
		t.Errorf("the log densities of rows differ by %v", rms)
	}
	if math.Abs(float64(got.Responses[0].ELPD)-sum) > 0.3/40*n/4 {
		t.Errorf("elpd is %v, by hand %v", got.Responses[0].ELPD, sum)
	}
}

func mean(x []float64) (sum float64) {
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}

// Rows with one value of a column stay together, and folds do not depend on the order of the rows in a
// party's file: every party finds the same from the keys of the joined rows.
func TestGroupsAndOrderOfRows(t *testing.T) {
	const text = `client a
data y : real[N] @ shared
data x : real[N] @ a
param b ~ normal(0, 1)
param s ~ normal(0, 1) @ a
y ~ normal(b + x * s, 1)
transform exact
`
	m, diags := compile.Compile(source.New("m.vfl", text), check.Options{})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	const rows = 24
	run := func(order []int) ResponseAccuracy {
		dir := t.TempDir()
		server, client := "id,y,ward\n", "id,x\n"
		for i := range rows {
			server += strconv.Itoa(100+i) + "," + strconv.FormatFloat(math.Sin(float64(i)), 'g', -1, 64) +
				",w" + strconv.Itoa(i%5) + "\n"
			client += strconv.Itoa(100+order[i]) + "," + strconv.FormatFloat(math.Cos(float64(3*order[i])),
				'g', -1, 64) + "\n"
		}
		for name, text := range map[string]string{"server.csv": server, "a.csv": client} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		sources, err := data.Named(m.Parties(), []string{"server=" + filepath.Join(dir, "server.csv"),
			"a=" + filepath.Join(dir, "a.csv")})
		if err != nil {
			t.Fatal(err)
		}
		r, diags, err := Run(t.Context(), m, sources,
			Options{Folds: 3, By: "ward", Seed: 4,
				Fit: fit.Options{Settings: map[string]string{"chains": "1", "warmup": "30", "draws": "20"}}})
		if err != nil || diags.HasErrors() {
			t.Fatal(err, data.Errors(diags))
		}
		return r.Responses[0]
	}
	order := make([]int, rows)
	for i := range order {
		order[i] = i
	}
	straight := run(order)
	slices.Reverse(order)
	if turned := run(order); !slices.Equal(turned.LogDensities, straight.LogDensities) ||
		!slices.Equal(turned.Fold, straight.Fold) {
		t.Error("the order of a party's rows changes the result")
	}
	// Five wards of 5, 5, 5, 5 and 4 rows in three folds: every fold has whole wards.
	counts := make([]int, 3)
	for _, k := range straight.Fold {
		counts[k-1]++
	}
	whole := map[int]bool{4: true, 5: true, 9: true, 10: true}
	for k, n := range counts {
		if !whole[n] {
			t.Errorf("fold %d has %d rows, which are no whole wards", k+1, n)
		}
	}
}
