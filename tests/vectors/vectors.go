// Package vectors compares what the program computes with the files of docs/protocol, by which another
// implementation is tested.
package vectors

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/vflc/vflc/tests/diagtest" // the flag -update
)

// Hex is bytes, as hexadecimal text.
type Hex []byte

// MarshalText implements encoding.TextMarshaler.
func (h Hex) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }

// A Word is a number of 64 bits: 16 hexadecimal digits, the highest first.
type Word uint64

// MarshalText implements encoding.TextMarshaler.
func (w Word) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(w)), nil }

// Words are numbers as they stand in a file.
func Words(v []uint64) (out []Word) {
	for _, w := range v {
		out = append(out, Word(w))
	}
	return out
}

// Bits are the bits of float64 numbers.
func Bits(v []float64) (out []Word) {
	for _, x := range v {
		out = append(out, Word(math.Float64bits(x)))
	}
	return out
}

// Count is n bytes that count up from one.
func Count(from byte, n int) Hex {
	out := make(Hex, n)
	for k := range out {
		out[k] = from + byte(k)
	}
	return out
}

// Check compares a value, as JSON, with a file. The flag -update writes the file.
func Check(t *testing.T, path string, v any) {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("%s has another protocol: one that was published gets a new number (compile/split); "+
			"-update writes the file (-want +got):\n%s", path, diff)
	}
}
