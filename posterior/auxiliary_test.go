package posterior

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Auxiliary variables are in files, and in a summary only if they are selected.
func TestAuxiliaryVariables(t *testing.T) {
	d := NewDraws([]Variable{{Name: "b", Owner: "s"},
		{Name: "z", Owner: "h", Dims: []int{2}, Auxiliary: true}}, 1, 3)
	for _, v := range []float64{1, 2, 4} {
		d.Append(0, []float64{v, 10 * v, 100 * v})
	}
	if rows := Summarise(d); len(rows) != 1 || rows[0].Name != "b" {
		t.Errorf("the summary has %v", rows)
	}
	rows := Summarise(d.Select([]int{2, 0}))
	if len(rows) != 2 || rows[0].Name != "z[2]" || rows[0].Owner != "h" || rows[0].Q50 != 200 ||
		rows[1].Name != "b" || rows[1].Q50 != 2 {
		t.Errorf("the summary of a selection is %v", rows)
	}
	var b bytes.Buffer
	if err := WriteStanCSV(&b, d, 0, CSVInfo{Model: "m", Backend: "x"}); err != nil {
		t.Fatal(err)
	}
	header, lines := readCSV(b.String())
	if got := strings.Join(header, ","); got != "lp__,accept_stat__,b,z.1,z.2" {
		t.Errorf("header %s", got)
	}
	if diff := cmp.Diff([][]float64{{0, 1, 1, 10, 100}, {0, 1, 2, 20, 200}, {0, 1, 4, 40, 400}},
		lines); diff != "" {
		t.Error(diff)
	}
}

// The comment on the adaptation is Stan's, for a diagonal metric and a dense one.
func TestMetricInStanCSV(t *testing.T) {
	d := NewDraws([]Variable{{Name: "b"}, {Name: "c"}}, 1, 1)
	d.Append(0, []float64{1, 2})
	d.AppendTransition(0, Transition{})
	for want, info := range map[string]CSVInfo{
		"# Adaptation terminated\n# Step size = 0.5\n# Diagonal elements of inverse " +
			"mass matrix:\n# 0.25, 4\n": {StepSize: 0.5, InverseMetric: []float64{0.25, 4}},
		"# Adaptation terminated\n# Step size = 2\n# Elements of inverse mass matrix:\n# 1, 0.5\n# 0.5, 3\n": {StepSize: 2, InverseMetric: []float64{1, 0.5, 0.5, 3}, Dense: true},
		"# Adaptation terminated\n# Step size = 1\n# Diagonal elements of inverse mass matrix:\n# 1, 1\n":    {StepSize: 1},
	} {
		var b bytes.Buffer
		if err := WriteStanCSV(&b, d, 0, info); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("no\n%s\nin\n%s", want, b.String())
		}
		form := "#         metric = diag_e (Default)\n"
		if info.Dense {
			form = "#         metric = dense_e\n"
		}
		if !strings.Contains(b.String(), form) {
			t.Errorf("no %q", form)
		}
	}
}
