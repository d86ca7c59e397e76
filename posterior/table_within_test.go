package posterior

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// At every width the table has the name, the owner, the mean and its error; it is as wide as it may be, and
// the whole table where there is room.
func TestTablesFitTheirWidth(t *testing.T) {
	d := NewDraws([]Variable{{Name: "beta", Owner: "hospital_a", Dims: []int{2}}}, 2, 50)
	for c := range 2 {
		for i := range 50 {
			d.Append(c, []float64{float64((i*7 + c) % 13), float64((i*5 + c) % 11)})
		}
	}
	d.Transitions = make([][]Transition, 2)
	rows := Summarise(d)
	var whole strings.Builder
	if err := WriteTable(&whole, rows); err != nil {
		t.Fatal(err)
	}
	for width := 20; width < 120; width++ {
		var b strings.Builder
		if err := WriteTableWithin(&b, rows, width); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(b.String(), "\n")
		if !strings.HasPrefix(head, "parameter") || !strings.Contains(head, "owner") ||
			!strings.Contains(head, "mean") || !strings.Contains(head, "mcse") {
			t.Errorf("width %d: %s", width, head)
		}
		if n := utf8.RuneCountInString(head); n > width && n > 45 {
			t.Errorf("width %d: %d columns", width, n)
		}
		if n := utf8.RuneCountInString(strings.Split(whole.String(), "\n")[0]); width >= n &&
			b.String() != whole.String() {
			t.Errorf("width %d: not the whole table", width)
		}
	}
}
