package data

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func FuzzDecimal(f *testing.F) {
	for _, seed := range []string{"", "-", "+", ".", "1.", ".5", "-0", "+1e3", "0x10", "1_000", "inf", "NaN",
		"1e400", "-1e-400", "9007199254740993", "0.1234567890123456789",
		"00000000000000000000001", "123456789012345678901234567890", "1e22", "1.5e",
		"0.00000000000000000000001", "٣", "1,5", "2.2250738585072011e-308"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, cell []byte) {
		got, ok := decimal(cell)
		want, is := number(string(cell))
		if ok == is.bad() || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: %v %v, want %v %v", cell, got, ok, want, is)
		}
	})
}

// Numbers in every notation and of every length are read as by strconv, bit for bit.
func TestDecimalIsThatOfStrconv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64().Draw(t, "v")
		text := strconv.FormatFloat(v, rapid.SampledFrom([]byte("efg")).Draw(t, "format"),
			rapid.IntRange(-1, 25).Draw(t, "digits"), 64)
		want, err := strconv.ParseFloat(text, 64)
		got, ok := decimal([]byte(text))
		if ok != (err == nil && !underflows(want, text)) ||
			ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: %v %v, want %v %v", text, got, ok, want, err)
		}
	})
}

// The text of a serial number follows from its value.
func TestSerialsKeepHowTheyAreWritten(t *testing.T) {
	for _, cell := range []string{"0", "7", "-7", "10", "999999999999999", "-999999999999999"} {
		if v, ok := decimal([]byte(cell)); !serial([]byte(cell)) || !ok || fmt.Sprint(int64(v)) != cell {
			t.Errorf("%q: %v", cell, v)
		}
	}
	for _, cell := range []string{"", "-", "-0", "+1", "007", "1.0", "1e3", "9007199254740993", "a"} {
		if serial([]byte(cell)) {
			t.Errorf("%q is taken for a serial number", cell)
		}
	}
}

// Numbers between two adjacent floats, exactly or nearly in the middle, are rounded as strconv does.
func TestQuotientsAreRoundedToEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Uint64Range(1, math.MaxUint64).Draw(t, "a")
		if rapid.Bool().Draw(t, "half") { // 54 significant bits, the last one set: a tie for b = 1
			a = (a>>10 | 1) << rapid.IntRange(0, 10).Draw(t, "shift")
		}
		a += uint64(rapid.IntRange(-1, 1).Draw(t, "beside"))
		k := rapid.IntRange(0, maxDigits).Draw(t, "k")
		want, err := strconv.ParseFloat(fmt.Sprintf("%de-%d", a, k), 64)
		if got := quotient(max(a, 1), powers[k]); err != nil || a > 0 && got != want {
			t.Fatalf("%d/1e%d: %v, want %v", a, k, got, want)
		}
	})
}
