package fit

import (
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
)

// crossing forecasts in one line, before a run, the round trips that it takes between parties, the bytes that
// cross, and the time that its trips wait; "" for a model without clients.
func (p *Prepared) crossing() string {
	a := p.Algorithm
	leads := p.apart == nil || p.apart.Index == 0
	if len(p.Plan.Names) < 2 || a.Forecast == nil || !leads || p.options.Resume || p.Settings.Plan.Encrypted {
		return ""
	}
	f := a.Forecast(p.Settings)
	if n := p.near; n != nil && !n.earlier && n.algorithm.Forecast != nil {
		f = f.Plus(n.algorithm.Forecast(n.settings))
	}
	least, most := p.work(f)
	low, _ := posterior.UsualConnection.Waits(least)
	high, _ := posterior.UsualConnection.Waits(most)
	return fmt.Sprintf("between processes: %s to %s trips, %s to %s, %s to %s at %s a trip",
		grouped.Digits(least.Sequential), grouped.Digits(most.Sequential),
		posterior.RoughBytes(least.Bytes), posterior.RoughBytes(most.Bytes), posterior.Seconds(low),
		posterior.Seconds(high),
		posterior.Seconds(posterior.UsualConnection.RoundTrip.Seconds()))
}

// work is a forecast in what a run counts.
func (p *Prepared) work(f backends.EvaluationForecast) (least, most density.Work) {
	trips, bytes := session.Evaluation(p.Plan)
	f = f.Divided(session.Column(p.Plan))
	of := func(sequential, all int) density.Work {
		return density.Work{Sequential: trips * int64(sequential), Bytes: bytes * int64(all)}
	}
	return of(f.Sequential.Least, f.All.Least), of(f.Sequential.Most, f.All.Most)
}
