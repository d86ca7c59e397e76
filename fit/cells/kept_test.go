package cells

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A worker fetches the model and the table of cells once, whatever number of cells it makes and at the same
// time.
func TestInputsAreFetchedOnce(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	url := serve(t, t.TempDir(), -1).ClientURL()
	var l log
	asks := link(t, url, &l)
	var once sync.Once
	hire(ctx, t, url, &l, func(ctx context.Context, _ *Cell) error {
		var err error
		once.Do(func() { // the later cells have theirs from the first
			for _, text := range []string{"model", "table"} {
				err = errors.Join(err, asks.at().inputs.Delete(ctx, Digest("", []byte(text)).SHA256))
			}
		})
		return err
	})
	all, files := some(4)
	offered := 0
	if err := gather(ctx, t, SpreadPool{Link: asks, Say: l.say, Files: func(c *Cell) []CellInput {
		offered++
		return files(c)
	}}, all); err != nil {
		t.Fatal(err, l.lines)
	}
	if left := l.with("it is given back"); len(left) > 0 || offered > len(all) {
		t.Errorf("offered %d times: %v", offered, left)
	}
}

// What is kept is right and within its bound: the longest unused goes first, another content is never taken,
// and a lost file is fetched again.
func TestKeptFilesAreBounded(t *testing.T) {
	k := &kept{dir: filepath.Join(t.TempDir(), "kept"), most: 10}
	fetched := 0
	want := func(text string, fetches int) {
		t.Helper()
		fetched = 0
		got, err := k.get(Digest("", []byte(text)).SHA256, func() ([]byte, error) {
			fetched++
			return []byte(text), nil
		})
		if err != nil || string(got) != text || fetched != fetches {
			t.Errorf("%q, %v, fetched %d times, want %q and %d", got, err, fetched, text, fetches)
		}
		files, _ := os.ReadDir(k.dir)
		sum := int64(0)
		for _, f := range files {
			info, err := f.Info()
			if err != nil {
				t.Fatal(err)
			}
			sum += info.Size()
		}
		if sum > k.most || sum != k.bytes || len(files) != len(k.files) {
			t.Errorf("%d files of %d bytes, and %d of %d are known", len(files), sum, len(k.files), k.bytes)
		}
	}
	want("four", 1)
	want("five5", 1)
	want("four", 0)
	want("three", 1) // five5 goes
	want("four", 0)
	want("five5", 1) // three goes
	want("", 1)
	want("", 0)
	want("more than ten", 1)
	want("more than ten", 1)
	want("four", 0)
	if err := os.WriteFile(k.path(Digest("", []byte("four")).SHA256), []byte("fear"),
		0o600); err != nil {
		t.Fatal(err)
	}
	want("four", 1)
	if err := os.Remove(k.path(Digest("", []byte("four")).SHA256)); err != nil {
		t.Fatal(err)
	}
	want("four", 1)
	for name, fetch := range map[string]func() ([]byte, error){"../x": func() ([]byte, error) {
		return []byte(
			"x",
		), nil
	}, "y": func() ([]byte, error) { return nil, errors.New("gone") }} {
		if _, err := k.get(name, fetch); (err != nil) != (name == "y") {
			t.Error(err)
		}
		if k.files[name] != nil {
			t.Errorf("%s is known", name)
		}
	}
}

// Whoever wants a file that is being fetched waits for it.
func TestKeptFileIsFetchedOnceAtATime(t *testing.T) {
	k := &kept{dir: t.TempDir(), most: 10}
	var wait sync.WaitGroup
	fetched := 0 // of the one that fetches
	for range 8 {
		wait.Go(func() {
			text, err := k.get(Digest("", []byte("text")).SHA256, func() ([]byte, error) {
				fetched++
				return []byte("text"), nil
			})
			if err != nil || string(text) != "text" {
				t.Error(err, string(text))
			}
		})
	}
	wait.Wait()
	if fetched != 1 {
		t.Errorf("fetched %d times", fetched)
	}
}
