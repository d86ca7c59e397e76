package fit

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vflc/vflc/posterior"
)

// The list of changes begins with this release, and the page on versions has the number of a run's folder.
func TestReleaseIsDocumented(t *testing.T) {
	changes, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, first, _ := strings.Cut(string(changes), "\n## ")
	if first, _, _ = strings.Cut(first, "\n"); first != Tag {
		t.Errorf("the changes begin with %q, and this is %s", first, Tag)
	}
	page, err := os.ReadFile("../docs/deployment.md")
	if line := fmt.Sprintf("| a run's folder | %d |", posterior.Schema); err != nil ||
		!strings.Contains(string(page), line) {
		t.Errorf("docs/deployment.md does not say %q: %v", line, err)
	}
}

// A release and a commit tell the sources; what else the toolchain records is told apart by the executable,
// and a release by the digest of its sources.
func TestVersions(t *testing.T) {
	for version, want := range map[string]bool{"v1.2.0": true, "v0.0.0-20260102030405-0123456789ab": true,
		"v1.2.1-0.20260102030405-0123456789ab+dirty": false, changedClone: false, unknownVersion: false} {
		if fixed(version) != want {
			t.Errorf("%s: %t", version, !want)
		}
	}
	own := Build()
	if fixed(recorded()) {
		t.Fatalf("a test is built without the state of the repository, and its version is %s", recorded())
	}
	digest, ok := strings.CutPrefix(own, Version()+"-")
	if !ok || len(digest) != 12 || strings.Trim(digest, "0123456789abcdef") != "" || Build() != own {
		t.Errorf("%s of version %s", own, Version())
	}
	sources = "0123456789ab"
	defer func() { sources = "" }()
	if got := Version(); got != Tag+"+sources-0123456789ab" || !fixed(got) {
		t.Error(got)
	}
}
