package policy

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/constant"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "round products that are added, in the sources")

// A built package is one that the command is made of, as go list describes it.
type built struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// builtPackages lists all packages that the command is made of, with the files of their types.
func builtPackages(t *testing.T) []built {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles", "./cmd/vflc")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []built
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var b built
		if err := d.Decode(&b); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
}

// A compiler may join a product and a sum to one instruction with one rounding, and does so on some
// processors. Products that are added are therefore written float64(a*b), or math.FMA where one rounding is
// meant, in all packages that the command is made of: its results are the same on every processor. This test
// sees what stands in one expression; tests/processors sees the instructions too, of functions that are
// inlined, say. With -update the products are rounded in the sources.
func TestProductsThatAreAddedAreRounded(t *testing.T) {
	all := builtPackages(t)
	exports := map[string]string{}
	for _, b := range all {
		exports[b.ImportPath] = b.Export
	}
	fset := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(fset, "gc",
		func(path string) (io.ReadCloser, error) {
			return os.Open(exports[path])
		})}
	for _, b := range all {
		if !strings.HasPrefix(b.ImportPath, module+"/") {
			continue
		}
		var files []*ast.File
		for _, name := range b.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(b.Dir, name), nil,
				parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		if _, err := config.Check(b.ImportPath, fset, files, info); err != nil {
			t.Fatal(err)
		}
		for name, used := range info.Uses {
			if dependsOnProcessor(used) {
				t.Errorf("%s: %s.%s has other digits on other processors; package portable has it for all",
					fset.Position(name.Pos()), used.Pkg().Name(), name.Name)
			}
		}
		for _, f := range files {
			if found := added(f, info); len(found) > 0 {
				unrounded(t, fset, found)
			}
		}
	}
}

// exact lists the functions of package math whose result IEEE 754, or their description, leaves no choice of.
var exact = []string{"Abs", "Ceil", "Copysign", "FMA", "Float32bits", "Float32frombits", "Float64bits",
	"Float64frombits", "Floor", "Frexp", "Inf", "IsInf", "IsNaN", "Ldexp", "Max", "Min", "Mod", "Modf",
	"NaN", "Nextafter", "Remainder", "Round", "RoundToEven", "Signbit", "Sqrt", "Trunc"}

// dependsOnProcessor reports whether an object is a function whose digits depend on the processor.
func dependsOnProcessor(used types.Object) bool {
	if _, ok := used.(*types.Func); !ok || used.Pkg() == nil {
		return false
	}
	switch used.Pkg().Path() {
	case "math":
		return !slices.Contains(exact, used.Name())
	case "math/rand", "math/rand/v2":
		return used.Name() == "NormFloat64" || used.Name() == "ExpFloat64"
	}
	return false
}

// A product is a multiplication and the name of its type.
type product struct {
	ast.Expr
	typ string
}

// halves reports whether a division by a constant is compiled as a product: by a power of two.
func halves(divisor constant.Value) bool {
	if divisor == nil {
		return false
	}
	x, _ := constant.Float64Val(constant.ToFloat(divisor))
	fraction, _ := math.Frexp(math.Abs(x))
	return fraction == 0.5
}

// added lists the products of a file that are operands of an addition or a subtraction.
func added(f *ast.File, info *types.Info) []product {
	var out []product
	operand := func(e ast.Expr) {
		for {
			switch v := e.(type) {
			case *ast.ParenExpr:
				e = v.X
				continue
			case *ast.UnaryExpr:
				if v.Op == token.SUB {
					e = v.X
					continue
				}
			case *ast.BinaryExpr:
				tv := info.Types[e]
				basic, ok := tv.Type.Underlying().(*types.Basic)
				if (v.Op == token.MUL || v.Op == token.QUO && halves(info.Types[v.Y].Value)) &&
					tv.Value == nil && ok && basic.Info()&types.IsFloat != 0 {
					name := "float64"
					if basic.Kind() == types.Float32 {
						name = "float32"
					}
					if named, ok := tv.Type.(*types.Named); ok {
						name = named.Obj().Name()
					}
					out = append(out, product{e, name})
				}
			}
			return
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch v := n.(type) {
		case *ast.BinaryExpr:
			if v.Op == token.ADD || v.Op == token.SUB {
				operand(v.X)
				operand(v.Y)
			}
		case *ast.AssignStmt:
			if v.Tok == token.ADD_ASSIGN || v.Tok == token.SUB_ASSIGN {
				operand(v.Rhs[0])
			}
		}
		return true
	})
	return out
}

// unrounded reports the products of a file, or rounds them.
func unrounded(t *testing.T, fset *token.FileSet, found []product) {
	t.Helper()
	if !*update {
		for _, p := range found {
			t.Errorf("%s: write %s(…) around this product, which is added (go test ./internal/policy "+
				"-update does), or math.FMA", fset.Position(p.Pos()), p.typ)
		}
		return
	}
	name := fset.Position(found[0].Pos()).Filename
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	type insertion struct {
		at   int
		text string
	}
	var all []insertion
	for _, p := range found {
		all = append(all, insertion{fset.Position(p.Pos()).Offset, p.typ + "("},
			insertion{fset.Position(p.End()).Offset, ")"})
	}
	slices.SortStableFunc(all, func(a, b insertion) int { return b.at - a.at })
	for _, i := range all {
		text = slices.Insert(text, i.at, []byte(i.text)...)
	}
	if text, err = format.Source(text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
