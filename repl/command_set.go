package repl

import (
	"context"
	"slices"
	"strings"
)

func setCommand() command {
	return command{name: "set", args: "json|pager on|off",
		doc: "json: answer with one line of JSON each; pager: show long answers a screen at a time",
		values: func(_ *Session, before []string) []string {
			if len(before) == 0 {
				return []string{"json", "pager"}
			}
			return []string{"on", "off"}
		},
		run: func(s *Session, _ context.Context, args string) error {
			list := words(args)
			if len(list) == 0 {
				return s.say("set", "json %s, pager %s", onOff(s.json), onOff(s.pager))
			}
			if name, _, _ := strings.Cut(list[0], "="); slices.Contains(settingNames(),
				strings.TrimLeft(name, "-")) || name == "backend" {
				return usagef(":set: %s belongs to a fit: write %s", name, fitLine(list))
			}
			if len(list) != 2 || list[1] != "on" && list[1] != "off" {
				return usagef(":set: write :set json on or off, :set pager on or off")
			}
			switch list[0] {
			case "json":
				s.json = list[1] == "on"
			case "pager":
				s.pager = list[1] == "on"
			default:
				return usagef(":set: there is no %s%s", list[0], nearest(list[0], []string{"json", "pager"}))
			}
			return nil
		}}
}

// fitLine is a line of :fit with what was to be set: NAME VALUE or NAME=VALUE.
func fitLine(list []string) string {
	name, value, _ := strings.Cut(strings.TrimLeft(strings.Join(list, "="), "-"), "=")
	switch {
	case value == "":
		value = "VALUE"
	case name == "backend":
		return ":fit " + value
	}
	return ":fit " + name + "=" + value
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// Paged reports whether long answers are to be shown a screen at a time.
func (s *Session) Paged() bool { return s.pager && !s.json }
