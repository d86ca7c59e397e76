// Package playground is vflc for a page in a browser: a client of fit and compile that takes the path of a
// model and settings by name, and answers with documents that become JSON. It prints nothing and knows
// nothing of a browser; the program below it does.
package playground

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/report"
)

// A FitTask is a model with what was chosen for it. Path is that of the model's file; its tables are those
// that vflc run would find beside it. Settings are values by the names of flags, as "rho" or "chains".
type FitTask struct {
	Path     string              `json:"path"`
	Settings map[string]string   `json:"settings"`
	Tables   map[string][]string `json:"tables"` // paths by owner
}

// flags are the tables as --data names them.
func (t *FitTask) flags() (out []string) {
	for _, owner := range slices.Sorted(maps.Keys(t.Tables)) {
		out = append(out, owner+"="+strings.Join(t.Tables[owner], ","))
	}
	return out
}

// A Failure is why there is no answer: diagnostics, or a sentence where these are empty.
type Failure struct {
	Diagnostics []diagnostic `json:"diagnostics"`
	Message     string       `json:"message"`
}

// Error is the sentence, or the first diagnostic.
func (f *Failure) Error() string {
	if len(f.Diagnostics) > 0 {
		return string(f.Diagnostics[0].Code) + ": " + f.Diagnostics[0].Message
	}
	return f.Message
}

// failure is an error as a Failure.
func failure(model *source.File, err error) error {
	var list data.Errors
	if errors.As(err, &list) {
		return &Failure{Diagnostics: found(model, diag.List(list).Shown())}
	}
	return &Failure{Message: err.Error()}
}

// A chosen is a Task whose settings are read.
type chosen struct {
	fit.FitChoices
	algorithm backends.Algorithm
	settings  map[string]string // of the algorithm
	model     *source.File
}

// read reads the model and the settings of a task.
func (t *FitTask) read() (*chosen, error) {
	text, err := safefile.ReadText(t.Path)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(t.Settings["backend"], fit.Backends()[0].Name)
	c := &chosen{settings: map[string]string{}, model: source.New(t.Path, string(text))}
	var known bool
	if c.algorithm, known = fit.Backend(name); !known {
		return nil, errors.New("there is no backend " + name)
	}
	for _, given := range slices.Sorted(maps.Keys(t.Settings)) {
		v := t.Settings[given]
		_, choice := fit.ChoiceNamed(given)
		switch {
		case v == "" || choice || given == "backend":
		case slices.ContainsFunc(c.algorithm.Settings,
			func(s backends.Setting) bool { return s.Name == given }):
			c.settings[given] = v
		default:
			return nil, errors.New(given + " is no setting of the backend " + name)
		}
	}
	if c.FitChoices, err = fit.ParseChoices(t.Settings); err != nil {
		return nil, err
	}
	c.FitChoices.Model.ByRows = fit.OfRows(c.algorithm, c.settings)
	c.FitChoices.Model.Encrypted = backends.Encrypted(c.settings)
	c.FitChoices.Model.Import = safefile.Beside(filepath.Dir(t.Path))
	return c, nil
}

// compile compiles the model. The diagnostics are all that were found.
func (c *chosen) compile() (*compile.Model, diag.List, error) {
	m, diags := compile.Compile(c.model, c.Model)
	if diags.HasErrors() {
		return m, diags, nil
	}
	if err := c.Names(m); err != nil {
		return m, diags, err
	}
	return m, diags, c.Noise(m)
}

// whole is compile for what needs a model without errors.
func (t *FitTask) whole() (*chosen, *compile.Model, error) {
	c, err := t.read()
	if err != nil {
		return nil, nil, failure(nil, err)
	}
	m, diags, err := c.compile()
	switch {
	case err != nil:
		return nil, nil, failure(c.model, err)
	case diags.HasErrors():
		return nil, nil, &Failure{Diagnostics: found(c.model, diags.Shown())}
	case m.Checked.For != "":
		return nil, nil,
			&Failure{Message: "this is the program of " + m.Checked.For + "; a fit needs the whole model"}
	}
	return c, m, nil
}

