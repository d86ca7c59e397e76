package fit

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// compareTrips forecasts, while the data are there, how many round trips an approximation of the same
// posterior takes where a run of Markov chains meets other parties in each step. A party apart knows what its
// own program excludes, and nothing crosses for this.
func (p *Prepared) compareTrips() (diag.List, error) {
	a, ok := approximating(approximations())
	if !ok || p.Algorithm.Gives != backends.Markov || len(p.Plan.Names) < 2 || p.Settings.Plan.Encrypted ||
		p.Settings.Plan.Initial != "" || p.Checked.PriorOnly {
		return nil, nil
	}
	s, err := a.Resolve(p.Settings.Transform, nil)
	if err != nil {
		return nil, nil // it does not run under this transform
	}
	s.UnlikeNoise = p.Settings.UnlikeNoise
	var blocks []density.Block
	if p.apart != nil {
		blocks = append(blocks, model.NewParty(p.Plan, p.apart.Index))
	} else {
		env, err := session.NewLocal(p.Plan, session.SimulatedKeys(p.options.Seed, p.Plan.Names))
		if err != nil {
			return nil, err
		}
		blocks = env.Blocks()
	}
	if a.Choose != nil {
		if s, _, err = a.Choose(len(p.Plan.Names), Hindered(a, s, blocks), s); err != nil {
			return nil, nil
		}
	}
	p.shorten(a, s)
	least, most := p.work(a.Forecast(s))
	p.sooner = &posterior.Sooner{Settings: "--backend " + a.Name, Least: least.Sequential,
		Most: most.Sequential, Own: p.apart != nil}
	return nil, nil
}

// soonerThan is that forecast, where it is of less than half as many round trips as the run took.
func (p *Prepared) soonerThan(trips int64) *posterior.Sooner {
	if p.sooner == nil || 2*p.sooner.Most > trips {
		return nil
	}
	return p.sooner
}
