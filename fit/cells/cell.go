// Package cells holds the parts of a long computation that can be computed one by one, on this machine or on
// others: the fits of a study, the replicates of a calibration, the folds of a cross-validation.
//
// A [Cell] is a command line of vflc, of whose result it is the whole or a part, with the digests of all that
// the result depends on: its name follows from these. A [Pool] has cells made: [Local] by goroutines of this
// process, [SpreadPool] by workers on any machines. What a cell gives does not depend on where, when and
// how often it was made.
//
// Workers are reached over JetStream of a NATS server. A cell waits in a work queue; a worker that takes it
// reports every few seconds that it computes it; when the reports stop, another one gets the cell. Inputs and
// results lie in object stores: inputs under the digests of their contents, a result under the name of its
// cell, which follows from everything that it depends on. Whatever is lost on the way is offered again; while
// the server does not answer, both sides wait for it.
package cells

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

// A Flag is a flag of a command line, with the place that gives it.
type Flag struct {
	Name  string      `json:"name"`
	Value string      `json:"value"`
	Span  source.Span `json:"-"`
}

// The flags that name files. What these hold are inputs of a cell; where they lie is not.
const (
	DataFlag   = "data"
	ModuleFlag = "module"
)

// NamesFiles reports whether a flag has the form NAME=FILE,FILE or FILE.
func (f Flag) NamesFiles() bool { return f.Name == DataFlag || f.Name == ModuleFlag }

// OwnFlags are those that a cell does not set, since whoever has it made does, or since they make a result
// depend on something else than the cell and its files.
func OwnFlags() []string {
	return []string{DataFlag, "output", "overwrite", "json", "quiet", "strict", "resume", "from", "inits",
		"help", "nats", "nats-creds"}
}

// A Steps is some of the equal steps of a computation, as replicates or folds: those from First up to, not
// including, End.
type Steps struct {
	First int `json:"first"`
	End   int `json:"end"`
}

// Parts divides n steps into parts of a size, the last of which may be smaller.
func Parts(n, size int) (out []Steps) {
	for first := 0; first < n; first += size {
		out = append(out, Steps{first, min(first+size, n)})
	}
	return out
}

// Within is an error where the part is none of n steps.
func (p Steps) Within(n int) error {
	if p.First < 0 || p.First >= p.End || p.End > n {
		return fmt.Errorf("steps %d to %d are no part of %d", p.First, p.End, n)
	}
	return nil
}

// An Input is a text or a table on which the result of a cell depends, by its digest.
type Input struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Digest is the input of some bytes.
func Digest(name string, text []byte) Input {
	sum := sha256.Sum256(text)
	return Input{name, hex.EncodeToString(sum[:])}
}

// A Cell is a command line, without the flags that say where its result goes.
type Cell struct {
	Command string  `json:"command"`
	Model   string  `json:"model"`          // absolute path
	Flags   []Flag  `json:"flags"`          // in order; repeatable ones may come several times
	Part    *Steps  `json:"part,omitempty"` // of the computation of this command; nil: all of it
	Inputs  []Input `json:"inputs"`
}

// Name says what the cell is.
func (c *Cell) Name() string {
	name := c.Command + " " + filepath.Base(c.Model)
	switch {
	case c.Part == nil:
		return name
	case c.Part.First+1 == c.Part.End:
		return fmt.Sprintf("%s, %d", name, c.Part.End)
	}
	return fmt.Sprintf("%s, %d to %d", name, c.Part.First+1, c.Part.End)
}

// Moved is the flag with other paths of the files that it names.
func (f Flag) Moved(to func(path string) string) Flag {
	if !f.NamesFiles() {
		return f
	}
	name, list, named := strings.Cut(f.Value, "=")
	if named = named && !strings.ContainsAny(name, `./\:`); !named { // a path may hold a =
		list = f.Value
	}
	files := strings.Split(list, ",")
	for i, file := range files {
		files[i] = to(file)
	}
	if f.Value = strings.Join(files, ","); named {
		f.Value = name + "=" + f.Value
	}
	return f
}

// Moved is the cell with other paths of its files.
func (c *Cell) Moved(to func(path string) string) *Cell {
	out := *c
	out.Model = to(c.Model)
	out.Flags = slices.Clone(c.Flags)
	for k, f := range out.Flags {
		out.Flags[k] = f.Moved(to)
	}
	return &out
}

// Args are the words of the command line.
func (c *Cell) Args() []string {
	args := []string{c.Command, c.Model}
	for _, f := range c.Flags {
		args = append(args, "--"+f.Name+"="+f.Value)
	}
	return args
}

// A Provenance is on what a result depends.
type Provenance struct {
	Schema  int     `json:"schema"`
	Version string  `json:"version"` // of vflc
	Command string  `json:"command"`
	Flags   []Flag  `json:"flags"`
	Part    *Steps  `json:"part,omitempty"`
	Inputs  []Input `json:"inputs"`
}

// Record returns on what the result of the cell depends. Files are inputs: paths do not enter, contents do.
func (c *Cell) Record() Provenance {
	flags := slices.DeleteFunc(slices.Clone(c.Flags), Flag.NamesFiles)
	if flags == nil {
		flags = []Flag{}
	}
	return Provenance{Schema: posterior.Schema, Version: fit.Build(), Command: c.Command, Flags: flags,
		Part: c.Part, Inputs: c.Inputs}
}

// ID is the name of the result: a digest of the record.
func (c *Cell) ID() string {
	text, err := json.Marshal(c.Record())
	if err != nil {
		panic(err) // a record is texts and numbers
	}
	return Digest("", text).SHA256[:16]
}
