package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/runtime/session"
)

// A run that a peer or its message has ended says whose it was and what was wrong with it, with a code, and
// exits with 4.
func TestMessagesThatEndARun(t *testing.T) {
	for name, err := range map[string]error{
		"V0835": &session.ProtocolError{Peer: "b", What: `message "aux" of round 8 in round 9`},
		"V0833": &session.ProtocolError{Peer: "b",
			What: `message "aux": channel "z eta" with numbers that are not finite, unlike what it says of them`, Value: true},
		"V0669": &node.EndedError{Party: "b", Code: node.CodeFewRows},
		"V0670": &node.EndedError{Party: "b", Code: node.CodeAlone},
		"V0668": &node.EndedError{Party: "b", Code: node.CodeClear},
		"V0839": &node.EndedError{Party: "b", Code: node.CodeUnlike},
		"V0833 brought": &session.ProtocolError{Peer: "b",
			What: `digest of other polynomials: use the same version everywhere; the server, which has brought it, may have altered it`, Value: true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetErr(&out)
			if got := exitCode(&out, cmd, judged(cmd, err)); got != exitPeer {
				t.Errorf("exit code %d", got)
			}
			archive, err := txtar.ParseFile(filepath.Join("testdata", "ended",
				strings.ReplaceAll(name, " ", "_")+".txtar"))
			if err != nil ||
				strings.TrimSpace(string(archive.Files[0].Data)) != strings.TrimSpace(out.String()) {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}
