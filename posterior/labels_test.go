package posterior

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// labelled are draws of a scalar and of parameters with names along all axes, along one, and along none.
func labelled() *Draws {
	vars := Labelled([]Variable{
		{Name: "b", Owner: "server"}, {Name: "beta", Owner: "a", Dims: []int{2}},
		{Name: "slope", Owner: "a", Dims: []int{2, 2}},
		{Name: "lab[2].u", Owner: "lab[2]", Dims: []int{3}}, {Name: "w", Owner: "a", Dims: []int{2}},
		{Name: "v", Owner: "a", Dims: []int{2}},
	}, map[string][][]string{
		"beta": {{"zscore(age)", "sex=f"}}, "slope": {{"east", "west"}, nil},
		"lab[2].u": {{"D9", "\x1b[31mred", "a\nb"}},
		"w":        {{"one", "too", "many"}}, "v": {{"a"}, {"b"}}, // which do not fit
	})
	d := NewDraws(vars, 1, 5)
	for i := range 5 {
		row := make([]float64, len(d.Columns()))
		for k := range row {
			row[k] = float64(k*k) + float64(i*(k+1)%5)/10
		}
		d.Append(0, row)
	}
	return d
}

// Labels stand beside names, which stay the keys.
func TestLabelsOfColumns(t *testing.T) {
	want := [][2]string{
		{"b", "b"}, {"beta[1]", "beta[zscore(age)]"}, {"beta[2]", "beta[sex=f]"},
		{"slope[1,1]", "slope[east, 1]"}, {"slope[2,1]", "slope[west, 1]"}, {"slope[1,2]", "slope[east, 2]"},
		{"slope[2,2]", "slope[west, 2]"},
		{"lab[2].u[1]", "lab[2].u[D9]"}, {"lab[2].u[2]", "lab[2].u[�[31mred]"},
		{"lab[2].u[3]", "lab[2].u[a�b]"},
		{"w[1]", "w[1]"}, {"w[2]", "w[2]"}, {"v[1]", "v[1]"}, {"v[2]", "v[2]"},
	}
	d := labelled()
	rows := Summarise(d)
	for k, c := range d.Columns() {
		if got := [2]string{c.Name, c.Shown()}; got != want[k] {
			t.Errorf("column %d is %q, want %q", k, got, want[k])
		}
		if r := rows[k]; r.Name != c.Name || r.Label != c.Label || r.Shown() != c.Shown() {
			t.Errorf("row %+v of column %+v", r, c)
		}
	}
	if got := stanNames(d.Vars); got[1] != "beta.1" || got[4] != "slope.2.1" {
		t.Errorf("Stan's names are %v", got)
	}
}

// A parameter is chosen by its number or its label, whole or as a pattern.
func TestChooseByLabel(t *testing.T) {
	d := labelled()
	for name, want := range map[string][]int{
		"beta[2]": {2}, "beta[sex=f]": {2}, "beta[zscore(age)]": {1}, "slope[west, 2]": {6},
		"slope[west,2]": {6}, "slope[2,2]": {6},
		"slope[east*": {3, 5}, "*sex=*": {2}, "lab[2].u[D9]": {7}, "lab[2].u": {7, 8, 9}, "beta": {1, 2},
	} {
		if got, err := d.Choose([]string{name}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s chooses %v (%v), want %v", name, got, err, want)
		}
	}
	for name, there := range map[string]string{
		"beta[3]": "(beta[zscore(age)], beta[sex=f])", "beta[sex=m]": "(beta[zscore(age)], beta[sex=f])",
		"slope[west]":  "(slope[east, 1], ",
		"lab[2].u[D8]": "(lab[2].u[D9], ", "w[one]": "(w[1], w[2])", "nothing": "(b, beta, ",
		"nothing[1]": "(b, beta, ",
	} {
		if got, err := d.Choose([]string{name}); err == nil || !strings.Contains(err.Error(), there) {
			t.Errorf("%s chooses %v, %v; want %s", name, got, err, there)
		}
	}
}

// A table is as wide as asked where names can be cut to that, and names keep beginning and end; without a
// limit nothing is cut.
func TestTablesFitAWidth(t *testing.T) {
	long := strings.Repeat("covariate", 9)
	d := NewDraws(Labelled([]Variable{{Name: "b", Owner: "a", Dims: []int{2}}},
		map[string][][]string{"b": {{long + "=x", long + "=y"}}}), 1, 5)
	for i := range 5 {
		d.Append(0, []float64{float64(i), float64(i * i)})
	}
	rows := Summarise(d)
	for _, width := range []int{0, 80, 100, 60, 20} {
		var b strings.Builder
		if err := WriteTableWithin(&b, rows, width); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		widest := 0
		for _, l := range lines {
			widest = max(widest, utf8.RuneCountInString(l))
		}
		cut := strings.Contains(b.String(), "…")
		if cut != (width > 0) || cut && width >= 80 && widest != width ||
			!strings.HasPrefix(lines[1], "b[covar") {
			t.Errorf("width %d:\n%s", width, b.String())
		}
		if !strings.Contains(lines[1], "=x]") || !strings.Contains(lines[2], "=y]") {
			t.Errorf("width %d: names cannot be told apart\n%s", width, b.String())
		}
	}
	for text, want := range map[string]string{"abcdefgh": "abc…gh", "abcdef": "abcdef", "東京都市圏": "東…圏",
		"e\u0301te\u0301": "e\u0301te\u0301", "São Paulo": "São…lo"} {
		if got := Cut(text, 6); got != want || Width(got) > 6 {
			t.Errorf("%s is cut to %s of %d columns, want %s", text, got, Width(got), want)
		}
	}
}

// Findings call a scalar by its label in words, and keep its name as the key and in commands.
func TestFindingsHaveLabels(t *testing.T) {
	d := labelled()
	d.Transitions = make([][]Transition, 1)
	for range 5 {
		d.AppendTransition(0, Transition{})
	}
	rows := Summarise(d)
	for _, f := range Examine(d, rows, nil, PlainAdvice()) {
		if f.Parameter != "beta[2]" {
			continue
		}
		if f.Label != "beta[sex=f]" || !strings.HasPrefix(f.Text, "beta[sex=f]: ") ||
			strings.Contains(f.Try, "sex=f") {
			t.Errorf("%+v", f)
		}
		return
	}
	t.Error("no finding for draws that do not move")
}
