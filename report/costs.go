package report

import (
	"math"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
)

// A costsSection says what the run took, and what it would take with the parties apart.
type costsSection struct {
	Facts []fact
	Apart string
}

func (r *Report) costs() (any, error) {
	t, w := r.run.Document.Timing, r.run.Document.Work
	var out costsSection
	add := func(name, value string) { out.Facts = append(out.Facts, fact{name, value}) }
	seconds := func(name string, v posterior.Number) {
		if !math.IsNaN(float64(v)) {
			add(name, posterior.Seconds(float64(v)))
		}
	}
	seconds("Loading", t.LoadS)
	seconds("Warm-up", t.WarmupS)
	seconds("Sampling", t.SamplingS)
	seconds("In all", t.TotalS)
	add("Gradients", grouped.Digits(w.Gradients))
	add("Iterations", grouped.Digits(w.Iterations))
	add("Rounds of messages", grouped.Digits(w.Rounds))
	add("Of these one after another", grouped.Digits(w.Sequential))
	if s := r.run.Document.Sooner; s != nil {
		add("With "+s.Settings+", as forecast", s.String())
	}
	add("Bytes that crossed", posterior.Bytes(w.Bytes))
	switch {
	case r.transform.Pooled():
		out.Apart = "All data were in one process, so that nothing crossed."
	case w.Rounds == 0:
		out.Apart = "Nothing crosses, so that it would cost the same with the parties apart."
	default:
		out.Apart = "All parties were simulated in one process. " + posterior.UsualConnection.Forecast(w) +
			" The time of computation is in addition."
	}
	return out, nil
}
