package crossvalidate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/vector"
)

const normalMean = `data y : real[N]
param m ~ normal(0, 10)
y ~ normal(m, 1)
`

func bound(t *testing.T, text string, columns ...data.Values) (*compile.Model, data.Sources) {
	t.Helper()
	m, diags := compile.Compile(source.New("m.vfl", text), check.Options{})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	sources, err := data.Named(m.Parties(), nil)
	if err != nil {
		t.Fatal(err)
	}
	sources[0].Tables = []data.Reader{data.Columns("table", columns...)}
	return m, sources
}

// Run makes all folds, four at a time.
func Run(ctx context.Context, m *compile.Model, sources data.Sources, o Options) (*Report, diag.List, error) {
	v, diags, err := New(m, sources, o)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	var all []*cells.Cell
	for _, part := range cells.Parts(o.Folds, 1) {
		all = append(all, &cells.Cell{Part: &part})
	}
	local := cells.Local{Jobs: 4, Make: func(ctx context.Context, c *cells.Cell) ([]byte, error) {
		return v.Make(ctx, c.Part.First)
	}}
	if err := cells.Gather(ctx, local, all, func(p cells.Steps, result []byte) error {
		return v.Take(p.First, result)
	}, nil); err != nil {
		return nil, diags, err
	}
	return v.Report(), diags, nil
}

// The log predictive densities of a conjugate model are those in closed form, row by row within the Monte
// Carlo error: given the other folds, m is normal, and so is y.
func TestAgainstClosedForm(t *testing.T) {
	y := make([]float64, 24)
	for i := range y {
		y[i] = math.Sin(float64(7*i)) * 2
	}
	m, sources := bound(t, normalMean, data.Values{Name: "y", Numbers: y})
	o := Options{Folds: 4, Seed: 3,
		Fit: fit.Options{Settings: map[string]string{"chains": "1", "warmup": "200", "draws": "1500"},
			Seed: 3}}
	r, diags, err := Run(t.Context(), m, sources, o)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	got := r.Responses[0]
	folds := assign(make([]string, len(y)), false, o.Folds, vector.SharedKey(o.Seed))
	at, total := 0, 0.0
	for k := range o.Folds {
		n, sum := 0.0, 0.0
		for i, v := range y {
			if folds[i] != k {
				n, sum = n+1, sum+v
			}
		}
		variance := 1 / (n + 0.01)
		centre := sum * variance
		for i, v := range y {
			if folds[i] != k {
				continue
			}
			s2 := 1 + variance
			want := -0.5*math.Log(2*math.Pi*s2) - (v-centre)*(v-centre)/(2*s2)
			slope := math.Abs(v-centre) * math.Sqrt(variance) // of the log density in m, in sds of m
			if se := (slope + 0.1) / math.Sqrt(300); math.Abs(float64(got.LogDensities[at])-want) > 4*se {
				t.Errorf("row %d, fold %d: %v, want %v ± %v", i, k+1, got.LogDensities[at], want, se)
			}
			if got.Fold[at] != k+1 {
				t.Errorf("row %d is reported in fold %d, want %d", i, got.Fold[at], k+1)
			}
			at++
			total += want
		}
	}
	if math.Abs(float64(got.ELPD)-total) > 0.5 {
		t.Errorf("elpd is %v, want %v", got.ELPD, total)
	}
}

