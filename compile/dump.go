package compile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
)

// Dump prints the result of a stage. It returns an error for an unknown stage, for one that Compile did not
// reach, and where w fails.
func (m *Model) Dump(w io.Writer, stage string) error {
	passes := modelPasses()
	i := slices.IndexFunc(passes, func(p pass[*Model]) bool { return p.name == stage && p.dump != nil })
	if i < 0 {
		return fmt.Errorf("compile: there is no stage %q", stage)
	}
	if i >= m.done {
		return fmt.Errorf("compile: errors before %s", stage)
	}
	return passes[i].dump(m, w)
}

// table lays out lines of cells in columns, two blanks apart. The last cell of a line must not be empty.
func table(w io.Writer, lines [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	return t.Flush()
}

// dumpInline prints the model with the calls of its functions written out.
func dumpInline(m *Model, w io.Writer) error {
	_, err := io.WriteString(w, format.Format(&ast.File{Stmts: m.Inlined.File.Stmts}))
	return err
}

func dumpCheck(m *Model, w io.Writer) error {
	lines := [][]string{{"name", "kind", "owner", "type"}}
	for _, s := range m.Checked.Order {
		owner := s.Owner
		if owner == "" {
			owner = s.Owners.String()
		}
		lines = append(lines, []string{s.Name, s.Kind.String(), owner, s.Type.String()})
	}
	return table(w, lines)
}

// dumpCut lists the cuts and the sums that they enter.
func dumpCut(m *Model, w io.Writer) error {
	lines := [][]string{{"cut", "client", "shape", "expression"}}
	for _, k := range m.Cuts.Cuts {
		lines = append(lines, []string{k.Name, k.Client, "[" + strings.Join(k.Type.Shape(), ", ") + "]",
			format.Expr(k.Expr)})
	}
	if err := table(w, lines); err != nil {
		return err
	}
	for _, g := range m.Cuts.Groups {
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
func dumpTransform(m *Model, w io.Writer) error {
	for _, p := range m.Parts.Parties {
		fmt.Fprintf(w, "%s\n", p.Name)
		for _, k := range p.Sent {
			if m.Checked.Transform.Kind.CutsCross() {
				fmt.Fprintf(w, "  sends %s = %s\n", k.Name, format.Expr(k.Expr))
				continue
			}
			fmt.Fprintf(w, "  sends %s ~ normal(%s, %g)\n", k.Name, format.Expr(k.Expr),
				m.Cuts.RhoOf(k.Client))
		}
		for _, k := range p.Received {
			fmt.Fprintf(w, "  receives %s from %s\n", k.Name, k.Client)
		}
		for _, s := range p.Sums {
			fmt.Fprintf(w, "  receives %s: %s, what the others contribute\n", s.Name, s.Text(p.Name))
		}
		for _, l := range p.Likelihoods {
			fmt.Fprintf(w, "  evaluates %s\n", format.Stmt(l))
		}
	}
	return nil
}

// dumpSplit prints the party programs; for a pooled model, the model.
func dumpSplit(m *Model, w io.Writer) error {
	if m.Pooled() {
		_, err := fmt.Fprintf(w, "-- %s.vfl --\n%s", m.Name, m.Source.Text)
		return err
	}
	if diags := m.MaySplit(); diags.HasErrors() {
		return errors.New(diags.Shown()[0].Message)
	}
	for _, p := range m.Programs {
		fmt.Fprintf(w, "-- %s --\n%s", p.File, p.Text)
	}
	return nil
}
