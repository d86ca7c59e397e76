package main

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/vflc/vflc/compile/inline"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/project"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// A regression is a project of one model of columns of tables, `y ~ age + (1 | ward)`, as R writes it.
type regression struct {
	text   string
	family string   // "": chosen by the response
	data   []string // PARTY=FILE, or one FILE
}

// alone is the model's name of the one party of a table without one.
const alone = "server"

// A holding is the table of a party.
type holding struct {
	party, file string
	table       *data.Table
}

// files returns the files of the project by path below its folder: a model with the columns that the formula
// names, the tables, settings and a README. Errors are data.Errors, with the places in the model's file.
func (f regression) files(name string) (map[string][]byte, error) {
	out := map[string][]byte{}
	holders, err := f.holders()
	if err != nil {
		return nil, err
	}
	settings := map[string]map[string]string{"data": {}}
	for _, h := range holders {
		text, err := os.ReadFile(h.file)
		if err != nil {
			return nil, data.Trouble(err)
		}
		at := path.Join(project.DataFolder, h.party+path.Ext(filepath.ToSlash(h.file)))
		out[at], settings["data"][h.party] = text, at
	}
	model, named, err := f.model(name+".vfl", holders)
	if err != nil {
		return nil, err
	}
	out[name+".vfl"] = []byte(model)
	if key := keyOf(holders, named); key != "" {
		settings["run"] = map[string]string{"key": key}
	}
	if out[data.SettingsFile], err = toml.Marshal(settings); err != nil {
		return nil, err
	}
	out["README.md"] = project.ReadmeOfFormula(name)
	return out, nil
}

// write writes the project to dir, whose last element is its name. The folder must be empty or not exist.
func (f regression) write(dir string) error {
	files, err := f.files(filepath.Base(dir))
	if err != nil {
		return err
	}
	return project.Write(dir, files)
}

func (f regression) holders() (out []holding, err error) {
	for _, text := range f.data {
		party, file, ok := strings.Cut(text, "=")
		if !ok {
			party, file = alone, text
		}
		if !ok && len(f.data) > 1 {
			return nil, data.Coded(diag.BadDataFlag, "--data %s names no party: write --data PARTY=%s", text,
				text)
		}
		table, diags := data.Open(file)
		if diags.HasErrors() {
			return nil, data.Errors(diags)
		}
		out = append(out, holding{party, file, table})
	}
	return out, nil
}

// keyOf is the column that all tables have and the formula does not name; "" where there is none.
func keyOf(holders []holding, named []string) string {
	if len(holders) < 2 {
		return ""
	}
	for _, a := range holders[0].table.Arrays {
		everywhere := !slices.Contains(named, a.Name)
		for _, h := range holders {
			_, ok := h.table.Array(a.Name)
			everywhere = everywhere && ok
		}
		if everywhere {
			return a.Name
		}
	}
	return ""
}

// model writes the model and lists the columns that the formula names.
func (f regression) model(file string, holders []holding) (text string, named []string, err error) {
	response, terms, ok := strings.Cut(f.text, "~")
	response = strings.TrimSpace(response)
	likelihood := func(family string) string { return response + " ~ glm(" + family + "," + terms + ")\n" }
	tree, diags := parser.Parse(source.New("--formula", likelihood("f")))
	if !ok || diags.HasErrors() || len(tree.Stmts) != 1 {
		return "", nil, data.Coded(diag.BadFormula, "--formula %q is not a formula; write it as "+
			"'y ~ age + (1 | ward)'", f.text)
	}
	l := tree.Stmts[0].(*ast.Likelihood)
	groups := map[string]bool{}
	ast.Walk(l, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Binary:
			if n.Op == "|" || n.Op == "||" {
				ast.Walk(n.Y, func(n ast.Node) bool {
					if g, ok := n.(*ast.Name); ok {
						groups[g.Name] = true
					}
					return true
				})
			}
		case *ast.Name:
			if n.Name != "f" && !slices.Contains(named, n.Name) {
				named = append(named, n.Name)
			}
		}
		return true
	})
	w := &writer{holders: holders, groups: groups, response: response, family: f.family}
	for _, n := range named {
		if err := w.column(n); err != nil {
			return "", nil, err
		}
	}
	model := source.New(file, w.parties()+"\n"+w.b.String()+"\n"+likelihood(w.family))
	if tree, diags = parser.Parse(model); !diags.HasErrors() {
		_, diags = inline.ExpandFormulas(tree, stdlib.New())
	}
	if diags.HasErrors() {
		return "", nil, data.Errors(diags)
	}
	return format.Format(tree), named, nil
}

