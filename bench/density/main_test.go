package main

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// The likelihoods that docs/performance.md shows with more than four times the time of bernoulli_logit have a
// reason in their descriptors, and the table has them all.
func TestSlowLikelihoodsHaveReasons(t *testing.T) {
	text, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]float64{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [0-9.]+ \\| ([0-9.]+) "+
		"\\([0-9.]+-[0-9.]+\\) \\|").FindAllStringSubmatch(string(text), -1) {
		if rows[m[1]], err = strconv.ParseFloat(m[2], 64); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range likelihoods() {
		switch times, ok := rows[l.text]; {
		case !ok:
			t.Errorf("%s is not in the table", l.text)
		case times > 4 && l.reason() == "":
			t.Errorf("%s takes %v times as long as %s, for no reason that its descriptor gives", l.text,
				times, base)
		}
	}
}
