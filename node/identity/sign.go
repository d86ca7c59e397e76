package identity

import (
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/vflc/vflc/internal/safefile"
)

// signatureEnd ends the names of the files with signatures of programs.
const signatureEnd = ".signature.json"

// A signature is a party's of the manifest of programs, which holds the digests of all programs.
type signature struct {
	Certificate []byte `json:"certificate"`
	Signature   []byte `json:"signature"`
}

func programsText(project string, manifest []byte) []byte {
	return append([]byte("vflc programs v1\n"+project+"\n"), manifest...)
}

// SignPrograms signs a manifest, and with it the programs whose digests it lists. It returns the file with
// the signature, which goes with the programs.
func (id *Identity) SignPrograms(manifest string) (path string, err error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return "", err
	}
	s, err := json.Marshal(signature{id.Cert.Raw, ed25519.Sign(id.Key, programsText(id.Project.Name, text))})
	if err != nil {
		return "", err
	}
	path = manifest + "." + fileName(id.Party) + signatureEnd
	return path, safefile.WriteBytes(path, public, append(s, '\n'))
}

// Signers lists the parties of the project whose signatures of a manifest stand beside it and are valid.
func (id *Identity) Signers(manifest string) (parties []string, err error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return nil, err
	}
	paths, _ := filepath.Glob(manifest + ".*" + signatureEnd) // a path with brackets has none
	for _, path := range paths {
		var s signature
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if json.Unmarshal(b, &s) != nil {
			continue
		}
		party, err := id.Verify(s.Certificate)
		if err == nil && ed25519.Verify(PublicKey(s.Certificate), programsText(id.Project.Name, text),
			s.Signature) && !slices.Contains(parties, party) {
			parties = append(parties, party)
		}
	}
	return parties, nil
}
