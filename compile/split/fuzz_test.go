package split_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/compiletest"
)

func TestMain(m *testing.M) { brief.Run(m) }

func seeds(f *testing.F) {
	for _, page := range diag.Pages {
		f.Add(page.Wrong)
		f.Add(page.Right)
	}
	paths, _ := filepath.Glob("testdata/programs/*.txtar")
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(string(file.Data))
		}
	}
	examples, _ := filepath.Glob("../../examples/*.vfl")
	for _, path := range examples {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(string(b))
		}
	}
}

// FuzzModel: no text makes the compiler panic, and every pass verifies its result; what it accepts, the
// loader accepts too, party by party.
func FuzzModel(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range stdlib.Transforms() {
			compiletest.Try(t, source.New("model.vfl", text), check.Options{Transform: kind})
		}
	})
}

// FuzzLoad: no program from a stranger makes the loader panic, and one that it accepts sends, receives,
// shares and evaluates to a power exactly what the manifest lists for its party, with the same names, shapes,
// peers, noise and exponents.
func FuzzLoad(f *testing.F) {
	seeds(f)
	var manifests []*split.Manifest
	for _, m := range []struct {
		text string
		kind def.Transform
	}{{oneClient, stdlib.Augmented}, {twoHospitals, stdlib.Augmented},
		{twoHospitals, stdlib.Power}, {twoHospitals, stdlib.Exact}} {
		compiled := compiletest.Compile(f, m.text, check.Options{Transform: m.kind})
		manifests = append(manifests, compiled.Manifest)
		for _, p := range compiled.Programs {
			f.Add(p.Text)
			f.Add(p.Text + "receive mu : real[N] from registry\n")
			f.Add(strings.Replace(p.Text, "^ (1/2)", "^ (100)", 1))
			f.Add(strings.Replace(p.Text, "beta_a to registry",
				"beta_a to registry\nsend z_9 = XA[:, 1] + 0 * beta_a[1] to registry", 1))
		}
	}
	universe := stdlib.New()
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range manifests {
			for _, party := range m.Parties {
				program, diags := split.Examine(m, party.Name, party.Program, text, universe)
				if diags.HasErrors() {
					continue
				}
				if diff := cmp.Diff(listed(m, party.Name), held(program)); diff != "" {
					t.Errorf("accepted as %s under %s, though (-manifest +program)\n%s\n%s", party.Name,
						m.Transform, diff, text)
				}
			}
		}
	})
}

// listed is what the manifest lists of a party, line by line.
func listed(m *split.Manifest, party string) []string {
	out := []string{}
	add := func(words ...any) { out = append(out, fmt.Sprintln(words...)) }
	for _, c := range m.Cuts {
		switch party {
		case c.Client:
			if c.Rho != "" {
				add("aux", c.Name, c.Shape, c.Rho)
			} else {
				add("bare", c.Name)
			}
			add("send", c.Name, c.Shape, m.Server)
		case m.Server:
			add("receive", c.Name, c.Shape, c.Client)
		}
	}
	down := func(name string, shape []string, to string) {
		switch party {
		case to:
			add("receive", name, shape, m.Server)
		case m.Server:
			add("send", name, shape, to)
		}
	}
	for _, s := range m.Shared {
		for _, to := range s.To {
			down(s.Name, s.Shape, to)
		}
	}
	for _, s := range m.Sums {
		down(s.Name, s.Shape, s.To)
	}
	for _, p := range m.Powers {
		if p.Party == party {
			add("power", p.Response, p.Distribution, p.Exponent)
		}
	}
	slices.Sort(out)
	return out
}

// held is what a program sends, receives and evaluates, in the words of listed.
func held(p *check.Program) []string {
	out := []string{}
	add := func(words ...any) { out = append(out, fmt.Sprintln(words...)) }
	for _, stmt := range p.File.Stmts {
		switch s := stmt.(type) {
		case *ast.Aux:
			rho, _ := p.ConstValue(p.Symbols[s.Name.Name].Args[1])
			add("aux", s.Name.Name, p.Symbols[s.Name.Name].Type.Shape(),
				strconv.FormatFloat(rho, 'g', -1, 64))
		case *ast.Receive:
			add("receive", s.Name.Name, p.Symbols[s.Name.Name].Type.Shape(), s.From.Name)
		case *ast.Send:
			shape := []string(nil)
			ast.Walk(s, func(n ast.Node) bool {
				if x, ok := n.(*ast.Name); ok && p.Symbols[x.Name] != nil &&
					p.Symbols[x.Name].Kind == check.Receive {
					shape = p.Symbols[x.Name].Type.Shape()
				}
				return true
			})
			if named := p.Symbols[s.Name.Name]; named != nil {
				shape = named.Type.Shape()
				if named.Kind == check.Cut {
					add("bare", s.Name.Name)
				}
			}
			for _, to := range s.To {
				add("send", s.Name.Name, shape, to.Name)
			}
		case *ast.Likelihood:
			if s.Power != nil {
				add("power", format.Expr(s.Left), s.Dist.Name.Name, format.Expr(s.Power))
			}
		}
	}
	slices.Sort(out)
	return out
}
