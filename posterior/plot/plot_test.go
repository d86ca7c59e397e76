package plot

import (
	"math"
	"strings"
	"testing"
)

// On an axis of 101 characters from −50 to 50 a quantile lies at its own value.
func TestForestIsToScale(t *testing.T) {
	uniform := make([]float64, 100001)
	for i := range uniform {
		uniform[i] = float64(i)/1000 - 50
	}
	half := make([]float64, len(uniform))
	for i, v := range uniform {
		half[i] = v / 2
	}
	lines := strings.Split(intervals([]string{"a", "bb"}, [][][]float64{{uniform}, {half}},
		Canvas{Width: 4 + 91}), "\n")
	first, second := []rune(lines[0])[4:], []rune(lines[1])[4:]
	for at, want := range map[int]rune{0: '─', 20: '━', 45: '●', 70: '━', 90: '─'} { // −45 … 45
		if first[at] != want {
			t.Errorf("position %d of %q is %c, want %c", at, string(first), first[at], want)
		}
	}
	if second[22] != ' ' || second[23] != '─' || second[45] != '●' {
		t.Errorf("half as wide: %q", string(second))
	}
	if !strings.Contains(lines[2], "-45") || !strings.HasSuffix(lines[2], "45") {
		t.Errorf("axis %q", lines[2])
	}
}

// A trace has a frame for each chain, unless colours tell chains apart.
func TestTraceHasAFramePerChain(t *testing.T) {
	f, err := Make("trace", []RunView{example("r", "beta", 2, 3, 500)}, []string{"beta"})
	if err != nil {
		t.Fatal(err)
	}
	text := f.Text(Canvas{Width: 60, Height: 6})
	if n := strings.Count(text, "500 draws"); n != 3 {
		t.Errorf("%d frames", n)
	}
	colored := f.Text(Canvas{Width: 60, Height: 6, Color: true})
	if !strings.Contains(colored, "\x1b") || strings.Count(colored, "beta[1]") != 1 {
		t.Errorf("in colours:\n%s", colored)
	}
}

// Draws that are not finite never cause a panic.
func TestOddDraws(t *testing.T) {
	s := Canvas{Width: 60, Height: 5}
	for name, chains := range map[string][][]float64{"none": {{}}, "no chains": {},
		"a NaN": {{1, math.NaN(), 2}}, "all infinite": {{math.Inf(1), math.Inf(-1)}}, "constant": {{2, 2, 2}},
		"one": {{2}}} {
		text := intervals([]string{"x"}, [][][]float64{chains}, s)
		if text == "" || strings.Contains(text, "NaN") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
