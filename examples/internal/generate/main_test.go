package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/data"
)

const root = "../../.."

func TestCommittedDataAreWhatTheGeneratorWrites(t *testing.T) {
	want := files()
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, text) {
			t.Errorf("%s differs from what the generator writes", name)
		}
	}
	// And nothing else pretends to be data.
	for _, place := range []string{"examples", "tests/fixtures"} {
		err := filepath.WalkDir(filepath.Join(root, place),
			func(path string, d fs.DirEntry, err error) error {
				name, _ := filepath.Rel(root, path)
				if _, ours := want[filepath.ToSlash(name)]; err == nil && !ours &&
					filepath.Ext(path) == ".csv" {
					t.Errorf("%s is not written by the generator", name)
				}
				return err
			})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestWriteGivesTheSameBytesAgain(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := write(dir, files()); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files() {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %v, or other bytes", name, err)
		}
	}
}

// Every example's tables are found at their default places and join on id.
func TestExamplesLoad(t *testing.T) {
	for _, x := range []struct {
		model   string
		parties string // a star marks a family
		tables  int
		rows    int
	}{
		{"linear", "server client_a client_b", 3, 200},
		{"logistic", "registry hospital_a hospital_b", 3, 500},
		{"logistic_family", "server lab*", 11, 500},
		{"poisson_multilevel", "server health census", 3, 300},
		{"split_nn", "registry hospital_a hospital_b", 3, 300},
	} {
		var refs []data.PartyRef
		var wants []data.Want
		for _, name := range strings.Fields(x.parties) {
			plain := strings.TrimSuffix(name, "*")
			refs = append(refs, data.PartyRef{Name: plain, Family: plain != name})
			wants = append(wants, data.Want{Name: "of_" + plain, Owner: plain, Rank: 2,
				Rows: data.Size{Name: "N"}})
		}
		sources, err := data.Locate(filepath.Join(root, "examples", x.model+".vfl"), refs, nil)
		if err != nil {
			t.Fatal(err)
		}
		set, list := data.Load(sources, wants, data.Joining{})
		if len(list) > 0 {
			t.Fatalf("%s: %s", x.model, data.Errors(list))
		}
		if want := fmt.Sprintf("%d rows joined on id", x.rows); len(set.Parties) != x.tables ||
			len(set.Joins) != 1 || set.Joins[0].String() != want {
			t.Errorf("%s: %d tables: %v, want %s", x.model, len(set.Parties), set.Joined(), want)
		}
	}
}
