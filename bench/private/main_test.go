package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

const page, kept, picturePath = "../../docs/budget.md", "widths.md", "../../docs/widths.svg"

// The figures of the page are those of the table that is kept, and its picture is drawn from that.
func TestPageShowsTheTable(t *testing.T) {
	text, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	measured, err := lines(string(text))
	if err != nil {
		t.Fatal(err)
	}
	shown, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(shown)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		var n int
		if len(cells) != 7 {
			continue
		} else if _, err := fmt.Sscan(strings.Replace(cells[2], ",", "", 1), &n); err != nil {
			continue // head
		}
		rows++
		for k, epsilon := range []float64{.5, 1, 3, 8} {
			want, cell := "", strings.Trim(cells[3+k], " |")
			if m, ok := measured[place{strings.Trim(cells[0], "| "), cells[1], n, epsilon}]; ok {
				want = fmt.Sprintf("%.2f, %s", m.width, strings.TrimPrefix(fmt.Sprintf("%.3f", m.coverage), "0"))
			}
			if cell != want {
				t.Errorf("%v: the page has %q for epsilon = %g, the table %q", cells[:3], cell, epsilon, want)
			}
		}
	}
	if rows != 24 {
		t.Errorf("the page has %d lines of the table", rows)
	}
	var b bytes.Buffer
	if err := drawn(measured).SVG(&b, 0, 0); err != nil {
		t.Fatal(err)
	}
	if has, err := os.ReadFile(picturePath); err != nil || !bytes.Equal(has, b.Bytes()) {
		t.Error(err, "the picture is not that of the table:",
			"go run ./bench/private -to bench/private/widths.md -picture docs/widths.svg")
	}
}

// Of two lines of a cell that of more data sets counts, and what is no line is refused by its number.
func TestLinesOfATable(t *testing.T) {
	const head, line = "| family |\n| --- |\n", "| normal | binary, 30 %% | 2000 | 0.5 | %d | %s | 0.900 |\n"
	got, err := lines(head + fmt.Sprintf(line, 200, "1.50") + fmt.Sprintf(line, 40, "1.60"))
	want := map[place]measurement{{"normal", "binary, 30 %", 2000, .5}: {200, 1.5, .9}}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Error(got, err)
	}
	for text, want := range map[string]string{
		head: "no lines", head + "| a | b |": "line 3 has 2 columns",
		head + fmt.Sprintf(line, 40, "wide"): "line 3: strconv",
	} {
		if _, err := lines(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
}
