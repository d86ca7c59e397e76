package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

func newDoc() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doc [NAME [MODEL]]",
		Short: "Print the page of a distribution, function, encoder, type, statement " +
			"or flag, or list them all; with MODEL also what that declares",
		Example: `  vflc doc normal
  vflc doc recur
  vflc doc draws
  vflc doc ald quantiles.vfl
  vflc doc`,
		Args: cobra.MaximumNArgs(2),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return documented(stdlib.New()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: action(func(cmd *cobra.Command, args []string) error {
			u := stdlib.New()
			if len(args) == 0 {
				return listBuiltIn(cmd.OutOrStdout(), u, asJSON)
			}
			if len(args) == 2 {
				m, err := compileWhole(cmd, args[1], &modelFlags{})
				if err != nil {
					return err
				}
				u = m.Checked.Universe
			}
			return showPages(cmd.OutOrStdout(), u, newRoot(), args[0], asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func showPages(w io.Writer, u *stdlib.Universe, root *cobra.Command, name string, asJSON bool) error {
	found := slices.Concat(stdlib.PagesOf(u, name), modulePages(u, name), flagPages(root, name))
	if page, ok := diag.Explain(diag.Code(strings.ToUpper(name))); ok && len(found) == 0 {
		return showCode(w, page, asJSON)
	}
	if len(found) == 0 {
		return fmt.Errorf("no distribution, function, encoder, type, statement, flag or function of a "+
			"module is called %s%s; vflc doc lists them all, and vflc doc %[1]s MODEL has what a model "+
			"declares", name, didYouMean(name, documented(u)))
	}
	if asJSON {
		return posterior.WriteJSON(w, found)
	}
	for i, p := range found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := p.Write(w); err != nil {
			return err
		}
	}
	return nil
}

func listBuiltIn(w io.Writer, u *stdlib.Universe, asJSON bool) error {
	if asJSON {
		return posterior.WriteJSON(w, map[string][]string{
			"distributions": u.Dists(), "functions": u.Funcs(), "encoders": u.Encoders(),
			"types": u.StructuredTypes(), "initial values": u.Initials(), "modules": moduleFunctions(u),
			"language": stdlib.Language(),
		})
	}
	for _, group := range []struct {
		title string
		names []string
	}{
		{"Distributions", u.Dists()}, {"Functions", u.Funcs()}, {"Encoders", u.Encoders()},
		{"Types of vectors and matrices", u.StructuredTypes()}, {"Initial values of weights", u.Initials()},
		{"Functions of modules", moduleFunctions(u)}, {"Statements, clauses and types of numbers",
			stdlib.Language()},
	} {
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
