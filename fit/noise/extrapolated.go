package noise

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/atomicfile"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

// Table is the summary as text, with what the columns mean below.
func (e Extrapolation) Table() string {
	lines := [][]string{{"name", "owner", "mean", "error", "sd", "error"}}
	for _, f := range e.Fits {
		lines[0] = append(lines[0], fmt.Sprintf("mean at "+rhoDigits, f.Rho))
	}
	for _, p := range e.Parameters {
		line := []string{p.shown(), p.Owner, limited(p.Mean, p.MeanError), significant(p.MeanError),
			limited(p.SD, p.SDError), significant(p.SDError)}
		for _, at := range p.At {
			line = append(line, limited(at.Mean, at.MCSE))
		}
		lines = append(lines, line)
	}
	return posterior.AlignLeft(lines) + "\n" + e.legend()
}

// WriteFindings writes what is wrong with the fits and with the extrapolation, or that nothing is.
func (e Extrapolation) WriteFindings(w io.Writer) error {
	if len(e.Findings) == 0 {
		_, err := fmt.Fprintf(w,
			"No problem found in %d fits, and the errors of the extrapolated means are at most %v sd.\n",
			len(e.Fits), tooWide)
		return err
	}
	fit.WriteProblems(w, e.Findings)
	return nil
}

// Chosen are the parameters in these columns of the draws, in their order.
func (e Extrapolation) Chosen(columns []int) []ParameterEstimate {
	out := []ParameterEstimate{}
	for _, k := range columns {
		if k < len(e.Parameters) {
			out = append(out, e.Parameters[k])
		}
	}
	return out
}

// legend says what was extrapolated.
func (e Extrapolation) legend() string {
	text := "Extrapolated to rho = 0 from fits at rho = "
	for k, f := range e.Fits {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf(rhoDigits, f.Rho)
	}
	text += " (rho√J = "
	for k, f := range e.Fits {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%.3g", f.SD)
	}
	return text +
		fmt.Sprintf(").\nerror: the distance to the line through the two smaller rho, and %d Monte "+
			"Carlo standard errors.\n", monteCarlo)
}

func limited(v, se posterior.Number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return posterior.Limited(float64(v), float64(se))
}

func significant(v posterior.Number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return fmt.Sprintf("%.2g", float64(v))
}

// Folder is the name of the folder of a fit, within that of the extrapolation.
func Folder(rho float64) string { return fmt.Sprintf("rho-"+rhoDigits, rho) }

// AnyFolder is the pattern of their names.
const AnyFolder = "rho-*"

// Begin makes the folder of an extrapolation, with the list of its fits. One that holds another extrapolation
// is emptied of it where it may be replaced. It is an error if there are files of anything else.
func Begin(dir, model string, clients int, rhos []float64, replace bool) error {
	if err := free(dir, replace); err != nil {
		return err
	}
	return List(dir, model, clients, rhos)
}

// List writes the list of the fits of an extrapolation, or of their programs, to a folder.
func List(dir, model string, clients int, rhos []float64) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	x := runs.Extrapolation{Schema: posterior.Schema, Model: model, Clients: clients}
	for _, rho := range slices.Backward(slices.Sorted(slices.Values(rhos))) {
		x.Fits = append(x.Fits, runs.ExtrapolatedFit{Folder: Folder(rho), Rho: rho})
	}
	return atomicfile.Write(filepath.Join(dir, runs.ExtrapolationFile), 0o600, func(w io.Writer) error {
		return posterior.WriteJSON(w, x)
	})
}

// free removes the fits of an extrapolation that may be replaced.
func free(dir string, replace bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	old, err := runs.ReadExtrapolation(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has files but no %s, so it is not the folder of an extrapolation; "+
			"name another, or empty it", dir, runs.ExtrapolationFile)
	case err != nil:
		return err
	case !replace:
		return fmt.Errorf("%s holds an extrapolation; name another folder, or replace it with --overwrite",
			dir)
	}
	return removeFits(dir, old)
}

func removeFits(dir string, x *runs.Extrapolation) error {
	for _, f := range x.Fits {
		if err := os.RemoveAll(filepath.Join(dir, f.Folder)); err != nil {
			return err
		}
	}
	return nil
}

// Abandon removes the folder of an extrapolation whose fits could not begin: it would be in the way of the
// next attempt.
func Abandon(dir string) {
	if x, err := runs.ReadExtrapolation(dir); err == nil {
		removeFits(dir, x)
	}
	os.Remove(filepath.Join(dir, runs.ExtrapolationFile))
	os.Remove(dir) // if it has no other files
}
