package attack

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/posterior"
)

// known is a report with a cut, a sum, and figures that are not known.
func known() *Assessment {
	progress := func(values ...float64) (out []Interim) {
		for k, v := range values {
			out = append(out, Interim{4 << k, Accuracy{posterior.Number(v), 0.5}})
		}
		return out
	}
	return &Assessment{
		Schema: 1, Model: "m", Backend: "nuts", Transform: "augmented", Separated: []Separation{},
		Notes: []string{"A note."},
		Cuts: []Reconstruction{
			{
				Name: "z_1", Parties: []string{"clinic"}, Receivers: []string{"server", "lab"}, Rho: 1,
				Rounds: 64000, Elements: 5000, Followed: 2048,
				Accuracy: Accuracy{0.999876, 0.0103}, CutSD: 0.648, Directions: 3, Span: 0.9512,
				Groups: &Groups{True: 60, Found: 59, Rand: 0.99}, Progress: progress(-0.1, 0.2, 0.9),
			},
			{
				Name: "z_1 + z_2", Parties: []string{"clinic", "lab[1]", "lab[2]", "lab[3]"},
				Receivers: []string{"server"}, Sum: true, Rho: math.Sqrt2, Rounds: 64000,
				Elements: 5000, Followed: 2048, Accuracy: Accuracy{posterior.NotApplicable(),
					posterior.NotApplicable()}, CutSD: 1.5, Span: posterior.NotApplicable(),
				Progress: progress(0, 0.1, 0.95),
			},
		},
	}
}

func TestReportAsText(t *testing.T) {
	var b bytes.Buffer
	if err := known().WriteText(&b); err != nil {
		t.Fatal(err)
	}
	const want = `model m, transform augmented, backend nuts: reconstruction from what the server received (kept by the run)

The cut of each client
cut  party   receivers    rho  rounds  correlation  residual sd  sd of cut  directions  span   groups
z_1  clinic  server, lab  1    64000   0.999876     0.01         0.648      3           0.951  59/60 (0.990)
Figures are of 2048 of 5000 rows, evenly spaced.

Sums over clients, which the server receives under masks too
cut        party                receivers  rho   rounds  correlation  residual sd  sd of cut  directions  span  groups
z_1 + z_2  clinic … lab[3] (4)  server     1.41  64000   -            -            1.5        -           -     -
Figures are of 2048 of 5000 rows, evenly spaced.

Correlation with the true cut, from the second half of so many rounds
cut        party                4        16
z_1        clinic               -0.1000  0.9000
z_1 + z_2  clinic … lab[3] (4)  0.0000   0.9500
` + legend + "\nA note.\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestReportAsJSON(t *testing.T) {
	r := known()
	r.Cuts, r.Cuts[1].Progress = r.Cuts[1:], []Interim{}
	r.Separated = []Separation{{Name: "z", Parties: []string{"a", "b"}, By: bySteps, Chains: 1, Of: 4,
		Dimensions: 13, Gap: posterior.NotApplicable(), Missing: "a reason", Groups: []Share{}}}
	var b bytes.Buffer
	if err := posterior.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "schema": 1,
  "model": "m",
  "backend": "nuts",
  "transform": "augmented",
  "repeated": false,
  "cuts": [
    {
      "name": "z_1 + z_2",
      "parties": [
        "clinic",
        "lab[1]",
        "lab[2]",
        "lab[3]"
      ],
      "receivers": [
        "server"
      ],
      "sum": true,
      "rho": 1.4142135623730951,
      "rounds": 64000,
      "iterates": 0,
      "draws": 0,
      "elements": 5000,
      "followed": 2048,
      "correlation": null,
      "residual_sd": null,
      "cut_sd": 1.5,
      "directions": 0,
      "span": null,
      "groups": null,
      "columns": null,
      "inversion": null,
      "progress": []
    }
  ],
  "separated": [
    {
      "name": "z",
      "parties": [
        "a",
        "b"
      ],
      "by": "steps",
      "chains": 1,
      "chains_of": 4,
      "directions": 0,
      "dimensions": 13,
      "gap": null,
      "missing": "a reason",
      "groups": []
    }
  ],
  "notes": [
    "A note."
  ]
}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// What was separated is written group by group: with the truth by client, without it by number.
func TestSeparationAsText(t *testing.T) {
	none := posterior.NotApplicable()
	one := Separation{
		Name: "z", Parties: []string{"a", "b"}, By: bySteps, Chains: 4, Of: 4, Directions: 3, Dimensions: 3,
		Gap: 1234,
		Groups: []Share{
			{Party: "a", Directions: 2, Within: 1, Whole: true, Correlation: 0.99991, Round: 0.9999,
				Single: []Single{}, Columns: &ColumnRecovery{All: 2, TwoValued: 1, Found: []string{"sex"}}},
			{Party: "b", Directions: 1, Within: 0.999, Whole: true, Correlation: 0.9998, Round: 0.9997,
				Single: []Single{{"age", 0.9995}}},
		},
	}
	blind := one
	blind.Groups = []Share{{Directions: 2, Within: none, Correlation: none, Round: none,
		Rows: [][]int{{1, 4}}}, {Directions: 1, Within: none, Correlation: none, Round: none}}
	var b strings.Builder
	separationText(&b, []Separation{one}, true)
	separationText(&b, []Separation{blind}, false)
	for _, want := range []string{
		"z    a, b  4 of 4 chains  3 of 3      a       2               1.0000          0.9999       0.9999 " +
			"    0               1 of 1",
		"z: sex found exactly, and known to be of a", "z: age of b is a direction, with correlation 0.9995",
		"a factor of 1.2e+03",
		"group 1  2 ", "group 2  1 ", "cannot be compared",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// The forecast is the sd of the mean of the later half of the draws, and the correlation of a number of sd 1
// with itself plus an error of that sd.
func TestExpect(t *testing.T) {
	f := Expect(0.5, 200)
	if math.Abs(f.ResidualSD-0.05) > 1e-15 || math.Abs(f.Correlation-1/math.Sqrt(1.0025)) > 1e-15 ||
		f.Looks != 200 {
		t.Errorf("%+v", f)
	}
	if f := Expect(0, 1); f.ResidualSD != 0 || f.Correlation != 1 {
		t.Errorf("without noise: %+v", f)
	}
}
