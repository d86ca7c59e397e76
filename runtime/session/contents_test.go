package session

import (
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/tests/contract"
)

// What the methods of an Env exchange says of itself what the messages of algorithms must say.
func TestContentsStateWhatTheyTell(t *testing.T) {
	for _, k := range kinds {
		for _, c := range k.Carries {
			contract.CheckContent(t, c.Content)
		}
	}
	for _, c := range []*density.Content{Mark, Grid, Seal, Seals} {
		contract.CheckContent(t, c)
	}
}
