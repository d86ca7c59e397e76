package spill

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// The memory of a process is at most what its resource limits leave it, for data or for addresses, whichever
// is less.
func TestResourceLimits(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("limits are those of Linux")
	}
	const asked = "VFLC_TEST_MEMORY"
	if os.Getenv(asked) != "" {
		fmt.Printf("%.0f of %.0f\n", Limited(), Memory())
		return
	}
	for limits, kilobytes := range map[string]int{
		"ulimit -d 400000": 400_000, "ulimit -v 3000000": 3_000_000, "ulimit -d 500000; ulimit -v 3000000": 500_000,
	} {
		shell := exec.Command("sh", "-c", limits+`; exec "$0" -test.run "^TestResourceLimits$"`, os.Args[0])
		shell.Env = append(os.Environ(), asked+"=1")
		out, err := shell.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", limits, err, out)
		}
		if want := fmt.Sprintf("%d of %[1]d\n", 1024*kilobytes); !strings.Contains(string(out), want) {
			t.Errorf("%s: %s want %s", limits, out, want)
		}
	}
}
