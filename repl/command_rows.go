package repl

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/grouped"
)

// The values of :rows, as of vflc run --rows.
const (
	rowsError     = "error"
	rowsIntersect = "intersect"
)

func rowsCommand() command {
	return command{name: "rows", args: "[intersect|error]",
		doc: "count the rows of each party and those that all have; keep only these, or " +
			"refuse tables that differ", flag: true,
		values: func(*Session, []string) []string { return []string{rowsIntersect, rowsError} },
		run: func(s *Session, _ context.Context, args string) error {
			switch args {
			case "":
			case rowsIntersect, rowsError:
				next := s.now.copied()
				next.Intersect = args == rowsIntersect
				s.change(next)
			default:
				return usagef(":rows %s: write :rows, :rows %s or :rows %s", args, rowsIntersect, rowsError)
			}
			return s.rows()
		}}
}

// rows counts the rows of the tables and those in common, and says how they are joined.
func (s *Session) rows() error {
	holders, err := s.holders()
	if err != nil {
		return err
	}
	if len(holders) == 0 {
		return inputf("there are no tables yet: :data PARTY = FILE")
	}
	key := s.keyOf(holders)
	counts := map[string]int{}
	keyed := 0
	var rows [][]string
	for _, h := range holders {
		distinct := "-"
		if ids := keys(h.table, key); ids != nil {
			keyed++
			distinct = strconv.Itoa(len(ids))
			for id := range ids {
				counts[id]++
			}
		}
		rows = append(rows, []string{h.party, h.file, strconv.Itoa(h.table.Rows), distinct})
	}
	common := 0
	for _, n := range counts {
		if n == keyed {
			common++
		}
	}
	if err := s.lines("rows", []string{"party", "file", "rows", "different keys"}, rows); err != nil {
		return err
	}
	return s.joined(key, keyed, common)
}

// keys returns the values of a table's key; nil if it has none.
func keys(t *data.Table, key string) map[string]bool {
	a, ok := t.Array(key)
	if !ok {
		return nil
	}
	out := map[string]bool{}
	for i := range a.Len() {
		if a.Missing(i) {
			continue
		}
		if a.Words != nil {
			out[a.Words[a.Codes[i]]] = true
		} else {
			out[strconv.FormatFloat(a.Numbers[i], 'g', -1, 64)] = true
		}
	}
	return out
}

// joined says how the rows of the model's tables are joined, or why they cannot be.
func (s *Session) joined(key string, keyed, common int) error {
	return s.reply("joined", map[string]any{"key": key, "common": common}, func(w io.Writer) error {
		if keyed > 1 {
			fmt.Fprintf(w, "%s in common, by %s\n", grouped.Count(common, "row"), key)
		}
		if key == "" {
			if err := s.proposeKey(); err != nil {
				return err
			}
		}
		if s.now.built == nil {
			return nil
		}
		sources, err := s.found()
		if err != nil {
			return err
		}
		set, diags := data.Load(sources, lower.Wants(s.now.built.Checked), s.now.joining())
		switch {
		case diags.HasErrors() && keyed > 1 && !s.now.Intersect && common > 0:
			fmt.Fprintf(w, "%s\n:rows %s keeps the %d that all have\n", s.wrapped(s.typed(diags[0].Message)),
				rowsIntersect, common)
		case diags.HasErrors():
			fmt.Fprintln(w, s.wrapped(s.typed(diags[0].Message)))
		default:
			for _, line := range set.Joined() {
				fmt.Fprintln(w, line)
			}
		}
		return nil
	})
}
