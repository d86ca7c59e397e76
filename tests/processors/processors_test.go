//go:build rebuild

package processors

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

var builds struct {
	sync.Mutex
	dir string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if builds.dir != "" {
		_ = os.RemoveAll(builds.dir)
	}
	os.Exit(code)
}

// command returns the path of the program for a processor, built once for all tests.
func command(t *testing.T, processor string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if builds.dir == "" {
		dir, err := os.MkdirTemp("", "processors")
		if err != nil {
			t.Fatal(err)
		}
		builds.dir = dir
	}
	name := filepath.Join(builds.dir, "vflc-"+processor)
	if _, err := os.Stat(name); err == nil {
		return name
	}
	build := exec.Command("go", "build", "-buildvcs=false", "-o", name, module+"cmd/vflc")
	if processor != runtime.GOARCH { // what is built for this one is there already
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+processor)
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// emulator returns the program that runs commands for a processor here: "" for this one's. It skips the test
// where there is none.
func emulator(t *testing.T, processor string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("programs of other processors run on linux only")
	}
	if processor == runtime.GOARCH {
		return ""
	}
	name := "qemu-" + map[string]string{"arm64": "aarch64", "amd64": "x86_64"}[processor]
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed (Debian's package qemu-user): what programs for %s "+
			"compute is not compared", name, processor)
	}
	return path
}
