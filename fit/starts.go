package fit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

// chainNumber stands for the number of a chain, counted from 1, in the name of a file of initial values.
const chainNumber = "%d"

// mostShown is the largest number of errors about initial values that are shown.
const mostShown = 20

// An initsFile is a file of initial values with its text.
type initsFile struct{ path, text string }

// begins reads the files of initial values, and maps these to the coordinates of all parties. A run with one
// file begins all its chains there.
func (p *Prepared) begins() (diags diag.List, err error) {
	if len(p.options.Inits) == 0 {
		return nil, nil
	}
	if p.options.From != "" {
		return nil, usagef("--from begins where another run ended, --inits at given values: choose one")
	}
	if p.Values == nil {
		panic("fit: the values of the model have been released")
	}
	paths, err := p.initsPaths()
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, path := range paths {
		text, err := safefile.Read(path, safefile.MaxText)
		if err != nil {
			return nil, fmt.Errorf("--inits: %w", err)
		}
		p.inits = append(p.inits, initsFile{path, string(text)})
		entries, found := data.Entries(path, text)
		if diags = append(diags, found...); found.HasErrors() {
			continue
		}
		starts, errs := p.unconstrain(entries)
		p.starts, wrong = append(p.starts, starts), append(wrong, errs...)
	}
	if diags.HasErrors() {
		return diags, nil
	}
	return diags, errors.Join(wrong[:min(len(wrong), mostShown)]...)
}

// initsPaths lists the files, one for each chain or one for all.
func (p *Prepared) initsPaths() ([]string, error) {
	n := (&sampling{Prepared: p}).kernels()
	paths := p.options.Inits
	if len(paths) == 1 && strings.Contains(paths[0], chainNumber) {
		path := paths[0]
		paths = nil
		for k := range n {
			paths = append(paths, strings.ReplaceAll(path, chainNumber, strconv.Itoa(k+1)))
		}
		return paths, nil
	}
	if len(paths) > 1 && len(paths) != n {
		return nil, usagef("--inits names %d files, and the run has %s: give one file, or one for each",
			len(paths), grouped.Count(n, "start"))
	}
	return paths, nil
}

// unconstrain maps the entries of a file to coordinates, by party. The errors are about entries that no
// parameter has as its values.
func (p *Prepared) unconstrain(entries []*data.Entry) ([][]density.Init, []error) {
	given := lower.Given(entries)
	starts := make([][]density.Init, len(p.Plan.Names))
	for k, party := range p.Lowered {
		if p.apart != nil { // the others have values of their own
			k = p.apart.Index
		}
		starts[k] = party.Unconstrain(given)
	}
	return starts, given.Foreign(entries)
}

// startedAt returns the Env of a chain, counted from 1, with its starting values.
func (p *Prepared) startedAt(env density.Env, chain int) density.Env {
	if len(p.starts) == 0 {
		return env
	}
	return density.StartedAt(env, p.starts[(chain-1)%len(p.starts)])
}

// recordInits lists the files of initial values with their salted digests.
func recordInits(files []initsFile, salt string) ([]posterior.InputRecord, error) {
	var out []posterior.InputRecord
	for _, f := range files {
		path, err := filepath.Abs(f.path)
		if err != nil {
			return nil, err
		}
		out = append(out, posterior.InputRecord{Path: path, SHA256: saltedText(salt, f.text)})
	}
	return out, nil
}

func saltedText(salt, text string) string {
	h := hmac.New(sha256.New, []byte(salt))
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// keptInits is where the folder of a run keeps a copy of file k.
func keptInits(k int) string { return filepath.Join(posterior.InitsDir, strconv.Itoa(k+1)+".json") }

// writeInits copies the files of initial values to the folder of a run.
func writeInits(dir string, files []initsFile) error {
	for k, f := range files {
		if err := writeFile(dir, keptInits(k), filled([]byte(f.text))); err != nil {
			return err
		}
	}
	return nil
}

// RecordedInits returns the copies of the initial values of a run in its folder, for Options.Inits. The error
// names one that has changed.
func RecordedInits(dir string, r *posterior.Record) ([]string, error) {
	var out []string
	for k, s := range r.Inits {
		path := filepath.Join(dir, keptInits(k))
		text, err := safefile.Read(path, safefile.MaxText)
		if err != nil {
			return nil, err
		}
		if saltedText(r.Salt, string(text)) != s.SHA256 {
			return nil, fmt.Errorf("%s is not the file that the run began with: its digest is not that in %s",
				path, posterior.RecordFile)
		}
		out = append(out, path)
	}
	return out, nil
}
