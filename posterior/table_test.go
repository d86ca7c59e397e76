package posterior

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Where no cell is wider than its column's title, a line of a table does not depend on the others: a table is
// its header and the lines of tables of one row each.
func TestTableIsItsLines(t *testing.T) {
	titles := []string{"parameter_______", "owner___", "mean____"}
	header := AlignLeft([][]string{titles})
	rapid.Check(t, func(rt *rapid.T) {
		cell := rapid.StringMatching(`[a-zβ\[\]0-9. -]{0,8}`)
		lines := [][]string{titles}
		want := header
		for range rapid.IntRange(0, 40).Draw(rt, "rows") {
			line := []string{cell.Draw(rt, "name"), cell.Draw(rt, "owner"), cell.Draw(rt, "mean")}
			lines = append(lines, line)
			alone, ok := strings.CutPrefix(AlignLeft([][]string{titles, line}), header)
			if !ok {
				rt.Fatalf("%q moves the header", line)
			}
			want += alone
		}
		if got := AlignLeft(lines); got != want {
			rt.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// The memory per row does not depend on the length of the table.
func TestTableGrowsWithItsRows(t *testing.T) {
	bytes := func(n int) float64 {
		rows := make([]SummaryRow, n)
		for k := range rows {
			rows[k] = SummaryRow{Name: fmt.Sprintf("eta[%d]", k+1), Owner: "shared", Mean: Number(k), MCSE: 0.01,
				RHat: 1}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := WriteTable(io.Discard, rows); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	if few, many := bytes(1000), bytes(16_000); many > 2*16*few {
		t.Errorf("16 times the rows take %.0f times the bytes", many/few)
	}
}

// A name that appears twice is found in a header of any width.
func TestReadStanCSVRefusesNamesTwiceAmongMany(t *testing.T) {
	names := []string{"lp__"}
	for k := range 5000 {
		names = append(names, fmt.Sprintf("eta.%d", k+1))
	}
	text := strings.Join(append(names, "eta.17"), ",") + "\n"
	if _, err := ReadStanCSV(strings.NewReader(text)); err == nil ||
		!strings.Contains(err.Error(), `"eta.17" twice`) {
		t.Errorf("%v, want \"eta.17\" twice", err)
	}
}
