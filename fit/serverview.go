package fit

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// watch keeps what the server receives in a chain, where the run has a folder to keep it in.
func (m *sampling) watch(env density.Env, c *chain) {
	if m.options.Dir == "" && !m.options.watch || m.apart != nil || len(m.Plan.Groups) == 0 {
		return
	}
	if s, ok := env.(session.Watchable); ok {
		c.view = attack.NewRecorder(m.Plan, m.Algorithm.Gives == backends.Markov)
		s.Watch(c.view)
	}
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
	if len(views) == 0 {
		return nil
	}
	return writeFile(dir, runs.ViewFile, func(w io.Writer) error { return attack.Write(w, views) })
}

// readView reads what writeView wrote; nil where there is no such file. The error says where it was altered.
func readView(run *runs.Run, plan *model.Plan) ([]*attack.Recorder, error) {
	if there, err := runs.VerifyView(run.Path, run.Record); err != nil || !there {
		return nil, err
	}
	path := filepath.Join(run.Path, runs.ViewFile)
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
