package noise

import (
	"strings"
	"testing"
	"time"

	"github.com/vflc/vflc/posterior"
)

// Over a link the rounds wait for round trips, and the bytes for the server's line; without one neither is
// said.
func TestComparisonOverALink(t *testing.T) {
	c := Comparison{Choices: []Choice{{Rho: 1, Rounds: 2000, Bytes: 25e6}}}
	text := c.Table(&posterior.Connection{RoundTrip: 30 * time.Millisecond, Bandwidth: 100e6})
	for _, want := range []string{" 60 s", " 2 s\n", "30 ms for a round trip", "100 Mbit/s"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := c.Table(nil); strings.Contains(text, "waiting") {
		t.Errorf("without a link:\n%s", text)
	}
}
