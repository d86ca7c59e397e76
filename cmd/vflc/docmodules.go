package main

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/inline"
	"github.com/vflc/vflc/stdlib"
)

// modulePages returns the pages of a function of a module, with how it is imported and called.
func modulePages(u *stdlib.Universe, name string) []stdlib.Page {
	module, _, _ := strings.Cut(name, ".")
	if !slices.Contains(u.Modules(), module) {
		return nil
	}
	docs := inline.Docs(u)
	if name == module {
		p := stdlib.Page{Kind: "module of the standard library", Name: name, Usage: "import " + name}
		for _, d := range docs {
			if strings.HasPrefix(d.Name, module+".") {
				p.Properties = append(p.Properties,
					stdlib.Entry{Name: d.Name, Doc: strings.Join(d.Usage, ", ")})
			}
		}
		p.Doc = "Its functions have a page each, as `vflc doc " + p.Properties[0].Name + "`."
		return []stdlib.Page{p}
	}
	var out []stdlib.Page
	for _, d := range docs {
		if d.Name != name {
			continue
		}
		p := stdlib.Page{Kind: "function of the module " + module, Name: d.Name,
			Usage: strings.Join(d.Usage, "\n"), Doc: d.Text}
		for _, param := range d.Params {
			p.Properties = append(p.Properties, stdlib.Entry{Name: "inside", Doc: param})
		}
		p.Examples = []string{"import " + module + "\nlet h = " + d.Usage[0]}
		out = append(out, p)
	}
	return out
}

// moduleFunctions lists the functions of the modules of the standard library.
func moduleFunctions(u *stdlib.Universe) []string {
	var out []string
	for _, d := range inline.Docs(u) {
		out = append(out, d.Name)
	}
	return out
}

// documented lists what has a page.
func documented(u *stdlib.Universe) []string {
	return slices.Concat(stdlib.PageNames(u), moduleFunctions(u))
}
