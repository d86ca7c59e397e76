package split

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The pages that promise what versions mean name those of this program.
func TestVersionsAreDocumented(t *testing.T) {
	for page, lines := range map[string][]string{
		"../../docs/deployment.md": {"| language | " + LanguageVersion + " |",
			fmt.Sprintf("| manifest | %d |", SchemaVersion), "| protocol | " + ProtocolVersion + " |",
			"| " + ProtocolVersion + " | "},
		"../../CHANGELOG.md": {fmt.Sprintf("Language %s, manifest %d, protocol %s.", LanguageVersion, SchemaVersion,
			ProtocolVersion)},
	} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s does not say %q", page, line)
			}
		}
	}
}
