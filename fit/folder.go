package fit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
)

// Permissions of what a run writes: its draws and the parameters of the parties are for the eyes of its
// owner.
const (
	private       fs.FileMode = 0o600
	privateFolder fs.FileMode = 0o700
)

// outputs lists what the folder of a run holds beside its record.
func outputs() []string {
	return []string{posterior.SummaryFile, posterior.ELBOFile, posterior.DrawsDir, posterior.ZarrDir,
		posterior.ProgramsDir, posterior.PartiesDir, checkpointDir, posterior.ModelFile, posterior.ModulesDir,
		posterior.InitsDir, data.SettingsFile, posterior.ViewFile, posterior.ReceivedFile,
		posterior.ReportFile, posterior.JournalFile, posterior.MomentsFile}
}

// takeFolder prepares the folder of a run, if it has one, and locks it. The folder then holds the record, the
// text of the model and its vfl.toml, so that the run can be resumed. A run that is resumed keeps its record.
func (p *Prepared) takeFolder() (_ diag.List, err error) {
	dir := p.options.Dir
	switch {
	case dir == "":
		return nil, nil
	case p.options.Resume:
		return nil, p.resumeFolder(dir)
	case !exists(dir):
		return nil, p.newFolder(dir)
	}
	if p.lock, err = safefile.TakeLock(dir); err != nil {
		return nil, err
	}
	if err = p.claim(dir); err == nil {
		err = p.writeBeginning(dir)
	}
	if err != nil {
		p.lock.Release()
	}
	return nil, err
}

// resumeFolder prepares the folder of a run that is resumed.
func (p *Prepared) resumeFolder(dir string) (err error) {
	if p.lock, err = safefile.TakeLock(dir); err != nil {
		return err
	}
	var then posterior.Record
	if then, err = p.unchanged(dir); err == nil {
		p.Record = then
		if p.apart == nil { // else another party may need this one again
			err = Resumable(dir, &then)
		}
	}
	if err != nil {
		p.lock.Release()
		return err
	}
	return removeTemporaries(dir)
}

// newFolder makes the folder under another name and renames it, so that the folder of a run has its record
// from the first moment.
func (p *Prepared) newFolder(dir string) error {
	dir = filepath.Clean(dir)
	parent, base := filepath.Split(dir)
	if parent == "" {
		parent = "."
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	removeUnbegun(parent, base)
	temp, err := os.MkdirTemp(parent, "."+base+".*")
	if err != nil {
		return safefile.Named(dir, err)
	}
	if p.lock, err = safefile.TakeLock(temp); err == nil {
		err = p.writeBeginning(temp)
	}
	if err == nil {
		err = os.Rename(temp, dir)
	}
	if err != nil {
		p.lock.Release()
		os.RemoveAll(temp)
		return err
	}
	p.lock.Moved(dir)
	return nil
}

// removeUnbegun removes what processes that ended before their run began have left beside the folder of a
// run.
func removeUnbegun(parent, base string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if !e.IsDir() || !temporary(e.Name(), base) {
			continue
		}
		left := filepath.Join(parent, e.Name())
		if lock, err := safefile.TakeLock(left); err == nil {
			os.RemoveAll(left)
			lock.Release()
		}
	}
}

// writeBeginning writes what a run needs to be resumed; the record is the last.
func (p *Prepared) writeBeginning(dir string) error {
	if err := writeFile(dir, posterior.ModelFile, filled([]byte(p.Source.Text))); err != nil {
		return err
	}
	if err := writeModules(dir, p.Modules()); err != nil {
		return err
	}
	if err := writeInits(dir, p.inits); err != nil {
		return err
	}
	if settings, err := os.ReadFile(filepath.Join(filepath.Dir(p.Source.Name), data.SettingsFile)); err ==
		nil {
		if err := writeFile(dir, data.SettingsFile, filled(settings)); err != nil {
			return err
		}
	}
	if p.options.Moments != nil {
		if err := writeFile(dir, posterior.MomentsFile, filled(p.options.Moments)); err != nil {
			return err
		}
	}
	return writeFile(dir, posterior.RecordFile, func(w io.Writer) error {
		return posterior.WriteJSON(w, p.Record)
	})
}

