package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/source"
)

// modelFlags are the flags that change what a model means; every command that compiles has them.
type modelFlags struct {
	set       []string
	transform string
	rho       string
	accept    []string
	modules   []string // CLIENT=FILE
	fileDir   string   // what files in modules are relative to: "" for those of the command line
	priorOnly bool
	byRows    bool // of a run whose algorithm exchanges moments of rows
	encrypted bool // the command line or vfl.toml chooses rows that stay encrypted
	// rho is that of vfl.toml, which says nothing about a transform that the command line chooses
	rhoOfFile bool
}

func (f *modelFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, docOf("set"))
	cmd.Flags().StringVar(&f.transform, "transform", "", docOf("transform"))
	cmd.Flags().StringVar(&f.rho, "rho", "", docOf("rho"))
	cmd.Flags().StringArrayVar(&f.modules, "module", nil,
		"file in which a client keeps its contribution to itself: `CLIENT=FILE`; repeatable; without it "+
			"CLIENT.vfl in the folder of the model's name")
	cmd.Flags().StringSliceVar(&f.accept, "accept", nil, docOf("accept"))
}

// docOf is the help of a flag that is a choice about a fit.
func docOf(name string) string {
	c, _ := fit.ChoiceNamed(name)
	return c.Doc
}

// refuse is a usage error where one of the flags is given.
func (f *modelFlags) refuse(why string) error {
	if f.transform != "" || f.rho != "" || f.set != nil || f.accept != nil {
		return usagef("--transform, --rho, --set and --accept are for a model; %s", why)
	}
	return nil
}

// private returns what reads the modules of clients: the files that --module names, else those in the folder
// of the model's name.
func (f *modelFlags) private(model string) func(client string) (*source.File, error) {
	return func(client string) (*source.File, error) {
		path, given := filepath.Join(strings.TrimSuffix(model, filepath.Ext(model)), client+".vfl"), false
		for _, m := range f.modules {
			if name, file, _ := strings.Cut(m, "="); name == client {
				if path, given = file, true; !filepath.IsAbs(file) {
					path = filepath.Join(f.fileDir, file)
				}
			}
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && !given {
			return nil, nil
		}
		return source.New(path, string(text)), err
	}
}

// knownModules is an error where --module names a client without a contribution.
func (f *modelFlags) knownModules(m *compile.Model) error {
	var clients []string
	for _, s := range m.File.Stmts {
		if c, ok := s.(*ast.Contribution); ok && c.Owner != nil {
			clients = append(clients, c.Owner.Name)
		}
	}
	for _, text := range f.modules {
		name, file, ok := strings.Cut(text, "=")
		switch {
		case !ok || file == "":
			return usagef("--module %s: write CLIENT=FILE", text)
		case len(clients) == 0:
			return usagef("--module %s: the model has no contributions", text)
		case !slices.Contains(clients, name):
			return usagef("--module %s: %s has no contribution%s", text, name, didYouMean(name, clients))
		}
	}
	return nil
}

// inWords lists names as a sentence does: "a, b or c".
func inWords(names []string, last string) string {
	n := len(names) - 1
	if n < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}

// options returns the flags as options of the checker.
func (f *modelFlags) options() (check.Options, error) {
	o, err := f.chosen()
	return o.Model, err
}

func (f *modelFlags) chosen() (fit.FitChoices, error) {
	given := map[string]string{"transform": f.transform, "rho": f.rho, "set": strings.Join(f.set, ","),
		"accept": strings.Join(f.accept, ",")}
	if f.priorOnly {
		given["prior-only"] = "true"
	}
	o, err := fit.ParseChoices(given)
	o.Model.Encrypted, o.Model.ByRows = f.encrypted, f.byRows
	return o, asFlag(err)
}

// asFlag is an error about a choice as one about its flag.
func asFlag(err error) error {
	var wrong *fit.WrongChoice
	if errors.As(err, &wrong) {
		return usagef("%s", wrong.Flag())
	}
	return err
}

// known returns an error for a name in --set or --rho that is not a const or a client of the model.
func (f *modelFlags) known(m *compile.Model) error {
	if err := f.knownModules(m); err != nil {
		return err
	}
	o, err := f.chosen()
	if err != nil {
		return err
	}
	if !f.rhoOfFile {
		if err := o.Noise(m); err != nil {
			return asFlag(err)
		}
	}
	return asFlag(o.Names(m))
}
