package repl

import (
	"context"
	"fmt"
	"io"
	"strings"
)

func helpCommand() command {
	return command{name: "help", args: "[COMMAND] [SETTING]",
		doc: "list the commands, or explain one; of :fit, a setting too",
		values: func(s *Session, _ []string) []string {
			return s.commandNames()
		},
		run: func(s *Session, _ context.Context, args string) error {
			if args == "" {
				return s.reply("help", map[string]any{"commands": s.commandNames()}, func(w io.Writer) error {
					return s.help(w)
				})
			}
			name, about, _ := strings.Cut(strings.TrimPrefix(args, ":"), " ")
			c, err := s.find(name)
			if page := setting(strings.TrimSpace(about)); err == nil && c.name == fitCommand().name &&
				page != "" {
				return s.say("help", "%s", page)
			}
			if err == nil && about != "" {
				err = usagef(":help explains one command; write :help %s", name)
			}
			if err != nil {
				return err
			}
			text := c.usage() + "\n  " + c.doc
			if c.more != nil {
				text += "\n" + c.more(s.Width())
			}
			return s.say("help", "%s", text)
		}}
}

// helpIndent is the room for a command in the list.
const helpIndent = "                         "

// helpHead is what stands above the commands.
const helpHead = `Everything typed is vfl, as in a model's file, or begins with a mark:
  data, param, y ~ …         declare; the same name again replaces
  beta, beta[1]              the posterior of a parameter
  exp(beta)                  of any expression; mean(…), sd(…), quantile(…, 0.9)
  P(beta[1] > 0)             the probability of a condition
  ?NAME, ?CODE               the page of a distribution, function or message
  !COMMAND                   a command of the shell
An open bracket goes on in the next line. Ctrl-C gives up a line or stops a fit,
Tab completes, Ctrl-R searches, Ctrl-D ends.

`

func (s *Session) help(w io.Writer) error {
	if _, err := io.WriteString(w, helpHead); err != nil {
		return err
	}
	for _, c := range s.commands() {
		doc := folded(helpIndent+c.doc, s.Width())
		if n := len([]rune(c.usage())); n+2 <= len(helpIndent) {
			doc = c.usage() + doc[n:]
		} else {
			doc = c.usage() + "\n" + doc
		}
		if _, err := fmt.Fprintln(w, doc); err != nil {
			return err
		}
	}
	return nil
}
