package posterior

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Names of the files and folders in the folder of a run.
const (
	MomentsFile = "moments.json" // of a release under transform private
	RecordFile  = "run.json"
	SummaryFile = "summary.json"
	ELBOFile    = "elbo.csv"
	DrawsDir    = "draws"
	ProgramsDir = "programs"
	ZarrDir     = "draws.zarr"
	// PartiesDir holds a file for each party with what belongs to it alone: see Party.
	PartiesDir = "parties"
	// ModelFile is the text of the model. A copy of the vfl.toml beside it keeps its name, if there was one.
	ModelFile = "model.vfl"
	// ModulesDir holds copies of the files that the model imports, under their paths.
	ModulesDir = "modules"
	// InitsDir holds copies of the files of initial values.
	InitsDir = "inits"
	// SessionDir holds what a party of a run across processes keeps to go on after a crash, its log, and how
	// the run stands.
	SessionDir = "session"
	// SessionFile is the file in it with what the party must know to go on.
	SessionFile = "session.json"
	// LedgerDir holds the ledger of such a party.
	LedgerDir = "ledger"
	// PublishedDir holds what the parties have published of their results.
	PublishedDir = "published"
	// PredictedFile, PredictedTable and PredictedDraws are what a party of a prediction across processes
	// writes.
	PredictedFile, PredictedTable, PredictedDraws = "predictions.json", "predictions.csv",
		"predictions-draws.csv"
	// ChecksFile, CheckedDir and ScoresFile are what it writes where it compares replicates with its data,
	// and where it scores rows that a fit left out.
	ChecksFile, CheckedDir, ScoresFile = "checks.json", "checked.zarr", "scores.json"
	// ValidationFile is the report of a cross-validation across processes.
	ValidationFile = "validation.json"
	// JournalFile is where a run of encrypted rows writes down what it makes with randomness, until it is
	// complete.
	JournalFile = "encrypted.journal"
	// ReportFile is where vflc report writes unless told otherwise.
	ReportFile = "report.html"
	// ViewFile holds running sums of what the server received, by chain: the material of vflc audit --attack.
	ViewFile = "server-view"
	// ReceivedFile is what the server of a run across machines has recorded of what it received, where it was
	// to.
	ReceivedFile = "received"
)

// A Run is a finished run. Record and Document are nil if the draws are Stan CSV files outside the folder of
// a run.
type Run struct {
	Path     string
	Record   *Record
	Document *SummaryDocument
	Draws    *Draws
}

// Name returns the name of the model, or else the last element of the path.
func (r *Run) Name() string {
	if r.Document != nil && r.Document.Model != "" {
		return r.Document.Model
	}
	return strings.TrimSuffix(filepath.Base(r.Path), ".csv")
}

// OpenRun reads a run's folder, a folder of Stan CSV files (one per chain, in natural order), or one such
// file.
func OpenRun(path string) (*Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	r := &Run{Path: path}
	if !info.IsDir() {
		r.Draws, err = readChains([]string{path}, nil)
		return r, err
	}
	files, vars, err := r.contents()
	if err != nil {
		return nil, err
	}
	if r.Draws, err = readChains(files, vars); err == nil && r.Document != nil {
		r.Draws.Superchains = r.Document.Diagnostics.Superchains
	}
	return r, err
}

// ReadRecord reads the record of a run from its folder. The run need not be finished.
func ReadRecord(dir string) (*Record, error) {
	r := &Record{}
	err := decodeFile(filepath.Join(dir, RecordFile), r)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s, so it is not the folder of a run", dir, RecordFile)
	}
	return r, err
}

// ReadDocument reads the summary of a run from its folder; nil where the run has none yet.
func ReadDocument(dir string) (*SummaryDocument, error) {
	d := &SummaryDocument{}
	err := decodeFile(filepath.Join(dir, SummaryFile), d)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return d, err
}

// contents reads the folder's documents, and returns the files of the chains and their variables.
func (r *Run) contents() (files []string, vars []Variable, err error) {
	switch err := decodeFile(filepath.Join(r.Path, RecordFile), &r.Record); {
	case errors.Is(err, fs.ErrNotExist):
		files, err = chainFiles(r.Path)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s has no %s and no Stan CSV files, so it is not the folder of a run", r.Path,
				RecordFile)
		}
		return files, nil, err
	case err != nil:
		return nil, nil, err
	}
	if err := decodeFile(filepath.Join(r.Path, SummaryFile), &r.Document); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			way := "vflc resume continues it"
			if _, missing := os.Stat(filepath.Join(r.Path, SessionDir, SessionFile)); missing == nil {
				way = "the vflc serve or vflc join that began it, given again, continues it"
			}
			err = fmt.Errorf("%s has no %s: the run has not finished (%s)", r.Path, SummaryFile, way)
		}
		return nil, nil, err
	}
	if err := VerifyDraws(r.Path, r.Record); err != nil {
		return nil, nil, err
	}
	labels, err := readLabels(r.Path)
	if err != nil {
		return nil, nil, err
	}
	columns := make([]Scalar, len(r.Document.Parameters))
	for k, p := range r.Document.Parameters {
		columns[k] = Scalar{Name: p.Name, Owner: p.Owner, Point: p.Point, Generated: p.Generated}
	}
	if files, err = chainFiles(filepath.Join(r.Path, DrawsDir)); err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no draws", filepath.Join(r.Path, DrawsDir))
	}
	vars = Labelled(Variables(columns), labels)
	for _, v := range r.Document.Auxiliary {
		v.Auxiliary = true
		vars = append(vars, v)
	}
	return files, vars, err
}

func decodeFile(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// chainFiles lists the CSV files of a folder, chain-2 before chain-10. It leaves out other tables of a run.
func chainFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".csv" && e.Name() != ELBOFile {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return lastNumber(a) - lastNumber(b) })
	return out, nil
}

// lastNumber is the last number in a file's name, 0 if it has none.
func lastNumber(path string) int {
	digits := func(r rune) bool { return r < '0' || r > '9' }
	fields := strings.FieldsFunc(filepath.Base(path), digits)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(fields[len(fields)-1])
	return n
}

func readChains(paths []string, vars []Variable) (*Draws, error) {
	files := make([]*StanFile, len(paths))
	for c, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		files[c], err = ReadStanCSV(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	d, err := Gather(files, vars)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Dir(paths[0]), err)
	}
	return d, nil
}

// Setting returns an integer setting of the run's backend.
func (r *Run) Setting(name string) (int, bool) {
	if r.Record == nil {
		return 0, false
	}
	v, ok := r.Record.Settings[name].(float64)
	return int(v), ok
}
