package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/align"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
)

// alignFlags are those of vflc align.
type alignFlags struct {
	identity, key, output, listen, letters, verify string
	tables                                         []string
	simulate, quiet                                bool
	nats                                           carrier.Cluster
}

func newAlign() *cobra.Command {
	var f alignFlags
	cmd := &cobra.Command{
		Use: "align",
		Short: "Find the rows that all parties hold, without showing an identifier, and " +
			"write them in one order",
		Long: `Find the rows that all parties hold, and write them in one order at each party, for vflc serve and vflc join. No party sees an
identifier of another, nor an unsalted digest of one (private set intersection by Diffie-Hellman over ristretto255). Each party of
the project runs the command with its own table; a server that has no table leaves out --data.

What is told: to all parties, how many rows each has, how many are common, and which of its own rows are; to the server also the
sizes of the overlaps of any parties and, if it has a table, which other parties have each of its rows. The parties are taken to
follow the protocol. A party that makes up identifiers learns which of them all others have: the sizes are shown, look at them.

Identifiers: blanks at both ends are left out, blanks inside count as one, characters are compared in Unicode's form NFKC, and upper
and lower case are the same unless all parties give --case exact. Rows without an identifier are left out; an identifier that two
rows have is an error. The written table has identifiers in this form; beside it, FILE.align.json binds it to the alignment.`,
		Example: `  vflc align --identity registry --data y.csv -o aligned.csv
  vflc align --identity hospital_a --data a.csv --key patient -o aligned.csv
  vflc align --simulate --data registry=y.csv --data hospital_a=a.csv -o aligned`,
		Args: cobra.NoArgs,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			rules, err := align.ParseRules(f.letters)
			switch {
			case err != nil:
				return usagef("--case %v", err)
			case f.verify != "":
				return verifyAligned(cmd, f.verify)
			case f.simulate:
				return f.here(cmd, rules)
			}
			return f.join(cmd, rules)
		}),
	}
	fs := cmd.Flags()
	fs.StringVar(&f.identity, "identity", "",
		"`folder` with the party's keys and certificate (vflc provision)")
	fs.StringArrayVar(&f.tables, "data", nil,
		"the party's table: `FILE`; with --simulate PARTY=FILE, the server first, one for each party")
	fs.StringVar(&f.key, "key", data.DefaultKey, "`column` with the identifiers")
	fs.StringVar(&f.letters, "case", align.CaseFold,
		"upper and lower case: fold, the same, or exact, different")
	fs.StringVarP(&f.output, "output", "o", "",
		"`file` for the aligned table, CSV; with --simulate, a folder for all")
	fs.StringVar(&f.listen, "listen", "",
		"`HOST:PORT` to listen on, at the server (default: the port of the project's "+
			"address, on all interfaces)")
	addNATS(fs, &f.nats)
	fs.BoolVar(&f.simulate, "simulate", false, "align tables of this machine in one process")
	fs.StringVar(&f.verify, "verify", "",
		"compare an aligned table, a `file`, with the alignment beside it, and do nothing else")
	fs.BoolVar(&f.quiet, "quiet", false, "print no progress")
	return cmd
}

// here is the simulation.
func (f *alignFlags) here(cmd *cobra.Command, rules align.Rules) error {
	if len(f.tables) < 2 || f.output == "" || f.identity != "" {
		return usagef("--simulate needs a table of each of two or more parties, --data " +
			"PARTY=FILE, and a folder, -o DIR")
	}
	var names, out []string
	var tables []*node.Identified
	for _, t := range f.tables {
		name, path, ok := strings.Cut(t, "=")
		if !ok || name == "" || path == "" || name != filepath.Base(name) {
			return usagef("--data %s: write PARTY=FILE", t)
		}
		for _, other := range names {
			if other == name {
				return usagef("--data %s: the party has a table already", t)
			}
		}
		table, err := node.Identify(path, f.key, rules)
		if err != nil {
			return err
		}
		names, tables, out = append(names, name), append(tables, table),
			append(out, filepath.Join(f.output, name+".csv"))
		noteWithout(cmd.ErrOrStderr(), name, table)
	}
	if err := os.MkdirAll(f.output, 0o700); err != nil {
		return err
	}
	a, err := node.AlignHere(cmd.Context(), names, tables, out)
	if err != nil {
		return err
	}
	return writeAligned(cmd.OutOrStdout(), a, rules, true, out)
}

