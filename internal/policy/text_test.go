package policy

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A path of one machine does not exist on another, and reveals details of the machine.
func TestNoPathsOfAMachine(t *testing.T) {
	machine := regexp.MustCompile(`(^|[^A-Za-z0-9_.~*}/-])/(home|root|Users|work|farm)/`)
	walk(t, func(name string) {
		if !isText(name) {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := machine.FindString(line); m != "" {
				t.Errorf("%s:%d: the path %q of one machine", name, i+1, strings.TrimSpace(m))
			}
		}
	})
}

func isText(name string) bool {
	switch path.Ext(name) {
	case ".go", ".mod", ".md", ".vfl", ".toml", ".json", ".txt", ".txtar", ".yml", ".yaml", ".sh", ".py", "":
		return true
	}
	return strings.HasPrefix(name, ".ci/")
}
