package split_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/transforms"
	"github.com/vflc/vflc/tests/compiletest"
)

func seeds(f *testing.F) {
	for _, page := range diag.Pages {
		f.Add(page.Wrong)
		f.Add(page.Right)
	}
	paths, _ := filepath.Glob("testdata/programs/*.txtar")
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(string(file.Data))
		}
	}
	examples, _ := filepath.Glob("../../examples/*.vfl")
	for _, path := range examples {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(string(b))
		}
	}
}

// FuzzModel: no text makes the compiler panic, and every pass verifies its result; what it accepts, the loader accepts too, party by party.
func FuzzModel(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range transforms.All() {
			compiletest.Try(t, source.New("model.vfl", text), check.Options{Transform: kind})
		}
	})
}

// FuzzLoad: no program from a stranger makes the loader panic, and none that it accepts sends anything but what the manifest lists.
func FuzzLoad(f *testing.F) {
	seeds(f)
	manifest := compiletest.Compile(f, oneClient, check.Options{}).Manifest
	universe := stdlib.New()
	f.Fuzz(func(t *testing.T, text string) {
		program, diags := split.Examine(manifest, "a", "a.vfl", text, universe)
		if diags.HasErrors() {
			return
		}
		for _, s := range program.Order {
			if s.Kind == check.Aux && (s.Name != "z_1" || strings.Join(s.Type.Shape(), ",") != "N") {
				t.Errorf("accepted, though it would send %s : %s:\n%s", s.Name, s.Type, text)
			}
		}
	})
}
