package report

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"strings"
	syntax "text/template/parse"
)

// A markup is HTML, SVG or CSS, and not a text to show.
type markup string

// escaper writes a text where it can be nothing else: in an element, and in an attribute in double quotes.
// Templates show values in these places alone, and in links only names of sections and numbers.
var escaper = strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;",
	"<", "&lt;", ">", "&gt;")

// templates are those of the folder page by name, in the language of text/template, of which they have
// fields, variables, if, with, range and template. The standard library finds methods by their names to run
// templates, and a program that does so keeps all methods of all its types: 10 MB of vflc.
type templates map[string]*syntax.Tree

// readTemplates reads the folder page.
func readTemplates() (templates, error) {
	out := templates{}
	names, err := fs.Glob(pages, "page/*.html")
	for _, name := range names {
		text, err := pages.ReadFile(name)
		if err != nil {
			return nil, err
		}
		trees, err := syntax.Parse(path.Base(name), string(text), "", "")
		if err != nil {
			return nil, err
		}
		maps.Copy(out, trees)
	}
	return out, err
}

// A scope is what a dot and the names of variables stand for.
type scope struct {
	dot  reflect.Value
	vars map[string]reflect.Value
}

// write writes a value by the template of a name.
func (t templates) write(w *strings.Builder, name string, shown reflect.Value) {
	t.list(w, t[name].Root, scope{shown, map[string]reflect.Value{"$": shown}})
}

func (t templates) list(w *strings.Builder, list *syntax.ListNode, s scope) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *syntax.TextNode:
			w.Write(n.Text)
		case *syntax.ActionNode:
			show(w, s.value(n.Pipe).Interface())
		case *syntax.TemplateNode:
			t.write(w, n.Name, s.value(n.Pipe))
		case *syntax.IfNode:
			t.branch(w, &n.BranchNode, s)
		case *syntax.WithNode:
			t.branch(w, &n.BranchNode, s)
		case *syntax.RangeNode:
			t.branch(w, &n.BranchNode, s)
		default:
			panic("report: a template has " + n.String())
		}
	}
}

// branch writes what stands in an if, with or range, or in its else.
func (t templates) branch(w *strings.Builder, n *syntax.BranchNode, s scope) {
	v := s.value(n.Pipe)
	switch {
	case v.Kind() == reflect.Slice && v.Len() == 0, v.Kind() != reflect.Struct && v.IsZero():
		t.list(w, n.ElseList, s)
	case n.NodeType == syntax.NodeIf:
		t.list(w, n.List, s)
	case n.NodeType == syntax.NodeWith:
		t.list(w, n.List, scope{v, s.vars})
	default:
		for i := range v.Len() {
			each := scope{v.Index(i), maps.Clone(s.vars)}
			if names := n.Pipe.Decl; len(names) == 2 {
				each.vars[names[0].Ident[0]] = reflect.ValueOf(i)
				each.vars[names[1].Ident[0]] = each.dot
			}
			t.list(w, n.List, each)
		}
	}
}

// value is that of a field or a variable.
func (s scope) value(p *syntax.PipeNode) reflect.Value {
	v, names := s.dot, []string(nil)
	switch n := p.Cmds[0].Args[0].(type) {
	case *syntax.DotNode:
	case *syntax.FieldNode:
		names = n.Ident
	case *syntax.VariableNode:
		v, names = s.vars[n.Ident[0]], n.Ident[1:]
	default:
		panic("report: a template shows " + p.String())
	}
	for _, name := range names {
		v = reflect.Indirect(v).FieldByName(name)
	}
	return v
}

// show writes a value as text, or markup as it is.
func show(w *strings.Builder, v any) {
	if m, ok := v.(markup); ok {
		w.WriteString(string(m))
		return
	}
	escaper.WriteString(w, fmt.Sprint(v))
}
