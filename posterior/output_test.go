package posterior

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sampleVars() []Variable {
	return []Variable{{Name: "b", Owner: "registry"}, {Name: "slope", Owner: "health", Dims: []int{2, 3}},
		{Name: "hospital[4].beta", Owner: "hospital[4]", Dims: []int{2}}}
}

func TestNames(t *testing.T) {
	var got []string
	for _, c := range Columns(sampleVars()) {
		got = append(got, c.Name)
	}
	want := []string{"b", "slope[1,1]", "slope[2,1]", "slope[1,2]", "slope[2,2]", "slope[1,3]", "slope[2,3]",
		"hospital[4].beta[1]", "hospital[4].beta[2]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStanNamesHoldNoIndexInTheBase(t *testing.T) {
	got := stanNames([]Variable{{Name: "lab[2].beta", Dims: []int{2}}, {Name: "lab_2_beta"},
		{Name: "h.W1", Dims: []int{1, 2}}})
	want := []string{"lab_2_beta.1", "lab_2_beta.2", "lab_2_beta_", "h_W1.1.1", "h_W1.1.2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every number of a Stan CSV file reads back bit for bit, in its own column, and the comments are those that
// readers need.
func TestStanCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDraws(sampleVars(), 1, 4)
		draws := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64(), 9, 9), 0, 4).Draw(t, "draws")
		for _, draw := range draws {
			d.Append(0, draw)
		}
		var b bytes.Buffer
		if err := WriteStanCSV(&b, d, 0, CSVInfo{Model: "m", Backend: "sfvi", Iterations: 7,
			Seconds: 1}); err != nil {
			t.Fatal(err)
		}
		header, rows := readCSV(b.String())
		if len(header) != 11 || header[3] != "slope.1.1" || header[4] != "slope.2.1" {
			t.Fatalf("header %v", header)
		}
		if len(rows) != len(draws) {
			t.Fatalf("%d rows, want %d", len(rows), len(draws))
		}
		for i, row := range rows {
			if diff := cmp.Diff(draws[i], row[2:]); diff != "" {
				t.Fatal(diff)
			}
		}
		for _, want := range []string{"# model = m\n", "method = sample (Default)\n",
			"num_samples = " + strconv.Itoa(len(draws)), "num_warmup = 7\n", "save_warmup = 0", "thin = 1",
			"algorithm = fixed_param"} {
			if !strings.Contains(b.String(), want) {
				t.Fatalf("no %q in the comments", want)
			}
		}
		if !strings.HasSuffix(b.String(), "\n# \n") {
			t.Fatal("the file must end with a bare #")
		}
	})
}

// Values, transitions and variables that are written are read back.
func TestReadStanCSV(t *testing.T) {
	for _, hmc := range []bool{false, true} {
		d := NewDraws(sampleVars(), 2, 3)
		for c := range 2 {
			for i := range 3 {
				row := make([]float64, 9)
				for k := range row {
					row[k] = float64(100*c+10*i+k) / 3
				}
				d.Append(c, row)
				if hmc {
					d.AppendTransition(c, Transition{LP: -1.5, Accept: 0.8, StepSize: 0.25, TreeDepth: 3,
						Leapfrogs: 7, Divergent: i == 1, Energy: 9.25})
				}
			}
		}
		var files []*StanFile
		for c := range 2 {
			var b bytes.Buffer
			if err := WriteStanCSV(&b, d, c, CSVInfo{Model: "m", Backend: "nuts", Iterations: 10, Seconds: 1,
				StepSize: 0.25, MaxDepth: 10}); err != nil {
				t.Fatal(err)
			}
			f, err := ReadStanCSV(&b)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		got, err := Gather(files, sampleVars())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, got, cmp.AllowUnexported(Draws{})); diff != "" {
			t.Error(diff)
		}
		plain, err := Gather(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := []Variable{{Name: "b"}, {Name: "slope", Dims: []int{2, 3}},
			{Name: "hospital_4_beta", Dims: []int{2}}}
		if diff := cmp.Diff(want, plain.Vars); diff != "" {
			t.Error(diff)
		}
	}
}

func TestReadStanCSVRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "no header",
		"a,b\n1,2\n":            "no lp__",
		"# c\nlp__,a\n0,1\n0\n": "line 4: 1 numbers for 2 columns",
		"lp__,a\n0,x\n":         `line 2: column a: "x" is not a number`,
		"lp__,a,a\n0,1,2\n":     `"a" twice`,
	} {
		if _, err := ReadStanCSV(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want …%s…", text, err, want)
		}
	}
	read := func(text string) *StanFile {
		f, err := ReadStanCSV(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	one := read("lp__,a\n0,1\n0,2\n")
	for text, want := range map[string]string{
		"lp__,b\n0,1\n0,2\n": "chain 2: its columns",
		"lp__,a\n0,1\n":      "chain 2 has 1 draws",
		"# method = variational\nlp__,a\n0,1\n0,2\n": "another kind of sampler",
	} {
		if _, err := Gather([]*StanFile{one, read(text)}, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want …%s…", text, err, want)
		}
	}
}

// Variables is the inverse of Columns.
func TestVariablesOfColumns(t *testing.T) {
	vars := append(sampleVars(), Variable{Name: "lab[2].b", Owner: "lab[2]"},
		Variable{Name: "lab[3].b", Owner: "lab[3]"}, Variable{Name: "h.W1", Owner: "h", Dims: []int{1, 2}})
	if diff := cmp.Diff(vars, Variables(Columns(vars))); diff != "" {
		t.Error(diff)
	}
}

func readCSV(text string) (header []string, rows [][]float64) {
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		switch {
		case strings.HasPrefix(line, "#"):
		case header == nil:
			header = cells
		default:
			row := make([]float64, len(cells))
			for k, c := range cells {
				row[k], _ = strconv.ParseFloat(c, 64)
			}
			rows = append(rows, row)
		}
	}
	return header, rows
}

