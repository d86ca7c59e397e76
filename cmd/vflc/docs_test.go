package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/manual"
)

var update = flag.Bool("update", false,
	"write what a page shows below a command, and the transcripts of sessions at a prompt")

// pagesOfDocs are the pages that users read.
func pagesOfDocs(t *testing.T) []*manual.Page {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documentation: %v", err)
	}
	var out []*manual.Page
	for _, file := range append(files, "../../README.md") {
		p, err := manual.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// Every model of the documentation compiles, every command runs, and what a page shows below a command is
// what the command prints. The blocks of a page are one session at a shell: its first command finds an empty
// folder with the examples in it.
func TestDocsRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX shell")
	}
	for _, p := range pagesOfDocs(t) {
		t.Run(filepath.Base(p.Path), func(t *testing.T) {
			t.Parallel()
			followPage(t, p)
		})
	}
}

// A reader follows a page.
type reader struct {
	dir     string // the present folder
	out     string // of the last command
	changed map[int]string
}

func followPage(t *testing.T, p *manual.Page) {
	r := &reader{dir: t.TempDir(), changed: map[int]string{}}
	if filepath.Base(p.Path) != "start.md" { // which begins with an empty folder
		if err := os.CopyFS(filepath.Join(r.dir, "examples"), os.DirFS("../../examples")); err != nil {
			t.Fatal(err)
		}
	}
	for k, b := range p.Blocks {
		where := fmt.Sprintf("%s:%d", p.Path, b.Line)
		switch b.Lang {
		case "vfl":
			r.model(t, where, b)
		case "toml", "csv", "json":
			if b.File != "" {
				r.save(t, where, b)
			}
		case "sh":
			r.run(t, where, b.Text)
		case "text":
			if k == 0 || p.Blocks[k-1].Lang != "sh" {
				continue
			}
			m, empty := manual.Missing(b.Text, r.out), b.Text == ""
			switch {
			case *update && (m != "" || empty) && !strings.Contains(b.Text, manual.Elision):
				r.changed[b.Line] = r.out
			case empty:
				t.Errorf("%s: the block is empty; go test ./cmd/vflc -run TestDocs -update fills it", where)
			case m != "":
				t.Errorf("%s: the page shows\n%s\nwhich the command above does not print:\n%s", where, m,
					r.out)
			}
		}
	}
	if len(r.changed) > 0 {
		if err := os.WriteFile(p.Path, []byte(p.Replace(r.changed)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// model compiles a model, and saves it where the page gives it a name.
func (r *reader) model(t *testing.T, where string, b manual.Block) {
	t.Helper()
	name := b.File
	if name == "" {
		name = "model.vfl"
	}
	_, diags := compile.Compile(source.New(name, b.Text), check.Options{})
	if diags.HasErrors() {
		for _, d := range diags {
			t.Errorf("%s: %s: %s", where, d.Code, d.Message)
		}
	}
	if b.File != "" {
		r.save(t, where, b)
	}
}

// save writes a file that a page shows. One that is there already must be the same: the page says that it is.
func (r *reader) save(t *testing.T, where string, b manual.Block) {
	t.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(b.File))
	if old, err := os.ReadFile(path); err == nil {
		if string(old) != b.Text {
			t.Errorf("%s: %s is\n%s", where, b.File, old)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.Text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// apart matches commands that install vflc, build it or test it: a page names them, and this test is itself
// part of the last.
var apart = regexp.MustCompile(`^(git clone|cd vflc$|go install|go test|go run \./bench/|bash \.ci/)`)

// fromSource is how a page runs vflc from its source.
var fromSource = regexp.MustCompile(`go run (-tags light )?\./cmd/vflc `)

// run runs commands, and remembers the folder that they end in.
func (r *reader) run(t *testing.T, where, text string) {
	t.Helper()
	var script strings.Builder
	for line := range strings.Lines(text) {
		if apart.MatchString(line) {
			namesAFile(t, where, line)
			continue
		}
		script.WriteString(fromSource.ReplaceAllString(line, "vflc "))
	}
	script.WriteString("\npwd >&3\n")
	place := filepath.Join(t.TempDir(), "pwd")
	f, err := os.Create(place)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script.String())
	cmd.Dir, cmd.ExtraFiles = r.dir, []*os.File{f}
	cmd.Env = append(os.Environ(), "CI=", "HOME="+t.TempDir(), encrypted.SmallRing+"=10")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", where, err, out.String(), errs.String())
	}
	r.out = out.String()
	if out.Len() == 0 {
		r.out = errs.String()
	}
	if now, err := os.ReadFile(place); err == nil {
		r.dir = strings.TrimSpace(string(now))
	}
}

var inRepository = regexp.MustCompile(`(?:\./|\.ci/)[A-Za-z0-9_./-]*`)

// namesAFile requires that what a command takes from the repository is there.
func namesAFile(t *testing.T, where, line string) {
	t.Helper()
	for _, name := range inRepository.FindAllString(line, -1) {
		name = strings.TrimSuffix(name, "...")
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			t.Errorf("%s: %s: %v", where, strings.TrimSpace(line), err)
		}
	}
}

// Commands and flags that the text of a page names exist.
func TestDocsNameWhatExists(t *testing.T) {
	flag := regexp.MustCompile(`^--[a-z][a-z-]*`)
	root := newRoot()
	root.InitDefaultCompletionCmd() // which cobra adds when a command line is run
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, cmd := range root.Commands() {
		all.AddFlagSet(cmd.Flags())
	}
	for _, p := range pagesOfDocs(t) {
		for _, span := range p.Spans() {
			words := strings.Fields(span)
			flags := all
			if len(words) > 1 && words[0] == "vflc" && strings.ToLower(words[1]) == words[1] &&
				!strings.HasPrefix(words[1], "-") {
				cmd, _, err := root.Find(words[1:2])
				if err != nil {
					t.Errorf("%s: `%s`: %v", p.Path, span, err)
					continue
				}
				flags = cmd.Flags()
			}
			for _, w := range words {
				if name := flag.FindString(strings.Trim(w, "[]")); name != "" && name != "--help" &&
					name != "--version" && flags.Lookup(name[2:]) == nil {
					t.Errorf("%s: `%s`: there is no flag %s", p.Path, span, name)
				}
			}
		}
	}
}

// The page on data shows every encoder.
func TestDataPageShowsEncoders(t *testing.T) {
	p, err := manual.Read("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	spans := strings.Join(p.Spans(), "\n")
	for _, name := range stdlib.New().Encoders() {
		if !strings.Contains(spans, name+"(") {
			t.Errorf("docs/data.md has no word of the encoder %s", name)
		}
	}
}
