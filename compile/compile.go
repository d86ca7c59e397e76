// Package compile turns a model's text into what its parties run. Compile writes the program of each party
// and needs no data. Bind binds the programs to data and lowers them to the graphs of a plan. Both are tables
// of passes; a pass can print and verify its result.
package compile

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/compile/inline"
	"github.com/vflc/vflc/compile/leak"
	"github.com/vflc/vflc/compile/released"
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

// OwnDir is the folder of the programs with modules written out, which only their clients may see.
const OwnDir = "private"

// PredictDir and ScoreDir are the folders of the programs that predict new rows, and of those that also score
// what was observed: see Model.Prediction.
const (
	PredictDir = "predict"
	ScoreDir   = "score"
)

// A Model holds the results of every pass that needs no data. After an error it holds those of the passes
// before it.
type Model struct {
	Name     string // of the file, as an identifier
	Source   *source.File
	Universe *stdlib.Universe
	File     *ast.File
	Expanded *inline.Expansion // the file with its formulas written out
	// with the modules of clients in the place of their contributions, as far as they are at hand
	Linked  *check.Linked
	Inlined *check.Linked // without functions
	Checked *check.Program
	Cuts    *cut.Program
	Parts   *transform.Program
	// Programs and Manifest are what each party runs and what crosses between them; nil for a pooled model,
	// which runs as written, and where MaySplit reports an error.
	Programs []split.PartyProgram
	Manifest *split.Manifest
	// Design is what is released of the rows under transform private; nil under others.
	Design *released.Design
	// Released has the names of columns by the size of their number, of the model of a posterior given a
	// release; nil for another.
	Released map[string][]string
	// Own are the programs of clients whose modules are at hand, with these written out: no other party sees
	// them.
	Own []split.PartyProgram

	options check.Options
	done    int                  // passes that found no error
	public  *Model               // the model without the modules of clients; nil where there are none
	whole   *split.Manifest      // that of the programs with the modules written out
	split   []split.PartyProgram // these programs
}

// Compile runs every pass that needs no data, up to the first that finds an error. The diagnostics hold
// warnings too.
func Compile(src *source.File, o check.Options) (*Model, diag.List) {
	m := &Model{Name: modelName(src.Name), Source: src, Universe: stdlib.New(), options: o}
	diags, _ := run(m, modelPasses(), &m.done) // these passes report diagnostics only
	sayServer(diags)
	return m, diags
}

// sayServer notes at the first error about owners that the server is not the one of the text: the warning
// that says so is not shown beside errors.
func sayServer(diags diag.List) {
	find := func(is func(*diag.Diagnostic) bool) *diag.Diagnostic {
		if i := slices.IndexFunc(diags, is); i >= 0 {
			return diags[i]
		}
		return nil
	}
	moved := find(func(d *diag.Diagnostic) bool { return d.Code == diag.ServerMoved })
	first := find(func(d *diag.Diagnostic) bool {
		return d.Severity == diag.Error && strings.HasPrefix(string(d.Code), "V03")
	})
	if moved != nil && first != nil {
		first.NoteAt(moved.File, moved.Span, "%s", moved.Message)
	}
}

// modelPasses lists the passes of Compile in order.
func modelPasses() []pass[*Model] {
	return []pass[*Model]{
		{
			name: "parse", doc: "Reads the text as a syntax tree.",
			run: func(m *Model) (l diag.List, _ error) {
				m.File, l = parser.Parse(m.Source)
				return l, nil
			},
			verify: verifyParse,
		},
		{
			name: "formula", doc: "Writes out likelihoods with a formula.",
			run: func(m *Model) (l diag.List, _ error) {
				if m.Expanded, l = inline.ExpandFormulas(m.File, m.Universe); !l.HasErrors() {
					m.File = check.Listed(m.Expanded.File)
				}
				return l, nil
			},
			verify: verifyParse,
		},
		{
			name: "respond",
			doc:  "Makes the client that holds the responses of likelihoods of several parties the server.",
			run:  respondAt, verify: verifyParse,
		},
		{
			name: "private", doc: "Puts the modules of clients in the place of their contributions.",
			run: func(m *Model) (l diag.List, _ error) {
				m.Linked, l = inline.LinkPrivate(m.File, m.Name, m.options.Module)
				return l, nil
			},
		},
		{
			name: "inline", doc: "Writes out the calls of functions that the model or its modules declare.",
			run: func(m *Model) (l diag.List, _ error) {
				m.Inlined, l = inline.Expand(m.Linked, m.Universe, m.options.Import)
				return l, nil
			},
			dump:   dumpInline,
			verify: func(m *Model) error { return inline.Verify(m.Inlined) },
		},
		{
			name: "latent", doc: "Sums discrete parameters out.",
			run: func(m *Model) (l diag.List, _ error) {
				m.Inlined, l = sumOut(m.Inlined, m.Universe, m.options)
				return l, nil
			},
			dump:   dumpInline,
			verify: func(m *Model) error { return inline.Verify(m.Inlined) },
		},
		{
			name: "check",
			doc:  "Resolves the names, types, shapes and owners of all declarations and expressions.",
			run: func(m *Model) (l diag.List, _ error) {
				m.Checked, l = check.Check(m.Inlined, m.Universe, m.options)
				return l, nil
			},
			dump:   dumpCheck,
			verify: func(m *Model) error { return m.Checked.Verify() },
		},
		{
			name: "cut",
			doc:  "Finds the expressions of clients that other parties need, and the sums that they enter.",
			run: func(m *Model) (l diag.List, _ error) {
				m.Cuts, l = cut.Find(m.Checked)
				return m.dropped(l), nil
			},
			dump:   dumpCut,
			verify: func(m *Model) error { return m.Cuts.Verify() },
		},
		{
			name: "transform", doc: "Decides who evaluates each likelihood and what is sent for it.",
			run: func(m *Model) (l diag.List, _ error) {
				m.Parts, l = transform.Apply(m.Cuts)
				return l, nil
			},
			dump:   dumpTransform,
			verify: func(m *Model) error { return m.Parts.Verify() },
		},
		{
			name: "release", doc: "Finds what is released of the rows under transform private.",
			run: func(m *Model) (l diag.List, _ error) {
				if m.Checked.Transform.Kind.Released() && m.Checked.For == "" && !m.Checked.PriorOnly {
					m.Design, l = released.Of(m.Checked)
				}
				return l, nil
			},
		},
		{
			name: "leak", doc: "Refuses cuts and gradients of shared parameters that are data of a client.",
			run: leaks,
		},
		{
			name:   "split",
			doc:    "Writes the program of each party and the manifest of what crosses between them.",
			run:    splitModel,
			dump:   dumpSplit,
			verify: verifySplit,
		},
	}
}

