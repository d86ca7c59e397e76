package repl

import (
	"context"

	"github.com/vflc/vflc/data"
)

func keyCommand() command {
	return command{name: "key", args: "COLUMN|none", doc: "join rows on this column; none: in the order of the files", flag: true,
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
			s.change(next)
			return s.say("key", "rows are joined on %s", next.Key)
		}}
}
