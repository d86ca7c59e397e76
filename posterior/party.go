package posterior

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
)

// A PartyRecord is the file of one party in the folder of a run: what it learned from its data, and the names
// that these give to the elements of its parameters. Its categories and moments are its own. A folder without
// the file shows numbers.
type PartyRecord struct {
	Schema int    `json:"schema"`
	Party  string `json:"party"`
	// by parameter, along each axis; null where numbers name the elements
	Labels map[string][][]string `json:"labels"`
	// the fitted encoders of its declarations, for new rows
	Data any `json:"data,omitempty"`
}

// PartyFile is the path of a party's file in the folder of a run.
func PartyFile(party string) string { return filepath.Join(PartiesDir, party+".json") }

// readLabels reads the labels of all parties whose files are in the folder of a run.
func readLabels(dir string) (map[string][][]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, PartiesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	out := map[string][][]string{}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		var p PartyRecord
		if err := decodeFile(filepath.Join(dir, PartiesDir, e.Name()), &p); err != nil {
			return nil, err
		}
		maps.Copy(out, p.Labels)
	}
	return out, err
}
