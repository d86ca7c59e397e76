package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/fit"
)

func algorithmNames() []string {
	var names []string
	for _, a := range fit.Backends() {
		names = append(names, a.Name)
	}
	return names
}

// example returns a command line that runs a backend other than the default, with that backend's example
// settings.
func example(command string) string {
	for _, a := range fit.Backends()[1:] {
		if a.Example != "" {
			return "  " + command + " --backend " + a.Name + " " + a.Example
		}
	}
	return ""
}

// algorithm finds a backend by name.
func algorithm(name string) (backends.Algorithm, error) {
	if a, ok := fit.Backend(name); ok {
		return a, nil
	}
	return backends.Algorithm{}, usagef("--backend %s: choose %s", name, inWords(algorithmNames(), "or"))
}

// settingFlag is a setting of a backend as a flag. The backend checks the text.
type settingFlag struct {
	backends.Setting
	text string
}

func (f *settingFlag) String() string { return f.text }

func (f *settingFlag) Set(text string) error {
	f.text = text
	return nil
}

// Type returns the word that help shows in place of the value.
func (f *settingFlag) Type() string {
	switch f.Default.(type) {
	case int:
		return "int"
	case float64:
		return "number"
	case bool:
		return "bool" // which pflag shows as a switch
	}
	return "word"
}

// addSettings adds a flag for every setting of every backend. Its help names the backends, and the default,
// which may differ between them.
func addSettings(cmd *cobra.Command) {
	all := fit.Backends()
	for _, a := range all {
		for _, s := range a.Settings {
			if f := cmd.Flags().Lookup(s.Name); f == nil {
				f = cmd.Flags().VarPF(&settingFlag{s, fmt.Sprint(s.Default)}, s.Name, "",
					usageOf(all, s.Name))
				f.DefValue = ""
				if s.Switch() {
					f.NoOptDefVal = "true"
				}
			}
		}
	}
}

// usageOf is the help of a setting: what it is in each backend, those together in which it is the same.
func usageOf(all []backends.Algorithm, name string) string {
	var texts []string
	owners := map[string][]string{}
	for _, a := range all {
		for _, s := range a.Settings {
			if s.Name != name {
				continue
			}
			text := s.Usage()
			if owners[text] == nil {
				texts = append(texts, text)
			}
			owners[text] = append(owners[text], a.Name)
		}
	}
	for k, text := range texts {
		texts[k] = strings.Join(owners[text], ", ") + ": " + text
	}
	return strings.Join(texts, "; ")
}

// givenSettings are the settings of a backend that the command line or vfl.toml sets, by name.
func givenSettings(cmd *cobra.Command, a backends.Algorithm) map[string]string {
	given := map[string]string{}
	for _, s := range a.Settings {
		if f := cmd.Flags().Lookup(s.Name); f.Changed {
			given[s.Name] = f.Value.String()
		}
	}
	return given
}

// declared is the algorithm of the run that programs are for, and its settings with those of the command
// line. a is the algorithm that --backend names.
func declared(cmd *cobra.Command, m *split.Manifest, a backends.Algorithm) (backends.Algorithm,
	map[string]string, error) {
	asked := &a
	if !cmd.Flags().Changed("backend") {
		asked = nil
		if m.Run != nil {
			if own, ok := fit.Backend(m.Run.Backend); ok {
				a = own
			}
		}
	}
	if err := refuseForeign(typedFlags(cmd), a); err != nil {
		return a, nil, err
	}
	return fit.Declared(m, asked, givenSettings(cmd, a))
}

// settingsFor are the settings given, without those of vfl.toml that do not apply to the transform of the
// model.
func settingsFor(cmd *cobra.Command, a backends.Algorithm, m *compile.Model,
	typed []string) map[string]string {
	given := givenSettings(cmd, a)
	for _, d := range a.Settings {
		if d.Auxiliary && m.Checked.Transform.Kind.CutsCross() && !slices.Contains(typed, d.Name) {
			delete(given, d.Name)
		}
	}
	return given
}

// typedFlags are the flags of the command line.
func typedFlags(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().Visit(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// refuseForeign returns an error for flags that only other backends have. vfl.toml may hold settings of
// several.
func refuseForeign(typed []string, a backends.Algorithm) error {
	for _, other := range fit.Backends() {
		for _, s := range other.Settings {
			own := slices.ContainsFunc(a.Settings, func(t backends.Setting) bool { return t.Name == s.Name })
			if !own && slices.Contains(typed, s.Name) {
				return usagef("--%s is a setting of %s, but the backend is %s; choose it with --backend %s",
					s.Name, other.Name, a.Name, other.Name)
			}
		}
	}
	return nil
}
