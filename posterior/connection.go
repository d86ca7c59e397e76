package posterior

import (
	"fmt"
	"time"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
)

// A Connection is what joins the server and its clients, as far as the time of waiting for messages depends
// on it.
type Connection struct {
	RoundTrip time.Duration
	Bandwidth float64 // of the server's line, bits a second
}

// UsualConnection is one between two places a few hundred kilometres apart.
var UsualConnection = Connection{RoundTrip: 20 * time.Millisecond, Bandwidth: 100e6}

// Waits returns the seconds in which a run over the link waits for round trips, and those in which its bytes
// pass. Neither counts that a connection is slow at first.
func (l Connection) Waits(w density.Work) (trips, bytes float64) {
	return float64(w.Sequential) * l.RoundTrip.Seconds(), 8 * float64(w.Bytes) / l.Bandwidth
}

// Forecast says so in a sentence.
func (l Connection) Forecast(w density.Work) string {
	trips, bytes := l.Waits(w)
	return fmt.Sprintf("With the parties apart and %s for a round trip, %s rounds one after another wait "+
		"%s for messages; at %s the bytes, %s, take %s.",
		Seconds(l.RoundTrip.Seconds()), grouped.Digits(w.Sequential), Seconds(trips), rate(l.Bandwidth),
		Bytes(w.Bytes), Seconds(bytes))
}

// units of a bandwidth.
var units = []struct {
	name string
	size float64
}{{"Gbit", 1e9}, {"Mbit", 1e6}, {"kbit", 1e3}, {"bit", 1}}

func rate(v float64) string {
	for _, u := range units {
		if v >= u.size {
			return fmt.Sprintf("%.3g %s/s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g bit/s", v)
}

// Seconds writes a time in seconds with the units that a person would choose.
func Seconds(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", 1e6*s)
	case s < 1:
		return fmt.Sprintf("%.3g ms", 1e3*s)
	case s < 120:
		return fmt.Sprintf("%.3g s", s)
	case s < 7200:
		return fmt.Sprintf("%d min %d s", int(s)/60, int(s)%60)
	}
	return fmt.Sprintf("%d h %d min", int(s)/3600, int(s)/60%60)
}

// Bytes writes a number of bytes with a unit, and all digits.
func Bytes(n int64) string {
	text := grouped.Digits(n)
	if rough := RoughBytes(n); rough != text {
		return fmt.Sprintf("%s (%s)", rough, text)
	}
	return text
}

// RoughBytes writes a number of bytes with a unit.
func RoughBytes(n int64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if v := float64(n) / unit.size; v >= 1 {
			return fmt.Sprintf("%.3g %s", v, unit.name)
		}
	}
	return grouped.Digits(n)
}
