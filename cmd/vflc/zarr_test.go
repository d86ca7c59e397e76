package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// byNames are the draws of a Zarr store as one reads them by its coordinates: the values of each scalar by
// chain and draw, under its name with labels.
func byNames(t *testing.T, store, variable string) map[string][][]float64 {
	t.Helper()
	values, shape, err := export.ReadFloats(store, "posterior/"+variable)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{""}
	for k, n := range shape[2:] {
		var next []string
		at := texts(t, filepath.Join(store, "posterior", fmt.Sprintf("%s_dim_%d", variable, k)), n)
		for _, head := range names {
			for _, name := range at {
				next = append(next, strings.TrimPrefix(head+", "+name, ", "))
			}
		}
		names = next
	}
	out := map[string][][]float64{}
	for e, name := range names {
		if name = variable + "[" + name + "]"; len(shape) == 2 {
			name = variable
		}
		for c := range shape[0] {
			var chain []float64
			for i := range shape[1] {
				chain = append(chain, values[(c*shape[1]+i)*len(names)+e])
			}
			out[name] = append(out[name], chain)
		}
	}
	return out
}

// texts reads a coordinate: texts in UTF-32, whole numbers, or without one numbers from 1.
func texts(t *testing.T, dir string, n int) []string {
	t.Helper()
	out := make([]string, n)
	for k := range out {
		out[k] = strconv.Itoa(k + 1)
	}
	head, err := os.ReadFile(filepath.Join(dir, ".zarray"))
	if os.IsNotExist(err) {
		return out
	}
	raw, err2 := os.ReadFile(filepath.Join(dir, "0"))
	var h struct{ Dtype string }
	if err != nil || err2 != nil || json.Unmarshal(head, &h) != nil {
		t.Fatal(err, err2)
	}
	if h.Dtype == "<i8" {
		for k := range out {
			out[k] = strconv.FormatUint(binary.LittleEndian.Uint64(raw[8*k:]), 10)
		}
		return out
	}
	size := len(raw) / n
	for k := range out {
		var b strings.Builder
		for at := k * size; at < (k+1)*size; at += 4 {
			if r := binary.LittleEndian.Uint32(raw[at:]); r != 0 {
				b.WriteRune(rune(r))
			}
		}
		out[k] = b.String()
	}
	return out
}

// What other tools read by the names of columns and categories gives the summary, to all digits: of scalars,
// vectors, matrices with labels along both axes and along one.
func TestZarrAgreesWithSummary(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "birds.vfl")
	if err := os.WriteFile(model, []byte(`client field
data sex : binary[N] @ shared from is(sex, "male")
data X : real[N, P] @ field from zscore(body_mass_g), zscore(flipper_length_mm)
data island : level(I)[N] @ field
data species : level(S)[N]
param b ~ normal(0, 2)
param slope : real[I, P] ~ normal(0, 2) @ field
param u : real[S] ~ normal(0, 3)
param spare : real[S, 2] ~ normal(0, 1)
sex ~ bernoulli_logit(b + rowdot(X, slope[island]) + u[species])
`), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	do(t, "run", model, "--data", "field=../../docs/repl/field.csv", "--data",
		"server=../../docs/repl/lab.csv", "--key", "bird", "--rows", "intersect",
		"--quiet", "--chains", "2", "--warmup", "100", "--draws", "100", "-o", out)
	var own struct{ Parameters []posterior.SummaryRow }
	if err := json.Unmarshal([]byte(do(t, "summary", out, "--json")), &own); err != nil {
		t.Fatal(err)
	}
	var columns []posterior.Variable
	var values [][][]float64
	held := map[string][][]float64{}
	for _, r := range own.Parameters {
		variable, _, _ := strings.Cut(r.Name, "[")
		if held[r.Shown()] == nil {
			for name, v := range byNames(t, filepath.Join(out, "draws.zarr"), variable) {
				held[name] = v
			}
		}
		v := held[r.Shown()]
		if len(v) != 2 {
			t.Fatalf("the coordinates do not name %s", r.Shown())
		}
		columns, values = append(columns, posterior.Variable{Name: r.Shown(), Owner: r.Owner}),
			append(values, v)
	}
	if len(held) != len(columns) || len(columns) != 1+6+3+6 {
		t.Errorf("%d scalars by their coordinates, %d in the summary", len(held), len(columns))
	}
	read := posterior.NewDraws(columns, 2, 100)
	read.Transitions = make([][]posterior.Transition, 2) // draws of Markov chains
	for c := range 2 {
		for i := range 100 {
			var row []float64
			for _, v := range values {
				row = append(row, v[c][i])
			}
			read.Append(c, row)
		}
	}
	var got strings.Builder
	if err := posterior.WriteTable(&got, posterior.Summarise(read)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(do(t, "summary", out), got.String()); diff != "" {
		t.Errorf("vflc summary (-) and the same of what the coordinates name (+):\n%s", diff)
	}
}
