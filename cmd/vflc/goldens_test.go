package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Each archive in testdata/codes is what a user sees of one mistake: a command, and all that it writes on
// standard error. -update writes that anew; read it as the user would.
func TestGoldensOfCodes(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/codes",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup:               func(e *testscript.Env) error { e.Setenv("CI", ""); return nil },
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}
