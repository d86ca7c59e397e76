package repl

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// shownHistory is the number of entries that :history shows.
const shownHistory = 30

func historyCommand() command {
	return command{name: "history", args: "[TEXT]",
		doc: "list what was typed, also in earlier sessions; never answers, which may hold data",
		run: func(s *Session, _ context.Context, args string) error {
			if s.History == nil {
				return s.say("history", "this session keeps no history")
			}
			var texts []string
			for _, e := range s.History.Entries() {
				if strings.Contains(e.Text, args) {
					texts = append(texts, e.Text)
				}
			}
			texts = texts[max(0, len(texts)-shownHistory):]
			return s.reply("history", map[string]any{"entries": texts}, func(w io.Writer) error {
				for _, t := range texts {
					if _, err := fmt.Fprintln(w, strings.TrimRight(t, "\n")); err != nil {
						return err
					}
				}
				return nil
			})
		}}
}
