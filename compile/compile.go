// Package compile is the way from a model's text to what its parties run: Compile goes from text to the program of each party and needs no
// data; Bind gives the programs their data and lowers them to the graphs of a plan.
package compile

import (
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// ManifestFile is the manifest's name beside the party programs.
const ManifestFile = split.ManifestFile

// A Model is a model after every stage that needs no data. Where Compile found errors it holds what the stages before them made.
type Model struct {
	Name     string // of the file, as an identifier
	Source   *source.File
	Universe *stdlib.Universe
	File     *ast.File
	Checked  *check.Program
	Cuts     *cut.Program
	Parts    *transform.Program
}

// Compile runs every stage that needs no data, up to the first that finds an error. The diagnostics hold warnings too.
func Compile(src *source.File, o check.Options) (*Model, diag.List) {
	m := &Model{Name: modelName(src.Name), Source: src, Universe: stdlib.New()}
	var diags diag.List
	for _, stage := range []func() diag.List{
		func() (l diag.List) { m.File, l = parser.Parse(src); return l },
		func() (l diag.List) { m.Checked, l = check.Check(m.File, m.Universe, o); return l },
		func() (l diag.List) { m.Cuts, l = cut.Find(m.Checked); return l },
		func() (l diag.List) { m.Parts, l = transform.Apply(m.Cuts); return l },
	} {
		if diags = append(diags, stage()...); diags.HasErrors() {
			break
		}
	}
	return m, diags
}

// modelName is the file's name as an identifier, so that programs and files of other tools can carry it.
func modelName(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, base)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "model_" + name
	}
	return name
}

// Pooled says that one party evaluates everything: the model runs as it is written.
func (m *Model) Pooled() bool { return m.Checked.Transform.Kind.Pooled }

// Split returns the program of each party and the manifest of what crosses between them. The model must not be pooled.
func (m *Model) Split() ([]split.PartyProgram, *split.Manifest) { return split.Split(m.Parts, m.Name) }

// Files are the party programs and the manifest by file name; of a pooled model, the model.
func (m *Model) Files() map[string][]byte {
	if m.Pooled() {
		return map[string][]byte{m.Name + ".vfl": []byte(m.Source.Text)}
	}
	programs, manifest := m.Split()
	out := map[string][]byte{ManifestFile: manifest.JSON()}
	for _, p := range programs {
		out[p.File] = []byte(p.Text)
	}
	return out
}

// Parties lists the parties whose tables are looked for, the server first.
func (m *Model) Parties() []data.PartyRef {
	refs := []data.PartyRef{{Name: m.Checked.Server}}
	for _, k := range m.Checked.Clients {
		refs = append(refs, data.PartyRef{Name: k.Name, Family: k.Family})
	}
	return refs
}
