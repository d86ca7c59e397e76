package stdlib

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/stdlib/def"
)

// A Page documents one built-in distribution, function, encoder, type or kind of initial values.
type Page struct {
	Kind       string   `json:"kind"` // distribution, function, encoder, type or initial values
	Name       string   `json:"name"`
	Usage      string   `json:"usage"`
	Doc        string   `json:"doc"`
	Arguments  []Entry  `json:"arguments,omitempty"`
	Properties []Entry  `json:"properties,omitempty"`
	Examples   []string `json:"examples"`
}

// An Entry is a name with its explanation.
type Entry struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// PagesOf returns the pages of a name: distributions, functions and encoders have separate namespaces.
func PagesOf(u *Universe, name string) []Page {
	var out []Page
	if d, ok := u.Dist(name); ok {
		out = append(out, distPage(d))
	}
	if f, ok := u.Func(name); ok {
		out = append(out, funcPage(f))
	}
	if s, ok := u.Structural(name); ok && !s.ByGroups {
		usage := name + "(" + arguments(s.Arity) + ")"
		if s.Groups {
			usage += " or " + name + "(v by g, …)"
		}
		out = append(out, Page{Kind: "function", Name: name, Usage: usage, Doc: s.Doc, Examples: s.Examples})
	}
	if e, ok := u.Encoder(name); ok {
		out = append(out, encoderPage(e))
	}
	if s, ok := u.Structured(name); ok {
		out = append(out, typePage(s))
	}
	if k, ok := u.Initial(name); ok {
		out = append(out, Page{Kind: "initial values", Name: name, Usage: "weight NAME : TYPE init " + name,
			Doc: k.Doc, Examples: k.Examples})
	}
	for _, p := range languagePages() {
		if p.Name == name {
			out = append(out, p)
		}
	}
	return out
}

func distPage(d *def.Dist) Page {
	p := Page{Kind: "distribution", Name: d.Name, Doc: d.Doc, Examples: d.Examples}
	var names []string
	for _, a := range d.Params {
		doc := a.Doc + "; " + domain(a)
		if a.Optional {
			doc += fmt.Sprintf("; default %g", a.Default)
		}
		names = append(names, a.Name)
		p.Arguments = append(p.Arguments, Entry{a.Name, doc})
	}
	p.Usage = d.Name + "(" + strings.Join(names, ", ") + ")"
	support := d.Words(names)
	if d.Event != nil {
		support = elements(d.Support, d.Event.Rank) + support
	}
	p.Properties = []Entry{{"support", support}}
	p.Properties = append(p.Properties, Entry{"as values", densities(d)})
	if d.Slow != "" {
		p.Properties = append(p.Properties, Entry{"time over many rows", d.Slow})
	}
	return p
}

// densities lists the density functions of a distribution, and says whether it may be truncated and censored.
func densities(d *def.Dist) string {
	density := "_lpdf"
	if d.Discrete {
		density = "_lpmf"
	}
	switch {
	case d.Joint() != "":
		return "none: " + d.Joint()
	case d.Event != nil:
		return d.Name + density + ", a number for each value; no distribution function: " + d.WithoutCDF()
	case d.LogCDF == nil:
		return d.Name + density + "; neither truncate nor censor: " + d.NoCDF
	}
	return d.Name + density + ", " + d.Name + "_lcdf, " + d.Name + "_lccdf; with truncate and censor"
}

func domain(a def.Param) string {
	words := elements(a.Domain, a.Rank) + a.Domain.Words(nil)
	if a.Integral {
		words += ", whole numbers, data"
	}
	return words
}

// elements introduces the words for a set of numbers where they are of the elements of a vector or matrix.
func elements(of def.Support, rank int) string {
	if rank == 0 || of.OfWholes() || of == def.Counts {
		return ""
	}
	return [...]string{1: "a vector, each element ", 2: "a matrix, each element "}[rank]
}

// typePage documents a type of vectors or matrices. Its distributions show it in their examples.
func typePage(s *def.Structured) Page {
	p := Page{Kind: "type", Name: s.Name, Usage: "param NAME : " + s.Name + "[K]", Doc: s.Doc}
	p.Properties = []Entry{{"values", s.Support.Words(nil)}, {"arrays", s.Name + "[R, K] is R of them"}}
	p.Examples = []string{"param p : " + s.Name + "[3] ~ " + Flat + "()"}
	return p
}

func funcPage(f *def.Func) Page {
	p := Page{Kind: "function", Name: f.Name, Usage: f.Name + "(x)", Doc: f.Doc, Examples: f.Examples}
	if f.Domain != "" {
		p.Properties = []Entry{{"domain", f.Domain}}
	}
	return p
}

func encoderPage(e *def.Encoder) Page {
	p := Page{Kind: "encoder", Name: e.Name, Usage: e.Usage(), Doc: e.Doc, Examples: e.Examples}
	for _, o := range e.Options {
		p.Arguments = append(p.Arguments, Entry{o.Name, o.Doc + "; " + o.Form()})
	}
	return p
}

// arguments writes an arity as letters: "a, b".
func arguments(n def.Arity) string {
	var out []string
	for i := range n.Max {
		name := string(rune('a' + i))
		if i >= n.Min {
			name = "[" + name + "]"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// Write writes a page as text.
func (p Page) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  (%s)\n\n%s\n", p.Usage, p.Kind, strings.TrimSpace(p.Doc))
	entries := append(slices.Clone(p.Arguments), p.Properties...)
	width := 0
	for _, e := range entries {
		width = max(width, len(e.Name))
	}
	if len(entries) > 0 {
		b.WriteString("\n")
	}
	for _, e := range entries {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, e.Name, e.Doc)
	}
	if len(p.Examples) > 0 {
		b.WriteString("\nExamples\n\n")
	}
	for _, e := range p.Examples {
		fmt.Fprintln(&b, "  "+strings.ReplaceAll(strings.TrimSpace(e), "\n", "\n  "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// PageNames lists everything that has a page, sorted.
func PageNames(u *Universe) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(u.Dists(), u.Funcs(), u.Encoders(),
		u.StructuredTypes(), u.Initials(), Language()))))
}