func noteWithout(w io.Writer, name string, t *node.Identified) {
	if n := t.Without(); n > 0 {
		rows := grouped.Digits(n) + " rows have"
		if n == 1 {
			rows = "1 row has"
		}
		fmt.Fprintf(w, "%s: %s no identifier; left out\n", name, rows)
	}
}

// join is the party's part of an alignment across machines.
func (f *alignFlags) join(cmd *cobra.Command, rules align.Rules) error {
	if f.identity == "" {
		return usagef("name the folder with the party's keys and certificate, --identity DIR; or --simulate")
	}
	if err := wholeNATS(f.nats, f.listen); err != nil {
		return err
	}
	id, err := identity.Load(f.identity)
	if err != nil {
		return err
	}
	server := id.Party == id.Project.Server
	switch {
	case len(f.tables) > 1:
		return usagef("an alignment takes one table of a party")
	case len(f.tables) == 0 && !server:
		return usagef("name the party's table: --data FILE; only a server may have none")
	case (len(f.tables) > 0) != (f.output != ""):
		return usagef("name the party's table and the file for the aligned one: --data FILE -o FILE")
	}
	screen := terminal.NewScreen(cmd.ErrOrStderr(), f.quiet)
	o := node.AlignOptions{Identity: id, Key: f.key, Rules: rules, Out: f.output, Listen: f.listen,
		NATS: f.nats, Say: func(text string) {
			if !f.quiet {
				screen.Say("%s %s", time.Now().Format(time.TimeOnly), text)
			}
		}}
	if len(f.tables) > 0 {
		if o.Table, err = node.Identify(strings.TrimPrefix(f.tables[0], id.Party+"="), f.key,
			rules); err != nil {
			return err
		}
		noteWithout(cmd.ErrOrStderr(), id.Party, o.Table)
	}
	if f.output != "" { // before any work
		if err := os.MkdirAll(filepath.Dir(f.output), 0o700); err != nil {
			return err
		}
	}
	stop, release := interrupted(cmd.Context())
	defer release()
	a, err := node.Align(stop, o)
	if by := interruption(stop); by != nil {
		return by
	}
	if err != nil {
		return err
	}
	var out []string
	if f.output != "" {
		out = []string{f.output}
	}
	return writeAligned(cmd.OutOrStdout(), a, rules, len(f.tables) > 0 || !server, out)
}

// writeAligned says what was found, and what was told to whom.
func writeAligned(w io.Writer, a *node.Aligned, rules align.Rules, known bool, out []string) error {
	var b strings.Builder
	for i, name := range a.Parties {
		fmt.Fprintf(&b, "%s: %s\n", name, grouped.Count(a.Sizes[i], "row"))
	}
	if known {
		fmt.Fprintf(&b, "in common: %s\n", grouped.Count(a.Rows, "row"))
	}
	fmt.Fprintf(&b, "identifiers: %s\n", rules)
	fmt.Fprintf(&b,
		"told to all parties: these sizes, how many rows are common, and to each which of its own\ntold to "+
			"%s also: how many rows any parties have in common", a.Parties[0])
	if a.Sizes[0] > 0 && len(a.Parties) > 2 {
		b.WriteString(", and which other parties have each of its rows")
	}
	b.WriteString("\n")
	for _, path := range out {
		fmt.Fprintf(&b, "written: %s, %s\n", path, path+node.AlignedSuffix)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func verifyAligned(cmd *cobra.Command, path string) error {
	a, err := node.ReadAligned(path)
	switch {
	case err != nil:
		return err
	case a == nil:
		return fmt.Errorf("%s has no alignment beside it (%s)", path, path+node.AlignedSuffix)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is as its alignment left it: %s\n", path,
		grouped.Count(a.Rows, "row"))
	return err
}
