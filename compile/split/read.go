package split

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// ManifestFile is the manifest's name beside the party programs.
const ManifestFile = "manifest.json"

// ReadManifest reads the manifest of a folder of party programs. A program whose digest differs from the manifest's is an error.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m Manifest
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, p := range m.Parties {
		if p.Program != filepath.Base(p.Program) {
			return nil, fmt.Errorf("%s: the program %q of %s is outside the folder", path, p.Program, p.Name)
		}
		text, err := os.ReadFile(filepath.Join(dir, p.Program))
		if err != nil {
			return nil, err
		}
		if Digest(string(text)) != p.SHA256 {
			return nil, fmt.Errorf("%s differs from the manifest: its SHA-256 is not the one listed", filepath.Join(dir, p.Program))
		}
	}
	return &m, nil
}
