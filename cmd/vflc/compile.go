package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
)

func newCompile() *cobra.Command {
	var f modelFlags
	var by, dir, dump, backend string
	cmd := &cobra.Command{
		Use:   "compile --split-by client MODEL -o DIR",
		Short: "Write one program per party, and the manifest of what crosses between them",
		Long: `Write one program per party, and the manifest of what crosses between them, to a folder. The folder is new or empty, or one that vflc compile
has written: its programs are then replaced. Other files are not.

What crosses depends on the backend and on some of its settings, such as whether sums over clients are masked (they are, unless --secure-sum off is given). The
manifest names them, and lists every row of the audit; parties refuse a run in which something else would cross.`,
		Example: `  vflc compile --split-by client logistic.vfl -o build
  vflc compile logistic.vfl --dump cut
` + example("vflc compile logistic.vfl -o build"),
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			switch {
			case by != "client":
				return usagef("--split-by %s: a model is split by client", by)
			case dump == "" && dir == "":
				return usagef("name a folder for the programs (-o DIR), or a stage to print (--dump %s)",
					strings.Join(stageNames(), "|"))
			}
			typed, a, err := f.honourWith(cmd, args[0], &backend)
			if err != nil {
				return err
			}
			m, diags, err := compileFile(args[0], &f)
			if dump == "" && err == nil && m != nil && m.Checked != nil && !m.Pooled() {
				diags = diag.ForSplit(diags)
			}
			if m, err = whole(cmd, m, diags, false, err); err != nil {
				return err
			}
			if dump != "" {
				return printStage(cmd, m, dump)
			}
			say(cmd, m.Assumed())
			given := masked(a, settingsFor(cmd, a, m, typed))
			return writePrograms(cmd, m, dir, a, given)
		}),
	}
	f.add(cmd)
	cmd.Flags().StringVar(&by, "split-by", "client", "`unit` that gets its own program: client")
	cmd.Flags().StringVarP(&dir, "output", "o", "", "`folder` for the programs and the manifest")
	addBackend(cmd, &backend)
	cmd.Flags().StringVar(&dump, "dump", "", "print the model after this `stage` of the compiler, and stop: "+
		strings.Join(stageNames(), ", "))
	return cmd
}

func stageNames() []string {
	var out []string
	for _, s := range compile.Stages() {
		out = append(out, s.Name)
	}
	return out
}

// printStage prints the model as the compiler holds it after a stage.
func printStage(cmd *cobra.Command, m *compile.Model, name string) error {
	if !slices.Contains(stageNames(), name) {
		return usagef("--dump %s: the stages are %s", name, strings.Join(stageNames(), ", "))
	}
	return m.Dump(cmd.OutOrStdout(), name)
}

// writePrograms writes the programs of a model for runs by this algorithm with these settings, and those for
// what can be done with such a run.
func writePrograms(cmd *cobra.Command, m *compile.Model, dir string, a backends.Algorithm,
	given map[string]string) error {
	if m.Design != nil {
		apart, diags := m.Apart()
		if err := settle(cmd, diags); err != nil {
			return err
		}
		m, a, given = apart, fit.Releasing(), nil
	}
	if m.Pooled() {
		return fmt.Errorf("%s: transform none keeps all data in one place, so there is nothing to split",
			m.Source.Name)
	}
	if err := settle(cmd, m.MaySplit()); err != nil {
		return err
	}
	if err := m.Verify(); err != nil { // each program is loaded as its party would load it
		return fmt.Errorf("%s: vflc wrote programs that their parties would refuse, so none is kept; "+
			"this is a fault of vflc: %w", m.Source.Name, err)
	}
	if err := fit.Declare(m, a, given); err != nil {
		return err
	}
	type folder struct {
		dir   string
		files map[string][]byte // nil: none, and those of an earlier model are removed
	}
	folders, further, none := []folder{{dir, m.Files()}}, "", ""
	for _, k := range []struct {
		dir, doc string
		scored   bool
	}{{compile.PredictDir, "predict", false}, {compile.ScoreDir, "ppc and cv", true}} {
		to := folder{dir: filepath.Join(dir, k.dir)}
		p, diags, err := m.Prediction(k.scored)
		if err == nil && !diags.HasErrors() && p.Model.Manifest != nil {
			if err := p.Verify(); err != nil {
				return fmt.Errorf("%s: vflc wrote programs of a prediction that their parties would "+
					"refuse; this is a fault of vflc: %w", m.Source.Name, err)
			}
			if err := fit.Declare(p.Model, a, given); err != nil {
				return err
			}
			to.files = p.Files()
			further += fmt.Sprintf("; those for %s to %s", k.doc, to.dir)
		}
		if err != nil && m.Manifest.Release == nil {
			none += fmt.Sprintf("no programs for %s: %v\n", k.doc, err)
		}
		folders = append(folders, to)
	}
	for _, f := range folders {
		if err := mayWritePrograms(f.dir, f.files); err != nil {
			return err
		}
	}
	for _, f := range folders {
		if err := replacePrograms(f.dir, f.files); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %d programs and %s to %s%s\n%s", len(m.Programs),
		compile.ManifestFile, filepath.Clean(dir), further, none)
	return nil
}
