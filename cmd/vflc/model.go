package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// compileFile compiles a model with the flags given. An error is about the file or the flags; diagnostics are about the model.
func compileFile(path string, f *modelFlags) (*compile.Model, diag.List, error) {
	options, err := f.options()
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	m, diags := compile.Compile(source.New(path, string(text)), options)
	if diags.HasErrors() {
		return m, diags, nil
	}
	return m, diags, f.known(m.Checked)
}

// compileWhole compiles for commands that need a model without errors, and not the program of one party. It prints the diagnostics.
func compileWhole(cmd *cobra.Command, path string, f *modelFlags) (*compile.Model, error) {
	m, diags, err := compileFile(path, f)
	if err != nil {
		return nil, err
	}
	if err := settle(cmd, diags); err != nil {
		return nil, err
	}
	if m.Checked.For != "" {
		return nil, fmt.Errorf("%s is the program of %s; give this command the model that it was compiled from", path, m.Checked.For)
	}
	return m, nil
}

// open finds the tables and prepares a run. It prints the diagnostics of the data.
func open(cmd *cobra.Command, m *compile.Model, tables []string, o fit.Options) (*fit.Prepared, error) {
	sources, err := data.Locate(m.Source.Name, m.Parties(), tables)
	if err != nil {
		return nil, err
	}
	p, diags, err := fit.Open(m, sources, o)
	if err := settle(cmd, diags); err != nil {
		return nil, err
	}
	return p, err
}

// The values of --rows.
const (
	rowsError     = "error"
	rowsIntersect = "intersect"
)

// joiningOf returns how rows are joined, from the values of --key and --rows.
func joiningOf(key, rows string) (data.Joining, error) {
	switch {
	case rows != rowsError && rows != rowsIntersect:
		return data.Joining{}, usagef("--rows %s: choose %s or %s", rows, rowsError, rowsIntersect)
	case rows == rowsIntersect && key == data.RowOrder:
		return data.Joining{}, usagef("--rows %s needs a key, and --key %s gives none", rowsIntersect, data.RowOrder)
	}
	return data.Joining{Key: key, Intersect: rows == rowsIntersect}, nil
}
