package main

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
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
		Version: version(), Delay: typingPause,
		Compile: compileOpen,
		Rows: func(m *compile.Model) ([]compile.Disclosure, error) {
			a, given, err := runOf(m)
			if err != nil || m.Pooled() {
				return nil, err
			}
			bundle, diags := m.Bundle()
			if bundle == nil || diags.HasErrors() {
				return nil, nil
			}
			return fit.Audit(bundle, a, given)
		},
		Audit: func(w io.Writer, m *compile.Model) error {
			a, given, err := runOf(m)
			if err != nil {
				return err
			}
			r, err := auditModel(m, a, given, nil)
			if err != nil {
				return err
			}
			return r.print(w)
		},
	}
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

// compileOpen compiles a model as vflc check does, with the texts of an editor in the place of files.
func compileOpen(model *source.File, open func(path string) (string, bool)) (*compile.Model, diag.List,
	error) {
	cmd, f, _, err := besideModel(model.Name)
	if err != nil {
		return nil, nil, err
	}
	dir, private := filepath.Dir(model.Name), f.private(model.Name)
	beside := safefile.Beside(dir)
	m, diags, err := compileSource(model, func(path string) (string, error) {
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
	return m, diags, asInFile(cmd, err)
}

// runOf is the algorithm of a run of a model, with the settings that vfl.toml gives.
func runOf(m *compile.Model) (backends.Algorithm, map[string]string, error) {
	cmd, _, backend, err := besideModel(m.Source.Name)
	if err != nil {
		return backends.Algorithm{}, nil, err
	}
	a, err := algorithm(backend)
	return a, settingsFor(cmd, a, m, nil), err
}
