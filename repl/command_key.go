package repl

import (
	"context"
	"slices"

	"github.com/vflc/vflc/data"
)

func keyCommand() command {
	return command{name: "key", args: "COLUMN|none",
		doc: "join rows on this column; none: in the order of the files", flag: true,
		values: func(s *Session, _ []string) []string {
			out := []string{data.RowOrder}
			holders, _ := s.holders()
			for _, h := range holders {
				out = append(out, columnNames(h.table)...)
			}
			return out
		},
		run: func(s *Session, _ context.Context, args string) error {
			if len(words(args)) != 1 {
				return usagef(":key needs the name of a column, or none")
			}
			next := s.now.copied()
			next.Key = words(args)[0]
			if err := s.hasKey(next.Key); err != nil {
				return err
			}
			s.change(next)
			return s.say("key", "rows are joined on %s", next.Key)
		}}
}

// hasKey is an error where there are tables, and none has the column.
func (s *Session) hasKey(column string) error {
	holders, err := s.holders()
	if err != nil || len(holders) == 0 || column == data.RowOrder {
		return nil // other commands say what is wrong with the tables
	}
	var names []string
	for _, h := range holders {
		names = append(names, columnNames(h.table)...)
	}
	if slices.Contains(names, column) {
		return nil
	}
	return inputf("no table has a column %s%s", column, nearest(column, names))
}
