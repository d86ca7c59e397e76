package export

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/posterior"
)

func sample() *posterior.Draws {
	d := posterior.NewDraws([]posterior.Variable{{Name: "b", Owner: "server"},
		{Name: "lab[2].w", Owner: "lab[2]", Dims: []int{2, 3}}}, 2, 4)
	for c := range 2 {
		for i := range 4 {
			row := []float64{float64(c)}
			for k := range 6 {
				row = append(row, float64(1000*c+100*i+k))
			}
			d.Append(c, row)
			d.AppendTransition(c, posterior.Transition{LP: -1, Accept: 0.5, StepSize: 0.1, TreeDepth: 2,
				Leapfrogs: 3, Divergent: i == 3, Energy: 7})
		}
	}
	return d
}

// write writes a directory twice, since the second must replace the first.
func write(t *testing.T, d *posterior.Draws, r []Observed) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "draws.zarr")
	for range 2 {
		attrs := map[string]any{"inference_library": "vflc"}
		if err := WriteZarr(dir, nil, Inference(d, attrs, r)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "stale"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove(filepath.Join(dir, "stale"))
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".draws*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	return dir
}

// Element [c, i, a, b] of a matrix is draw i of column [a+1, b+1], which is stored first index fastest.
func TestOrientation(t *testing.T) {
	dir := write(t, sample(), nil)
	got, shape, err := ReadFloats(dir, "posterior/lab[2].w")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{2, 4, 2, 3}, shape); diff != "" {
		t.Fatal(diff)
	}
	for c := range 2 {
		for i := range 4 {
			for a := range 2 {
				for b := range 3 {
					if v, want := got[((c*4+i)*2+a)*3+b], float64(1000*c+100*i+a+2*b); v != want {
						t.Fatalf("[%d, %d, %d, %d] = %g, want %g", c, i, a, b, v, want)
					}
				}
			}
		}
	}
}

// The layout that readers require: see the package comment.
func TestMetadata(t *testing.T) {
	r := Observed{Name: "y", Shape: []int{2}, Values: []float64{5, 6},
		LogLik: [][][]float64{{{1, 2, 3, 4}, {5, 6, 7, 8}}, {{11, 12, 13, 14}, {15, 16, 17, 18}}}}
	dir := write(t, sample(), []Observed{r})
	text, err := os.ReadFile(filepath.Join(dir, ".zmetadata"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Metadata map[string]map[string]any }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if base := filepath.Base(path); base != ".zgroup" && base != ".zattrs" && base != ".zarray" {
			return err
		}
		files++
		var own map[string]any
		text, _ := os.ReadFile(path)
		if err := json.Unmarshal(text, &own); err != nil || own == nil {
			t.Errorf("%s is %s (%v), not an object", name, text, err)
		}
		if diff := cmp.Diff(own, all.Metadata[filepath.ToSlash(name)]); diff != "" {
			t.Errorf("%s differs from its copy: %s", name, diff)
		}
		return err
	})
	if err != nil || files != len(all.Metadata) {
		t.Errorf("%d files and %d copies (%v)", files, len(all.Metadata), err)
	}
	ll := all.Metadata["log_likelihood/y/.zarray"]
	if diff := cmp.Diff(map[string]any{"zarr_format": 2.0, "shape": []any{2.0, 4.0, 2.0},
		"chunks": []any{2.0, 4.0, 2.0}, "dtype": "<f8", "order": "C",
		"compressor": nil, "filters": nil, "fill_value": nil, "dimension_separator": "."}, ll); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{"chain", "draw", "y_dim_0"},
		all.Metadata["log_likelihood/y/.zattrs"]["_ARRAY_DIMENSIONS"]); diff != "" {
		t.Error(diff)
	}
	got, _, err := ReadFloats(dir, "log_likelihood/y")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16, 7, 17, 8, 18}, got); diff != "" {
		t.Error(diff)
	}
	for name, kind := range map[string]string{"diverging": "|b1", "n_steps": "<i8", "energy": "<f8"} {
		if got := all.Metadata["sample_stats/"+name+"/.zarray"]["dtype"]; got != kind {
			t.Errorf("%s has type %v, want %s", name, got, kind)
		}
	}
	if names, err := Names(dir, "log_likelihood"); err != nil || len(names) != 3 {
		t.Errorf("arrays of log_likelihood: %v %v", names, err)
	}
}

func TestIndependentDrawsHaveNoSampleStats(t *testing.T) {
	d := posterior.NewDraws([]posterior.Variable{{Name: "b"}}, 1, 1)
	d.Append(0, []float64{1})
	dir := write(t, d, nil)
	if _, err := os.Stat(filepath.Join(dir, "sample_stats")); err == nil {
		t.Error("there are statistics of a sampler that did not run")
	}
	if _, _, err := ReadFloats(dir, "log_likelihood/y"); !os.IsNotExist(err) {
		t.Errorf("reading what is not there: %v", err)
	}
}

func TestTextsAreFixedWidth(t *testing.T) {
	kind, raw := Array{Texts: []string{"é", "ab"}}.encode()
	if diff := cmp.Diff([]byte{0xe9, 0, 0, 0, 0, 0, 0, 0, 'a', 0, 0, 0, 'b', 0, 0, 0}, raw); kind != "<U2" ||
		diff != "" {
		t.Error(kind, diff)
	}
}

