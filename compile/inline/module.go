package inline

import (
	"fmt"
	"github.com/vflc/vflc/compile/check"
	"path"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// maxModules bounds how many modules a model may import, directly or through others.
const maxModules = 64

// A module is a file with its functions: the model itself, a module of the standard library, or a file beside
// the model.
type module struct {
	name    string
	path    string // of a file beside the model, relative to it; "" for a module of the standard library
	file    *source.File
	fns     map[string][]*function // by name; several differ in their arguments
	dists   []*ast.Distribution
	consts  map[string]ast.Expr
	imports map[string]*module
}

// A function is a declared function with the file that it stands in.
type function struct {
	*ast.Fn
	home      *module
	component bool // it, or a function that it calls, declares parameters
}

// load collects the functions of a file, and the modules that it imports.
func (x *expander) load(name, path string, file *ast.File) *module {
	m := &module{name: name, path: path, file: file.Source, fns: map[string][]*function{},
		consts: map[string]ast.Expr{}, imports: map[string]*module{}}
	x.loading = append(x.loading, m)
	for _, s := range file.Stmts {
		switch s := s.(type) {
		case *ast.Import:
			x.imported(m, s)
		case *ast.Const:
			m.consts[s.Name.Name] = s.Value
		case *ast.Fn:
			m.fns[s.Name.Name] = append(m.fns[s.Name.Name], &function{Fn: s, home: m})
		case *ast.Distribution:
			m.dists = append(m.dists, s)
		default:
			if len(x.loading) > 1 {
				x.errorf(m.file, diag.BadModule, s,
					"a module holds functions, distributions, constants and imports; this belongs in the model")
			}
		}
	}
	x.loading = x.loading[:len(x.loading)-1]
	return m
}

// imported loads what an import statement names.
func (x *expander) imported(m *module, s *ast.Import) {
	name, file := "", ""
	if s.Name != nil {
		name = s.Name.Name
	} else {
		file = path.Join(path.Dir(m.path), s.Path)
		name = strings.TrimSuffix(path.Base(file), ".vfl")
	}
	if _, twice := m.imports[name]; twice {
		x.errorf(m.file, diag.BadModule, s, "a module named %s is imported already", name)
		return
	}
	m.imports[name] = nil // reported where it fails
	if file == "" {
		m.imports[name] = x.standard(m, s, name)
	} else {
		m.imports[name] = x.beside(m, s, name, file)
	}
	if found := m.imports[name]; found != nil && len(x.loading) == 1 {
		x.imports = append(x.imports, importing{s.At, name, found})
	}
}

// standard loads a module of the standard library.
func (x *expander) standard(m *module, s *ast.Import, name string) *module {
	if known, ok := x.modules[name]; ok {
		return known
	}
	text, ok := x.universe.Module(name)
	if !ok {
		x.errorf(m.file, diag.UnknownModule, s, "%q is not a module of the standard library", name).
			Note("those of this version are %s; a file beside the model is imported by its "+
				"path, as import \"./%s.vfl\"", strings.Join(x.universe.Modules(), ", "),
				strings.TrimSuffix(name, ".vfl"))
		return nil
	}
	return x.parsed(m, s, name, name, "", source.New("stdlib/"+name+".vfl", text))
}

// beside loads a file that stands beside the model, or in a folder there.
func (x *expander) beside(m *module, s *ast.Import, name, file string) *module {
	switch {
	case path.IsAbs(s.Path) || strings.Contains(s.Path, `\`) || strings.Contains(s.Path, ":") ||
		file == ".." || strings.HasPrefix(file, "../"):
		x.errorf(m.file, diag.BadModule, s, "%s is not a file beside the model, or in a folder there",
			s.Path).
			Note("a run keeps copies of the modules of its model, under their paths: write a path " +
				"such as \"./priors.vfl\"")
		return nil
	case !strings.HasSuffix(file, ".vfl") || !identifier(name):
		x.errorf(m.file, diag.BadModule, s,
			"the name of a module's file is a name and .vfl, as \"./priors.vfl\"").
			Note("its functions are called by that name, as priors.slope(…)")
		return nil
	}
	for i, at := range x.loading {
		if at.path == file && i > 0 {
			x.errorf(m.file, diag.BadModule, s, "%s imports itself, through %s", file, m.path)
			return nil
		}
	}
	if known, ok := x.modules[file]; ok {
		return known
	}
	text, err := x.read(file)
	if err != nil {
		x.errorf(m.file, diag.BadModule, s, "%s cannot be read: %v", file, err)
		return nil
	}
	return x.parsed(m, s, file, name, file, source.New(path.Join(path.Dir(x.root.Name), file), text))
}

// parsed reads the functions of a module's text.
func (x *expander) parsed(m *module, s *ast.Import, key, name, file string, src *source.File) *module {
	if len(x.order) >= maxModules {
		x.errorf(m.file, diag.BadModule, s, "a model imports at most %d modules, directly and through others",
			maxModules)
		return nil
	}
	if x.calls[s] == nil { // what a client's module imports is no part of the public model
		x.order = append(x.order, check.Module{Name: name, Path: file, File: src})
	}
	tree, diags := parser.Parse(src)
	if diags.HasErrors() {
		x.diags = append(x.diags, diags...)
		return nil
	}
	out := x.load(name, file, tree)
	x.modules[key] = out
	return out
}

// identifier reports whether a word can name a module.
func identifier(name string) bool {
	_, diags := parser.Parse(source.New("", fmt.Sprintf("import %s", name)))
	return !diags.HasErrors() && !strings.Contains(name, ".") && !strings.ContainsAny(name, "\" \n/")
}
