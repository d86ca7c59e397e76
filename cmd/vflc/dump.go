package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/posterior"
)

// A stage prints what the compiler knows after a pass.
type stage struct {
	name  string
	print func(*compile.Model, io.Writer) error
}

func stages() []stage {
	return []stage{
		{"check", dumpCheck},
		{"cut", dumpCut},
		{"transform", dumpTransform},
		{"split", dumpSplit},
	}
}

func stageNames() []string {
	var out []string
	for _, s := range stages() {
		out = append(out, s.name)
	}
	return out
}

func printStage(cmd *cobra.Command, c *compile.Model, name string) error {
	i := slices.IndexFunc(stages(), func(s stage) bool { return s.name == name })
	if i < 0 {
		return usagef("--dump %s: the stages are %s", name, strings.Join(stageNames(), ", "))
	}
	return stages()[i].print(c, cmd.OutOrStdout())
}

// dumpCheck lists every name with its kind, owner and type.
func dumpCheck(c *compile.Model, w io.Writer) error {
	rows := [][]string{{"name", "kind", "owner", "type"}}
	for _, s := range c.Checked.Order {
		owner := s.Owner
		if owner == "" {
			owner = s.Owners.String()
		}
		rows = append(rows, []string{s.Name, s.Kind.String(), owner, s.Type.String()})
	}
	_, err := io.WriteString(w, posterior.AlignLeft(rows))
	return err
}

// dumpCut lists the cuts and the sums that they enter.
func dumpCut(c *compile.Model, w io.Writer) error {
	rows := [][]string{{"cut", "client", "shape", "expression"}}
	for _, k := range c.Cuts.Cuts {
		rows = append(rows, []string{k.Name, k.Client, "[" + strings.Join(k.Type.Shape(), ", ") + "]", format.Expr(k.Expr)})
	}
	if _, err := io.WriteString(w, posterior.AlignLeft(rows)); err != nil {
		return err
	}
	for _, g := range c.Cuts.Groups {
		var names []string
		for _, k := range g.Cuts {
			names = append(names, k.Name)
		}
		kind := "one by one"
		if g.Additive {
			kind = "additive"
		}
		fmt.Fprintf(w, "group %d: %s, %s\n", g.Number, strings.Join(names, " + "), kind)
	}
	return nil
}

// dumpTransform lists what each party evaluates, sends and receives.
func dumpTransform(c *compile.Model, w io.Writer) error {
	for _, p := range c.Parts.Parties {
		fmt.Fprintf(w, "%s\n", p.Name)
		for _, k := range p.Aux {
			fmt.Fprintf(w, "  sends %s ~ normal(%s, %g)\n", k.Name, format.Expr(k.Expr), c.Checked.Transform.RhoOf(k.Client))
		}
		for _, k := range p.Received {
			fmt.Fprintf(w, "  receives %s from %s\n", k.Name, k.Client)
		}
		for _, g := range p.Others {
			fmt.Fprintf(w, "  receives the others' sum of group %d\n", g.Number)
		}
		for _, l := range p.Likelihoods {
			fmt.Fprintf(w, "  evaluates %s\n", format.Stmt(l))
		}
	}
	return nil
}

// dumpSplit prints the party programs as they would be written.
func dumpSplit(c *compile.Model, w io.Writer) error {
	programs, _ := c.Split()
	for _, p := range programs {
		fmt.Fprintf(w, "-- %s --\n%s", p.File, p.Text)
	}
	return nil
}
