package grouped

import "testing"

func TestDigits(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -999: "-999", -1000: "-1,000",
		1234567: "1,234,567", 100200300: "100,200,300"} {
		if got := Digits(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n          int
		noun, want string
	}{{0, "row", "0 rows"}, {1, "row", "1 row"}, {1934, "row", "1,934 rows"}, {1, "category", "1 category"},
		{2, "category", "2 categories"}} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("%d of %s are %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}
