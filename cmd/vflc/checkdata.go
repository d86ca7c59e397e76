package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

// tableFlags are those of vflc check that are about tables.
type tableFlags struct {
	joinFlags
	beside bool
	data   []string
}

func (t *tableFlags) add(fs *pflag.FlagSet) {
	fs.BoolVar(&t.beside, "tables", false,
		"check a model with the tables that vflc run would read: those of vfl.toml beside it, or "+
			"of the folder of its name")
	fs.StringArrayVar(&t.data, "data", nil,
		"of a model, read these tables as vflc run does, `PARTY=FILE`; of a party's program, read this "+
			"FILE as the party will, and shared=FILE for shared data that its own table does not have; "+
			"repeatable; the manifest is the "+
			"one beside the program unless --manifest names another")
	t.addJoins(fs)
}

// asked reports whether tables are read.
func (t *tableFlags) asked() bool { return t.beside || t.data != nil }

// manifestOf is the manifest of a party's program that is checked with its table; "" for a model, which may
// lie beside a manifest that is none of its own.
func (t *tableFlags) manifestOf(path, named string) string {
	switch {
	case !t.asked():
		return ""
	case named != "":
		return named
	}
	beside := filepath.Join(filepath.Dir(path), compile.ManifestFile)
	if _, err := os.Stat(beside); err != nil {
		return ""
	}
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(strings.TrimSpace(string(text)),
		"program ") {
		return ""
	}
	return beside
}

// A tableCheck is what a check finds in tables.
type tableCheck struct {
	diag.DiagnosticDocument
	Columns []data.Described `json:"columns"`
	Sizes   map[string]int   `json:"sizes"`
	notes   []string
	found   diag.List
}

// told keeps the columns of tables as they are read.
func (c *tableCheck) told(columns []data.Described) { c.Columns = columns }

// checkModel checks a model with the tables of its parties. diags are those of the model.
func (t *tableFlags) checkModel(cmd *cobra.Command, path string, m *compile.Model, diags diag.List,
	asJSON bool) error {
	if m.Checked.For != "" {
		return fmt.Errorf("%s is the program of %s; name its manifest with --manifest", path, m.Checked.For)
	}
	joining, err := t.joining()
	if err != nil {
		return err
	}
	sources, err := data.Locate(path, m.Parties(), t.data)
	if err != nil {
		return err
	}
	c := &tableCheck{found: diags, Columns: []data.Described{}, Sizes: map[string]int{}}
	joining.Told = c.told
	b, diags, err := compile.Bind(m, sources, joining)
	if err != nil {
		return err
	}
	if c.found = append(c.found, diags...); !c.found.HasErrors() {
		c.notes, c.Sizes = slices.Concat([]string{b.Assumed()}, b.Data.Joined(), b.Imputed()), b.Sizes.Common
	}
	return c.print(cmd, asJSON)
}

// checkProgram is a party's own dry run: its program with its table, before anybody else is involved.
func (t *tableFlags) checkProgram(cmd *cobra.Command, path, manifest string, asJSON bool) error {
	if t.data == nil {
		return usagef("--tables is for a model; a party's program is checked with the FILE that --data names")
	}
	universe := stdlib.New()
	m, diags, err := split.ReadManifest(manifest, universe)
	if err := data.Failed(diags, err); err != nil {
		return err
	}
	k := slices.IndexFunc(m.Parties, func(p split.ManifestParty) bool {
		return p.Program == filepath.Base(path)
	})
	if k < 0 {
		return fmt.Errorf("%s lists no program %s", manifest, filepath.Base(path))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	party := m.Parties[k].Name
	own, err := compile.OwnProgram(m, filepath.Dir(path), party)
	if err != nil {
		return err
	}
	member := party
	if m.Parties[k].Family != "" {
		member += "[1]"
	}
	c := &tableCheck{Columns: []data.Described{}, Sizes: map[string]int{}}
	part, diags, err := compile.OpenParty(m, member, source.New(path, string(text)), own)
	if err != nil {
		return err
	}
	if c.found = diags; !c.found.HasErrors() {
		joining := data.Joining{Key: t.key, Told: c.told}
		c.found = append(c.found, part.Bind(node.TablesOf(party, t.data), safefile.MaxBytes, joining,
			nil)...)
	}
	if !c.found.HasErrors() {
		facts, diags := part.Facts(nil)
		c.found = append(c.found, diags...)
		for name, size := range facts.Sizes {
			c.Sizes[name] = size.Value
		}
		c.notes = append(part.Data.Joined(), fmt.Sprintf("%s can read %s", party, strings.Join(t.data, ", ")))
	}
	return c.print(cmd, asJSON)
}

// print shows what was found; errors end the command.
func (c *tableCheck) print(cmd *cobra.Command, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		c.DiagnosticDocument = diag.DocumentOf(c.found.Shown())
		if err := posterior.WriteJSON(out, c); err != nil {
			return err
		}
		if c.found.HasErrors() {
			return shown(exitInput)
		}
		return nil
	}
	fmt.Fprint(out, c.text())
	for _, text := range c.notes {
		say(cmd, text)
	}
	return settle(cmd, c.found)
}

// text lists the columns, and the sizes.
func (c *tableCheck) text() string {
	lines := [][]string{{"party", "column", "type", "missing", "read as", "values"}}
	for _, d := range c.Columns {
		uses := strings.Join(d.Uses, "; ")
		_, size := c.Sizes[d.Column]
		switch {
		case uses == "" && size && d.Cells == 1: // of a document
			uses = "a size"
		case uses == "":
			uses = "(not read)"
		}
		gaps := "0"
		if d.Missing > 0 {
			gaps = fmt.Sprintf("%s of %s", grouped.Digits(d.Missing), grouped.Digits(d.Cells))
		}
		lines = append(lines, []string{d.Party, diag.Printable(d.Column), d.Type, gaps, uses,
			diag.Printable(d.Values)})
	}
	text := ""
	if len(c.Columns) > 0 {
		text = posterior.AlignLeft(lines)
	}
	var sizes []string
	for _, name := range slices.Sorted(maps.Keys(c.Sizes)) {
		sizes = append(sizes, name+" = "+strconv.Itoa(c.Sizes[name]))
	}
	if len(sizes) > 0 {
		text += "\nsizes: " + strings.Join(sizes, ", ") + "\n"
	}
	return text
}
