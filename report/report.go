package report

import (
	"embed"
	"fmt"
	"io"
	"path/filepath"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib/def"
)

//go:embed page
var pages embed.FS

// A Report is a run with all that its page shows.
type Report struct {
	run       *posterior.Run
	rows      []posterior.SummaryRow
	transform def.Transform
	algorithm backends.Algorithm
	model     *compile.Model  // with the options of the run
	bundle    *compile.Bundle // the programs that ran; nil where one process held all data
}

// New reads and compiles what a report needs of a finished run. Tables are read when it is written, for its
// predictive check. The diagnostics are those of the model or of its programs; with errors among them there
// is no report.
func New(run *posterior.Run) (*Report, diag.List, error) {
	model, diags, err := fit.Recompile(run)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	algorithm, known := fit.Backend(run.Record.Backend)
	if !known {
		return nil, nil, fmt.Errorf("%s: this vflc has no backend %s", run.Path, run.Record.Backend)
	}
	r := &Report{run: run, rows: posterior.Summarise(run.Draws.Select(parameters(run.Draws))), model: model,
		transform: model.Checked.Transform.Kind, algorithm: algorithm}
	if model.Pooled() {
		return r, nil, nil
	}
	if r.bundle, diags, err = compile.ReadBundle(filepath.Join(run.Path,
		posterior.ProgramsDir)); err != nil ||
		diags.HasErrors() {
		return nil, diags, err
	}
	return r, nil, nil
}

// parameters are the columns of all parameters.
func parameters(d *posterior.Draws) []int {
	out := make([]int, d.Parameters())
	for k := range out {
		out[k] = k
	}
	return out
}

// Write writes the report as an HTML file.
func (r *Report) Write(w io.Writer) error {
	page := frame{Title: r.run.Name(), Kind: "report of a run", Kicker: "Report of a run", Facts: r.facts(),
		Footer: "A run simulates all parties, so this page shows what belongs to each of them, draws of " +
			"its parameters included: treat it as you treat the folder of the run."}
	var parts []content
	for _, s := range sections() {
		shown, err := s.content(r)
		if err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
		if shown != nil {
			parts = append(parts, content{s.id, s.title, shown})
		}
	}
	return page.write(w, parts)
}
