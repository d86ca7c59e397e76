package repl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/stdlib/def"
)

// settingValues proposes backends, what may be set of the one that was named, and values.
func settingValues(_ *Session, before []string) []string {
	a := fit.Backends()[0]
	for _, w := range before {
		if b, ok := fit.Backend(w); ok {
			a = b
		}
	}
	if n := len(before); n > 0 {
		last := before[n-1]
		if name, _, ok := strings.Cut(last, "="); ok && (strings.HasSuffix(last, "=") ||
			strings.HasSuffix(last, ",")) {
			return valuesOf(a, name)
		}
	}
	out := []string{"as"}
	if len(before) == 0 {
		out = append(out, backendNames()...)
	}
	for _, c := range fit.Choices() {
		out = append(out, c.Name+"=")
	}
	for _, set := range a.Settings {
		out = append(out, set.Name+"=")
	}
	return out
}

// switched are the values of a switch.
var switched = []string{"true", "false"}

// meant is how one writes the name or a value of a setting that stands alone; "" where it is neither.
func meant(word string) string {
	if slices.Contains(settingNames(), word) {
		return word + "=VALUE"
	}
	for _, c := range fit.Choices() {
		if c.Values != nil && slices.Contains(c.Values(), word) {
			return c.Name + "=" + word
		}
	}
	return ""
}

// valuesOf lists what a setting of a backend, or a choice beside them, may be.
func valuesOf(a backends.Algorithm, name string) []string {
	if c, ok := fit.ChoiceNamed(name); ok {
		switch {
		case c.Switch:
			return slices.Clone(switched)
		case c.Values != nil:
			return c.Values()
		}
		return nil
	}
	for _, set := range a.Settings {
		if set.Name != name {
			continue
		}
		if _, ok := set.Default.(bool); ok {
			return slices.Clone(switched)
		}
		return slices.DeleteFunc(slices.Clone(set.Choices), func(c string) bool { return c == "" })
	}
	return nil
}

// isSwitch reports whether a setting or a choice is true or false.
func isSwitch(name string) bool {
	for _, a := range fit.Backends() {
		if slices.Equal(valuesOf(a, name), switched) {
			return true
		}
	}
	return false
}

// settingsHelp lists the settings of each backend, what may be chosen beside them, and examples.
func settingsHelp(width int) string {
	var b strings.Builder
	list := func(title string, names, docs []string) {
		fmt.Fprintf(&b, "\n%s\n", title)
		for i, name := range names {
			b.WriteString(hung(fmt.Sprintf("  %-16s ", name), docs[i], width))
		}
	}
	for _, a := range fit.Backends() {
		var names, docs []string
		for _, set := range a.Settings {
			names, docs = append(names, set.Name), append(docs, set.Usage())
		}
		list(a.Name, names, docs)
	}
	var names, docs []string
	for _, c := range fit.Choices() {
		names, docs = append(names, c.Name), append(docs, strings.ReplaceAll(c.Doc, "`", ""))
	}
	list("with each backend", names, docs)
	b.WriteString("\n" + strings.Join(fitExamples(), "\n"))
	return b.String()
}

// hung is a text behind a name, in lines that begin where it does.
func hung(name, text string, width int) string {
	doc := folded(strings.Repeat(" ", len(name))+text, width)
	return name + doc[len(name):] + "\n"
}

// fitExamples are lines of :fit: with the default backend, and with one that has example settings.
func fitExamples() []string {
	first := fit.Backends()[0]
	draws, _ := first.In(backends.Draws)
	out := []string{fmt.Sprintf(":fit %s %s=500 seed=2 as short", first.Name, draws.Name)}
	for _, a := range fit.Backends()[1:] {
		if words := strings.Fields(a.Example); len(words)%2 == 0 && len(words) > 0 {
			line := ":fit " + a.Name
			for i := 0; i < len(words); i += 2 {
				line += " " + strings.TrimLeft(words[i], "-") + "=" + words[i+1]
			}
			between := slices.IndexFunc(a.Transforms, func(t def.Transform) bool { return !t.Pooled() })
			return append(out, line+" transform="+a.Transforms[between].Name)
		}
	}
	return out
}

// setting is the page of a setting or a choice of :fit; "" where there is none of the name.
func setting(name string) string {
	name = strings.TrimSuffix(strings.TrimLeft(name, "-"), "=")
	var lines []string
	for _, a := range fit.Backends() {
		for _, set := range a.Settings {
			if set.Name == name {
				lines = append(lines, "  "+a.Name+": "+set.Usage())
			}
		}
	}
	if c, ok := fit.ChoiceNamed(name); ok {
		lines = append(lines, "  "+strings.ReplaceAll(c.Doc, "`", ""))
	}
	if lines == nil {
		return ""
	}
	return ":fit … " + name + "=VALUE\n" + strings.Join(lines, "\n")
}

// settingNames lists what may be set in :fit.
func settingNames() (out []string) {
	for _, a := range fit.Backends() {
		for _, set := range a.Settings {
			out = append(out, set.Name)
		}
	}
	for _, c := range fit.Choices() {
		out = append(out, c.Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
