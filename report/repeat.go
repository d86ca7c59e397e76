package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/vflc/vflc/posterior"
)

// A repeatSection has all that is needed to repeat the run.
type repeatSection struct {
	Command, Directory string
	Facts              []fact
	Settings           []fact
	Model              posterior.InputRecord
	Data               []posterior.InputRecord
}

func (r *Report) repeat() (any, error) {
	rec := r.run.Record
	out := repeatSection{Command: commandLine(rec.Command), Directory: rec.Directory, Model: rec.Model,
		Data: rec.Data}
	out.Facts = []fact{{"Seed", fmt.Sprint(rec.Seed)}, {"vflc", rec.Version}, {"Began", rec.Created},
		{"Backend", rec.Backend}, {"Transform", r.transformText()}}
	if rec.Key != "" {
		out.Facts = append(out.Facts, fact{"Key of the rows", rec.Key})
	}
	for _, name := range slices.Sorted(maps.Keys(rec.Constants)) {
		out.Facts = append(out.Facts, fact{"Constant " + name, fmt.Sprint(rec.Constants[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(rec.Settings)) {
		out.Settings = append(out.Settings, fact{name, fmt.Sprint(rec.Settings[name])})
	}
	return out, nil
}

// plain is an argument that no shell changes.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// commandLine writes a command as a shell reads it.
func commandLine(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if !plain.MatchString(a) {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
