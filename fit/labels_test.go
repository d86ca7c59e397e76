package fit

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/compile/check"
)

// labelsOf binds a model to tables, by party, and returns the labels by party and parameter.
func labelsOf(t *testing.T, model string, tables map[string]string) map[string]map[string][][]string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "m.vfl")
	write(t, path, model)
	var given []string
	for party, table := range tables {
		var files []string
		for k, text := range strings.Split(table, "|") { // members of a family
			file := filepath.Join(dir, fmt.Sprintf("%s%d.csv", party, k))
			write(t, file, strings.ReplaceAll(text, " ", "\n"))
			files = append(files, file)
		}
		given = append(given, party+"="+strings.Join(files, ","))
	}
	return bound(t, path, check.Options{}, given...).Labels()
}

type axesOf = map[string]map[string][][]string

// Axes have the names of the columns and categories that belong to them, where the party holds these; else
// numbers, and where it would not be certain which.
func TestLabels(t *testing.T) {
	const alone = "data y : real[N]\ny ~ normal(0, 1)\n"
	server := func(text string) map[string]string { return map[string]string{"server": text} }
	split := func(a, b string) map[string]string {
		return map[string]string{"server": "id,y 1,0 2,1 3,0", "a": a, "b": b}
	}
	const two = "client a, b\ndata y : real[N] @ shared\ny ~ normal(0, 1)\ntransform none\n"
	words := split("id,g,x 1,w,0 2,e,1 3,w,2", "id,z 1,0 2,1 3,3")
	for name, c := range map[string]struct {
		model  string
		tables map[string]string
		want   axesOf
	}{
		"columns and encoders": {alone +
			"data X : real[N, P] from zscore(age), onehot(sex), w\nparam b : real[P] ~ normal(0, 1)",
			server("y,age,sex,w 0,1,m,0 1,2,f,1 0,4,m,2"),
			axesOf{"server": {"b": {{"zscore(age)", "sex=f", "sex=m", "w"}}}}},
		"all columns": {alone + "data X : real[N, P]\nparam b : real[P] ~ normal(0, 1)",
			server("y,u,w 0,1,0 1,2,1 0,4,2"), axesOf{"server": {"b": {{"u", "w"}}}}},
		"categories": {alone + "data g : level(R)[N]\nparam u : real[R] ~ normal(0, 1)",
			server("y,g 0,D9 1,D10 0,D9"), axesOf{"server": {"u": {{"D10", "D9"}}}}},
		"two dimensions": {alone +
			"data g : level(R)[N]\ndata X : real[N, P] from zscore(x), w\nparam s : real[R, P] ~ normal(0, " +
			"1)\nparam r : real[2, P] ~ normal(0, 1)",
			server("y,g,x,w 0,e,1,0 1,w,2,1 0,e,4,2"),
			axesOf{"server": {"s": {{"e", "w"}, {"zscore(x)", "w"}}, "r": {nil, {"zscore(x)", "w"}}}}},
		"numbers are their own codes": {alone + "data g : level(R)[N]\nparam u : real[R] ~ normal(0, 1)",
			server("y,g 0,2 1,1 0,3"), axesOf{}},
		"numbers that are listed": {alone +
			"levels Y = 2019, 2020\ndata g : level(Y)[N]\nparam u : real[Y] ~ normal(0, 1)",
			server("y,g 0,2020 1,2019 0,2019"), axesOf{"server": {"u": {{"2019", "2020"}}}}},
		"codes that look like other numbers": {alone +
			"levels Y = 3, 1, 2\ndata g : level(Y)[N]\nparam u : real[Y] ~ normal(0, 1)",
			server("y,g 0,1 1,2 0,3"), axesOf{"server": {"u": {{"Y=3", "Y=1", "Y=2"}}}}},
		"arithmetic": {alone + "data X : real[N, P] from u, w\nparam b : real[P + 1] ~ normal(0, 1)",
			server("y,u,w 0,1,0 1,2,1 0,4,2"), axesOf{}},
		"a literal": {alone + "data X : real[N, 2] from u, w\nparam b : real[2] ~ normal(0, 1)",
			server("y,u,w 0,1,0 1,2,1 0,4,2"), axesOf{}},
		"a constant": {alone + "const P = 2\ndata X : real[N, P] from u, w\nparam b : real[P] ~ normal(0, 1)",
			server("y,u,w 0,1,0 1,2,1 0,4,2"), axesOf{"server": {"b": {{"u", "w"}}}}},
		"two matrices that differ": {alone +
			"data X : real[N, P] from u, w\ndata Z : real[N, P] from w, u\nparam b : real[P] ~ normal(0, 1)",
			server("y,u,w 0,1,0 1,2,1 0,4,2"), axesOf{}},
		"two matrices that agree": {alone +
			"data X : real[N, P] from u, w\ndata Z : real[N, P] from u, w\nparam b : real[P] ~ normal(0, 1)",
			server("y,u,w 0,1,0 1,2,1 0,4,2"), axesOf{"server": {"b": {{"u", "w"}}}}},
		"a matrix and numbers of one size": {alone +
			"data X : real[N, P] from u, w\ndata g : level(P)[N]\nparam b : real[P] ~ normal(0, 1)",
			server("y,u,w,g 0,1,0,1 1,2,1,2 0,4,2,1"), axesOf{}},
		"a client's own": {two +
			"data g : level(R)[N] @ a\ndata Z : real[N, P] @ b from zscore(z)\nparam u : real[R] ~ " +
			"normal(0, 1) @ a\nparam v : real[P] ~ normal(0, 1) @ b",
			words, axesOf{"a": {"u": {{"e", "w"}}}, "b": {"v": {{"zscore(z)"}}}}},
		"nobody else's": {two +
			"data g : level(R)[N] @ a\nparam u : real[R] ~ normal(0, 1)\nparam v : real[R] ~ normal(0, 1) " +
			"@ b\nparam w : real[R] ~ normal(0, 1) @ shared", words, axesOf{}},
		"the model's": {two +
			"levels R = \"e\", \"w\"\ndata g : level(R)[N] @ a\nparam u : real[R] ~ normal(0, 1) @ " +
			"b\nparam w : real[R] ~ normal(0, 1) @ shared",
			words, axesOf{"b": {"u": {{"e", "w"}}}, "server": {"w": {{"e", "w"}}}}},
		"shared data": {two +
			"data g : level(R)[N] @ shared\nparam u : real[R] ~ normal(0, 1) @ b\nparam w : real[R] " +
			"~ normal(0, 1) @ shared",
			words, axesOf{"b": {"u": {{"e", "w"}}}, "server": {"w": {{"e", "w"}}}}},
		"members have their own": {"client lab[J]\ndata y : real[N] @ lab\ndata X : real[N, P] @ lab from " +
			"zscore(x), onehot(g)\nparam beta : real[P] ~ normal(0, 1) @ lab\ny ~ normal(X * " +
			"beta, 1)\ntransform none",
			map[string]string{"lab": "y,x,g 0,1,m 1,2,f|y,x,g 0,1,b 1,2,a 0,3,c"},
			axesOf{"lab[1]": {"lab[1].beta": {{"zscore(x)", "g=f", "g=m"}}},
				"lab[2]": {"lab[2].beta": {{"zscore(x)", "g=a", "g=b", "g=c"}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, axesOf(labelsOf(t, c.model, c.tables))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The name of an element is the name of what it multiplies: without noise, coefficients and means of
// categories are those under their names.
func TestLabelsNameTheirElements(t *testing.T) {
	dir := t.TempDir()
	path, table := filepath.Join(dir, "m.vfl"), "y,low,high,g\n"
	for i := range 40 {
		low, high, g := float64(i%5), float64(i%7), []string{"zebra", "ape", "mule"}[i%3]
		table += fmt.Sprintf("%v,%v,%v,%s\n", -2*low+5*high+map[string]float64{"ape": 1, "mule": 10,
			"zebra": 20}[g], low, high, g)
	}
	write(t, path,
		"data y : real[N]\ndata X : real[N, P] from high, low\ndata g : level(R)[N]\nparam b : real[P] ~ "+
			"normal(0, 10)\nparam u : real[R] ~ normal(0, 50)\ny ~ normal(X * b + u[g], 0.01)\n")
	write(t, filepath.Join(dir, "data.csv"), table)
	m, sources := compiled(t, path, check.Options{}, filepath.Join(dir, "data.csv"))
	p, diags, err := Open(m, sources,
		Options{Algorithm: backend(t, "nuts"), Settings: map[string]string{"chains": "1", "warmup": "300",
			"draws": "50"}})
	good(t, diags, err)
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, row := range r.Summary() {
		got[row.Shown()] = math.Round(float64(row.Mean))
	}
	if diff := cmp.Diff(map[string]float64{"b[low]": -2, "b[high]": 5, "u[ape]": 1, "u[mule]": 10,
		"u[zebra]": 20}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][][]string{"b": {{"high", "low"}}, "u": {{"ape", "mule", "zebra"}}},
		p.Labels()); diff != "" {
		t.Error(diff)
	}
}
