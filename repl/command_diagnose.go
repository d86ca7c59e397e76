package repl

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

func diagnoseCommand() command {
	return command{name: "diagnose", args: "[FIT]",
		doc:    "say whether the draws can be trusted, and what to do where they cannot",
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
			next := r.remedy(found)
			return s.reply("diagnose", map[string]any{"fit": r.name, "trusted": len(found) == 0,
				"findings": found, "next": next}, func(w io.Writer) error {
				var b strings.Builder
				if err := fit.WriteFindings(&b, r.stored, found); err != nil {
					return err
				}
				io.WriteString(w, s.wrapped(b.String()))
				if next != "" {
					fmt.Fprintf(w, "next:\n%s\n", next)
				}
				s.remind(w, r)
				return nil
			})
		}}
}

// The forms in which remedies name a setting of vflc run: with the value to give it; with the factor by which
// to multiply it; without a number.
var (
	valueIn  = regexp.MustCompile(`--([a-z][a-z-]*) \(?([0-9][0-9.]*[0-9]|[0-9]|[a-z]+)`)
	factorIn = regexp.MustCompile(`about ([0-9]+) times as many --([a-z][a-z-]*)`)
	moreIn   = regexp.MustCompile(`(?:more|longer) --([a-z][a-z-]*)`)
)

// remedy is the line at the prompt that does what findings advise, with the settings that the run had; ""
// where they advise no setting.
func (r *run) remedy(found []posterior.Finding) string {
	if r.stored.Record == nil {
		return ""
	}
	backend, settings := r.stored.Record.Backend, maps.Clone(r.order.settings)
	if settings == nil {
		settings = map[string]string{}
	}
	changed := false
	set := func(name, value string) {
		if accepts(backend, name, value) {
			settings[name], changed = value, true
		}
	}
	for _, f := range found {
		for _, m := range valueIn.FindAllStringSubmatch(f.Try, -1) {
			if _, ok := fit.Backend(m[2]); ok && m[1] == "backend" {
				return ":fit " + m[2]
			}
			set(m[1], m[2])
		}
		for _, m := range factorIn.FindAllStringSubmatch(f.Try, -1) {
			n, _ := strconv.ParseFloat(m[1], 64)
			set(m[2], r.scaled(m[2], n))
		}
		for _, m := range moreIn.FindAllStringSubmatch(f.Try, -1) {
			set(m[1], r.scaled(m[1], 2))
		}
	}
	if !changed {
		return ""
	}
	line := []string{":fit", backend}
	for _, name := range slices.Sorted(maps.Keys(r.order.choices)) {
		line = append(line, name+"="+r.order.choices[name])
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		line = append(line, name+"="+settings[name])
	}
	return strings.Join(line, " ")
}

// scaled is a multiple of a setting that the run had.
func (r *run) scaled(name string, factor float64) string {
	switch v := r.stored.Record.Settings[name].(type) {
	case int:
		return strconv.Itoa(int(math.Ceil(float64(v) * factor)))
	case float64:
		return strconv.FormatFloat(v*factor, 'g', -1, 64)
	}
	return ""
}

// accepts reports whether a backend has a setting that may have this value: a number, or one of its choices.
func accepts(name, setting, value string) bool {
	a, _ := fit.Backend(name)
	return slices.ContainsFunc(a.Settings, func(s backends.Setting) bool {
		_, err := strconv.ParseFloat(value, 64)
		return s.Name == setting && (err == nil || slices.Contains(s.Choices, value))
	})
}