// Responses read back as they were written, matrices in their own orientation; responses without pointwise
// densities too.
func TestObservedRoundTrip(t *testing.T) {
	m := Observed{Name: "m", Shape: []int{2, 3}, Values: []float64{1, 2, 3, 4, 5, 6}}
	for i := range 6 {
		m.LogLik = append(m.LogLik, [][]float64{{float64(i), 0, 0, 0.5}, {0, float64(10 * i), 0, 0}})
	}
	want := []Observed{m, {Name: "y", Shape: []int{2}, Values: []float64{8, 9}}}
	got, err := ReadObserved(write(t, sample(), want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if none, err := ReadObserved(t.TempDir()); err != nil || none != nil {
		t.Errorf("of nothing: %v %v", none, err)
	}
}

// An array beyond the size of a chunk has one for each chain, and is read back complete.
func TestLargeArraysHaveAChunkAChain(t *testing.T) {
	dir, n := filepath.Join(t.TempDir(), "draws.zarr"), wholeChunk/16+1
	want := make([]float64, 2*n)
	for i := range want {
		want[i] = float64(i)
	}
	g := Group{Name: "posterior",
		Arrays: []Array{{Name: "x", Dims: []string{"chain", "draw"}, Shape: []int{2, n}, Floats: want}}}
	if err := WriteZarr(dir, nil, []Group{g}); err != nil {
		t.Fatal(err)
	}
	got, shape, err := ReadFloats(dir, "posterior/x")
	if err != nil || !slices.Equal(shape, []int{2, n}) || !slices.Equal(got, want) {
		t.Errorf("read back with shape %v (%v)", shape, err)
	}
	for c := range 2 {
		if info, err := os.Stat(filepath.Join(dir, "posterior", "x", fmt.Sprintf("%d.0", c))); err != nil ||
			info.Size() != int64(8*n) {
			t.Errorf("chunk %d: %v", c, err)
		}
	}
}

// Labels are coordinates of their dimension; axes without labels have numbers from 1, as summaries do.
// Elements keep their places.
func TestLabelsAreCoordinates(t *testing.T) {
	vars := posterior.Labelled([]posterior.Variable{{Name: "s", Dims: []int{2, 3}},
		{Name: "b", Dims: []int{2}}}, map[string][][]string{"s": {{"east", "west"}, nil}})
	d := posterior.NewDraws(vars, 1, 1)
	d.Append(0, []float64{11, 21, 12, 22, 13, 23, 1, 2})
	var names []string
	for _, a := range Inference(d, nil, nil)[0].Arrays {
		switch a.Name {
		case "s_dim_0":
			if !slices.Equal(a.Texts, []string{"east", "west"}) ||
				!slices.Equal(a.Dims, []string{"s_dim_0"}) {
				t.Errorf("%+v", a)
			}
		case "b_dim_0":
			if !slices.Equal(a.Ints, []int64{1, 2}) || a.Texts != nil {
				t.Errorf("%+v", a)
			}
		case "s_dim_1":
			if !slices.Equal(a.Ints, []int64{1, 2, 3}) || a.Texts != nil {
				t.Errorf("%+v", a)
			}
		case "s":
			if !slices.Equal(a.Floats, []float64{11, 12, 13, 21, 22, 23}) ||
				!slices.Equal(a.Dims, []string{"chain", "draw", "s_dim_0", "s_dim_1"}) {
				t.Errorf("%+v", a)
			}
		}
		names = append(names, a.Name)
	}
	if want := []string{"chain", "draw", "s", "s_dim_0", "s_dim_1", "b", "b_dim_0"}; !slices.Equal(names,
		want) {
		t.Errorf("arrays %v, want %v", names, want)
	}
}

// The log likelihood of vectors and matrices has one value each, and is read as it was written.
func TestLogLikelihoodOfVectors(t *testing.T) {
	d := sample()
	var lik [][][]float64
	for i := range 3 {
		var chains [][]float64
		for c := range d.Chains() {
			chain := make([]float64, d.Len(c))
			for k := range chain {
				chain[k] = float64(100*i + 10*c + k)
			}
			chains = append(chains, chain)
		}
		lik = append(lik, chains)
	}
	want := []Observed{{Name: "v", Shape: []int{3, 2}, Values: []float64{1, 2, 3, 4, 5, 6}, LogLik: lik,
		Outcomes: []int{3}}}
	got, err := ReadObserved(write(t, d, want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A discrete response and its replicates are whole numbers, and are read as they were written.
func TestDiscreteResponses(t *testing.T) {
	d := sample()
	replicates := make([][][]float64, 2)
	for e := range replicates {
		for c := range d.Chains() {
			replicates[e] = append(replicates[e], make([]float64, d.Len(c)))
		}
	}
	y := Observed{Name: "y", Shape: []int{2}, Values: []float64{-3, 1 << 40}, Replicates: replicates,
		Whole: true}
	for _, g := range Inference(d, nil, []Observed{y}) {
		for _, a := range g.Arrays {
			if a.Name == "y" && (a.Ints == nil || a.Floats != nil) {
				t.Errorf("%s: %+v", g.Name, a)
			}
		}
	}
	got, err := ReadObserved(write(t, d, []Observed{y}))
	if err != nil || !slices.Equal(got[0].Values, y.Values) {
		t.Errorf("%v, %v", got, err)
	}
}
