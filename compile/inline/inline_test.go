package inline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/diagtest"
)

func run(f *source.File) diag.List {
	_, diags := compile.Compile(f, check.Options{})
	return diags
}

func TestPages(t *testing.T) { diagtest.Pages(t, "V080", run) }

// TestGoldens also holds that the goldens show every code of this phase.
func TestGoldens(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/*.txtar", run)
	for _, page := range diag.Pages {
		if strings.HasPrefix(string(page.Code), "V080") && !covered[page.Code] {
			t.Errorf("no golden shows %s, %s", page.Code, page.Title)
		}
	}
}

// expanded returns the statements of a model with its calls written out.
func expanded(t *testing.T, text string, files map[string]string) string {
	t.Helper()
	m, diags := compile.Compile(source.New("model.vfl", text), check.Options{Import: reader(files)})
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", diags.Shown()[0].Message, text)
	}
	if err := m.Verify(); err != nil {
		t.Fatal(err)
	}
	return format.Format(&ast.File{Stmts: m.Checked.File.Stmts})
}

func reader(files map[string]string) func(string) (string, error) {
	return func(path string) (string, error) {
		if text, ok := files[path]; ok {
			return text, nil
		}
		return "", errors.New("there is no such file")
	}
}

// TestExpanded compares models with what they are written out to: two texts, the second without functions.
func TestExpanded(t *testing.T) {
	files := map[string]string{
		"mine.vfl":      "import \"./more/deep.vfl\"\nconst two = 2\nfn twice(x) = two * deep.same(x)\n",
		"more/deep.vfl": "fn same(x) = x",
	}
	for name, c := range map[string]struct{ model, want string }{
		"an expression": {"fn f(x, y) = x - y\nparam b ~ normal(0, " +
			"1)\nlet a = 2 * f(b, b + 1)", "param b ~ normal(0, 1)\nlet a = 2 * (b - (b + 1))\n"},
		"in a prior and a likelihood": {"fn f(x) = x^2\nparam b ~ normal(f(2), f(3))\ndata y : " +
			"real\ny ~ normal(f(b), 1)", "param b ~ normal(2^2, 3^2)\ndata y : real\ny ~ normal(b^2, 1)\n"},
		"a const of the model": {"const k = 3\nfn f(x) = k * x\nparam b ~ normal(f(1), 1)",
			"const k = 3\nparam b ~ normal(k * 1, 1)\n"},
		"lets under the name of the let": {"fn f(x) {\n let a = x + 1\n return a * a }\nparam b ~ " +
			"normal(0, 1)\nlet h = f(b)", "param b ~ normal(0, 1)\nlet h.a = b + 1\nlet h   = h.a * h.a\n"},
		"lets written out elsewhere": {"fn f(x) {\n let a = x + 1\n return a * a " +
			"}\nparam b ~ normal(f(2), 1)", "param b ~ normal((2 + 1) * (2 + 1), 1)\n"},
		"an argument that is used twice": {"fn f(x) {\n let a = x + x\n return a * a }\nparam b ~ " +
			"normal(0, 1)\nlet h = f(exp(b))",
			"param b ~ normal(0, 1)\nlet h.x = exp(b)\nlet h.a = h.x + h.x\nlet h   = h.a * h.a\n"},
		"a variable that the caller has": {"fn f(x) = sum(k * x for k in 1..2)\nparam k ~ " +
			"normal(0, 1)\nlet a = f(k)", "param k ~ normal(0, 1)\nlet a = sum(k_ * k for k_ in 1..2)\n"},
		"a function in a function": {"fn g(x) = x + 1\nfn f(x) = 2 * g(x)\nparam b ~ normal(f(0), 1)",
			"param b ~ normal(2 * (0 + 1), 1)\n"},
		"modules": {"import \"./mine.vfl\"\nparam b ~ normal(mine.twice(1), 1)",
			"param b ~ normal(2 * 1, 1)\n"},
		"a component": {"fn d(X, n) {\n param W : real[size(X, 2), n] ~ normal(0, " +
			"1)\n return X * W }\ndata X : real[N, P]\nlet h = d(X, 3)",
			"data X : real[N, P]\nparam h.W : real[P, 3] ~ normal(0, 1)\nlet h = X * h.W\n"},
		"the owner of the arguments": {"client a\nfn d(X) {\n param w : real[size(X, 2)] ~ normal(0, " +
			"1)\n return X * w + X[:, 1] }\ndata X : real[N, P] @ a\nlet h = d(2 * X)",
			"client a\ndata X : real[N, P] @ a\nlet h.X = 2 * X @ a\nparam h.w : real[P] ~ normal(0, 1) @ " +
				"a\nlet h = h.X * h.w + h.X[:, 1]\n"},
		"the owner of the let": {"client a\nfn d(n) {\n param w : real[n] ~ normal(0, 1)\n " +
			"return w }\nlet h = d(3) @ a",
			"client a\nparam h.w : real[3] ~ normal(0, 1) @ a\nlet h = h.w @ a\n"},
		"a component inside a component": {"fn d(n) {\n param w : real[n] ~ normal(0, 1)\n return w " +
			"}\nfn e(n) {\n let u = d(n)\n param v ~ normal(0, 1)\n return v * u }\nlet h = e(2)",
			"param h.u.w : real[2] ~ normal(0, 1)\nlet h.u = h.u.w\nparam h.v ~ normal(0, " +
				"1)\nlet h = h.v * h.u\n"},
		"by the length of an array": {"fn f(x, [a]) = x + a\nfn f(x, [a, b]) = x * a + b\nfn g(x, " +
			"s) = f(x, s)\nparam b ~ normal(g(1, [2, 3]), f(1, [4]))",
			"param b ~ normal(1 * 2 + 3, 1 + 4)\n"},
		"a component in an expression": {"fn d(n) {\n param w : real[n] ~ normal(0, 1)\n " +
			"return w }\nlet h = 2 * d(3)", "param h.w : real[3] ~ normal(0, 1)\nlet h = 2 * h.w\n"},
		"sizes of expressions in a vector": {"data X : real[N, P]\nparam b : real[size(X, 2)] ~ normal(0, " +
			"1)\nlet m = X * b\nlet n = size(m) + size(X, 1)",
			"data X : real[N, P]\nparam b : real[P] ~ normal(0, 1)\nlet m = X * b\nlet n = N + N\n"},
	} {
		if got := expanded(t, c.model, files); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, got, c.want)
		}
	}
}

// TestModules checks what is refused of files beside the model, and that the modules of a model are listed.
func TestModules(t *testing.T) {
	many := map[string]string{}
	for i := range 70 {
		many[fmt.Sprintf("m%d.vfl", i)] = fmt.Sprintf("import \"./m%d.vfl\"\nfn f(x) = x", i+1)
	}
	for name, c := range map[string]struct {
		path  string
		files map[string]string
		want  string
	}{
		"outside":          {"../m.vfl", nil, "not a file beside the model"},
		"outside, winding": {"a/../../m.vfl", nil, "not a file beside the model"},
		"absolute":         {"/etc/m.vfl", nil, "not a file beside the model"},
		"of a drive":       {"C:/m.vfl", nil, "not a file beside the model"},
		"another ending":   {"m.stan", nil, "a name and .vfl"},
		"not a name":       {"my priors.vfl", nil, "a name and .vfl"},
		"absent":           {"m.vfl", nil, "m.vfl cannot be read: there is no such file"},
		"a circle": {"m.vfl", map[string]string{"m.vfl": "import \"./n.vfl\"",
			"n.vfl": "import \"./m.vfl\""}, "m.vfl imports itself, through n.vfl"},
		"of itself": {"m.vfl", map[string]string{"m.vfl": "import \"./m.vfl\""},
			"m.vfl imports itself"},
		"too many": {"m0.vfl", many, "at most 64 modules"},
		"a declaration": {"m.vfl", map[string]string{"m.vfl": "param b ~ normal(0, 1)"},
			"a module holds functions"},
		"an error inside": {"m.vfl", map[string]string{"m.vfl": "fn f(x) = x +"}, "expected an expression"},
		"a name inside":   {"m.vfl", map[string]string{"m.vfl": "fn f(x) = x + y"}, "y is neither"},
	} {
		_, diags := compile.Compile(source.New("dir/model.vfl",
			fmt.Sprintf("import %q\nparam b ~ normal(0, 1)", c.path)), check.Options{Import: reader(c.files)})
		if !diags.HasErrors() || !strings.Contains(diags.Shown()[0].Message, c.want) {
			t.Errorf("%s: %v, want %q", name, diags, c.want)
		}
	}
	files := map[string]string{"p/m.vfl": "import nn\nfn f(X) {\n let h = nn.linear(X)\n return h }"}
	m, diags := compile.Compile(source.New("dir/model.vfl",
		"import \"./p/m.vfl\"\ndata X : real[N, P]\nlet z = m.f(X)"), check.Options{Import: reader(files)})
	if diags.HasErrors() {
		t.Fatal(diags.Shown()[0].Message)
	}
	if got := m.Modules(); len(got) != 2 || got[0].Path != "p/m.vfl" || got[1].Name != "nn" ||
		m.Checked.Symbols["z.h.w"] == nil {
		t.Errorf("modules %v, symbols %v", got, m.Checked.Symbols)
	}
}

// TestStandardModules calls every function of the standard library's modules, and checks that the model has a
// density.
func TestStandardModules(t *testing.T) {
	u := stdlib.New()
	for _, name := range u.Modules() {
		text, _ := u.Module(name)
		if expanded(t, text+"\nparam b ~ normal(0, 1)", nil) == "" {
			t.Errorf("%s is empty", name)
		}
	}
	for _, call := range []string{
		"nn.dense(X, 3)", "nn.linear(X)", "nn.mlp(X, [2])", "nn.mlp(X, [4, 2])", "nn.mlp(X, [4, 3, 2])",
		"nn.mlp(X, [4, 3, 2, 2])", "nn.mlp(X, [4, 3, 2, 2, 1])",
		"glm.intercept()", "glm.coefficients(P)", "glm.coefficients(P, 1)", "glm.residual_sd()",
		"glm.varying(P)", "glm.varying(P, 2)", "glm.horseshoe(P, 0.1)",
		"glm.horseshoe(P, 0.1, 2, 4)", "glm.r2d2(P, 0.5, 2, 0.5, 1)",
	} {
		expanded(t, "import nn\nimport glm\nclient a\ndata X : real[N, P] @ a\nlet h = "+call+
			" @ a\ngenerate s = h", nil)
	}
}
