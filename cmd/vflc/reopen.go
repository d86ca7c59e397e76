package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// reopen compiles and binds the model of a finished run again, with the files that its record names. A file that has changed since is refused.
func reopen(cmd *cobra.Command, r *runs.Run) (*bound, error) {
	if r.Record == nil {
		return nil, fmt.Errorf("%s: draws without the folder of a run, which says what model and data they are of", r.Path)
	}
	for _, s := range append([]posterior.Source{r.Record.Model}, r.Record.Data...) {
		text, err := os.ReadFile(s.Path)
		if err != nil {
			return nil, fmt.Errorf("%w; the run in %s was made with it (paths are as they were given then)", err, r.Path)
		}
		if digest(text) != s.SHA256 {
			return nil, fmt.Errorf("%s has changed since the run in %s was made", s.Path, r.Path)
		}
	}
	c, err := compileQuietly(r.Record.Model.Path, recordedFlags(r.Record))
	if err != nil {
		return nil, err
	}
	if c.diags.HasErrors() {
		return nil, settle(cmd, c.diags)
	}
	c.diags = diag.List{}
	return c.bind(cmd, r.Record.Model.Path, recordedData(r.Record.Data), r.Record.Key)
}

// recordedFlags are the flags that change what a model means, as a run had them.
func recordedFlags(r *posterior.Record) *modelFlags {
	f := &modelFlags{transform: r.Transform}
	for _, name := range slices.Sorted(maps.Keys(r.Constants)) {
		f.set = append(f.set, name+"="+exactly(r.Constants[name]))
	}
	switch rho := r.Rho.(type) {
	case float64:
		f.rho = exactly(rho)
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(rho)) {
			if v, ok := rho[name].(float64); ok {
				parts = append(parts, name+"="+exactly(v))
			}
		}
		f.rho = strings.Join(parts, ",")
	}
	return f
}

func exactly(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// recordedData are the values of --data that name the files of a run: one a party, members of a family together.
func recordedData(sources []posterior.Source) []string {
	var order []string
	files := map[string][]string{}
	for _, s := range sources {
		party, _, _ := strings.Cut(s.Party, "[")
		if files[party] == nil {
			order = append(order, party)
		}
		files[party] = append(files[party], s.Path)
	}
	var out []string
	for _, party := range order {
		out = append(out, party+"="+strings.Join(files[party], ","))
	}
	return out
}
