package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// compileFile compiles a model with the flags given. An error is about the file or the flags; diagnostics are
// about the model.
func compileFile(path string, f *modelFlags) (*compile.Model, diag.List, error) {
	return compileNamed(path, path, f)
}

// compileNamed is compileFile for a text that counts as the file of a name.
func compileNamed(path, name string, f *modelFlags) (*compile.Model, diag.List, error) {
	text, err := safefile.ReadText(path)
	if err != nil {
		return nil, nil, err
	}
	return compileSource(source.New(name, string(text)), safefile.Beside(filepath.Dir(name)),
		f.private(name), f)
}

// stdinFlag is the file that a text on standard input counts as.
type stdinFlag struct{ file string }

func (f *stdinFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "stdin-filename", "", "the `FILE` that - counts as: modules and vfl.toml "+
		"are those beside it, and messages name it")
}

// name is the file that a path counts as.
func (f *stdinFlag) name(path string) string {
	if path == safefile.Stdin && f.file != "" {
		return f.file
	}
	return path
}

// compileSource compiles a model whose imported files modules reads, and private the modules of its clients.
func compileSource(model *source.File, modules func(path string) (string, error),
	private func(client string) (*source.File, error), f *modelFlags) (*compile.Model, diag.List, error) {
	options, err := f.options()
	if err != nil {
		return nil, nil, err
	}
	options.Import, options.Module = modules, private
	m, diags := compile.Compile(model, options)
	if diags.HasErrors() {
		return m, diags, nil
	}
	return m, diags, f.known(m)
}

// compileWhole compiles for commands that need a model without errors, and not the program of one party. It
// prints the diagnostics.
func compileWhole(cmd *cobra.Command, path string, f *modelFlags) (*compile.Model, error) {
	return compileAloud(cmd, path, f, false)
}

// compileAloud is compileWhole for commands with --quiet, which then prints errors, and warnings about what
// the result means: the others are those of vflc check.
func compileAloud(cmd *cobra.Command, path string, f *modelFlags, quiet bool) (*compile.Model, error) {
	m, diags, err := compileFile(path, f)
	return whole(cmd, m, diags, quiet, err)
}

// whole is what remains to be done when a model has been compiled for a command that needs all of it.
func whole(cmd *cobra.Command, m *compile.Model, diags diag.List, quiet bool, err error) (*compile.Model,
	error) {
	if err != nil {
		return nil, err
	}
	if err := settleQuietly(cmd, diags, quiet); err != nil {
		return nil, err
	}
	if m.Checked.For != "" {
		return nil, fmt.Errorf("%s is the program of %s; give this command the model "+
			"that it was compiled from", m.Source.Name, m.Checked.For)
	}
	return m, nil
}

// say prints a line of information, if there is one.
func say(cmd *cobra.Command, text string) {
	if text != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), text)
	}
}

// open finds the tables, those given and those beside a model file, and prepares a run. It prints the
// diagnostics of the data, where it is quiet errors, and what changes the meaning of the result.
func open(cmd *cobra.Command, m *compile.Model, beside string, tables []string, limits tableLimits,
	quiet bool, o fit.Options) (*fit.Prepared, error) {
	sources, err := data.Locate(beside, m.Parties(), tables)
	if err != nil {
		return nil, err
	}
	sources.Limit(int64(limits.most), int64(limits.memory))
	p, diags, err := fit.Open(m, sources, o)
	if err := settleQuietly(cmd, diags, quiet); err != nil {
		return nil, err
	}
	return p, err
}
