package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
)

// A nextStep is a command that a user may want after a run.
type nextStep struct{ command, does string }

// suggest prints the commands that are most useful after the run, each of which can be pasted.
func (s *runState) suggest() {
	if !s.flags.suggests() || s.stopped != nil {
		return
	}
	steps := s.next()
	width := 0
	for _, step := range steps {
		width = max(width, len(step.command))
	}
	for k, step := range steps {
		lead := "next:"
		if k > 0 {
			lead = "     "
		}
		s.screen.Say("%s %-*s  %s", lead, width, step.command, step.does)
	}
}

// next chooses the commands by what the run has and what was found in it.
func (s *runState) next() []nextStep {
	dir, clients := s.flags.dir, len(s.model.Checked.Clients) > 0
	var first, second nextStep
	switch {
	case dir == "":
		first = nextStep{retyped(s.cmd, s.path, s.cmd, s.flags.typed) + " -o out", "keeps the draws"}
	case len(s.result.Diagnose()) > 0:
		first = nextStep{"vflc diagnose " + quoted(dir), "what is wrong, and what to try"}
	default:
		first = nextStep{"vflc plot " + quoted(dir), "the posterior as a picture"}
	}
	switch why := s.unencryptable; {
	case s.moments != nil && dir != "":
		second = nextStep{"vflc run " + quoted(s.path) + " --release " +
			quoted(filepath.Join(dir, posterior.MomentsFile)), "another model or prior, of the same release"}
	case s.encryptable && why == nil:
		second = nextStep{s.encrypting(),
			"across machines: no number of a row crosses, and the posterior is approximated"}
	case dir == "" && clients:
		second = nextStep{retyped(newAudit(), s.path, s.cmd, s.flags.typed), "who learns what"}
	case clients && s.model.Checked.Transform.Kind.Noise():
		second = nextStep{"vflc audit " + quoted(dir) + " --attack", "what the server could reconstruct"}
	case clients && !s.model.Pooled():
		second = nextStep{"vflc audit " + quoted(dir), "who learned what"}
	case dir == "":
		second = nextStep{"vflc check " + quoted(s.path) + " --priors", "the prior of every parameter"}
	case s.model.Checked.PriorOnly:
		second = nextStep{"vflc ppc " + quoted(dir),
			"data that the prior holds possible, beside those that there are"}
	default:
		second = nextStep{"vflc loo " + quoted(dir), "how well the model predicts"}
	}
	if s.encryptable && s.unencryptable != nil {
		second.does += "; " + s.unencryptable.String()
	}
	if o := s.result.Document.Sooner; o != nil {
		does := fmt.Sprintf("%s in place of %s, to draws that weights correct where they can", o,
			grouped.Digits(s.result.Document.Work.Sequential))
		return []nextStep{first, second, {s.by(o.Settings), does}}
	}
	if settings := s.result.Onward(); settings != "" {
		return []nextStep{first, second,
			{s.by(settings) + " " + quoted(dir),
				"chains that begin at these draws, which their weights do not correct"}}
	}
	return []nextStep{first, second}
}

// by is the command line of a run of the same model and data by another algorithm with these settings.
func (s *runState) by(settings string) string {
	kept := slices.DeleteFunc(slices.Clone(s.flags.typed), func(name string) bool {
		return name != "transform" && name != "rho" && !slices.Contains(ofData, name)
	})
	return retyped(s.cmd, s.path, s.cmd, kept) + " " + settings
}

// suggests reports whether there are to be such commands.
func (f *runFlags) suggests() bool { return !f.quiet && !f.asJSON }

// mayEncrypt looks whether the rows of the model could stay encrypted, while the data are there, where the
// run is of several parties and numbers of their rows cross.
func (s *runState) mayEncrypt() error {
	c := s.model.Checked
	if !s.flags.suggests() || s.recorded != nil || len(c.Clients) == 0 || s.model.Pooled() || c.PriorOnly ||
		s.flags.encrypted {
		return nil
	}
	a, _ := fit.Encrypting()
	given := givenSettings(s.cmd, a)
	for _, name := range s.flags.typed {
		delete(given, name)
	}
	s.encryptable, s.unencryptable = true, s.prepared.Unencryptable(s.cmd.Context(), given)
	return nil
}

// encrypting is the command line of a run with the same model and data whose rows stay encrypted.
func (s *runState) encrypting() string {
	kept := slices.DeleteFunc(slices.Clone(s.flags.typed), func(name string) bool {
		return !slices.Contains(ofData, name)
	})
	a, transform := fit.Encrypting()
	text := fmt.Sprintf("%s --backend %s --transform %s", retyped(s.cmd, s.path, s.cmd, kept), a.Name,
		transform)
	for name, value := range backends.EncryptedRows() {
		text += " --" + name + " " + value
	}
	return text
}

// ofData are the flags of vflc run that say what is fitted to which data.
var ofData = []string{"set", "module", "accept", "data", "key", "rows", "max-bytes", "memory", "seed"}

// retyped is the command line of cmd for a model with those of the typed flags of another command that cmd
// also has, as a shell reads it.
func retyped(cmd *cobra.Command, model string, from *cobra.Command, typed []string) string {
	words := []string{"vflc", cmd.Name(), quoted(model)}
	from.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(typed, f.Name) || cmd.Flags().Lookup(f.Name) == nil {
			return
		}
		if f.NoOptDefVal != "" { // a switch takes its value after =
			words = append(words, "--"+f.Name+"="+f.Value.String()) // true or false
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+f.Name, quoted(v))
		}
	})
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted is a word as a POSIX shell reads it.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return fmt.Sprintf("'%s'", strings.ReplaceAll(word, "'", `'\''`))
}
