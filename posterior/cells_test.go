package posterior

import (
	"slices"
	"strings"
	"testing"
)

// The cells are the words of the table, in its order.
func TestCellsAreThoseOfTheTable(t *testing.T) {
	d := NewDraws([]Variable{{Name: "b", Owner: "server"}, {Name: "w", Owner: "lab[2]", Dims: []int{2}}}, 2,
		20)
	for c := range 2 {
		for i := range 20 {
			d.Append(c, []float64{float64(i * i % 7), float64(i%5) + float64(c), float64(i) / 3})
		}
	}
	rows := SummariseChains(d)
	var text strings.Builder
	if err := WriteTable(&text, rows); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Concat(Cells(rows)...), strings.Fields(text.String()); !slices.Equal(got, want) {
		t.Errorf("cells %q, table %q", got, want)
	}
}
