package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi"
)

// algorithms lists the backends of this version; the first is the default.
func algorithms() []backends.Algorithm {
	return []backends.Algorithm{sfvi.Algorithm()}
}

// algorithm finds a backend by name.
func algorithm(name string) (backends.Algorithm, error) {
	var known []string
	for _, a := range algorithms() {
		if a.Name == name {
			return a, nil
		}
		known = append(known, a.Name)
	}
	return backends.Algorithm{}, usagef("--backend %s: this version has %s only", name, strings.Join(known, ", "))
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

// Type is what help shows in place of the value.
func (f *settingFlag) Type() string {
	switch f.Default.(type) {
	case int:
		return "int"
	case float64:
		return "number"
	}
	return "word"
}

// addSettings makes a flag of every setting of every backend.
func addSettings(cmd *cobra.Command) {
	for _, a := range algorithms() {
		for _, s := range a.Settings {
			if cmd.Flags().Lookup(s.Name) == nil {
				doc := s.Doc
				if s.Choices != nil {
					doc += " (" + strings.Join(strings.Fields(strings.Join(s.Choices, " ")), ", ") + ")"
				}
				cmd.Flags().Var(&settingFlag{s, fmt.Sprint(s.Default)}, s.Name, doc)
			}
		}
	}
}

// givenSettings are the settings that the command line sets, by name.
func givenSettings(cmd *cobra.Command, a backends.Algorithm) map[string]string {
	given := map[string]string{}
	for _, s := range a.Settings {
		if f := cmd.Flags().Lookup(s.Name); f.Changed {
			given[s.Name] = f.Value.String()
		}
	}
	return given
}
