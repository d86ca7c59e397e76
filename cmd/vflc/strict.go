package main

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/vflc/vflc/posterior"
)

// strictness is the flag --strict: which findings end a command with exitUntrusted.
type strictness string

const (
	lenient   strictness = "false"     // none
	strictAll strictness = "all"       // every one
	converged strictness = "converged" // those about convergence
)

const strictDoc = "exit with code 3 when there is a `finding`: all, or converged for those about " +
	"convergence alone, not about what an approximation or a transform has moved"

func (s *strictness) add(fs *pflag.FlagSet) {
	*s = lenient
	fs.Var(s, "strict", strictDoc)
	fs.Lookup("strict").NoOptDefVal = string(strictAll)
}

func (s *strictness) Set(text string) error {
	if text == "true" {
		text = string(strictAll)
	}
	if !slices.Contains([]strictness{lenient, strictAll, converged}, strictness(text)) {
		return fmt.Errorf("write --strict, or --strict=%s", converged)
	}
	*s = strictness(text)
	return nil
}

func (s *strictness) String() string { return string(*s) }

func (s *strictness) Type() string { return "strictness" }

// of returns the failure that findings are, nil where there is none.
func (s strictness) of(found []posterior.Finding) error {
	counts := func(f posterior.Finding) bool {
		return s == strictAll || f.Class == posterior.ConvergenceClass
	}
	if s == lenient || !slices.ContainsFunc(found, counts) {
		return nil
	}
	return shown(exitUntrusted)
}
