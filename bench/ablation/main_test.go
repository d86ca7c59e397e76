package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Each rule can be taken out of the sampler as it is now.
func TestRulesApply(t *testing.T) {
	rules, err := filepath.Glob("rules/*.patch")
	if err != nil || len(rules) == 0 {
		t.Fatal(rules, err)
	}
	for _, rule := range rules {
		apply := exec.Command("git", "apply", "--check", filepath.Join("bench", "ablation", rule))
		apply.Dir = filepath.Join("..", "..")
		if out, err := apply.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", rule, err, out)
		}
	}
}
