package repl

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

func ownersCommand() command {
	return command{name: "owners", args: "[STATEMENT]",
		doc: "show whose each name of a statement is, and what is cut out of it; without " +
			"one, of every likelihood",
		values: (*Session).scope,
		run: func(s *Session, _ context.Context, args string) error {
			if err := s.needModel(); err != nil {
				return err
			}
			if args != "" {
				return s.ownersOf(args)
			}
			if len(s.now.built.Cuts.Likelihoods) == 0 {
				return s.say("owners", "the model has no likelihood yet")
			}
			for _, k := range s.now.built.Cuts.Likelihoods {
				if err := s.ownersIn(s.now.built, k.Stmt); err != nil {
					return err
				}
			}
			return nil
		}}
}

// ownersOf answers for a statement that is typed, which need not be in the model, or for the left side of one
// that is.
func (s *Session) ownersOf(text string) error {
	for _, stmt := range s.now.built.File.Stmts {
		if slices.Contains(keyOf(stmt).names, text) {
			if l, ok := stmt.(*ast.Likelihood); ok {
				return s.ownersIn(s.now.built, l)
			}
		}
	}
	file := source.New(inputName, text+"\n")
	tree, diags := parser.Parse(file)
	if expression(text) != nil {
		sym, err := s.symbolOf(text)
		if err != nil {
			return err
		}
		return s.say("owners", "%s @ %s", text, ownersText(sym.Owners))
	}
	if err := refused(diags); err != nil {
		return err
	}
	next, _, err := s.extended(file, statementsOf(tree))
	if err != nil {
		return err
	}
	for _, stmt := range next.built.File.Stmts {
		if key := keyOf(stmt); len(tree.Stmts) == 1 && key.replaces(keyOf(tree.Stmts[0])) {
			return s.ownersIn(next.built, stmt)
		}
	}
	return nil
}

// ownersIn shows a statement of a model with the owners of its names, and the cuts of a likelihood.
func (s *Session) ownersIn(m *compile.Model, stmt ast.Stmt) error {
	text := m.Source.Text[stmt.Span().Start:stmt.Span().End]
	var rows [][]string
	marks := map[string]string{}
	ast.Walk(stmt, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			if sym := m.Checked.Symbols[name.Name]; sym != nil && marks[name.Name] == "" &&
				sym.Kind != check.Party {
				owner := ownersText(m.Checked.Info[name].Owners)
				marks[name.Name] = owner
				rows = append(rows, []string{name.Name, owner, sym.Kind.String()})
			}
		}
		return true
	})
	cuts := cutsOf(m, stmt)
	return s.reply("owners", map[string]any{"statement": text, "names": rows, "cuts": cuts},
		func(w io.Writer) error {
			fmt.Fprintln(w, s.coloured(m, stmt, marks))
			for _, r := range rows {
				fmt.Fprintf(w, "  %s @ %s (%s)\n", r[0], r[1], r[2])
			}
			for _, c := range cuts {
				fmt.Fprintf(w, "  cut: %s\n", c)
			}
			return nil
		})
}

// cutsOf describes what is cut out of a likelihood.
func cutsOf(m *compile.Model, stmt ast.Stmt) []string {
	out := []string{}
	for _, k := range m.Cuts.Likelihoods {
		if ast.Stmt(k.Stmt) != stmt {
			continue
		}
		for _, g := range k.Groups {
			for _, c := range g.Cuts {
				out = append(out, fmt.Sprintf("%s of %s, as %s", format.Expr(c.Expr), c.Client, c.Name))
			}
		}
	}
	return out
}

// ownerColours are the colours of parties, the server's first; there is none for what is shared.
var ownerColours = []string{"\x1b[34m", "\x1b[33m", "\x1b[36m", "\x1b[35m", "\x1b[32m", "\x1b[31m"}

// coloured is the text of a statement with each name in the colour of its owner.
func (s *Session) coloured(m *compile.Model, stmt ast.Stmt, owner map[string]string) string {
	at, text := stmt.Span(), m.Source.Text
	if !s.Color {
		return text[at.Start:at.End]
	}
	parties := []string{m.Checked.Server}
	for _, c := range m.Checked.Clients {
		parties = append(parties, c.Name)
	}
	var b strings.Builder
	from := at.Start
	for _, w := range parser.Words(text[at.Start:at.End]) {
		word := text[at.Start+w.Start : at.Start+w.End]
		i := slices.Index(parties, owner[word])
		if i < 0 {
			continue
		}
		b.WriteString(text[from:at.Start+w.Start] + ownerColours[i%len(ownerColours)] + word + "\x1b[0m")
		from = at.Start + w.End
	}
	return b.String() + text[from:at.End]
}
