package posterior

import (
	"testing"
	"time"

	"github.com/vflc/vflc/density"
)

// A run waits for its rounds one after another, and for its bytes to pass.
func TestConnection(t *testing.T) {
	l := Connection{RoundTrip: 30 * time.Millisecond, Bandwidth: 1e8}
	w := density.Work{Sequential: 1000, Rounds: 5000, Bytes: 25e6}
	if trips, bytes := l.Waits(w); trips != 30 || bytes != 2 {
		t.Errorf("waits %v and %v s, want 30 and 2", trips, bytes)
	}
	want := "With the parties apart and 30 ms for a round trip, 1,000 rounds one after another wait 30 s " +
		"for messages; at 100 Mbit/s the bytes, 25 MB (25,000,000), take 2 s."
	if got := l.Forecast(w); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDurations(t *testing.T) {
	for s, want := range map[float64]string{2.5e-6: "2.5 µs", 0.0042: "4.2 ms", 12.34: "12.3 s",
		121: "2 min 1 s", 7325: "2 h 2 min", 0: "0 µs"} {
		if got := Seconds(s); got != want {
			t.Errorf("%g s is %s, want %s", s, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 kB (1,000)",
		1234567: "1.23 MB (1,234,567)"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
}
