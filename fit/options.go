package fit

import (
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
)

// Options are how a model is fitted. The zero value fits it with the default backend and its default
// settings, and writes nothing.
type Options struct {
	Algorithm backends.Algorithm // if it has no name: the first of Backends
	// of the algorithm, by name, as on the command line; those left out have their defaults
	Settings map[string]string
	Joining  data.Joining // of the rows of the tables
	Seed     uint64       // of all random numbers
	// Dir is the folder of the run: its state is saved there while it runs, and Result.Save fills the rest.
	// It is an error if there are files of anything else, or of another run unless Overwrite is set, which
	// removes them. "": nothing is written.
	Dir       string
	Overwrite bool
	Moments   []byte // the release given which the model is a posterior, which Dir keeps; nil: none
	// SaveEvery is the time between two writes of the state of a chain. 0: ten seconds.
	SaveEvery time.Duration
	// Resume continues the run in Dir, from the last state that each of its chains saved there. Model, data
	// and settings must be those that it began with.
	Resume bool
	// From is the folder of an earlier run: Markov chains start from its last positions, metric and step
	// sizes. "": none.
	From string
	// Inits are files of initial values, Stan-JSON on the declared scale of the parameters: one for all
	// chains, in whose name %d stands for the number of the chain, or one for each. Parameters that they do
	// not name begin as they do without. None: all do.
	Inits     []string
	LogLik    bool // Result.Responses hold the log density of every observation at every draw
	Auxiliary bool // draws of the auxiliary variables are among the draws
	Progress  Progress
	Record    bool // the server of a run across processes keeps what it receives
	watch     bool // what the server receives is kept without a folder too
	ring      int  // of encrypted rows, in tests: the logarithm of a small one; 0: the secure one
	Origin    Origin
}

// An Origin describes how a run was started, for its record.
type Origin struct {
	Version   string             // of the program; "": the version of this module
	Command   []string           // the command line that repeats the run
	Constants map[string]float64 // values of consts that the model was compiled with, in place of its own
	Began     time.Time          // when loading began; zero: when Open was called
	// how a run without a folder goes on after it was stopped; "": by a command line with -o
	Continue string
}

// A Progress reports how far a run is. Step and Skip may be called by several goroutines at the same time,
// one per chain.
type Progress interface {
	// Message is one line of text for the user.
	Message(text string)
	// Warning is one line of text that is shown where the run is quiet, too.
	Warning(text string)
	// Begin gives the number of chains that run side by side, and of the steps of each; 0 where this is not
	// known in advance.
	Begin(chains, steps int)
	// Step reports one step of a chain, counted from 1.
	Step(chain int, info backends.StepInfo)
	// Skip reports steps that an earlier process has made.
	Skip(chain, steps int)
	// End follows the last step.
	End()
}

// Quiet is a Progress that shows nothing.
type Quiet struct{}

// Message does nothing, as do the other methods.
func (Quiet) Message(string) {}

// Warning does nothing.
func (Quiet) Warning(string) {}

// Begin does nothing.
func (Quiet) Begin(int, int) {}

// Step does nothing.
func (Quiet) Step(int, backends.StepInfo) {}

// Skip does nothing.
func (Quiet) Skip(int, int) {}

// End does nothing.
func (Quiet) End() {}

// filled returns the options with defaults for those left out.
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
	if o.SaveEvery == 0 {
		o.SaveEvery = saveEvery
	}
	if o.Origin.Began.IsZero() {
		o.Origin.Began = time.Now()
	}
	return o
}