// respondAt leaves a model alone that is right as it is written.
func respondAt(m *Model) (diag.List, error) {
	served, diags := inline.Serve(m.File)
	if served == nil {
		return nil, nil
	}
	universe := stdlib.New()
	linked, found := inline.LinkPrivate(m.File, m.Name, m.options.Module)
	if !found.HasErrors() {
		linked, found = inline.Expand(linked, universe, m.options.Import)
	}
	if !found.HasErrors() {
		linked, found = sumOut(linked, universe, m.options)
	}
	if !found.HasErrors() {
		_, found = check.Check(linked, universe, m.options)
	}
	if !found.HasErrors() {
		return nil, nil
	}
	m.File = served
	return diags, nil
}

// leaks finds what would cross as data. What is accepted passes.
func leaks(m *Model) (diag.List, error) {
	var diags diag.List
	switch {
	case m.Checked.AtClient:
		diags = leak.CheckProgram(m.Checked, func(string) bool { return true })
	case m.Checked.For == "" && !m.Pooled():
		diags = leak.Check(m.Parts)
	}
	return m.dropped(diags), nil
}

// dropped returns findings without those that are accepted, or about what does not cross.
func (m *Model) dropped(list diag.List) diag.List {
	if list = m.options.Accept.Drop(list); m.options.Encrypted {
		list = leak.Staying(list)
	}
	return list
}

func splitModel(m *Model) (diag.List, error) {
	if _, open := m.Cuts.OpenFamily(); !m.Pooled() && !open {
		m.Programs, m.Manifest = split.Split(m.Parts, m.Name, m.options.Accept)
		m.Manifest.Encrypted = m.options.Encrypted
		return m.conceal(), nil
	}
	return nil, nil
}

// modelName turns the file's name into an identifier that programs and other tools accept.
// A name that cannot be one gets model_ in front.
func modelName(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, base)
	if name == "" || name[0] >= '0' && name[0] <= '9' || !nameable(name) {
		name = "model_" + name
	}
	return name
}

// nameable reports whether a program can have a name: not where it is a word of the language.
func nameable(name string) bool {
	_, diags := parser.Parse(source.New("", "program "+name+" for server\n"))
	return !diags.HasErrors()
}

// Accepted are the disclosures that the model was compiled with.
func (m *Model) Accepted() diag.Accepted { return m.options.Accept }

// Pooled reports whether one party evaluates everything: the model then runs as written.
func (m *Model) Pooled() bool { return m.Checked.Transform.Kind.Pooled() }

// Files returns the party programs and the manifest by file name, and in OwnDir what clients with modules
// run; for a pooled model, the model and the files that it imports.
func (m *Model) Files() map[string][]byte {
	if m.Pooled() {
		out := map[string][]byte{m.Name + ".vfl": []byte(m.Source.Text)}
		for _, k := range m.Modules() {
			if k.Path != "" {
				out[k.Path] = []byte(k.Text)
			}
		}
		return out
	}
	manifest := m.Manifest.JSON()
	// as every party will
	if _, diags := split.ParseManifest(source.New(ManifestFile, string(manifest)),
		m.Checked.Universe); diags.HasErrors() {
		panic("compile: a manifest that no party takes: " + diags.Shown()[0].Message)
	}
	out := map[string][]byte{ManifestFile: manifest}
	for _, p := range m.Programs {
		out[p.File] = []byte(p.Text)
	}
	for _, p := range m.Own {
		out[path.Join(OwnDir, p.File)] = []byte(p.Text)
	}
	return out
}

// Modules returns the files beside the model's own that it is made of: those of functions, in the order of
// their first import, and the modules of clients.
func (m *Model) Modules() []check.Module {
	if m.Inlined == nil {
		return nil
	}
	return slices.Concat(m.Inlined.Modules, m.Inlined.Privates)
}

// Parties lists the parties that may have tables, the server first.
func (m *Model) Parties() []data.PartyRef {
	refs := []data.PartyRef{{Name: m.Checked.Server}}
	for _, k := range m.Checked.Clients {
		refs = append(refs, data.PartyRef{Name: k.Name, Family: k.Family})
	}
	return refs
}

// Verify checks the result of every pass that Compile finished against what mathematics and the privacy
// contract demand of it. An error reports a fault of the compiler, never of the model.
func (m *Model) Verify() error { return verify(m, modelPasses()[:m.done]) }
