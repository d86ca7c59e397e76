package data

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/spill"
)

// A PartyRef is a party of the model: the server, a client, or a family of clients.
type PartyRef struct {
	Name   string
	Family bool
}

// A Source lists the files that a party reads.
type Source struct {
	PartyRef
	// files and addresses of databases: one, or for a family one per member in order; none if no file was
	// found
	Files  []string
	Tables []Reader // in place of files, for data in memory or from elsewhere
	Looked string   // the default path, for messages
	most   int64    // bytes of a file; 0: safefile.MaxBytes
	hold   *spill.Storage
	given  bool // by a flag or vfl.toml
}

// Sources are the files of a model: those of the parties in their order, then those of OwnerShared.
type Sources []Source

// tables returns the number of tables of the party.
func (s *Source) tables() int { return len(s.Files) + len(s.Tables) }

// read opens the k-th table.
func (s *Source) read(k int) (*Table, diag.List) {
	if k < len(s.Files) {
		return openFile(s.Files[k], cmp.Or(s.most, safefile.MaxBytes), s.hold)
	}
	return s.Tables[k-len(s.Files)].Read()
}

// Limit sets the largest size of a file, and how much memory the numbers of all tables, and what graphs make
// of them, may take before they are held in files, both in bytes; 0: as it is without this.
func (s Sources) Limit(most, memory int64) {
	hold := s.Storage()
	if memory > 0 {
		hold = spill.New(memory)
	}
	for i := range s {
		s[i].most, s[i].hold = most, hold
	}
}

// Storage is where the numbers of the tables are held, and what graphs make of them.
func (s Sources) Storage() *spill.Storage {
	for i := range s {
		if s[i].hold != nil {
			return s[i].hold
		}
	}
	return nil
}

// Members returns the number of tables of the named party or family.
func (s Sources) Members(name string) int {
	i := slices.IndexFunc(s, func(x Source) bool { return x.Name == name })
	if i < 0 {
		return 0
	}
	return s[i].tables()
}

// Locate finds the files of the parties of the model at modelPath. The parties are in the order of the model,
// the server first; a model with one party has no clients. Flags are the values of --data:
// PARTY=FILE[,FILE…], shared=FILE, or FILE for a model without clients. The files of other parties are those
// in [data] of vfl.toml beside the model, else those in the folder of the model's name: PARTY.csv,
// FAMILY/*.csv in natural order, data.csv without clients, shared.csv, or .json in place of .csv. A party
// without a file is not an error here: it may need none. Files are not opened. The error is of type Errors.
func Locate(modelPath string, parties []PartyRef, flags []string) (Sources, error) {
	l := named(parties, flags)
	l.dir = strings.TrimSuffix(modelPath, filepath.Ext(modelPath))
	l.settings(filepath.Join(filepath.Dir(modelPath), SettingsFile))
	for i := range l.sources {
		l.fallback(&l.sources[i])
	}
	if len(l.list) > 0 {
		return nil, Errors(l.list)
	}
	return l.sources, nil
}

// Named finds the files that flags name, and no others. The error is of type Errors.
func Named(parties []PartyRef, flags []string) (Sources, error) {
	l := named(parties, flags)
	if len(l.list) > 0 {
		return nil, Errors(l.list)
	}
	return l.sources, nil
}

func named(parties []PartyRef, flags []string) *locator {
	l := &locator{alone: len(parties) == 1 && !parties[0].Family}
	hold := spill.New(0)
	for _, p := range append(slices.Clone(parties), PartyRef{Name: OwnerShared}) {
		l.sources = append(l.sources, Source{PartyRef: p, hold: hold})
	}
	for _, f := range flags {
		l.flag(f)
	}
	return l
}

type locator struct {
	dir     string // the folder of the model's name
	alone   bool   // no clients
	sources Sources
	list    diag.List
}

// standardInput is the file that - stands for.
const standardInput = "/dev/stdin"

// flag reads the value of one --data.
func (l *locator) flag(value string) {
	name, files, ok := strings.Cut(value, "=")
	if ok = ok && !strings.ContainsAny(name, `./\:`); !ok { // a path, or an address, may hold a =
		name, files = l.sources[0].Name, value
	}
	where := "--data " + strings.TrimSuffix(value, files) + shown(files)
	if files == "-" {
		files = standardInput
	}
	if !ok && !l.alone {
		fail(&l.list, diag.BadDataFlag, where,
			"names no party, but the model has clients; write --data PARTY=%s (parties: %s)", shown(files),
			listed(l.names()))
		return
	}
	s := l.party(name, diag.BadDataFlag, where)
	switch {
	case s == nil:
	case files == "":
		fail(&l.list, diag.BadDataFlag, where, "names no file")
	case s.Family:
		s.given = true
		for _, f := range Split(files) {
			l.glob(s, f, diag.BadDataFlag, where)
		}
	case s.given:
		fail(&l.list, diag.BadDataFlag, where, "%s already has %s; a party reads one table", name,
			shown(s.Files[0]))
	default:
		s.given, s.Files = true, []string{files}
	}
}

// party finds a source by name, or reports that the model has no such party.
func (l *locator) party(name string, code diag.Code, where string) *Source {
	for i := range l.sources {
		if l.sources[i].Name == name {
			return &l.sources[i]
		}
	}
	fail(&l.list, code, where, "the model has no party %s%s (parties: %s)", name, suggestion(name, l.names()),
		listed(l.names()))
	return nil
}

func (l *locator) names() []string {
	var out []string
	for _, s := range l.sources {
		out = append(out, s.Name)
	}
	return out
}

// glob adds a family's file, or the files that a pattern matches in natural order.
func (l *locator) glob(s *Source, pattern string, code diag.Code, where string) {
	if !strings.ContainsAny(pattern, "*?[") || isFile(pattern) || isDatabase(pattern) {
		s.Files = append(s.Files, pattern)
		return
	}
	found := matches(pattern)
	if len(found) == 0 {
		fail(&l.list, code, where, "no file matches %s", pattern)
	}
	s.Files = append(s.Files, found...)
}

// matches expands a pattern in natural order; a malformed pattern matches nothing.
func matches(pattern string) []string {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	slices.SortFunc(found, Natural)
	return found
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// fallback looks in the folder of the model's name.
func (l *locator) fallback(s *Source) {
	if s.given {
		return
	}
	base := filepath.Join(l.dir, s.Name)
	find := existing
	switch {
	case s.Family:
		base, find = filepath.Join(base, "*"), inFolder
	case l.alone && s.Name != OwnerShared:
		base = filepath.Join(l.dir, "data")
	}
	s.Looked = base + ".csv"
	csv, json := find(base+".csv"), find(base+".json")
	if len(csv) > 0 && len(json) > 0 {
		fail(&l.list, diag.BadDataFlag, csv[0], "%s exists too; choose one with --data", json[0])
	}
	s.Files = append(csv, json...)
}

func existing(path string) []string {
	if isFile(path) {
		return []string{path}
	}
	return nil
}

// inFolder lists the files of FOLDER/*.EXT in natural order. Unlike a glob it does not expand patterns in the
// folder's name.
func inFolder(pattern string) []string {
	folder, ext := filepath.Dir(pattern), filepath.Ext(pattern)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // as if absent: a message about missing files names the path
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ext {
			out = append(out, filepath.Join(folder, e.Name()))
		}
	}
	slices.SortFunc(out, Natural)
	return out
}
