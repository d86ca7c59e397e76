package main

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/inline"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/pages"
)

// modulePages returns the pages of a function of a module, with how it is imported and called.
func modulePages(u *stdlib.Universe, name string) []pages.Page {
	var out []pages.Page
	if within := functionsOf(u, name); len(within) > 0 {
		p := pages.Page{Kind: "module of the standard library", Name: name, Usage: "import " + name, Doc: "Its functions have a page each, as `vflc doc " + within[0] + "`."}
		for _, d := range inline.Docs(u) {
			if slices.Contains(within, d.Name) {
				p.Properties = append(p.Properties, pages.Entry{Name: d.Name, Doc: strings.Join(d.Usage, ", ")})
			}
		}
		return []pages.Page{p}
	}
	for _, d := range inline.Docs(u) {
		if d.Name != name {
			continue
		}
		module, _, _ := strings.Cut(d.Name, ".")
		p := pages.Page{Kind: "function of the module " + module, Name: d.Name, Usage: strings.Join(d.Usage, "\n"), Doc: d.Text}
		for _, param := range d.Params {
			p.Properties = append(p.Properties, pages.Entry{Name: "inside", Doc: param})
		}
		p.Examples = []string{"import " + module + "\nlet h = " + d.Usage[0]}
		out = append(out, p)
	}
	return out
}

// functionsOf lists the functions of a module; nil where there is no module of that name.
func functionsOf(u *stdlib.Universe, module string) []string {
	return slices.DeleteFunc(moduleFunctions(u), func(name string) bool { return !strings.HasPrefix(name, module+".") })
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
	return slices.Concat(pages.Names(u), moduleFunctions(u))
}
