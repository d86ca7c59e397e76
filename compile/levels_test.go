package compile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/tests/compiletest"
)

// Two columns of one size have one coding, which a parameter of that size can be indexed by.
func TestColumnsOfOneSizeHaveOneCoding(t *testing.T) {
	b := compiletest.Fixture{
		Text: `data t1 : level(T)[N]
data t2 : level(T)[N]
data y : real[N]
param skill : real[T] ~ normal(0, 1)
y ~ normal(skill[t1] - skill[t2], 1)
`,
		Tables: map[string]string{"server": "t1,t2,y\nA,B,1\nB,C,2\nC,D,3\n"},
	}.Bind(t, check.Options{})
	if n := b.Sizes.Common["T"]; n != 4 {
		t.Errorf("T is %d, want 4: A, B, C, D", n)
	}
	values := b.Values["server"]
	if !slices.Equal(values["t1"].Values, []float64{1, 2, 3}) ||
		!slices.Equal(values["t2"].Values, []float64{2, 3, 4}) {
		t.Errorf("codes %v and %v", values["t1"].Values, values["t2"].Values)
	}
}

const twoWards = `client a, b
levels W = "east", "north", "west"
data y : real[N]
data ga : level(W)[N] @ a
data gb : level(W)[N] @ b
param ua : real[W] ~ normal(0, 1) @ a
param ub : real[W] ~ normal(0, 1) @ b
y ~ normal(ua[ga] + ub[gb], 1)
`

// A list in the model codes the words of several parties, and stands in the program of each.
func TestListedLevelsCodeEveryParty(t *testing.T) {
	b := compiletest.Fixture{Text: twoWards, Tables: map[string]string{
		"server": "id,y\n1,1\n2,2\n", "a": "id,ga\n1,east\n2,north\n", "b": "id,gb\n1,west\n2,north\n",
	}}.Bind(t, check.Options{})
	if n := b.Sizes.Common["W"]; n != 3 {
		t.Errorf("W is %d, want 3", n)
	}
	if ga, gb := b.Values["a"]["ga"].Values, b.Values["b"]["gb"].Values; !slices.Equal(ga, []float64{1, 2}) ||
		!slices.Equal(gb, []float64{3, 2}) {
		t.Errorf("codes %v and %v", ga, gb)
	}
	for _, p := range b.Programs {
		if p.Party != "server" && !strings.Contains(p.Text, `levels W = "east", "north", "west"`) {
			t.Errorf("the program of %s lacks the list:\n%s", p.Party, p.Text)
		}
	}
}

// Without a list the words of several parties are refused, also where they agree, and the message names no
// category.
func TestWordsOfSeveralPartiesNeedACoding(t *testing.T) {
	text := strings.Replace(twoWards, "levels W = \"east\", \"north\", \"west\"\n", "", 1)
	d := compiletest.Fixture{Text: text, Tables: map[string]string{
		"server": "id,y\n1,1\n2,2\n", "a": "id,ga\n1,east\n2,north\n", "b": "id,gb\n1,east\n2,north\n",
	}}.Refused(t)
	if d.Code != "V0526" || strings.Contains(d.Message, "east") || strings.Contains(d.Message, "north") {
		t.Errorf("%s %s", d.Code, d.Message)
	}
}

// Largest codes that differ between parties set no size; a number or a list does.
func TestLargestCodesAgreeOrAreGiven(t *testing.T) {
	text := strings.Replace(twoWards, "levels W = \"east\", \"north\", \"west\"\n", "", 1)
	tables := map[string]string{"server": "id,y\n1,1\n2,2\n", "a": "id,ga\n1,1\n2,2\n",
		"b": "id,gb\n1,3\n2,2\n"}
	if d := (compiletest.Fixture{Text: text, Tables: tables}).Refused(t); d.Code != "V0566" {
		t.Errorf("%s %s", d.Code, d.Message)
	}
	compiletest.Fixture{Text: strings.NewReplacer("(W)", "(3)", "[W]", "[3]").Replace(text),
		Tables: tables}.Bind(t, check.Options{})
	compiletest.Fixture{Text: twoWards, Tables: tables}.Bind(t, check.Options{})
}

// A size that only a family uses has a coding and a value per member.
func TestMembersHaveCodingsOfTheirOwn(t *testing.T) {
	b := compiletest.Fixture{
		Text: `client lab[J]
data y : real[N]
data g : level(R)[N] @ lab
param u : real[R] ~ normal(0, 1) @ lab
let e = u[g] @ lab
y ~ normal(sum(e[j] for j in lab), 1)
`,
		Tables: map[string]string{"server": "id,y\n1,1\n2,2\n3,1\n", "lab/1": "id,g\n1,x\n2,z\n3,x\n",
			"lab/2": "id,g\n1,z\n2,x\n3,y\n"},
		Family: map[string]int{"lab": 2},
	}.Bind(t, check.Options{})
	if one, two := b.Sizes.Own["lab[1]"]["R"], b.Sizes.Own["lab[2]"]["R"]; one != 2 || two != 3 {
		t.Errorf("R is %d and %d, want 2 and 3", one, two)
	}
	if g := b.Values["lab[2]"]["g"].Values; !slices.Equal(g, []float64{3, 1, 2}) {
		t.Errorf("codes %v", g)
	}
}