// A Checked is what is known of a model without its data.
type Checked struct {
	Diagnostics []diagnostic `json:"diagnostics"`
	Parties     []party      `json:"parties"` // those that may have tables
}

// A party is one of a model.
type party struct {
	Name   string `json:"name"`
	Family bool   `json:"family"`
	Server bool   `json:"server"`
}

// Check compiles a model.
func Check(t FitTask) (*Checked, error) {
	c, err := t.read()
	if err != nil {
		return nil, failure(nil, err)
	}
	m, diags, err := c.compile()
	if err != nil {
		return nil, failure(c.model, err)
	}
	out := &Checked{Diagnostics: found(c.model, diags.Shown()), Parties: []party{}}
	if m != nil && m.Checked != nil && !diags.HasErrors() {
		for i, p := range m.Parties() {
			out.Parties = append(out.Parties, party{p.Name, p.Family, i == 0})
		}
	}
	return out, nil
}

// Audit is the agreement of a model's parties, as an HTML document: who could compute what, all that crosses,
// and the programs, which are written to a folder.
func Audit(t FitTask, dir string) (string, error) {
	c, m, err := t.whole()
	if err != nil {
		return "", err
	}
	if m.Design != nil {
		apart, diags := m.Apart()
		if diags.HasErrors() {
			return "", failure(c.model, data.Errors(diags))
		}
		m, c.algorithm, c.settings = apart, fit.Releasing(), nil
	}
	if m.Pooled() {
		return "", &Failure{Message: "All data are pooled in one process, so there are no programs " +
			"of parties and nothing " +
			"crosses. A model with clients and a transform other than none has an audit."}
	}
	if diags := diag.ForSplit(m.MaySplit()); diags.HasErrors() {
		return "", failure(c.model, data.Errors(diags))
	}
	page, err := agreement(c, m, dir)
	if err != nil {
		return "", failure(c.model, err)
	}
	return page, nil
}

func agreement(c *chosen, m *compile.Model, dir string) (string, error) {
	if err := fit.Declare(m, c.algorithm, c.settings); err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	for name, text := range m.Files() {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return "", err
		}
	}
	bundle, diags, err := compile.ReadBundle(dir)
	if err == nil && diags.HasErrors() {
		err = data.Errors(diags)
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = report.WriteAgreement(&b, dir, bundle)
	return b.String(), err
}

// A Fitted is a fit that has ended.
type Fitted struct {
	Document posterior.SummaryDocument `json:"document"` // as vflc run --json prints it
	Table    string                    `json:"table"`    // as vflc run prints it
	Run      *FittedRun                `json:"-"`
}

// Fit fits a model to its tables. When stop is closed the result is of the draws so far.
func Fit(t FitTask, stop <-chan struct{}, p fit.Progress) (*Fitted, error) {
	c, m, err := t.whole()
	if err != nil {
		return nil, err
	}
	r, err := c.fit(m, t.flags(), stop, p)
	if err != nil {
		return nil, failure(c.model, err)
	}
	var table bytes.Buffer
	if err := r.WriteTable(&table); err != nil {
		return nil, failure(c.model, err)
	}
	return &Fitted{r.Document, table.String(), &FittedRun{r, m.Name}}, nil
}

func (c *chosen) fit(m *compile.Model, tables []string, stop <-chan struct{}, p fit.Progress) (*fit.Result,
	error) {
	sources, err := data.Locate(c.model.Name, m.Parties(), tables)
	if err != nil {
		return nil, err
	}
	o := c.Run
	o.Algorithm, o.Settings, o.Progress = c.algorithm, c.settings, p
	prepared, diags, err := fit.Open(m, sources, o)
	if err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, data.Errors(diags)
	}
	prepared.Release()
	return prepared.Sample(context.Background(), stop)
}
