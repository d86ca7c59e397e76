package main

import (
	"github.com/spf13/cobra"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

// A lone is a flag of runs in one process that has no meaning where each party has a process of its own.
type lone struct {
	name, why, instead string
	value              bool // it takes one
}

// lones are those that one might give to vflc serve, join and preflight.
var lones = []lone{
	{"new-levels",
		"parameters of categories that a run did not see are drawn from their prior, whose own " +
			"parameters lie at other parties",
		"leave rows of such categories out, or give the encoder a place for them", false},
}

// addLones adds the flags without showing them, so that they are refused with a reason.
func addLones(cmd *cobra.Command) {
	for _, l := range lones {
		if l.value {
			cmd.Flags().String(l.name, "", "not across machines")
		} else {
			cmd.Flags().Bool(l.name, false, "not across machines")
		}
		_ = cmd.Flags().MarkHidden(l.name) // it is there
	}
}

// refuseLones is the error where one of them is given.
func refuseLones(cmd *cobra.Command) error {
	for _, l := range lones {
		if f := cmd.Flags().Lookup(l.name); f != nil && f.Changed {
			return data.Coded(diag.NotApart, "--%s is for one process with the data of all parties: %s; %s", l.name, l.why,
				l.instead)
		}
	}
	return nil
}
