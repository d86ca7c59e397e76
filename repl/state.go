package repl

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
)

// A statement is a part of the model's text: one statement with the comments and blanks around it. All parts
// together are the text.
type statement struct {
	Text string `json:"text"`
	key  key
	code string // in the canonical layout, without comments: what decides whether two are the same
}

// A key says what a statement declares: another one with the same key replaces it.
type key struct {
	kind  string   // "name", "server", "client", "transform", "response"; "" for what is never replaced
	names []string // that it declares; of a response, its left side
}

func (k key) replaces(other key) bool {
	if k.kind != other.kind || k.kind == "" {
		return false
	}
	return k.kind == "server" || k.kind == "transform" || slices.ContainsFunc(k.names, func(n string) bool {
		return slices.Contains(other.names, n)
	})
}

// String names what the statement declares.
func (k key) String() string {
	if len(k.names) == 0 {
		return k.kind
	}
	return strings.Join(k.names, ", ")
}

// keyOf returns the key of a statement.
func keyOf(s ast.Stmt) key {
	named := func(i ast.Ident) key { return key{"name", []string{i.Name}} }
	switch s := s.(type) {
	case *ast.Server:
		return key{kind: "server"}
	case *ast.Client:
		k := key{kind: "client"}
		for _, c := range s.Clients {
			k.names = append(k.names, c.Name.Name)
		}
		return k
	case *ast.Data:
		return named(s.Name)
	case *ast.Param:
		return named(s.Name)
	case *ast.Weight:
		return named(s.Name)
	case *ast.Let:
		return named(s.Name)
	case *ast.Const:
		return named(s.Name)
	case *ast.Generate:
		return named(s.Name)
	case *ast.Levels:
		return key{"levels", []string{s.Name.Name}}
	case *ast.Transform:
		return key{kind: "transform"}
	case *ast.Likelihood:
		return key{"response", []string{format.Expr(s.Left)}}
	}
	return key{}
}

// A table is what a party reads.
type table struct {
	Party string `json:"party"`
	Files string `json:"files"` // as they were typed: one, or several with commas
}

// A state is a model with its tables. It is never changed once it is made.
type state struct {
	Path       string      `json:"path"` // of its file; "" for one that was typed
	Statements []statement `json:"statements"`
	Tables     []table     `json:"tables"`
	Key        string      `json:"key"`       // the column on which rows are joined; "": the default
	Intersect  bool        `json:"intersect"` // keep the rows that all tables have

	built *compile.Model // from Statements, without errors; nil for an empty model
	found diag.List      // warnings
}

// unsaved is the name of a model that has no file.
const unsaved = "session.vfl"

func (s *state) name() string {
	if s.Path == "" {
		return unsaved
	}
	return s.Path
}

// modules reads the files that the model imports, from beside it; nil for a model without a file.
func (s *state) modules() func(path string) (string, error) {
	if s.Path == "" {
		return nil
	}
	return safefile.Beside(filepath.Dir(s.Path))
}

// text is the model's text.
func (s *state) text() string {
	var b strings.Builder
	for _, t := range s.Statements {
		b.WriteString(t.Text)
	}
	return b.String()
}

func (s *state) empty() bool { return len(s.Statements) == 0 }

// copied returns a state that may be changed until it is in use.
func (s *state) copied() *state {
	out := *s
	out.Statements, out.Tables = slices.Clone(s.Statements), slices.Clone(s.Tables)
	return &out
}

// statementsOf divides a text into its statements, between line ends where it can.
func statementsOf(file *ast.File) []statement {
	var out []statement
	text, from := file.Source.Text, 0
	for i, s := range file.Stmts {
		to := len(text)
		if i+1 < len(file.Stmts) {
			to = boundary(text, s.Span().End, file.Stmts[i+1].Span().Start)
		}
		out = append(out, statement{Text: text[from:to], key: keyOf(s), code: format.Stmt(s)})
		from = to
	}
	if n := len(out); n > 0 && !strings.HasSuffix(out[n-1].Text, "\n") {
		out[n-1].Text += "\n"
	}
	return out
}

// boundary is where the text of a statement ends that is between two others: after its line, else where the
// next one begins.
func boundary(text string, end, next int) int {
	if i := strings.IndexByte(text[end:next], '\n'); i >= 0 {
		return end + i + 1
	}
	return next
}

// sources finds the tables of a model's parties.
func (s *state) sources(m *compile.Model) (data.Sources, error) {
	return data.Locate(s.name(), m.Parties(), s.flags())
}

// flags are the tables as values of --data.
func (s *state) flags() []string {
	var out []string
	for _, t := range s.Tables {
		out = append(out, t.Party+"="+t.Files)
	}
	return out
}

func (s *state) joining() data.Joining { return data.Joining{Key: s.Key, Intersect: s.Intersect} }

// compile compiles the model. Diagnostics about the statements from first on are those of a unit of input,
// whose text they are.
func (s *state) compile() diag.List {
	if s.empty() {
		s.built, s.found = nil, nil
		return nil
	}
	m, found := s.compiled(check.Options{})
	if !found.HasErrors() {
		s.built, s.found = m, found
	}
	return found
}

// compiled is the model with options beside its text, and what was found in it.
func (s *state) compiled(o check.Options) (*compile.Model, diag.List) {
	o.Import = s.modules()
	return compile.Compile(source.New(s.name(), s.text()), o)
}

// changes lists what in the model or the data differs from another state, as far as the posterior depends on
// it.
func (s *state) changes(other *state) []string {
	changed := missingFrom(other, s)
	for _, name := range missingFrom(s, other) {
		if !slices.Contains(changed, name) {
			changed = append(changed, name)
		}
	}
	if !slices.Equal(s.Tables, other.Tables) || s.Key != other.Key || s.Intersect != other.Intersect {
		changed = append(changed, "the data")
	}
	return changed
}

// missingFrom names the statements of a that matter, and that b has not.
func missingFrom(a, b *state) (out []string) {
	code := map[string]bool{}
	for _, t := range b.Statements {
		code[t.code] = true
	}
	used := a.used()
	for _, t := range a.Statements {
		if !code[t.code] && (!t.derived() || used[t.key.String()]) {
			out = append(out, t.key.String())
		}
	}
	return out
}

// derived reports whether a statement only names a value, which matters where others use it.
func (t statement) derived() bool { return t.is("generate") || t.is("let") || t.is("const") }

// used collects the names that statements of the density use, directly or through lets.
func (s *state) used() map[string]bool {
	used := map[string]bool{}
	if s.built == nil {
		return used
	}
	for again := true; again; {
		again = false
		for _, stmt := range s.built.File.Stmts {
			_, let := stmt.(*ast.Let)
			_, constant := stmt.(*ast.Const)
			_, generated := stmt.(*ast.Generate)
			if generated || (let || constant) && !used[keyOf(stmt).String()] {
				continue
			}
			ast.Walk(stmt, func(n ast.Node) bool {
				if name, ok := n.(*ast.Name); ok && !used[name.Name] {
					used[name.Name], again = true, true
				}
				return true
			})
		}
	}
	return used
}

func (t statement) is(keyword string) bool { return strings.HasPrefix(t.code, keyword+" ") }
