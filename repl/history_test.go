package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Several processes append to one history, whose lines stay whole; every entry comes back as it was, and
// damaged lines are left out.
func TestHistoryKeepsEntriesWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vflc", "history.jsonl")
	var wait sync.WaitGroup
	for k := range 4 {
		wait.Go(func() {
			h, err := OpenHistory(path)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 25 {
				if err := h.Add(fmt.Sprintf("unit %d of %d\n\ttab \"quoted\" 日本", i, k)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("{\"text\": \"cut off by a ki")
	f.Close()
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(h.Entries()); n != 100 {
		t.Errorf("%d entries, want 100", n)
	}
	for _, e := range h.Entries() {
		if !strings.HasSuffix(e.Text, "\n\ttab \"quoted\" 日本") || e.Time.IsZero() {
			t.Errorf("%+v", e)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A repeated entry is kept once; a history that has become long keeps its newest entries.
func TestHistoryIsShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	var b strings.Builder
	for i := range 2*mostEntries + 1 {
		fmt.Fprintf(&b, "{\"text\":\"%d\"}\n", i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	last := fmt.Sprint(2 * mostEntries)
	for range 2 {
		if err := h.Add(last); err != nil {
			t.Fatal(err)
		}
	}
	again, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(again.Entries()); n != mostEntries || again.Entries()[n-1].Text != last {
		t.Errorf("%d entries, the last %q", n, again.Entries()[n-1].Text)
	}
	memory, err := OpenHistory("")
	if err != nil || memory.Add("x") != nil || len(memory.Entries()) != 1 {
		t.Error("a history in memory keeps nothing")
	}
}
