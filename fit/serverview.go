package fit

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// watch keeps what the server receives in a chain, where the run has a folder to keep it in; the server of a
// run across processes only where it is to record.
func (m *sampling) watch(env density.Env, c *chain) {
	if m.options.Dir == "" && !m.options.watch || m.apart != nil && !m.options.Record ||
		len(m.Plan.Groups) == 0 {
		return
	}
	var view *attack.Recorder
	if m.apart != nil {
		view = attack.NewRecording(m.described())
	} else {
		view = attack.NewRecorder(m.Plan)
	}
	if env.(session.Watchable).Watch(view) {
		c.view = view
	}
}

// described is the plan with what a server knows of the clients' cuts from the manifest.
func (m *sampling) described() *model.Plan {
	plan := *m.Plan
	plan.Parties = slices.Clone(plan.Parties)
	for i, name := range plan.Names {
		base, _, _ := compile.Member(name) // names of a plan were checked
		rho, _ := strconv.ParseFloat(m.Manifest.Rho[base], 64)
		var cuts []density.Cut
		for _, g := range plan.Groups {
			for _, member := range g.Members {
				if member.Party != i {
					continue
				}
				for len(cuts) <= member.Index {
					cuts = append(cuts, density.Cut{})
				}
				c := density.Cut{Name: g.Name, Rows: g.Len, Cols: 1}
				if !plan.Exact {
					c.Rho = rho
				}
				if n, ok := m.Sizes.Value(m.Manifest.Rows, ""); ok && n > 0 && g.Len%n == 0 {
					c.Rows, c.Cols = n, g.Len/n
				}
				cuts[member.Index] = c
			}
		}
		plan.Parties[i] = &model.Spec{Party: name, Cuts: cuts}
	}
	return &plan
}

// views are what the server received in each chain; nil where it was not kept.
func (r *Result) views() (out []*attack.Recorder) {
	for _, c := range r.kernels {
		if c.view != nil {
			out = append(out, c.view)
		}
	}
	return out
}

// writeView writes what the server received, where it was kept.
func (r *Result) writeView(dir string) error {
	views := r.views()
	switch {
	case len(views) == 0:
		return nil
	case r.apart:
		return writeFile(dir, posterior.ReceivedFile, func(w io.Writer) error {
			return attack.WriteRecording(w, views)
		})
	}
	return writeFile(dir, posterior.ViewFile, func(w io.Writer) error { return attack.Write(w, views) })
}

// AttackRecorded reports what can be found in what the server of a run across processes has recorded. The
// error says where the folder has no recording.
func AttackRecorded(run *posterior.Run) (*attack.Recorded, error) {
	there, err := posterior.VerifyReceived(run.Path, run.Record)
	if err != nil {
		return nil, err
	}
	if !there {
		var diags diag.List
		diags.Errorf(diag.NotRecorded, nil, source.Span{},
			"%s is one party's part of a run across machines, and has no record of what the server received",
			run.Path)
		return nil, data.Errors(diags)
	}
	path := filepath.Join(run.Path, posterior.ReceivedFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	views, err := attack.ReadRecording(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &attack.Recorded{Schema: posterior.Schema, Model: run.Name(), Backend: run.Record.Backend,
		Transform: run.Record.Transform, Findings: attack.Find(views),
		Separated: attack.SeparateRecorded(views), Notes: []string{}}
	if slices.ContainsFunc(r.Findings, func(f attack.RecordedCut) bool { return f.Masked }) {
		r.Notes = append(r.Notes,
			"Under masks are the words that each client has sent: what is found in them would be found in "+
				"noise. Two clients, or the server with all clients but one, learn more: vflc "+
				"audit PROGRAMS says what.")
	}
	if t, ok := TransformOf(run); ok && t.AtClients() {
		r.Notes = append(r.Notes,
			"Under transform "+t.Name+
				" the server also has the clients' adjoints, without noise. Whoever has the response "+
				"solves them for the cuts, which is not tried here.")
	}
	return r, nil
}

// IsPart reports whether a run is one party's part of a run across machines.
func IsPart(run *posterior.Run) (bool, error) {
	if run.Record == nil {
		return false, nil
	}
	model, err := RecordedModel(run.Path, run.Record)
	if err != nil {
		return false, err
	}
	tree, _ := parser.Parse(model)
	return slices.ContainsFunc(tree.Stmts, func(s ast.Stmt) bool {
		_, ok := s.(*ast.Program)
		return ok
	}), nil
}

// readView reads what writeView wrote; nil where there is no such file. The error says where it was altered.
func readView(run *posterior.Run, plan *model.Plan) ([]*attack.Recorder, error) {
	if there, err := posterior.VerifyView(run.Path, run.Record); err != nil || !there {
		return nil, err
	}
	path := filepath.Join(run.Path, posterior.ViewFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	views, err := attack.Read(bufio.NewReader(f), plan)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return views, nil
}
