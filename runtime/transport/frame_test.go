package transport_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vflc/vflc/runtime/transport"
)

// anyMessage draws a message of any content.
func anyMessage(r *rapid.T) transport.Message {
	text := rapid.StringN(0, 12, 40)
	m := transport.Message{
		Sender: text.Draw(r, "sender"), Round: rapid.Uint64().Draw(r, "round"), Kind: text.Draw(r, "kind"),
		Reason: text.Draw(r, "reason"), Party: text.Draw(r, "party"),
	}
	m.Run = [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(r, "run"))
	m.Epoch, m.Chain = rapid.Uint32().Draw(r, "epoch"), rapid.Uint32().Draw(r, "chain")
	for range rapid.IntRange(0, 4).Draw(r, "arrays") {
		a := transport.Channel{Name: text.Draw(r, "name"),
			Encoding: transport.Encoding(rapid.IntRange(0, 3).Draw(r, "encoding")),
			Invalid:  rapid.Bool().Draw(r, "invalid"), Grid: rapid.Int16().Draw(r, "grid"),
			NextSize: rapid.Uint8().Draw(r, "next size")}
		if size := rapid.Uint8Range(1, 4).Draw(r, "size"); size > 1 && a.Encoding != transport.Plain {
			a.Size = size
		} else if a.Encoding == transport.Short {
			a.Size = 2
		}
		switch drop := 64 - 8*int(a.Size); {
		case a.Encoding == transport.Plain:
			a.Data = rapid.SliceOf(rapid.Custom(func(r *rapid.T) float64 {
				return math.Float64frombits(rapid.Uint64().Draw(r, "bits"))
			})).Draw(r, "data")
		case a.Encoding == transport.Short:
			a.Step = rapid.Int16Range(-960, 960).Draw(r, "step")
			a.Data = rapid.SliceOf(rapid.Custom(func(r *rapid.T) float64 {
				return math.Ldexp(float64(rapid.Int64().Draw(r, "integer")>>drop), int(a.Step))
			})).Draw(r, "data")
		default:
			a.Words = rapid.SliceOf(rapid.Custom(func(r *rapid.T) uint64 {
				return rapid.Uint64().Draw(r, "word") >> (drop % 64)
			})).Draw(r, "words")
		}
		m.Arrays = append(m.Arrays, a)
	}
	return m
}

// sameBits compares numbers by their bits.
var sameBits = cmp.Options{cmpopts.EquateEmpty(), cmp.Comparer(func(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b)
})}

// What Append makes, Parse reads, into buffers that held another message, and a frame that lacks its end or
// has more is refused.
func TestFrames(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var got transport.Message
		for range 2 {
			want := anyMessage(r)
			frame := transport.Append(nil, want)
			if err := transport.Parse(frame, &got); err != nil {
				r.Fatal(err)
			}
			if diff := cmp.Diff(want, got, sameBits); diff != "" {
				r.Fatal(diff)
			}
			var e *transport.FrameError
			if err := transport.Parse(frame[:rapid.IntRange(0, len(frame)-1).Draw(r, "cut")],
				&got); !errors.As(err, &e) {
				r.Fatalf("a frame without its end gave %v", err)
			}
			if err := transport.Parse(append(frame, 0), &got); !errors.As(err, &e) {
				r.Fatalf("a frame with a byte more gave %v", err)
			}
		}
	})
}

// What Parse refuses Append does not make: a message of which the program has mixed up the numbers never
// becomes bytes.
func TestArraysWithoutAForm(t *testing.T) {
	for name, a := range map[string]transport.Channel{
		"numbers with words":      {Words: []uint64{1}},
		"words with numbers":      {Encoding: transport.Masked, Data: []float64{1}},
		"an unknown encoding":     {Encoding: 4},
		"short numbers as words":  {Encoding: transport.Short, Size: 2, Words: []uint64{1}},
		"short numbers of 8":      {Encoding: transport.Short},
		"numbers of 2":            {Size: 2},
		"words of 5":              {Encoding: transport.Fixed, Size: 5},
		"a step of words":         {Encoding: transport.Fixed, Size: 2, Step: 1},
		"a step beyond the range": {Encoding: transport.Short, Size: 2, Step: 961},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if what, _ := recover().(string); !strings.HasPrefix(what, "transport: an array has ") {
					t.Errorf("it has become bytes: %q", what)
				}
			}()
			transport.Append(nil, transport.Message{Arrays: []transport.Channel{a}})
		})
	}
}

// Arbitrary bytes are refused, or are what Append makes of the message.
func FuzzParse(f *testing.F) {
	f.Add([]byte("vflc"))
	f.Add(transport.Append(nil, message(1, 2, 3)))
	f.Add(transport.Append(nil,
		transport.Message{Kind: "sum",
			Arrays: []transport.Channel{{Name: "x", Encoding: transport.Masked, Words: []uint64{1, 2},
				Invalid: true}, {Encoding: transport.Short, Size: 3, Step: -7, Data: []float64{-2, 0.5}}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m transport.Message
		if transport.Parse(data, &m) == nil && !bytes.Equal(transport.Append(nil, m), data) {
			t.Errorf("another frame means the same: %x", data)
		}
	})
}
