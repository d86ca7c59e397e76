package fit

import (
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
)

// crossing forecasts, before a run, the round trips that it takes between parties and the bytes that cross, and those of chains that begin near an approximation, where that would
// be another run; "" for a model without clients.
func (p *Prepared) crossing() string {
	a := p.Algorithm
	leads := p.apart == nil || p.apart.Index == 0
	if len(p.Plan.Names) < 2 || a.Forecast == nil || !leads || p.options.Resume {
		return ""
	}
	f := a.Forecast(p.Settings)
	if n := p.near; n != nil && !n.earlier && n.algorithm.Forecast != nil {
		f = f.Plus(n.algorithm.Forecast(n.settings))
	}
	text := fmt.Sprintf("between processes: %s (%s)", p.amount(f, fmt.Sprintf(" at %s each", posterior.Seconds(posterior.UsualLink.RoundTrip.Seconds()))), f.Basis)
	initial, has := a.In(backends.Initial)
	if !has || p.Settings.Text(initial.Name) != "" {
		return text
	}
	near := p.Settings.With(initial.Name, "")
	for _, s := range a.Settings {
		if s.Near != nil && !near.Differs(s.Name) {
			near = near.With(s.Name, s.Near)
		}
	}
	for _, b := range Backends() {
		if b.Gives == backends.Approximation {
			return text + fmt.Sprintf("; with --%s %s, where that can begin: %s", initial.Name, b.Name, p.amount(a.Forecast(near), ""))
		}
	}
	return text
}

// amount is a forecast as text, with the time that its trips wait.
func (p *Prepared) amount(f backends.Forecast, each string) string {
	least, most := p.work(f)
	low, _ := posterior.UsualLink.Waits(least)
	high, _ := posterior.UsualLink.Waits(most)
	return fmt.Sprintf("%s to %s round trips in turn, %s to %s%s, and %s to %s", grouped.Digits(least.SequentialRounds), grouped.Digits(most.SequentialRounds),
		posterior.Seconds(low), posterior.Seconds(high), each, posterior.RoughBytes(least.Bytes), posterior.RoughBytes(most.Bytes))
}

// work is a forecast in what a run counts.
func (p *Prepared) work(f backends.Forecast) (least, most posterior.Work) {
	trips, bytes := session.Evaluation(p.Plan)
	of := func(sequential, all int) posterior.Work {
		return posterior.Work{SequentialRounds: trips * int64(sequential), Bytes: bytes * int64(all)}
	}
	return of(f.Sequential.Least, f.All.Least), of(f.Sequential.Most, f.All.Most)
}
