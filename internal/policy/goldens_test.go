package policy

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Every code of a diagnostic stands in a golden file: what a run of the product says, which someone has read.
func TestEveryCodeHasAGolden(t *testing.T) {
	shown := map[string]bool{}
	code := regexp.MustCompile(`\bV\d{4}\b`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".txtar" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, f := range txtar.Parse(text).Files {
			if name := filepath.Base(f.Name); name != "want" && name != "got" {
				continue
			}
			for _, line := range bytes.Split(f.Data, []byte("\n")) {
				for _, c := range code.FindAll(line, -1) {
					shown[string(c)] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	files, err := filepath.Glob(filepath.Join(root, "lang", "diag", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(\w+)\s+Code = "(V\d{4})"`).FindAllStringSubmatch(string(text),
			-1) {
			if declared++; !shown[m[2]] {
				t.Errorf("%s (%s, in %s) stands in no golden file", m[2], m[1],
					strings.TrimPrefix(file, root))
			}
		}
	}
	if declared < 150 {
		t.Errorf("%d codes are found", declared)
	}
}
