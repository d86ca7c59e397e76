package repl

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

func diagnoseCommand() command {
	return command{name: "diagnose", args: "[FIT]", doc: "say whether the draws can be trusted, and what to do where they cannot",
		values: func(s *Session, _ []string) []string { return s.runNames() },
		run: func(s *Session, _ context.Context, args string) error {
			r, err := s.runOf(args)
			if err != nil {
				return err
			}
			found := fit.Diagnose(r.stored)
			if r.result != nil {
				found = r.result.Diagnose()
			}
			next := s.remedy(found)
			return s.reply("diagnose", map[string]any{"fit": r.name, "trusted": len(found) == 0, "findings": found, "next": next}, func(w io.Writer) error {
				if err := fit.WriteFindings(w, r.stored, found); err != nil {
					return err
				}
				if next != "" {
					fmt.Fprintf(w, "next: %s\n", next)
				}
				s.remind(w, r)
				return nil
			})
		}}
}

// settingIn finds a setting with its value in the text of a remedy, as on the command line of vflc run.
var settingIn = regexp.MustCompile(`--([a-z][a-z-]*)[ =]([0-9][0-9.]*[0-9]|[0-9]|[a-z]+)`)

// remedy is the line at the prompt that does what findings advise; "" where they advise no setting.
func (s *Session) remedy(found []posterior.Finding) string {
	settings := map[string]string{}
	var names []string
	name := ""
	for _, f := range found {
		for _, m := range settingIn.FindAllStringSubmatch(f.Try, -1) {
			a, ok := accepts(m[1])
			switch {
			case m[1] == "backend":
				name = m[2]
			case ok && settings[m[1]] == "":
				settings[m[1]], names = m[2], append(names, m[1])
				if name == "" && a != fit.Backends()[0].Name {
					name = a
				}
			}
		}
	}
	if len(names) == 0 && name == "" {
		return ""
	}
	slices.Sort(names)
	line := []string{":fit"}
	if name != "" {
		line = append(line, name)
	}
	for _, n := range names {
		line = append(line, n+"="+settings[n])
	}
	return strings.Join(line, " ")
}

// accepts returns the first backend that has a setting.
func accepts(setting string) (string, bool) {
	for _, a := range fit.Backends() {
		for _, set := range a.Settings {
			if set.Name == setting {
				return a.Name, true
			}
		}
	}
	return "", false
}
