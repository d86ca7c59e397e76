package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/accept"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/transforms"
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
	rhoOfFile bool // rho is that of vfl.toml, which says nothing about a transform that the command line chooses
}

func (f *modelFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "value of a const, in place of the model's own: `NAME=VALUE`; repeatable")
	cmd.Flags().StringVar(&f.transform, "transform", "", "use this `transform` in place of the model's own: "+inWords(stdlib.New().Transforms(), "or"))
	cmd.Flags().StringVar(&f.rho, "rho", "", "standard deviation of auxiliary variables, in place of the model's own: `R`, or CLIENT=R,CLIENT=R")
	cmd.Flags().StringArrayVar(&f.modules, "module", nil, "file in which a client keeps its contribution to itself: `CLIENT=FILE`; repeatable; without it CLIENT.vfl in the folder of the model's name")
	cmd.Flags().StringSliceVar(&f.accept, "accept", nil, "`disclosures` that are accepted: "+acceptable())
}

// acceptable lists what --accept takes.
func acceptable() string {
	var out []string
	for _, d := range accept.All() {
		out = append(out, d.Name+" ("+d.Doc+")")
	}
	return strings.Join(out, ", ")
}

// refuse is a usage error where one of the flags is given.
func (f *modelFlags) refuse(why string) error {
	if f.transform != "" || f.rho != "" || f.set != nil || f.accept != nil {
		return usagef("--transform, --rho, --set and --accept are for a model; %s", why)
	}
	return nil
}

// private returns what reads the modules of clients: the files that --module names, else those in the folder of the model's name.
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
	o := check.Options{Set: map[string]float64{}}
	if f.transform != "" {
		universe, ok := stdlib.New(), false
		if o.Transform, ok = universe.Transform(f.transform); !ok {
			return o, usagef("--transform %s: choose %s", f.transform, inWords(universe.Transforms(), "or"))
		}
	}
	if o.PriorOnly = f.priorOnly; o.PriorOnly {
		if f.transform != "" && !o.Transform.Pooled {
			return o, usagef("--prior-only: without likelihoods nothing crosses between parties, so there is no transform; leave --transform out")
		}
		o.Transform = transforms.None
	}
	var err error
	if o.Accept, err = accept.Parse(strings.Join(f.accept, ",")); err != nil {
		return o, usagef("--accept: %v", err)
	}
	for _, s := range f.set {
		name, v, err := assignment("--set", s)
		if err != nil {
			return o, err
		}
		o.Set[name] = v
	}
	return o, f.setRho(&o)
}

func (f *modelFlags) setRho(o *check.Options) error {
	if f.rho == "" {
		return nil
	}
	if !strings.Contains(f.rho, "=") {
		v, err := strconv.ParseFloat(f.rho, 64)
		if err != nil || !(v > 0) || v > maxRho {
			return usagef("--rho %s: write a positive number, or CLIENT=NUMBER,…", f.rho)
		}
		o.Rho = v
		return nil
	}
	o.RhoBy = map[string]float64{}
	for part := range strings.SplitSeq(f.rho, ",") {
		name, v, err := assignment("--rho", part)
		if err != nil {
			return err
		}
		if !(v > 0) || v > maxRho {
			return usagef("--rho %s: rho must be positive", part)
		}
		o.RhoBy[name] = v
	}
	return nil
}

// maxRho keeps ρ² finite.
const maxRho = 1e100

func assignment(flag, text string) (string, float64, error) {
	name, value, ok := strings.Cut(strings.TrimSpace(text), "=")
	v, err := strconv.ParseFloat(value, 64)
	if !ok || name == "" || err != nil {
		return "", 0, usagef("%s %s: write NAME=NUMBER", flag, text)
	}
	return name, v, nil
}

// known returns an error for a name in --set or --rho that is not a const or a client of the model.
func (f *modelFlags) known(m *compile.Model) error {
	if err := f.knownModules(m); err != nil {
		return err
	}
	p := m.Checked
	options, err := f.options()
	if err != nil {
		return err
	}
	if kind := p.Transform.Kind; kind.CutsCross && f.rho != "" && !f.rhoOfFile {
		return usagef("--rho: under transform %s the cuts cross without noise, and there is no rho", kind)
	}
	var consts, clients []string
	for _, s := range p.Order {
		if s.Kind == check.Const {
			consts = append(consts, s.Name)
		}
	}
	for _, c := range p.Clients {
		clients = append(clients, c.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(options.Set)) {
		if !slices.Contains(consts, name) {
			return usagef("--set %s: the model has no const %s%s", name, name, didYouMean(name, consts))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(options.RhoBy)) {
		if !slices.Contains(clients, name) {
			return usagef("--rho %s: the model has no client %s%s", name, name, didYouMean(name, clients))
		}
	}
	return nil
}
