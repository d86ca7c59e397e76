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
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/transforms"
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

// FuzzModel: no text makes the compiler panic; what it accepts, the loader accepts too, party by party.
func FuzzModel(f *testing.F) {
	seeds(f)
	universe := stdlib.New()
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []def.Transform{transforms.Augmented, transforms.Power} {
			p, diags := parts(source.New("model.vfl", text), check.Options{Transform: kind})
			if diags.HasErrors() || p.For != "" || p.Transform.Kind != kind {
				continue
			}
			programs, manifest := split.Split(p, "m")
			for _, q := range programs {
				if _, diags := split.Load(manifest, q.Party, q.File, q.Text, universe); diags.HasErrors() {
					t.Errorf("%s of\n%s\nis refused: %s %s\n%s", q.File, text, diags[0].Code, diags[0].Message, q.Text)
				}
			}
		}
	})
}

// FuzzLoad: no program from a stranger makes the loader panic, and none that it accepts sends anything but what the manifest lists.
func FuzzLoad(f *testing.F) {
	seeds(f)
	p, _ := parts(source.New("model.vfl", oneClient), check.Options{})
	_, manifest := split.Split(p, "m")
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
