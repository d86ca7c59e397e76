package fit

import (
	"fmt"

	"github.com/vflc/vflc/posterior"
)

// diagnose examines how far Markov chains can be trusted. rows summarise their draws; maxDepth is the depth limit of their trees, 0 where they have none.
func (f *fitted) diagnose(rows []posterior.Row, maxDepth int) posterior.Diagnostics {
	divergences, hits := 0, 0
	d := posterior.Diagnostics{Divergences: &divergences, EBFMI: []posterior.Number{}, Khat: posterior.NotApplicable(), Messages: []string{}}
	if maxDepth > 0 {
		d.MaxDepthHits = &hits
	}
	for _, chain := range f.draws.Transitions {
		var energy []float64
		for _, t := range chain {
			energy = append(energy, t.Energy)
			if t.Divergent {
				divergences++
			}
			if maxDepth > 0 && t.TreeDepth >= maxDepth {
				hits++
			}
		}
		d.EBFMI = append(d.EBFMI, posterior.Number(posterior.EBFMI(energy)))
	}
	if f.interrupted {
		d.Messages = append(d.Messages, f.interruption())
	}
	d.Messages = append(d.Messages, messagesOf(posterior.Examine(f.draws, rows, nil, maxDepth))...)
	return d
}

// messagesOf returns findings as messages, one per check.
func messagesOf(found []posterior.Finding) []string {
	var out []string
	for len(found) > 0 {
		same := 1
		for same < len(found) && found[same].Check == found[0].Check {
			same++
		}
		text := found[0].Text
		if same > 1 {
			text += fmt.Sprintf(" (and %d more like it)", same-1)
		}
		out = append(out, text+"; try: "+found[0].Try)
		found = found[same:]
	}
	return out
}

// interruption is the message of an interrupted run.
func (f *fitted) interruption() string {
	text := fmt.Sprintf("interrupted after %d draws of each chain", f.draws.Len(0))
	if f.left > 0 {
		text += fmt.Sprintf("; %d chains that had drawn less than half as much are left out", f.left)
	}
	return text + "; " + f.advice
}

// leapfrogs is the mean number of leapfrog steps per draw.
func (f *fitted) leapfrogs() float64 {
	n, draws := 0, 0
	for _, chain := range f.draws.Transitions {
		for _, t := range chain {
			n += t.Leapfrogs
			draws++
		}
	}
	return float64(n) / float64(max(1, draws))
}
