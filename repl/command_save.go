package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/internal/safefile"
)

func saveCommand() command {
	return command{name: "save", args: "[FILE]",
		doc:   "write the model, and its tables into the vfl.toml beside it; print the command that runs it",
		files: true,
		run: func(s *Session, _ context.Context, args string) error {
			path := s.now.Path
			if list := words(args); len(list) == 1 {
				path = list[0]
			} else if len(list) > 1 {
				return usagef(":save takes one file")
			}
			if path == "" {
				return usagef(":save needs a file, as :save model.vfl")
			}
			if s.now.empty() {
				return s.needModel()
			}
			if filepath.Ext(path) == "" {
				path += ".vfl"
			}
			sources, _ := s.now.sources(s.now.built) // what is wrong with them is said where they are read
			if _, err := data.Locate(path, s.now.built.Parties(), s.now.flags()); err != nil &&
				path != s.now.Path {
				return inputf("%v\nso no table of this model could be read there; :save %s keeps model and "+
					"tables in a folder of their own", err, ownFolder(path))
			}
			if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil && !errors.Is(err, fs.ErrExist) &&
				!errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err := safefile.WriteBytes(path, 0o644, []byte(s.now.text())); err != nil {
				return err
			}
			next := s.now.copied()
			next.Path = path
			if err := refused(next.compile()); err != nil {
				return err
			}
			tables, err := next.saveTables(sources)
			if err != nil {
				return err
			}
			s.now, s.saved = next, next
			s.keep()
			return s.reply("saved", map[string]any{"file": path, "tables": strings.TrimSuffix(tables, "\n"),
				"command": s.runLine()}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "written: %s\n%sto run it:\n%s\n", path, tables, s.runLine())
				return err
			})
		}}
}

// saveTables sees to it that the tables of the model are found beside its file, and joined as they are now:
// where they are not, it writes a vfl.toml there. It says what it did. One that is there stays as it is, and
// none is written beside other models, which would read it too: the state names its tables itself then.
func (s *state) saveTables(sources data.Sources) (string, error) {
	if s.kept(sources) {
		return "", nil
	}
	files := map[string][]string{}
	for _, src := range sources {
		if len(src.Files) > 0 {
			files[src.Name] = src.Files
		}
	}
	for _, t := range s.Tables { // as they were typed, with patterns
		if s.has(t.Party) {
			files[t.Party] = data.Split(t.Files)
		}
	}
	path, why := filepath.Join(filepath.Dir(s.Path), data.SettingsFile), "it was there before"
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		other := s.neighbour()
		if other == "" {
			return "its tables: " + path + "\n", data.WriteSettings(path, files, s.joining())
		}
		why = other + " would read them too"
	}
	s.Tables = nil
	for _, party := range slices.Sorted(maps.Keys(files)) {
		s.Tables = append(s.Tables, table{party, strings.Join(files[party], ",")})
	}
	return fmt.Sprintf("the tables are not in %s: %s; the command names them, and :save %s keeps model and "+
		"tables in a folder of their own\n", path, why, ownFolder(s.Path)), nil
}

// ownFolder is where a model would be in a folder of its own.
func ownFolder(path string) string {
	return filepath.Join(strings.TrimSuffix(path, filepath.Ext(path)), filepath.Base(path))
}

// has reports whether a party of the model may have a table.
func (s *state) has(party string) bool {
	return party == check.Shared || slices.ContainsFunc(s.built.Parties(), func(p data.PartyRef) bool {
		return p.Name == party
	})
}

// neighbour is another model in the folder of the model's file; "": there is none.
func (s *state) neighbour() string {
	// none where the name of the folder is a pattern
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(s.Path), "*.vfl"))
	for _, f := range all {
		if filepath.Base(f) != filepath.Base(s.Path) {
			return filepath.Base(f)
		}
	}
	return ""
}

// kept reports whether the tables and how they are joined are found beside the model's file, without this
// session.
func (s *state) kept(sources data.Sources) bool {
	alone := &state{Path: s.Path}
	err := alone.joinAsSettings()
	if err != nil || alone.Key != s.Key || alone.Intersect != s.Intersect {
		return false
	}
	found, err := alone.sources(s.built)
	return err == nil && slices.EqualFunc(found, sources, func(a, b data.Source) bool {
		return slices.EqualFunc(a.Files, b.Files, func(x, y string) bool {
			x, err := data.Absolute(x)
			y, why := data.Absolute(y)
			return err == nil && why == nil && x == y
		})
	})
}

// runLine is the command that runs the present model on its tables.
func (s *Session) runLine() string { return strings.Join(s.runArguments(), " ") }

func (s *Session) runArguments() []string {
	out := []string{"vflc", "run", quoted(s.now.name())}
	for _, f := range s.now.flags() {
		out = append(out, "--data", quoted(f))
	}
	if s.now.Key != "" {
		out = append(out, "--key", quoted(s.now.Key))
	}
	if s.now.Intersect {
		out = append(out, "--rows", rowsIntersect)
	}
	return out
}

// quoted puts quotes around what a shell would divide or expand.
func quoted(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n\"'\\$&;|<>()*?[]#~`!{}") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