func filled(chains [][]float64) *Draws {
	d := NewDraws([]Variable{{Name: "x", Owner: "lab"}}, len(chains), len(chains[0]))
	for c, chain := range chains {
		for _, v := range chain {
			d.Append(c, []float64{v})
		}
	}
	return d
}

func TestSummariseChains(t *testing.T) {
	g := goldens()[0]
	r := SummariseChains(filled(g.chains))[0]
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"mean", float64(r.Mean), g.mean}, {"sd", float64(r.SD), g.sd}, {"mcse", float64(r.MCSE), g.mcseMean},
		{"q5", float64(r.Q5), g.q5},
		{"q95", float64(r.Q95), g.q95}, {"ess_bulk", float64(r.ESSBulk), g.bulk},
		{"ess_tail", float64(r.ESSTail), g.tail}, {"rhat", float64(r.RHat), g.rhat},
	} {
		near(t, c.what, c.got, c.want, 1e-6)
	}
}

func TestSummariseIndependentHasNoChainDiagnostics(t *testing.T) {
	g := goldens()[0]
	r := SummariseIndependent(filled(g.chains))[0]
	near(t, "mcse", float64(r.MCSE), g.sd/math.Sqrt(2000), 1e-11)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(text), `"ess_bulk":null,"ess_tail":null,"rhat":null}`) {
		t.Errorf("JSON of independent draws: %s", text)
	}
}

// Scripts rely on these keys.
func TestDocumentKeys(t *testing.T) {
	text, err := json.Marshal(SummaryDocument{Schema: Schema, Parameters: []SummaryRow{},
		Diagnostics: Diagnostics{Khat: NotApplicable()}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"model":"","backend":"","transform":"","rho":null,"seed":0,"parameters":[],` +
		`"diagnostics":{"divergences":null,"max_depth_hits":null,"ebfmi":null,"khat":null,"converged":null,"messages":null},` +
		`"elbo":{"value":0,"se":0},"timing":{"load_s":0,"warmup_s":0,"sampling_s":0,"total_s":0},` +
		`"work":{"gradients":0,"iterations":0,"rounds":0,"sequential_rounds":0,"bytes":0}}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
}

func TestLimited(t *testing.T) {
	for _, c := range []struct {
		v, se float64
		want  string
	}{
		{0.471234, 0.0056, "0.471"}, {0.471234, 0.056, "0.47"}, {123456.7, 5, "123457"},
		{-0.00001234, 0.0001, "-0.0000"},
		{1.23456e-9, 1e-11, "1.23e-09"}, {0, 1e-11, "0e+00"}, {2, 0, "2"}, {math.NaN(), 1, "-"},
		{1.5, math.NaN(), "1.5"}, {math.Inf(1), 1, "+Inf"},
	} {
		if got := Limited(c.v, c.se); got != c.want {
			t.Errorf("Limited(%g, %g) = %s, want %s", c.v, c.se, got, c.want)
		}
	}
}

func TestTableLeavesOutWhatDoesNotApply(t *testing.T) {
	chains := goldens()[0].chains
	var with, without bytes.Buffer
	if err := WriteTable(&with, SummariseChains(filled(chains))); err != nil {
		t.Fatal(err)
	}
	if err := WriteTable(&without, SummariseIndependent(filled(chains))); err != nil {
		t.Fatal(err)
	}
	want := "parameter  owner  mean   mcse    sd     5%   50%   95%  ess_bulk  ess_tail  r_hat\n" +
		"x          lab    0.03  0.028  0.63  -1.04  0.04  1.06       498       857  1.005\n"
	if diff := cmp.Diff(want, with.String()); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(without.String(), "r_hat") || strings.Contains(without.String(), "ess") {
		t.Errorf("table of independent draws:\n%s", without.String())
	}
}

func TestELBOTrace(t *testing.T) {
	var b bytes.Buffer
	if err := WriteELBO(&b, []ELBOPoint{{0, -300.5, 2}, {100, -203.125, 0.5}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("iteration,elbo,se\n0,-300.5,2\n100,-203.125,0.5\n", b.String()); diff != "" {
		t.Error(diff)
	}
}

// A name with a comma is quoted, so that the table has as many columns everywhere.
func TestPlainCSV(t *testing.T) {
	d := NewDraws([]Variable{{Name: "s", Dims: []int{1, 1}}}, 2, 1)
	d.Append(0, []float64{0.1})
	d.Append(1, []float64{2})
	d.AppendTransition(0, Transition{LP: -1, Divergent: true})
	d.AppendTransition(1, Transition{LP: -2})
	var b bytes.Buffer
	if err := WriteCSV(&b, d); err != nil {
		t.Fatal(err)
	}
	want := "chain,draw,lp,diverging,\"s[1,1]\"\n1,1,-1,true,0.1\n2,1,-2,false,2\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// A file that no reader takes is not written.
func TestColumnsWithoutAName(t *testing.T) {
	var b bytes.Buffer
	d := NewDraws([]Variable{{Name: "a"}, {}}, 1, 0)
	if err := WriteStanCSV(&b, d, 0, CSVInfo{Model: "m", Backend: "nuts"}); err == nil || b.Len() > 0 {
		t.Errorf("a column without a name is written: %v", err)
	}
}