// A writer writes the declarations of the columns of a formula.
type writer struct {
	holders  []holding
	groups   map[string]bool
	response string
	family   string
	server   string
	b        strings.Builder
}

// parties declares whose tables there are: the one with the response is the server.
func (w *writer) parties() string {
	var clients []string
	for _, h := range w.holders {
		if h.party != w.server {
			clients = append(clients, h.party)
		}
	}
	switch {
	case len(clients) == 0:
		return ""
	case w.server == "":
		return "client " + strings.Join(clients, ", ") + "\n"
	}
	return "server " + w.server + "\nclient " + strings.Join(clients, ", ") + "\n"
}

// column declares one column by what its cells are.
func (w *writer) column(name string) error {
	var in []holding
	var known []string
	for _, h := range w.holders {
		if _, ok := h.table.Array(name); ok {
			in = append(in, h)
		}
		for _, a := range h.table.Arrays {
			known = append(known, a.Name)
		}
	}
	if len(in) == 0 {
		return data.Coded(diag.FormulaName, "the formula names %s, which is no column of the tables; they "+
			"have %s", name, strings.Join(known, ", "))
	}
	a, _ := in[0].table.Array(name)
	owner := ""
	switch {
	case len(in) > 1:
		owner = " @ shared"
	case len(w.holders) > 1:
		owner = " @ " + in[0].party
	}
	kind, encoder := "real", "zscore("+name+")"
	switch binary, count := wholes(a.Numbers); {
	case w.groups[name] || a.Words != nil && name != w.response:
		kind, encoder = "level("+levelName(name)+")", ""
	case name == w.response:
		if len(in) == 1 {
			w.server = in[0].party
		}
		var err error
		if kind, err = w.respond(name, a.Words != nil, binary, count); err != nil {
			return err
		}
		if kind != "real" {
			encoder = ""
		}
	case binary:
		kind, encoder = "binary", ""
	}
	fmt.Fprintf(&w.b, "data %s : %s[N]%s", name, kind, owner)
	if encoder != "" {
		fmt.Fprintf(&w.b, " from %s", encoder)
	}
	w.b.WriteString("\n")
	return nil
}

// levelName is what the number of categories of a column is called.
func levelName(column string) string { return "N_" + column }

// wholes reports whether all numbers are 0 or 1, and whether they are counts.
func wholes(numbers []float64) (binary, count bool) {
	binary, count = true, true
	for _, v := range numbers {
		if math.IsNaN(v) {
			continue
		}
		binary = binary && (v == 0 || v == 1)
		count = count && v >= 0 && v == math.Floor(v)
	}
	return binary, count
}

// respond is the type of the response; without a family it chooses one, in the words of the standard library.
func (w *writer) respond(name string, words, binary, count bool) (string, error) {
	kind, family := "real", stdlib.OfReal
	switch {
	case words:
		kind, family = "level("+levelName(name)+")", ""
	case binary:
		kind, family = "binary", stdlib.OfBinary
	case count:
		kind, family = "count", stdlib.OfCount
	}
	if w.family == "" {
		w.family = family
	}
	if w.family == "" {
		return "", data.Coded(diag.BadFamily, "%s has words, of which no family is chosen: name one with "+
			"--family, or code the response as 0 and 1", name)
	}
	return kind, nil
}
