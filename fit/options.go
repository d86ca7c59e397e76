package fit

import (
	"time"

	"github.com/vflc/vflc/backends"
)

// Options are how a model is fitted. The zero value fits it with the default backend and its default settings, and writes nothing.
type Options struct {
	Algorithm backends.Algorithm // the first of Backends where it has no name
	Settings  map[string]string  // of the algorithm, by name, as on the command line; those left out have their defaults
	Key       string             // column on which the rows of the tables are joined; "": id if every table has it, else row order
	Seed      uint64             // of all random numbers
	// Dir is the folder of the run: chains are saved there while they run, and Result.Save fills the rest. An earlier run's files in it are removed; a
	// folder with files of anything else is refused. "": nothing is written.
	Dir string
	// Resume goes on with the run in Dir, from what each of its chains had last saved there. Model, data and settings must be those that it began with.
	Resume bool
	// From is the folder of an earlier run where Markov chains begin: with its positions, metric and step sizes. "": none.
	From      string
	LogLik    bool // Result.Responses hold the log density of every observation at every draw
	Auxiliary bool // draws of the auxiliary variables are among the draws
	Progress  Progress
	Origin    Origin
}

// An Origin is where a run comes from, for its record.
type Origin struct {
	Version   string             // of the program; "": that of this module
	Command   []string           // that repeats the run
	Constants map[string]float64 // values of consts that the model was compiled with, in place of its own
	Began     time.Time          // when loading began; zero: when Open was called
}

// A Progress shows where a run stands. Step and Skip may be called by several goroutines at the same time, one a chain.
type Progress interface {
	// Message is one line of text for the user.
	Message(text string)
	// Begin announces chains side by side, and how many steps each of them makes; 0 where this is not known before.
	Begin(chains, steps int)
	// Step reports one step of a chain, counted from 1.
	Step(chain int, info backends.Info)
	// Skip reports steps that an earlier process has made.
	Skip(chain, steps int)
	// End follows the last step.
	End()
}

// Quiet is a Progress that shows nothing.
type Quiet struct{}

// Message does nothing, as do the other methods.
func (Quiet) Message(string) {}

// Begin does nothing.
func (Quiet) Begin(int, int) {}

// Step does nothing.
func (Quiet) Step(int, backends.Info) {}

// Skip does nothing.
func (Quiet) Skip(int, int) {}

// End does nothing.
func (Quiet) End() {}

// filled returns the options with what was left out.
func (o Options) filled() Options {
	if o.Algorithm.Name == "" {
		o.Algorithm = Backends()[0]
	}
	if o.Progress == nil {
		o.Progress = Quiet{}
	}
	if o.Origin.Version == "" {
		o.Origin.Version = Version()
	}
	if o.Origin.Constants == nil {
		o.Origin.Constants = map[string]float64{}
	}
	if o.Origin.Began.IsZero() {
		o.Origin.Began = time.Now()
	}
	return o
}
