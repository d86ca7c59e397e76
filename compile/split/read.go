package split

import (
	"os"
	"path/filepath"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// ManifestFile is the manifest's name beside the party programs.
const ManifestFile = "manifest.json"

// ReadManifest reads and checks a manifest. It is usable only where the list has no errors. The error is of
// reading the file.
func ReadManifest(path string, universe *stdlib.Universe) (*Manifest, diag.List, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	m, diags := ParseManifest(source.New(path, string(text)), universe)
	return m, diags, nil
}

// ReadPrograms reads a folder of party programs and loads each of them, as its party would. The manifest and
// the programs, in its order, are usable only where the list has no errors. The error is of reading a file.
func ReadPrograms(dir string, universe *stdlib.Universe) (*Manifest, []*check.Program, diag.List, error) {
	m, diags, err := ReadManifest(filepath.Join(dir, ManifestFile), universe)
	if err != nil || diags.HasErrors() {
		return nil, nil, diags, err
	}
	var programs []*check.Program
	for _, p := range m.Parties {
		path := filepath.Join(dir, p.Program)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, diags, err
		}
		program, found := Load(m, p.Name, path, string(text), universe)
		diags, programs = append(diags, found...), append(programs, program)
	}
	return m, programs, diags, nil
}

// LoadFile loads a program against the manifest at path: as that of the party for which the manifest lists a
// file of this name or, where it lists none, of the party that the program names. The error is of reading the
// manifest.
func LoadFile(program *source.File, path string, universe *stdlib.Universe) (*check.Program, diag.List,
	error) {
	m, diags, err := ReadManifest(path, universe)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	tree, diags := parser.Parse(program)
	if diags.HasErrors() {
		return nil, diags, nil
	}
	party := ""
	for _, s := range tree.Stmts {
		if p, ok := s.(*ast.Program); ok {
			party = p.For.Name
		}
	}
	for _, p := range m.Parties {
		if p.Program == filepath.Base(program.Name) {
			party = p.Name
		}
	}
	if _, known := m.Party(party); !known {
		diags.Errorf(diag.NotParty, program, source.Span{}, "this is %s, which the manifest does not list",
			whose(party))
		return nil, diags, nil
	}
	checked, diags := Load(m, party, program.Name, program.Text, universe)
	return checked, diags, nil
}

// whose describes a program by the party that it names, "" for none.
func whose(party string) string {
	if party == "" {
		return "a model"
	}
	return "the program of " + party
}
