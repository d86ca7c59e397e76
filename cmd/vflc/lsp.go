package main

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lsp"
)

// typingPause is how long the server waits for the next change of a text that is being typed. What is typed
// while it checks a text waits in any case, so that this need not be long.
const typingPause = 10 * time.Millisecond

func newLSP() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Answer an editor's questions about models, over standard input and output",
		Long: `Serve the Language Server Protocol over standard input and output: an editor starts it. Models are checked as they are typed, with
the vfl.toml beside them; docs/editors.md says how editors are set up.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			return lsp.Serve(cmd.Context(), standardPipes{cmd.InOrStdin(), cmd.OutOrStdout()}, toolchain())
		}),
	}
	cmd.Flags().Bool("stdio", true, "speak over standard input and output, which is the only way")
	return cmd
}

// standardPipes are both ends of a conversation. Closing them ends the reading.
type standardPipes struct {
	io.Reader
	io.Writer
}

// Close implements io.Closer.
func (standardPipes) Close() error { return os.Stdin.Close() }

// toolchain compiles and audits models as vflc check and vflc audit do.
func toolchain() lsp.Toolchain {
	return lsp.Toolchain{
		Version: version(), Delay: typingPause, Compile: checkOpen, Rows: crossingRows,
		Audit: func(w io.Writer, m *compile.Model, open func(string) (string, bool)) error {
			m, a, given, err := forRun(m, open)
			if err != nil {
				return err
			}
			r, err := auditModel(m, a, given, tablesBeside(m))
			if err != nil {
				return err
			}
			return r.print(w)
		},
	}
}

// checkOpen compiles a model as vflc check does.
func checkOpen(model *source.File, open func(path string) (string, bool)) (*compile.Model, diag.List, error) {
	cmd, f, _, err := besideModel(model.Name)
	if err != nil {
		return nil, nil, err
	}
	m, diags, err := compileOpen(model, open, f)
	return m, diags, asInFile(cmd, err)
}

// crossingRows lists what crosses in a run of a model; nothing where the model has no programs.
func crossingRows(m *compile.Model, open func(string) (string, bool)) (*compile.Model, []compile.Disclosure,
	error) {
	if m.Pooled() {
		return m, nil, nil
	}
	m, a, given, err := forRun(m, open)
	if err != nil {
		return nil, nil, err
	}
	bundle, diags := m.Bundle()
	if diags.HasErrors() {
		return nil, nil, data.Errors(diags)
	}
	rows, err := fit.Audit(bundle, a, given)
	return m, rows, err
}

// besideModel are the flags of a command over a model, as the vfl.toml beside it sets them.
func besideModel(path string) (*cobra.Command, *modelFlags, string, error) {
	var f modelFlags
	var backend string
	cmd := &cobra.Command{}
	f.add(cmd)
	addBackend(cmd, &backend)
	_, err := f.honour(cmd, path)
	return cmd, &f, backend, asInFile(cmd, err)
}

// compileOpen compiles a model with the texts of an editor in the place of files.
func compileOpen(model *source.File, open func(path string) (string, bool), f *modelFlags) (*compile.Model,
	diag.List, error) {
	dir, private := filepath.Dir(model.Name), f.private(model.Name)
	beside := safefile.Beside(dir)
	return compileSource(model, func(path string) (string, error) {
		if text, ok := open(filepath.Join(dir, filepath.FromSlash(path))); ok {
			return text, nil
		}
		return beside(path)
	}, func(client string) (*source.File, error) {
		file, err := private(client)
		if file == nil || err != nil {
			return file, err
		}
		if text, ok := open(file.Name); ok {
			file = source.New(file.Name, text)
		}
		return file, nil
	}, f)
}

// forRun is a model as it is compiled for a run, by the algorithm and with the settings that vfl.toml gives.
func forRun(m *compile.Model, open func(path string) (string, bool)) (*compile.Model, backends.Algorithm,
	map[string]string, error) {
	cmd, f, backend, err := besideModel(m.Source.Name)
	if err != nil {
		return nil, backends.Algorithm{}, nil, err
	}
	a, err := algorithm(backend)
	if err != nil {
		return nil, a, nil, err
	}
	if f.forRun(cmd, a); f.byRows {
		var diags diag.List
		if m, diags, err = compileOpen(m.Source, open, f); err == nil && diags.HasErrors() {
			err = data.Errors(diags)
		}
	}
	if err != nil {
		return nil, a, nil, err
	}
	return m, a, settingsFor(cmd, a, m, nil), nil
}
