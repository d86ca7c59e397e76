package repl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/internal/grouped"
)

// shownHead is the number of rows of :head.
const shownHead = 6

func headCommand() command {
	return command{name: "head", args: "[PARTY]", doc: "show the first rows of a party's table",
		values: func(s *Session, _ []string) []string { return s.owners() },
		run: func(s *Session, _ context.Context, args string) error {
			holders, err := s.holdersOf(args)
			if err != nil {
				return err
			}
			for _, h := range holders {
				if err := s.head(h); err != nil {
					return err
				}
			}
			return nil
		}}
}

// holdersOf returns the tables of a party, or all; an error if there are none.
func (s *Session) holdersOf(party string) ([]holder, error) {
	holders, err := s.holders()
	if err != nil {
		return nil, err
	}
	if party == "" && len(holders) > 0 {
		return holders, nil
	}
	var own []holder
	var names []string
	for _, h := range holders {
		names = append(names, h.party)
		if h.party == party || strings.HasPrefix(h.party, party+"[") {
			own = append(own, h)
		}
	}
	switch {
	case len(holders) == 0:
		return nil, inputf("there are no tables yet: :data PARTY = FILE")
	case len(own) == 0:
		return nil, usagef("%s has no table%s; there are those of %s", party, nearest(party, names),
			strings.Join(names, ", "))
	}
	return own, nil
}

func (s *Session) head(h holder) error {
	names := columnNames(h.table)
	var rows [][]string
	for i := range min(shownHead, h.table.Rows) {
		row := make([]string, len(h.table.Arrays))
		for k, a := range h.table.Arrays {
			switch {
			case i >= a.Len() || a.Missing(i):
				row[k] = "-"
			case a.Words != nil:
				row[k] = a.Words[a.Codes[i]]
			default:
				row[k] = strconv.FormatFloat(a.Numbers[i], 'g', 6, 64)
			}
		}
		rows = append(rows, row)
	}
	if !s.json {
		fmt.Fprintf(s.Out, "%s: %s, %s\n", h.party, h.file, grouped.Count(h.table.Rows, "row"))
	}
	return s.lines("head", slices.Clone(names), rows)
}
