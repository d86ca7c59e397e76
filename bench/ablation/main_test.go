package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each rule can be taken out of the sampler as it is now.
func TestRulesApply(t *testing.T) {
	rules, err := filepath.Glob("rules/*.patch")
	if err != nil || len(rules) == 0 {
		t.Fatal(rules, err)
	}
	for _, rule := range rules {
		patch, err := os.ReadFile(rule)
		if err != nil {
			t.Fatal(err)
		}
		// go test keeps a result until what the test itself has read changes
		for line := range strings.Lines(string(patch)) {
			if file, of := strings.CutPrefix(line, "+++ b/"); of {
				if _, err := os.ReadFile(filepath.Join("..", "..", strings.TrimSpace(file))); err != nil {
					t.Error(err)
				}
			}
		}
		apply := exec.Command("git", "apply", "--check", filepath.Join("bench", "ablation", rule))
		apply.Dir = filepath.Join("..", "..")
		if out, err := apply.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", rule, err, out)
		}
	}
}
