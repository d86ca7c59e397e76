package policy

import (
	"go/ast"
	"go/token"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit"
)

// What crosses is declared where it is sent: messages of an algorithm in its own folder, and nothing
// elsewhere asks for them by name or repeats their words. What every algorithm may carry is declared in
// density, and what the methods of an Env exchange in runtime/session.
func TestMessagesAreDeclaredWhereTheyAreSent(t *testing.T) {
	words := declaredWords(t)
	for dir, u := range units(t) {
		home := below(dir, "backends") || dir == "density" || dir == "runtime/session" ||
			dir == "runtime/encrypted/protocol" || below(dir, "tests")
		for _, f := range u.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CompositeLit); ok && !home {
					if s, ok := c.Type.(*ast.SelectorExpr); ok &&
						slices.Contains([]string{"Content", "Exchange", "MessageKind", "Carried"},
							s.Sel.Name) && named(s.X, "density") {
						t.Errorf("%s: a message is declared outside the folder of what sends it", u.at(n))
					}
				}
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				if s, err := strconv.Unquote(lit.Value); err == nil && words[s] != "" &&
					!below(dir, words[s]) {
					t.Errorf("%s: %q stands in the declaration of a message of %s: read it there", u.at(n), s,
						words[s])
				}
				return true
			})
		}
	}
}

func named(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// declaredWords are the texts of the contents of all round trips that the algorithms may make, and by which a
// message is told from others where they are of two words or more, each with the folder of the algorithm that
// declares it.
func declaredWords(t *testing.T) map[string]string {
	t.Helper()
	words := map[string]string{}
	for _, a := range fit.Backends() {
		folder := folderOf(a)
		for _, transform := range a.Transforms {
			s, err := a.Resolve(transform, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, use := range a.Exchanges(s) {
				for _, m := range []density.MessageKind{use.Exchange.Up, use.Exchange.Down} {
					for _, text := range textsOf(m) {
						words[text] = folder
					}
				}
			}
		}
	}
	if len(words) < 20 {
		t.Fatalf("only %d texts are declared", len(words))
	}
	return words
}

// folderOf is the folder of the function that makes an algorithm's kernels, which need not have the
// algorithm's name.
func folderOf(a backends.Algorithm) string {
	name := runtime.FuncForPC(reflect.ValueOf(a.New).Pointer()).Name() // module/folder.function
	dir, function := path.Split(strings.TrimPrefix(name, module+"/"))
	pkg, _, _ := strings.Cut(function, ".")
	return dir + pkg
}

func textsOf(m density.MessageKind) (out []string) {
	if strings.Contains(m.Name, " ") {
		out = append(out, m.Name)
	}
	for _, c := range m.Carries {
		if c.Content != density.Scalars && c.Content != density.Answers && c.Content != density.Auxiliary &&
			c.Content != density.BareCut {
			out = append(out, c.Content.What, c.Content.Learns)
		}
	}
	return out
}
