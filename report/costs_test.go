package report

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
)

// 20,472 rounds of 20 ms are 409 s.
func TestCostApart(t *testing.T) {
	r := &Report{run: &posterior.Run{Document: &posterior.SummaryDocument{Work: density.Work{Rounds: 30472,
		Sequential: 20472}}}}
	got, err := r.costs()
	good(t, nil, err)
	if text := got.(costsSection).Apart; !strings.Contains(text, "20,472 rounds") ||
		!strings.Contains(text, "6 min 49 s") {
		t.Error(text)
	}
	r.run.Document.Work.Rounds = 0
	if got, _ = r.costs(); !strings.Contains(got.(costsSection).Apart, "Nothing crosses") {
		t.Error(got)
	}
}
