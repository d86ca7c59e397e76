package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/align"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
	"github.com/vflc/vflc/stdlib"
)

// A completer proposes values for a word that begins with typed. args are the arguments that are already on
// the command line.
type completer func(args []string, typed string) ([]string, cobra.ShellCompDirective)

// addCompletions gives every command the values that a shell proposes. They come from the descriptors, from
// the model on the command line and from the folder of a run; a model or folder that cannot be read proposes
// nothing.
func addCompletions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if complete := argumentValues(cmd); complete != nil && cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = complete.forCobra
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if complete := valuesOf(f); complete != nil {
				// its error: a flag that is registered twice
				cmd.RegisterFlagCompletionFunc(f.Name, complete.forCobra)
			}
		})
	}
}

func (c completer) forCobra(_ *cobra.Command, args []string, typed string) ([]string,
	cobra.ShellCompDirective) {
	return c(args, typed)
}

// firstArgument is the word in capitals after the command's name: what its first argument is.
func firstArgument(cmd *cobra.Command) string {
	for _, word := range strings.Fields(cmd.Use)[1:] {
		word = strings.Trim(word, "[]…")
		if word == strings.ToUpper(word) && !strings.HasPrefix(word, "-") {
			return word
		}
	}
	return ""
}

// argumentValues is the completer of a command's arguments, by what its help calls them; nil: files.
func argumentValues(cmd *cobra.Command) completer {
	switch firstArgument(cmd) {
	case "MODEL", "FILE":
		return modelFiles
	case "DIR":
		return folders
	case "RUN":
		var kinds []string
		if strings.Contains(cmd.Use, "KIND") {
			kinds = plot.Names()
		}
		if strings.Contains(cmd.Use, "PARAMETER") {
			return runThenParameters(kinds)
		}
		return folders
	case "NAME":
		return nothing
	}
	return nil
}

// valuesOf is the completer of a flag; nil: files.
func valuesOf(f *pflag.Flag) completer {
	if setting, ok := f.Value.(*settingFlag); ok {
		return settingValues(setting.Name)
	}
	switch f.Name {
	case "transform":
		return words(stdlib.TransformNames())
	case "backend":
		return words(algorithmNames())
	case "rows":
		return words([]string{rowsError, rowsIntersect})
	case "case":
		return words([]string{align.CaseFold, align.CaseExact})
	case "accept":
		return acceptedNames
	case "split-by":
		return words([]string{"client"})
	case "dump":
		return words(stageNames())
	case "example":
		return words(exampleNames())
	case "format":
		return words(formatNames())
	case "data":
		return ofModel(parties)
	case "key":
		return keyColumns
	case "set":
		return ofModel(constants)
	case "rho":
		return ofModel(clients)
	case "misstate":
		return ofModel(parameters)
	case "output", "from":
		return folders
	case "manifest":
		return func([]string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
		}
	}
	switch f.Value.Type() {
	case "int", "int64", "uint64", "float64", "duration":
		return nothing
	}
	return nil
}

func words(list []string) completer {
	return func([]string, string) ([]string, cobra.ShellCompDirective) {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// settingValues are the choices of a setting in all backends that have it, and its default where it may be
// anything.
func settingValues(name string) completer {
	return func(args []string, typed string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, a := range fit.Backends() {
			for _, s := range a.Settings {
				if s.Name != name {
					continue
				}
				choices := strings.Fields(strings.Join(s.Choices, " "))
				if s.Choices == nil && s.Default != "" {
					choices = []string{fmt.Sprint(s.Default)}
				}
				out = append(out, choices...)
			}
		}
		slices.Sort(out)
		return words(slices.Compact(out))(args, typed)
	}
}

// acceptedNames completes a list with commas.
func acceptedNames(_ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var out []string
	for _, d := range diag.Acceptances() {
		if !slices.Contains(strings.Split(before, ","), d.Name) {
			out = append(out, before+d.Name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func nothing([]string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func folders([]string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func modelFiles(args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return []string{"vfl"}, cobra.ShellCompDirectiveFilterFileExt
}

// runThenParameters completes the folder of a run, then the parameters of its draws and the kinds of plots.
func runThenParameters(kinds []string) completer {
	return func(args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return folders(args, typed)
		}
		r, err := posterior.OpenRun(args[0])
		if err != nil {
			return nothing(args, typed)
		}
		names := append(r.Draws.Names(), kinds...)
		if strings.Contains(typed, "[") {
			for _, c := range r.Draws.Columns() {
				names = append(names, c.Name, c.Shown())
			}
		}
		slices.Sort(names)
		return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
	}
}

// ofModel completes names of the model that is the first argument.
func ofModel(names func(*compile.Model) []string) completer {
	return func(args []string, typed string) ([]string, cobra.ShellCompDirective) {
		m := modelOf(args)
		if m == nil || strings.Contains(typed, "=") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return names(m), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// modelOf is the model that is the first argument; nil: there is none, or it has errors.
func modelOf(args []string) *compile.Model {
	if len(args) == 0 {
		return nil
	}
	text, err := safefile.Read(args[0], safefile.MaxText)
	if err != nil {
		return nil
	}
	m, diags := compile.Compile(source.New(args[0], string(text)),
		check.Options{Import: safefile.Beside(filepath.Dir(args[0]))})
	if diags.HasErrors() {
		return nil
	}
	return m
}

func parties(m *compile.Model) []string {
	var out []string
	for _, p := range m.Parties() {
		out = append(out, p.Name+"=")
	}
	return out
}

func clients(m *compile.Model) []string { return parties(m)[1:] }

func constants(m *compile.Model) []string {
	var out []string
	for _, s := range m.Checked.Order {
		if s.Kind == check.Const {
			out = append(out, s.Name+"=")
		}
	}
	return out
}

func parameters(m *compile.Model) []string {
	var out []string
	for _, q := range m.Checked.Priors() {
		if !q.SummedOut {
			out = append(out, q.Parameter+"=")
		}
	}
	return out
}

// keyColumns are the columns that all tables beside a model have, and the word for the order of the files.
func keyColumns(args []string, _ string) ([]string, cobra.ShellCompDirective) {
	out := []string{data.RowOrder}
	if m := modelOf(args); m != nil {
		out = append(out, commonColumns(args[0], m)...)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func commonColumns(model string, m *compile.Model) (common []string) {
	sources, err := data.Locate(model, m.Parties(), nil)
	if err != nil {
		return nil
	}
	tables := 0
	for _, s := range sources {
		for _, file := range s.Files {
			columns := header(file)
			if tables++; tables == 1 {
				common = columns
			}
			common = slices.DeleteFunc(common, func(c string) bool { return !slices.Contains(columns, c) })
		}
	}
	return common
}

// header are the names in the first line of a CSV file; nil: it has none that can be read.
func header(file string) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := csv.NewReader(io.LimitReader(f, safefile.MaxText)).Read()
	if err != nil {
		return nil
	}
	return names
}