// abandon removes the folder that was made for a run that could not begin: there is nothing to resume, and it
// would be in the way of the next attempt.
func (p *Prepared) abandon(why error) {
	dir := p.options.Dir
	nowhere, usage, refusal := (*backends.NotFiniteError)(nil), (*UsageError)(nil), (*backends.Refusal)(nil)
	if dir == "" || p.options.Resume || exists(filepath.Join(dir, checkpointDir)) ||
		!(errors.As(why, &nowhere) && !nowhere.Begun) && !errors.As(why, &usage) &&
			!errors.As(why, &refusal) {
		return
	}
	for _, name := range append(beginning(), posterior.JournalFile, safefile.LockFile) {
		os.RemoveAll(filepath.Join(dir, name))
	}
	os.Remove(dir) // if it has no other files
}

// mayTakeFolder returns an error if the folder of the run is not free, before the work of loading begins.
func (p *Prepared) mayTakeFolder() error {
	dir := p.options.Dir
	if dir == "" || p.options.Resume {
		return nil
	}
	if from, err := os.Stat(p.options.From); err == nil {
		if to, err := os.Stat(dir); err == nil && os.SameFile(from, to) {
			return usagef("--from and -o name the same folder: the run to start from would be lost")
		}
	}
	return Free(dir, p.options.Overwrite)
}

// Free returns an error if a folder has files that are not of a run, or the files of a run that may not be
// overwritten.
func Free(dir string, overwrite bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if exists(filepath.Join(dir, posterior.RecordFile)) {
		if overwrite {
			return nil
		}
		return occupied(dir)
	}
	for _, e := range entries {
		if e.Name() != safefile.LockFile && e.Name() != posterior.SessionDir &&
			e.Name() != posterior.LedgerDir &&
			e.Name() != posterior.MomentsFile &&
			!temporaryOf(e.Name(), beginning()) && !slices.Contains(beginning(), e.Name()) {
			return fmt.Errorf("%s has files but no %s, so it is not the folder of a run; "+
				"name another, or empty it", dir, posterior.RecordFile)
		}
	}
	return nil
}

// beginning lists the files that are there before the first transition.
func beginning() []string {
	return []string{posterior.ModelFile, posterior.ModulesDir, posterior.InitsDir, data.SettingsFile,
		posterior.RecordFile}
}

func occupied(dir string) error {
	r, err := posterior.ReadRecord(dir)
	switch {
	case err != nil:
		return fmt.Errorf("%s holds a run, whose record cannot be read (%w); --overwrite replaces it", dir,
			err)
	case finished(dir, r):
		return fmt.Errorf("%s holds a finished run of %s; name another folder, or "+
			"replace it with --overwrite", dir, r.Created)
	}
	return fmt.Errorf("%s holds a run that was begun at %s and has not finished: vflc resume %s continues "+
		"it, --overwrite replaces it", dir, r.Created, dir)
}

