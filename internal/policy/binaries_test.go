package policy

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// No program stands in the repository: `go build ./bench/x` writes one into the folder where it is run, and
// every clone carries it ever after.
func TestNoProgramsAreKept(t *testing.T) {
	t.Parallel()
	listed, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("no clone, or no git here: %v", err)
	}
	files := 0
	for _, name := range strings.Split(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		f, err := os.Open(filepath.Join(root, name))
		if err != nil {
			continue // deleted, and not yet committed
		}
		var head [4]byte
		_, _ = io.ReadFull(f, head[:])
		_ = f.Close()
		files++
		for what, magic := range map[string]string{"ELF": "\x7fELF", "Mach-O": "\xcf\xfa\xed\xfe", "PE": "MZ\x90\x00",
			"WebAssembly": "\x00asm"} {
			if bytes.HasPrefix(head[:], []byte(magic)) {
				t.Errorf("%s is a program (%s)", name, what)
			}
		}
	}
	if files < 1000 {
		t.Errorf("%d files are looked at", files)
	}
}
