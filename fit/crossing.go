package fit

import (
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// crossing forecasts in a line, before a run, the round trips that it takes between parties, the bytes that
// cross, and the time that its trips wait, and in another what chains that begin near an approximation would
// take, where that is less than half; "" for a model without clients.
func (p *Prepared) crossing() string {
	a := p.Algorithm
	leads := p.apart == nil || p.apart.Index == 0
	if len(p.Plan.Names) < 2 || a.Forecast == nil || !leads || p.options.Resume || p.Settings.Plan.Encrypted {
		return ""
	}
	least, most := p.work(a.Forecast(p.Settings))
	if n := p.near; n != nil && !n.earlier && n.algorithm.Forecast != nil {
		least, most = p.after(n.algorithm.Forecast(n.settings), least, most)
	}
	low, _ := posterior.UsualConnection.Waits(least)
	high, _ := posterior.UsualConnection.Waits(most)
	text := fmt.Sprintf("between processes: %s, %s to %s at %s a trip", amounts(least, most),
		posterior.Seconds(low), posterior.Seconds(high),
		posterior.Seconds(posterior.UsualConnection.RoundTrip.Seconds()))
	if n := p.nearer; n != nil && 2*n.most.Sequential < least.Sequential {
		text += fmt.Sprintf("\n--%s begins near an approximation: %s", n.setting, amounts(n.least, n.most))
	}
	return text
}

// amounts are ranges of round trips and bytes in words.
func amounts(least, most density.Work) string {
	return fmt.Sprintf("%s to %s trips, %s to %s", grouped.Digits(least.Sequential),
		grouped.Digits(most.Sequential), posterior.RoughBytes(least.Bytes), posterior.RoughBytes(most.Bytes))
}

// A shortcut is a forecast of a run with chains that begin near an approximation.
type shortcut struct {
	setting     string
	least, most density.Work
}

// shorten forecasts chains that begin near an approximation by a with these settings, where the run's do not.
func (p *Prepared) shorten(a backends.Algorithm, s backends.Settings) {
	initial, ok := p.Algorithm.In(backends.Initial)
	if !ok || p.Algorithm.Forecast == nil || a.Forecast == nil {
		return
	}
	near, err := p.Algorithm.Resolve(p.Settings.Transform, map[string]string{initial.Name: a.Name})
	if err != nil {
		return // the run's own settings say so where it matters
	}
	n := &shortcut{setting: initial.Name + " " + a.Name}
	n.least, n.most = p.work(p.Algorithm.Forecast(near))
	n.least, n.most = p.after(a.Forecast(s), n.least, n.most)
	p.nearer = n
}

// after adds what an approximation exchanges, whose numbers are never short.
func (p *Prepared) after(f backends.EvaluationForecast, least, most density.Work) (density.Work,
	density.Work) {
	long := p.Plan.Wire
	long.Short = false
	few, many := workOn(p.Plan.On(long), f)
	add := func(w *density.Work, more density.Work) {
		w.Sequential, w.Bytes = w.Sequential+more.Sequential, w.Bytes+more.Bytes
	}
	add(&least, few)
	add(&most, many)
	return least, most
}

// work is a forecast in what a run counts.
func (p *Prepared) work(f backends.EvaluationForecast) (least, most density.Work) {
	return workOn(p.Plan, f)
}

func workOn(plan *model.Plan, f backends.EvaluationForecast) (least, most density.Work) {
	trips, bytes := session.Evaluation(plan)
	f = f.Divided(session.Column(plan))
	of := func(sequential, all int) density.Work {
		return density.Work{Sequential: trips * int64(sequential), Bytes: bytes * int64(all)}
	}
	return of(f.Sequential.Least, f.All.Least), of(f.Sequential.Most, f.All.Most)
}