// The result does not depend on how many folds are fitted at once, nor on their order; what is no result of a
// fold is refused; and a row in fold k is predicted by a fit that has not seen it: with an impossible outlier
// its density is low.
func TestFoldsAreLeftOut(t *testing.T) {
	y := []float64{0, 0.1, -0.1, 0.2, -0.2, 0.05, 9, 0.1}
	m, sources := bound(t, normalMean, data.Values{Name: "y", Numbers: y})
	o := Options{Folds: 8, Seed: 1,
		Fit: fit.Options{Settings: map[string]string{"chains": "1", "warmup": "100", "draws": "200"}}}
	v, _, err := New(m, sources, o)
	if err != nil {
		t.Fatal(err)
	}
	for k := o.Folds - 1; k >= 0; k-- {
		result, err := v.Make(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"", "{}", strings.Replace(string(result), `"observed":"`,
			`"observed":"x`, 1)} {
			if v.Take(k, []byte(bad)) == nil {
				t.Errorf("%q is taken", bad)
			}
		}
		if v.Take((k+1)%o.Folds, result) == nil {
			t.Error("the result of another fold is taken")
		}
		if err := v.Take(k, result); err != nil {
			t.Fatal(err)
		}
	}
	one := v.Report()
	many, _, err := Run(t.Context(), m, sources, o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(one.Responses[0].LogDensities, many.Responses[0].LogDensities) {
		t.Error("folds one by one and four at a time give other densities")
	}
	if least := slices.Min(one.Responses[0].LogDensities); least > -25 {
		t.Errorf("the outlier has the log density %v, as if its own fit had seen it", least)
	}
}

// Strata are spread evenly over the folds; groups stay whole.
func TestAssign(t *testing.T) {
	var labels []string
	for i := range 103 {
		labels = append(labels, fmt.Sprint(i%7))
	}
	counts := map[string][]int{}
	for i, f := range assign(labels, false, 5, vector.SharedKey(2)) {
		if counts[labels[i]] == nil {
			counts[labels[i]] = make([]int, 5)
		}
		counts[labels[i]][f]++
	}
	for l, c := range counts {
		if slices.Max(c)-slices.Min(c) > 1 {
			t.Errorf("stratum %s is in the folds %v times", l, c)
		}
	}
	fold := map[string]int{}
	for i, f := range assign(labels, true, 3, vector.SharedKey(2)) {
		if was, ok := fold[labels[i]]; ok && was != f {
			t.Fatalf("group %s is in two folds", labels[i])
		}
		fold[labels[i]] = f
	}
	if slices.Equal(assign(labels, false, 5, vector.SharedKey(2)), assign(labels, false, 5,
		vector.SharedKey(3))) {
		t.Error("two seeds give the same folds")
	}
}

// AUC, accuracy, Brier score and calibration of four rows, by hand.
func TestClassification(t *testing.T) {
	rows := []row{{observed: 1, mean: 0.9, score: math.Log(0.9)},
		{observed: 0, mean: 0.4, score: math.Log(0.6)}, {observed: 1, mean: 0.4, score: math.Log(0.4)},
		{observed: 0, mean: 0.1, score: math.Log(0.9)}}
	r := scored("y", rows, true)
	for name, c := range map[string][2]float64{
		"accuracy": {float64(*r.Accuracy), 0.75}, "auc": {float64(*r.AUC), 3.5 / 4},
		"brier":       {float64(*r.Brier), (0.01 + 0.16 + 0.36 + 0.01) / 4},
		"where wrong": {float64(*r.WhereWrong), math.Log(0.4)},
		"elpd":        {float64(r.ELPD), math.Log(0.9 * 0.6 * 0.4 * 0.9)},
	} {
		if math.Abs(c[0]-c[1]) > 1e-14 {
			t.Errorf("%s is %v, want %v", name, c[0], c[1])
		}
	}
	if len(r.Calibration) != 3 || r.Calibration[1].Rows != 2 || r.Calibration[1].Observed != 0.5 {
		t.Errorf("calibration is %+v", r.Calibration)
	}
	sure := scored("y", []row{{observed: 1, mean: 1, score: 0}, {observed: 0, mean: 1, score: -800}}, true)
	if want := (math.Log1p(-1e-5) + math.Log(1e-5)) / 2; math.Abs(float64(*sure.Clipped)-want) > 1e-12 ||
		sure.Mean != -400 {
		t.Errorf("clipped %v, want %v; unclipped %v", *sure.Clipped, want, sure.Mean)
	}
	if math.Abs(logMeanExp([]float64{-1000, -1000 + math.Log(3)})-(-1000+math.Log(2))) > 1e-12 ||
		!math.IsInf(logMeanExp([]float64{math.Inf(-1)}), -1) {
		t.Error("the mean of exp is wrong")
	}
}

// Whoever knows the random numbers by which a stratified division deals out two classes can follow the
// dealing, each class in turn, and is left with few of the 2^n ways in which the rows can have their classes.
// One party's own numbers leave no such way.
func TestStrataAreNotReadFromFolds(t *testing.T) {
	const n, count = 400, 5
	var labels []string
	for i := range n {
		labels = append(labels, fmt.Sprint((i*i+i/3)%7%2))
	}
	shared := vector.SharedKey(3)
	order := vector.NewGenerator(shared, "folds").Rand().Perm(n)
	bits := func(folds []int) float64 { // the binary logarithm of the number of ways
		ways := map[[2]int]float64{} // by the next fold of each class
		for second := range count {
			ways[[2]int{0, second}] = 1
		}
		for _, row := range order {
			next := map[[2]int]float64{}
			for at, many := range ways {
				if folds[row] == at[0] {
					next[[2]int{(at[0] + 1) % count, at[1]}] += many
				}
				if folds[row] == at[1] {
					next[[2]int{at[0], (at[1] + 1) % count}] += many
				}
			}
			ways = next
		}
		sum := 0.0
		for _, many := range ways {
			sum += many
		}
		return math.Log2(sum)
	}
	if left := bits(assign(labels, false, count, shared)); !(left > 0 && left < n/3) {
		t.Errorf("folds of shared random numbers leave 2^%.0f ways of %d rows: the reader "+
			"does not follow the dealing", left, n)
	}
	if left := bits(assign(labels, false, count, vector.SimulatedKey(3, "a"))); !math.IsInf(left, -1) {
		t.Errorf("folds of a party's own random numbers fit 2^%.0f ways of dealing by the shared ones", left)
	}
}

// Leave-one-out of a normal model, paired with its rows by their keys, is that in closed form; paired by
// position it would be that of other rows.
func TestLeaveOneOutByKeys(t *testing.T) {
	y, id := make([]float64, 12), make([]string, 12)
	for i := range y {
		y[i], id[i] = 3*math.Sin(float64(7*i)), fmt.Sprintf("p%02d", 100-7*i)
	}
	m, sources := bound(t, normalMean, data.Values{Name: "id", Words: id}, data.Values{Name: "y", Numbers: y})
	o := Options{Folds: len(y), Seed: 3,
		Fit: fit.Options{Settings: map[string]string{"chains": "1", "warmup": "200", "draws": "1500"},
			Seed: 3}}
	r, diags, err := Run(t.Context(), m, sources, o)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	got, sum := r.Responses[0], 0.0
	if len(got.Keys) != len(y) {
		t.Fatalf("the keys are %q (%s)", got.Keys, got.Key)
	}
	for _, v := range y {
		sum += v
	}
	moved := false
	for k, key := range got.Keys {
		i := slices.Index(id, key)
		if got.Key == "" { // no column joins the rows of one table: their numbers name them
			i = slices.Index([]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}, key)
		}
		moved = moved || i != k
		variance := 1 / (float64(len(y)-1) + 0.01)
		centre := (sum - y[i]) * variance
		s2 := 1 + variance
		want := -0.5*math.Log(2*math.Pi*s2) - (y[i]-centre)*(y[i]-centre)/(2*s2)
		slope := math.Abs(y[i]-centre) * math.Sqrt(variance)
		if se := (slope + 0.1) / math.Sqrt(300); math.Abs(float64(got.LogDensities[k])-want) > 4*se {
			t.Errorf("row %s: %v, want %v ± %v", key, got.LogDensities[k], want, se)
		}
	}
	if !moved {
		t.Error("the folds are in the order of the rows, so that the keys show nothing")
	}
}
