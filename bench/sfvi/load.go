package main

import (
	"errors"
	"os"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/source"
)

// load compiles a model with the tables beside it. The result has the graphs of all parties and the tables.
func load(path string) (*compile.BoundModel, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, diags := compile.Compile(source.New(path, string(text)), check.Options{})
	if diags.HasErrors() {
		return nil, errors.New(diags.Shown()[0].Message)
	}
	sources, err := data.Locate(path, m.Parties(), nil)
	if err != nil {
		return nil, err
	}
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	if diags.HasErrors() {
		return nil, errors.New(diags.Shown()[0].Message)
	}
	return b, err
}
