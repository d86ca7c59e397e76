package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node"
)

// unpack writes the files of an archive into a new folder, which becomes the current one, and returns the
// arguments in its comment.
func unpack(t *testing.T, text string) []string {
	t.Helper()
	archive := txtar.Parse([]byte(text))
	t.Chdir(t.TempDir())
	for _, f := range archive.Files {
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Fields(string(archive.Comment))[1:]
}

// The wrong example of a page on alignments gets its code and no other, and writes nothing; the right one
// none.
func TestPagesOfAlignments(t *testing.T) {
	found := 0
	for _, page := range diag.Pages {
		if page.Code < diag.RepeatedIdentifier || page.Code > diag.StaleAlignment {
			continue
		}
		found++
		var out, errs bytes.Buffer
		code := execute(unpack(t, page.Wrong), &out, &errs)
		if code != exitInput || strings.Count(errs.String(), "[V") != 1 ||
			!strings.Contains(errs.String(), "["+string(page.Code)+"]") {
			t.Errorf("%s: exit code %d\n%s", page.Code, code, errs.String())
		}
		if left, _ := filepath.Glob("aligned/*"); len(left) > 0 {
			t.Errorf("%s: %v was written", page.Code, left)
		}
		errs.Reset()
		if code := execute(unpack(t, page.Right), &out, &errs); code != exitFine || errs.Len() > 0 {
			t.Errorf("%s, right: exit code %d\n%s", page.Code, code, errs.String())
		}
	}
	if found != 3 {
		t.Errorf("%d pages", found)
	}
}

// Aligned tables have the same identifiers in the same order, other cells as they were, and no row that
// another party lacks.
func TestAlignHere(t *testing.T) {
	args := unpack(t,
		"vflc align --simulate --data s=s.csv --data a=a.csv -o out\n-- s.csv --\nid,y\nP 1,007\n "+
			"p2,1e3\n,9\np3,3\n-- a.csv --\nx,id\n\"a,b\",p3\nc,p  1\nd,p9\n")
	var out, errs bytes.Buffer
	if code := execute(args, &out, &errs); code != exitFine ||
		!strings.Contains(errs.String(), "s: 1 row has no identifier; left out") ||
		!strings.Contains(out.String(), "in common: 2 rows") {
		t.Fatalf("%d\n%s%s", code, out.String(), errs.String())
	}
	s, a := readText(t, "out/s.csv"), readText(t, "out/a.csv")
	one := s == "id,y\np 1,007\np3,3\n" && a == "x,id\nc,p 1\n\"a,b\",p3\n"
	other := s == "id,y\np3,3\np 1,007\n" && a == "x,id\n\"a,b\",p3\nc,p 1\n"
	if !one && !other {
		t.Errorf("%s%s", s, a)
	}
	left, err := node.ReadAligned("out/s.csv")
	right, err2 := node.ReadAligned("out/a.csv")
	if err != nil || err2 != nil || left.Alignment != right.Alignment || left.Digest != right.Digest {
		t.Errorf("%+v %+v %v %v", left, right, err, err2)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
