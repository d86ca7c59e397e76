package fit

import (
	"strings"
	"testing"
)

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
	if got := Version(); got != "sources-0123456789ab" || !fixed(got) {
		t.Error(got)
	}
}
