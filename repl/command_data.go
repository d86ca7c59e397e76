package repl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/grouped"
)

func dataCommand() command {
	return command{name: "data", args: "[PARTY = FILE[,FILE…]] [key COLUMN]",
		doc: "name the table of a party, or list the tables; of a family, one file a member", files: true,
		flag: true,
		values: func(s *Session, before []string) []string {
			if len(before) > 0 {
				return nil
			}
			return s.owners()
		},
		run: func(s *Session, _ context.Context, args string) error { return s.dataOf(args) }}
}

func (s *Session) dataOf(args string) error {
	if args == "" {
		return s.listTables()
	}
	party, files, key, err := s.readBinding(args)
	if err != nil {
		return err
	}
	before := ""
	if i := slices.IndexFunc(s.now.Tables, func(t table) bool {
		return t.Party == party
	}); i >= 0 && s.now.Tables[i].Files != files {
		before = s.now.Tables[i].Files
	}
	next := s.now.copied()
	next.Tables = append(slices.DeleteFunc(next.Tables, func(t table) bool {
		return t.Party == party
	}), table{party, files})
	if key != "" {
		next.Key = key
	}
	var read []holder
	for _, file := range data.Split(files) {
		t, diags := data.Open(file)
		if err := refused(diags); err != nil {
			return err
		}
		if _, ok := t.Array(key); key != "" && key != data.RowOrder && !ok {
			return inputf("%s has no column %s%s", file, key, nearest(key, columnNames(t)))
		}
		read = append(read, holder{party, file, t})
	}
	s.change(next)
	if err := s.columns(read); err != nil {
		return err
	}
	if before != "" {
		if err := s.say("data", "%s was: %s", party, before); err != nil {
			return err
		}
	}
	if err := s.proposeKey(); err != nil {
		return err
	}
	return s.stale()
}

// readBinding reads `PARTY = FILE key COLUMN`; without a party the file is the server's.
func (s *Session) readBinding(args string) (party, files, key string, err error) {
	name, rest, ok := strings.Cut(args, "=")
	party = strings.TrimSpace(name)
	if !ok || strings.ContainsAny(party, `/\. `) {
		party, rest = s.server(), args
		if owners := s.owners(); len(owners) > 2 {
			return "", "", "", usagef("say whose table it is: :data PARTY = %s, with a party of %s",
				strings.TrimSpace(args), strings.Join(owners, ", "))
		}
	}
	list := words(rest)
	if n := len(list); n >= 3 && list[n-2] == "key" {
		key, list = list[n-1], list[:n-2]
	}
	if len(list) == 0 || list[0] == "key" {
		return "", "", "", usagef(":data %s needs a file: :data %s = FILE", party, party)
	}
	if len(list) > 1 && !strings.HasSuffix(list[0], ",") {
		return "", "", "",
			usagef(":data: %q is not understood; write :data PARTY = FILE key COLUMN, and quotes "+
				"around a name with blanks", strings.Join(list[1:], " "))
	}
	if known := s.owners(); s.now.built != nil && !slices.Contains(known, party) {
		return "", "", "", usagef("the model has no party %s%s; its parties: %s", party,
			nearest(party, known), strings.Join(known, ", "))
	}
	return party, strings.Join(list, ""), key, nil
}

func (s *Session) server() string {
	if s.now.built == nil {
		return check.DefaultServer
	}
	return s.now.built.Checked.Server
}

// owners lists what may follow an @.
func (s *Session) owners() []string {
	out := []string{s.server()}
	if s.now.built != nil {
		for _, c := range s.now.built.Checked.Clients {
			out = append(out, c.Name)
		}
	}
	return append(out, check.Shared)
}

func (s *Session) listTables() error {
	holders, err := s.holders()
	if err != nil {
		return err
	}
	if len(holders) == 0 {
		return s.say("data", "no tables yet: :data PARTY = FILE")
	}
	return s.columns(holders)
}

// columns answers with the columns of tables.
func (s *Session) columns(holders []holder) error {
	for _, h := range holders {
		key := ""
		if _, ok := h.table.Array(s.now.Key); ok && s.now.Key != "" {
			key = ", key " + s.now.Key
		}
		if !s.json {
			fmt.Fprintf(s.Out, "%s: %s, %s%s\n", h.party, h.file, grouped.Count(h.table.Rows, "row"), key)
		}
		var rows [][]string
		for _, a := range h.table.Arrays {
			kind, missing, values := a.Summary()
			rows = append(rows, []string{a.Name, kind, strconv.Itoa(missing), values})
		}
		if err := s.lines("data", []string{"column", "type", "missing", "values"}, rows); err != nil {
			return err
		}
	}
	return nil
}

// proposeKey says on what the rows of the tables could be joined, where nothing joins them yet.
func (s *Session) proposeKey() error {
	holders, err := s.holders()
	if err != nil || len(holders) < 2 || s.keyOf(holders) != "" {
		return nil // whatever is wrong with another table is said where it is used
	}
	tables := make([]*data.Table, len(holders))
	for i, h := range holders {
		tables[i] = h.table
	}
	if keys := data.Keys(tables); len(keys) > 0 {
		return s.say("key", "no key yet: :key %s joins the rows on %s, which no table has twice", keys[0],
			keys[0])
	}
	return nil
}

func columnNames(t *data.Table) []string {
	var out []string
	for _, a := range t.Arrays {
		out = append(out, a.Name)
	}
	return out
}
