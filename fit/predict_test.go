package fit_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/brief"
)

// savedRun fits an example under a transform and returns its folder as a reader finds it.
func savedRun(t *testing.T, name, transform string, settings map[string]string) *posterior.Run {
	t.Helper()
	path := filepath.Join("..", "examples", name+".vfl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := stdlib.TransformNamed(transform)
	m, diags := compile.Compile(source.New(path, string(text)), check.Options{Transform: kind})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	sources, err := data.Locate(path, m.Parties(), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	p, diags, err := fit.Open(m, sources, fit.Options{Settings: settings, Seed: 2, Dir: dir})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	out, err := posterior.OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// head copies the first rows of a table to a new file.
func head(t *testing.T, from string, rows int) (path string, table [][]string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table = all[:rows+1]
	path = filepath.Join(t.TempDir(), filepath.Base(from))
	var b strings.Builder
	for _, row := range table {
		fmt.Fprintln(&b, strings.Join(row, ","))
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, table
}

// Predictions across parties are the mean over the draws of what the model says of a row with all data in one
// place, whatever the transform of the run; and a goroutine for each party gives the same bits.
func TestPredictionsArePooledOnes(t *testing.T) {
	few := map[string]string{"chains": "2", "warmup": "10", "draws": "6"}
	for e, example := range []struct {
		name    string
		tables  map[string]string // by party: the file
		inverse func(float64) float64
	}{
		{"logistic", map[string]string{"hospital_a": "hospital_a.csv", "hospital_b": "hospital_b.csv"},
			func(x float64) float64 {
				return 1 / (1 + math.Exp(-x))
			}},
		{"linear", map[string]string{"client_a": "client_a.csv", "client_b": "client_b.csv"},
			func(x float64) float64 {
				return x
			}},
		{"logistic_family", nil, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	} {
		for k, transform := range []string{"none", "exact", "augmented", "power"} {
			if !brief.Halved(e, k) {
				continue
			}
			t.Run(example.name+"/"+transform, func(t *testing.T) {
				r := savedRun(t, example.name, transform, few)
				flags, matrices := newRows(t, example.name, example.tables)
				q := fit.PredictionRequest{Data: flags, Seed: 9}
				got, diags, err := fit.Predict(t.Context(), r, q)
				if err != nil || diags.HasErrors() {
					t.Fatal(err, data.Errors(diags))
				}
				y := got.Responses[0]
				want := pooledMeans(r, matrices, example.inverse)
				if len(y.Mean) != len(want) {
					t.Fatalf("%d means for %d rows", len(y.Mean), len(want))
				}
				for i := range want {
					if math.Abs(y.Mean[i]-want[i]) > 1e-12*(1+math.Abs(want[i])) {
						t.Errorf("row %d: mean %v, pooled %v", i+1, y.Mean[i], want[i])
					}
				}
				q.PerParty = true
				again, _, err := fit.Predict(t.Context(), r, q)
				if err != nil {
					t.Fatal(err)
				}
				for i := range y.Draws {
					for k, v := range y.Draws[i] {
						if math.Float64bits(v) != math.Float64bits(again.Responses[0].Draws[i][k]) {
							t.Fatalf("draw %d of row %d is %v, with a goroutine for each party %v", k, i, v,
								again.Responses[0].Draws[i][k])
						}
					}
				}
			})
		}
	}
}

// newRows writes the first rows of an example's tables, and returns them as --data names them; of each
// client, by the name of its coefficients, the covariates.
func newRows(t *testing.T, name string, tables map[string]string) (flags []string,
	matrices map[string][][]float64) {
	const rows = 7
	matrices = map[string][][]float64{}
	numbers := func(table [][]string) (out [][]float64) {
		for _, row := range table[1:] {
			var line []float64
			for _, cell := range row[1:] {
				v, err := strconv.ParseFloat(cell, 64)
				if err != nil {
					t.Fatal(err)
				}
				line = append(line, v)
			}
			out = append(out, line)
		}
		return out
	}
	dir := filepath.Join("..", "examples", name)
	if tables == nil {
		files, _ := filepath.Glob(filepath.Join(dir, "lab", "*.csv"))
		flag := "lab="
		for k := range files {
			path, table := head(t, filepath.Join(dir, "lab", fmt.Sprintf("lab%d.csv", k+1)), rows)
			flag += path
			if k < len(files)-1 {
				flag += ","
			}
			matrices[fmt.Sprintf("lab[%d].beta", k+1)] = numbers(table)
		}
		return []string{flag}, matrices
	}
	for party, file := range tables {
		path, table := head(t, filepath.Join(dir, file), rows)
		flags = append(flags, party+"="+path)
		matrices["beta_"+party[strings.LastIndex(party, "_")+1:]] = numbers(table)
	}
	return flags, matrices
}

// pooledMeans is the mean over the draws of the inverse link of b + Σ X·beta.
func pooledMeans(r *posterior.Run, matrices map[string][][]float64, inverse func(float64) float64) []float64 {
	first, column := map[string]int{}, 0
	for _, v := range r.Draws.Vars {
		first[v.Name] = column
		column += v.Len()
	}
	var out []float64
	draws := 0
	for c := range r.Draws.Chains() {
		for i := range r.Draws.Len(c) {
			draws++
			var eta []float64
			for name, x := range matrices {
				if eta == nil {
					eta = make([]float64, len(x))
				}
				for row := range x {
					for k, v := range x[row] {
						eta[row] += v * r.Draws.Column(first[name] + k)[c][i]
					}
				}
			}
			if out == nil {
				out = make([]float64, len(eta))
			}
			for row, v := range eta {
				out[row] += inverse(v + r.Draws.Column(first["b"])[c][i])
			}
		}
	}
	for row := range out {
		out[row] /= float64(draws)
	}
	return out
}
