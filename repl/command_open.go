package repl

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/ledger"
)

func openCommand() command {
	return command{name: "open", args: "MODEL|RUN", doc: "read a model, or the folder of a run (vflc run -o)",
		files: true,
		run: func(s *Session, _ context.Context, args string) error {
			switch list := words(args); {
			case len(list) != 1:
				return usagef(":open needs the file of a model or the folder of a run")
			default:
				return s.Open(list[0])
			}
		}}
}

// Open reads the model of a file, which replaces the present one, or the folder of a run, which becomes the
// current fit.
func (s *Session) Open(path string) error {
	if err := s.open(path); err != nil {
		return s.failure(context.Background(), err)
	}
	return nil
}

func (s *Session) open(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return s.openRun(path)
	}
	next, err := s.read(path)
	if err != nil {
		return err
	}
	s.saved = next
	s.change(next)
	return s.say("model", "%s: %s", path, s.overview())
}

// read reads a model from its file. The tables are those beside it.
func (s *Session) read(path string) (*state, error) {
	text, err := safefile.Read(path, safefile.MaxText)
	if err != nil {
		return nil, err
	}
	next, err := readText(path, string(text))
	if err != nil {
		return nil, err
	}
	return next, next.joinAsSettings()
}

// joinAsSettings sets how tables are joined, as the vfl.toml beside the model says.
func (s *state) joinAsSettings() error {
	settings, _, err := data.RunSettings(s.Path)
	if k, ok := settings["key"].(string); ok {
		s.Key = k
	}
	s.Intersect = settings["rows"] == "intersect"
	return err
}

// readText makes a state of a model's text.
func readText(path, text string) (*state, error) {
	tree, diags := parser.Parse(source.New(path, text))
	if err := refused(diags); err != nil {
		return nil, err
	}
	next := &state{Path: path, Statements: statementsOf(tree)}
	if err := refused(next.compile()); err != nil {
		return nil, err
	}
	if next.built != nil && next.built.Checked.For != "" {
		return nil, inputf("%s is the program of %s; open the model that it was compiled from", path,
			next.built.Checked.For)
	}
	return next, nil
}

// openRun reads the folder of a run, with its model where that and its data are as they were.
func (s *Session) openRun(path string) error {
	stored, published, err := ledger.OpenRun(path)
	if err != nil {
		return err
	}
	r := &run{Finished: fit.Finished{Run: stored, Published: published},
		name: filepath.Base(filepath.Clean(path))}
	bound, diags, err := fit.Reopen(stored)
	switch {
	case err != nil:
		r.why = err
	case diags.HasErrors():
		r.why = refused(diags)
	default:
		r.Bound = bound
	}
	s.take(r)
	d := stored.Draws
	return s.reply("run", map[string]any{"fit": r.name, "chains": d.Chains(), "draws": d.Len(0)},
		func(w io.Writer) error {
			fmt.Fprintf(w, "%s: %s, %s of %d draws of %s\n", r.name, stored.Name(),
				grouped.Count(d.Chains(), "chain"), d.Len(0), grouped.Count(d.Parameters(), "parameter"))
			if r.why != nil {
				fmt.Fprintf(w, "only its parameters can be asked, no expressions: %v\n", r.why)
			}
			return nil
		})
}
