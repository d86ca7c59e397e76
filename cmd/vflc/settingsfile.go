package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
)

// honour applies vfl.toml to a command that compiles a model, and returns the flags of the command line.
func (f *modelFlags) honour(cmd *cobra.Command, model string) (typed []string, err error) {
	typed = typedFlags(cmd)
	err = applySettingsFile(cmd, model)
	f.encrypted = wireOf(cmd, model)
	f.rhoOfFile = !slices.Contains(typed, "rho")
	if !slices.Contains(typed, "module") {
		f.fileDir = filepath.Dir(model)
	}
	return typed, err
}

// wireOf reports whether the command line, or vfl.toml where a command has no such flag, chooses encrypted
// rows.
func wireOf(cmd *cobra.Command, model string) bool {
	const wire = "wire"
	if f := cmd.Flags().Lookup(wire); f != nil {
		return backends.Encrypted(map[string]string{wire: f.Value.String()})
	}
	settings, _, _ := data.RunSettings(model) // an error is applySettingsFile's
	return backends.Encrypted(map[string]string{wire: fmt.Sprint(settings[wire])})
}

// applySettingsFile sets the flags that section [run] of the vfl.toml beside the model names and the command
// line does not. Those that are about vflc run alone are left out in other commands. A repeatable flag takes
// a list. Section [data], which names the tables of the parties, is not read here.
func applySettingsFile(cmd *cobra.Command, model string) error {
	settings, path, err := data.RunSettings(model)
	if err != nil {
		return err
	}
	typed := typedFlags(cmd)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if elsewhere(cmd, name) {
			continue
		}
		if err := applySetting(cmd.Flags(), name, settings[name]); err != nil {
			return fmt.Errorf("%s: [run] %s: %w", path, name, err)
		}
		if !slices.Contains(typed, name) {
			if cmd.Annotations == nil {
				cmd.Annotations = map[string]string{}
			}
			cmd.Annotations[name] = path
		}
	}
	return nil
}

// asInFile writes an error about flags as one about the file that set them: "--rho -1: …" as "vfl.toml: [run]
// rho -1: …". Other errors stay as they are.
func asInFile(cmd *cobra.Command, err error) error {
	var usage *failure
	if !errors.As(err, &usage) || usage.code != exitUsage || usage.err == nil {
		return err
	}
	lines := strings.Split(usage.err.Error(), "\n")
	for k, line := range lines {
		name := flagAt.FindStringSubmatch(line)
		if name == nil || cmd.Annotations[name[1]] == "" {
			return err
		}
		lines[k] = fmt.Sprintf("%s: [run] %s", cmd.Annotations[name[1]], strings.TrimPrefix(line, "--"))
	}
	return &failure{exitInput, errors.New(strings.Join(lines, "\n"))}
}

// flagAt is the flag at the beginning of an error about it.
var flagAt = regexp.MustCompile(`^--([a-z-]+)\b`)

// elsewhere reports whether a flag of vflc run says nothing to another command: one that it has not, or that
// is about a run's own output.
func elsewhere(cmd *cobra.Command, name string) bool {
	switch {
	case cmd.Name() == "run" || newRun().Flags().Lookup(name) == nil:
		return false
	case slices.Contains([]string{"output", "json", "quiet", "strict"}, name):
		return true
	}
	return cmd.Flags().Lookup(name) == nil
}

func applySetting(flags *pflag.FlagSet, name string, value any) error {
	f := flags.Lookup(name)
	switch {
	case f == nil || name == "data" || name == "help":
		return errors.New("unknown setting; [run] holds flags of vflc run by name, and [data] the tables")
	case f.Changed:
		return nil
	}
	items, isList := value.([]any)
	if !isList {
		items = []any{value}
	}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		var texts []string
		for _, item := range items {
			texts = append(texts, fmt.Sprint(item))
		}
		f.Changed = true
		return list.Replace(texts)
	}
	if isList {
		return errors.New("needs one value, not a list")
	}
	if err := flags.Set(name, fmt.Sprint(value)); err != nil {
		return fmt.Errorf("%v: %s", value, expected(f, errors.Unwrap(err)))
	}
	return nil
}
