package tape

import (
	"math"
	"testing"

	"github.com/vflc/vflc/portable"
)

// TestDerivatives compares the derivative of each instruction with central differences.
func TestDerivatives(t *testing.T) {
	build := func() (*Tape, []Register) {
		t := New(3)
		x, y := Register(1), Register(2)
		ratio := t.Apply(Div, t.Apply(Sub, x, y), t.Apply(Add, x, y))
		power := t.Apply(Pow, x, t.Apply(Neg, y))
		chosen := t.Apply(Where, t.Apply(Lt, x, y), t.Apply(Mul, ratio, power), t.Apply(Mul, x, y))
		return t, []Register{ratio, power, chosen}
	}
	at := []float64{0, 0.7, 1.9}
	tape, out := build()
	value := func(k int, at []float64) float64 {
		v := tape.Registers()
		copy(v, at)
		tape.Code().Run(v)
		return v[out[k]]
	}
	for k := range out {
		derived, same := build()
		d := derived.Derive(same[k], 3)
		v := derived.Registers()
		copy(v, at)
		derived.Code().Run(v)
		for j := 1; j < 3; j++ {
			up, down := append([]float64(nil), at...), append([]float64(nil), at...)
			up[j], down[j] = at[j]+1e-5, at[j]-1e-5
			want := (value(k, up) - value(k, down)) / 2e-5
			if math.Abs(v[d[j]]-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("output %d, input %d: %v, not %v", k, j, v[d[j]], want)
			}
		}
	}
	if portable.PowSlope(0, 0) != 0 || portable.PowLog(0, 0) != 0 {
		t.Error("limits of powers")
	}
}
