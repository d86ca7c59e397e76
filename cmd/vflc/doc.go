package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

func newDoc() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doc [NAME]",
		Short: "Print the page of a distribution, function or encoder, or list them all",
		Example: `  vflc doc normal
  vflc doc`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return builtIn(stdlib.New()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: action(func(cmd *cobra.Command, args []string) error {
			u := stdlib.New()
			if len(args) == 0 {
				return listBuiltIn(cmd.OutOrStdout(), u, asJSON)
			}
			return showPages(cmd.OutOrStdout(), u, args[0], asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// A page documents one built-in distribution, function or encoder.
type page struct {
	Kind       string      `json:"kind"` // distribution, function or encoder
	Name       string      `json:"name"`
	Usage      string      `json:"usage"`
	Doc        string      `json:"doc"`
	Arguments  []pageEntry `json:"arguments,omitempty"`
	Properties []pageEntry `json:"properties,omitempty"`
	Examples   []string    `json:"examples"`
}

type pageEntry struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// pages returns the pages of a name: distributions, functions and encoders have separate namespaces.
func pages(u *stdlib.Universe, name string) []page {
	var out []page
	if d, ok := u.Dist(name); ok {
		out = append(out, distPage(d))
	}
	if f, ok := u.Func(name); ok {
		out = append(out, funcPage(f))
	}
	if s, ok := u.Structural(name); ok {
		out = append(out, page{Kind: "function", Name: name, Usage: name + "(" + arguments(s.Arity) + ")", Doc: s.Doc, Examples: s.Examples})
	}
	if e, ok := u.Encoder(name); ok {
		out = append(out, encoderPage(e))
	}
	return out
}

func distPage(d *def.Dist) page {
	p := page{Kind: "distribution", Name: d.Name, Doc: d.Doc, Examples: d.Examples}
	var names []string
	for _, a := range d.Params {
		doc := a.Doc + "; " + domain(a)
		if a.Optional {
			doc += fmt.Sprintf("; default %g", a.Default)
		}
		names = append(names, a.Name)
		p.Arguments = append(p.Arguments, pageEntry{a.Name, doc})
	}
	p.Usage = d.Name + "(" + strings.Join(names, ", ") + ")"
	p.Properties = []pageEntry{{"support", d.Support.Words(names)}, {"as values", densities(d)}}
	return p
}

// densities lists the density functions of a distribution, and whether it may be truncated and censored.
func densities(d *def.Dist) string {
	density := "_lpdf"
	if d.Discrete {
		density = "_lpmf"
	}
	if d.LogCDF == nil {
		return d.Name + density + "; neither truncate nor censor: " + d.NoCDF
	}
	return d.Name + density + ", " + d.Name + "_lcdf, " + d.Name + "_lccdf; with truncate and censor"
}

func domain(a def.Param) string {
	words := a.Domain.Words(nil)
	if a.Integral {
		words += ", whole numbers, data"
	}
	return words
}

func funcPage(f *def.Func) page {
	p := page{Kind: "function", Name: f.Name, Usage: f.Name + "(x)", Doc: f.Doc, Examples: f.Examples}
	if f.Domain != "" {
		p.Properties = []pageEntry{{"domain", f.Domain}}
	}
	return p
}

func encoderPage(e *def.Encoder) page {
	p := page{Kind: "encoder", Name: e.Name, Usage: e.Name + "(" + arguments(e.Columns) + ")", Doc: e.Doc, Examples: e.Examples}
	for _, o := range e.Options {
		p.Arguments = append(p.Arguments, pageEntry{o.Name + "=" + strings.Join(o.Values, "|"), o.Doc})
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

func showPages(w io.Writer, u *stdlib.Universe, name string, asJSON bool) error {
	found := pages(u, name)
	if len(found) == 0 {
		return fmt.Errorf("no distribution, function or encoder is called %s%s; vflc doc lists them all", name, didYouMean(name, builtIn(u)))
	}
	if asJSON {
		return posterior.WriteJSON(w, found)
	}
	for i, p := range found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		p.print(w)
	}
	return nil
}

func (p page) print(w io.Writer) {
	fmt.Fprintf(w, "%s  (%s)\n\n%s\n", p.Usage, p.Kind, strings.TrimSpace(p.Doc))
	entries := append(slices.Clone(p.Arguments), p.Properties...)
	width := 0
	for _, e := range entries {
		width = max(width, len(e.Name))
	}
	if len(entries) > 0 {
		fmt.Fprintln(w)
	}
	for _, e := range entries {
		fmt.Fprintf(w, "  %-*s  %s\n", width, e.Name, e.Doc)
	}
	fmt.Fprint(w, "\nExamples\n\n")
	for _, e := range p.Examples {
		fmt.Fprintln(w, "  "+strings.ReplaceAll(strings.TrimSpace(e), "\n", "\n  "))
	}
}

func builtIn(u *stdlib.Universe) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(u.Dists(), u.Funcs(), u.Encoders()))))
}

func listBuiltIn(w io.Writer, u *stdlib.Universe, asJSON bool) error {
	if asJSON {
		return posterior.WriteJSON(w, map[string][]string{"distributions": u.Dists(), "functions": u.Funcs(), "encoders": u.Encoders()})
	}
	for _, group := range []struct {
		title string
		names []string
	}{{"Distributions", u.Dists()}, {"Functions", u.Funcs()}, {"Encoders", u.Encoders()}} {
		fmt.Fprintf(w, "%s\n", group.title)
		for line := range slices.Chunk(group.names, 6) {
			fmt.Fprintf(w, "  %s\n", strings.Join(line, "  "))
		}
	}
	return nil
}

func didYouMean(name string, known []string) string {
	if near := check.Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
