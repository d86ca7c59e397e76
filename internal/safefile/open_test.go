package safefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is read up to the limit; a larger one, a folder and a device are refused.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(path, 5); err != nil || string(text) != "12345" {
		t.Errorf("%q %v", text, err)
	}
	for name, c := range map[string]struct {
		path string
		want string
	}{"too large": {path, "has 5 bytes, more than the limit of 4"}, "a folder": {dir, "is a directory"},
		"a device": {os.DevNull, "it is a device"}, "absent": {path + "x", "no such file"}} {
		if _, err := Read(c.path, 4); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want …%s…", name, err, c.want)
		}
	}
}

// A stream is read up to the limit, exactly.
func TestBounded(t *testing.T) {
	for n := range 12 {
		b := &bounded{strings.NewReader(strings.Repeat("x", n)), "pipe", 6, 6}
		var text strings.Builder
		buffer := make([]byte, 4)
		var err error
		for err == nil {
			var k int
			k, err = b.Read(buffer)
			text.Write(buffer[:k])
		}
		if refused := strings.Contains(err.Error(), errMore.Error()); refused != (n > 6) ||
			!refused && text.Len() != n {
			t.Errorf("%d bytes: read %d, %v", n, text.Len(), err)
		}
	}
}