// claim removes the files of an earlier run from a folder that is free. The record stays until another takes
// its place.
func (p *Prepared) claim(dir string) error {
	if err := Free(dir, p.options.Overwrite); err != nil {
		return err
	}
	for _, name := range outputs() {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return removeTemporaries(dir)
}

// removeTemporaries removes files that a process had not yet given their names when it was killed.
func removeTemporaries(dir string) error {
	for _, folder := range []string{"", posterior.DrawsDir, posterior.ProgramsDir, posterior.PartiesDir,
		checkpointDir} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if folder == "" && !temporaryOf(e.Name(), append(outputs(), posterior.RecordFile)) ||
				!temporary(e.Name(), "") {
				continue
			}
			if err := os.RemoveAll(filepath.Join(dir, folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// temporaryOf reports whether a file has a temporary name of one of the files given.
func temporaryOf(name string, files []string) bool {
	return slices.ContainsFunc(files, func(file string) bool { return temporary(name, file) })
}

// temporary reports whether name is a temporary name of a file, or of any if that is empty: a dot, its name,
// a dot and a number.
func temporary(name, file string) bool {
	parts := temporaryName.FindStringSubmatch(name)
	return parts != nil && (file == "" || parts[1] == file)
}

var temporaryName = regexp.MustCompile(`^\.(.+)\.[0-9]+$`)

// exists reports whether there is a file, or anything that cannot be told from one.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Save writes summary, draws, programs and the record of the run to a folder. In the run's own folder, the
// draws leave its checkpoint when all else is on disk. Another folder must not hold a run, or files of
// anything else. Chains that could not be saved before are saved first; where they still cannot, the error
// says what is on disk.
func (r *Result) Save(dir string) error {
	own := dir == r.dir
	if !own {
		if err := Free(dir, false); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, privateFolder); err != nil {
			return err
		}
	}
	lock, err := safefile.TakeLock(dir)
	if err != nil {
		return err
	}
	defer lock.Release()
	if own && !r.apart {
		if err := saveRest(dir, r.kernels); err != nil {
			return err
		}
	}
	if err := r.write(dir); err != nil {
		if own {
			return notWritten(err, dir)
		}
		return err
	}
	if own && !r.apart {
		return r.delivered()
	}
	return nil
}

// Deliver removes the draws of a finished run across processes from its checkpoint: every party has its own
// results, and needs no state of another.
func (r *Result) Deliver() error {
	lock, err := safefile.TakeLock(r.dir)
	if err != nil {
		return err
	}
	defer lock.Release()
	return r.delivered()
}

// delivered removes the draws of a finished run from its checkpoint.
func (r *Result) delivered() error {
	if !r.Record.Complete {
		return nil
	}
	for _, c := range r.kernels {
		if err := c.save(r.dir, true); err != nil {
			return err
		}
	}
	return protocol.EraseJournal(filepath.Join(r.dir, posterior.JournalFile))
}

// write fills the folder of a run. The old summary is removed first and the new one is written last: where it
// exists, the rest has been written. Draws, record and summary are synced to disk.
func (r *Result) write(dir string) error {
	if err := os.Remove(filepath.Join(dir, posterior.SummaryFile)); err != nil && !errors.Is(err,
		fs.ErrNotExist) {
		return err
	}
	if err := writeFile(dir, posterior.ModelFile, filled([]byte(r.model))); err != nil {
		return err
	}
	if err := writeModules(dir, r.modules); err != nil {
		return err
	}
	if err := writeInits(dir, r.inits); err != nil {
		return err
	}
	for name, text := range r.programs() {
		if err := writeFile(dir, filepath.Join(posterior.ProgramsDir, name), filled(text)); err != nil {
			return err
		}
	}
	for _, party := range r.parties {
		if err := writeFile(dir, posterior.PartyFile(party.Party), func(w io.Writer) error {
			return posterior.WriteJSON(w, party)
		}); err != nil {
			return err
		}
	}
	for c := range r.Draws.Chains() {
		name := filepath.Join(posterior.DrawsDir, fmt.Sprintf("chain-%d.csv", c+1))
		if err := writeSynced(dir, name, func(w io.Writer) error {
			return posterior.WriteStanCSV(w, r.Draws, c, r.chains(c))
		}); err != nil {
			return err
		}
	}
	if err := export.WriteZarr(filepath.Join(dir, posterior.ZarrDir), nil,
		export.Inference(r.Draws, r.attributes(), r.Responses)); err != nil {
		return err
	}
	if r.Draws.Independent() {
		if err := writeFile(dir, posterior.ELBOFile, func(w io.Writer) error {
			return posterior.WriteELBO(w, r.trace)
		}); err != nil {
			return err
		}
	}
	if err := r.writeView(dir); err != nil {
		return err
	}
	var err error
	if r.Record.Files, err = posterior.Digests(dir); err != nil {
		return err
	}
	if err := writeSynced(dir, posterior.RecordFile, func(w io.Writer) error {
		return posterior.WriteJSON(w, r.Record)
	}); err != nil {
		return err
	}
	return writeSynced(dir, posterior.SummaryFile, func(w io.Writer) error {
		return posterior.WriteJSON(w, r.Document)
	})
}

// attributes describe a run to readers of ArviZ's files.
func (r *Result) attributes() map[string]any {
	return map[string]any{
		"inference_library": "vflc", "inference_library_version": r.Record.Version,
		"created_at": r.Record.Created,
		"model":      r.Document.Model, "backend": r.Document.Backend, "transform": r.Document.Transform,
		"sampling_time": r.Document.Timing.SamplingS, "tuning_steps": r.chains(0).Iterations,
	}
}

// filled writes a text.
func filled(text []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(text); return err }
}

func writeFile(dir, name string, fill func(io.Writer) error) error {
	return into(dir, name, fill, safefile.WriteSoon)
}

func writeSynced(dir, name string, fill func(io.Writer) error) error {
	return into(dir, name, fill, safefile.Write)
}

func into(dir, name string, fill func(io.Writer) error,
	write func(string, fs.FileMode, func(io.Writer) error) error) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), privateFolder); err != nil {
		return err
	}
	return write(path, private, fill)
}
