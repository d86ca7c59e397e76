package fit

import (
	"fmt"

	"github.com/vflc/vflc/fit/stretch"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
)

// foresee lowers the model forwards, for the forecasts after the run: the values of its data may be released
// before.
func (p *Prepared) foresee() (diag.List, error) {
	if !p.Checked.Transform.Kind.Noise() {
		return nil, nil
	}
	if m, diags := p.Noised(); !diags.HasErrors() {
		p.forwards = m
	}
	return nil, nil // without a forward model there is no forecast, which is no fault of the model
}

// forecasts says what the noise of auxiliary variables does to each response that they reach, at the
// posterior mean of the parameters.
func (p *Prepared) forecasts(d *posterior.Draws) (out []posterior.Forecast) {
	if p.forwards == nil {
		return nil
	}
	at, err := places(p.forwards, d)
	if err != nil {
		return nil
	}
	x := make([]float64, p.forwards.Graph.Dim())
	at.fill(x, func(column int) float64 { return mean(d.Column(column)) })
	s := p.forwards.NewSimulator()
	for k, y := range p.forwards.Responses {
		switch {
		case y.Predictor != nil:
			out = append(out, p.forecast(s, k, x))
		case y.NoPredictor != "":
			out = append(out, posterior.Forecast{Response: y.Name, Noise: posterior.NotApplicable(),
				Slope: posterior.NotApplicable(), Shift: posterior.NotApplicable(),
				SD: posterior.NotApplicable(), Reason: y.NoPredictor})
		}
	}
	return out
}

// forecast is that of one response.
func (p *Prepared) forecast(s *model.Simulator, k int, x []float64) posterior.Forecast {
	y := p.forwards.Responses[k]
	eta, args := s.Predict(k, x)
	l := stretch.PredictedRows{Dist: y.Dist, Param: y.Predictor.Param, Through: y.Predictor.Through,
		Free: y.Predictor.Free, Rows: make([]stretch.Row, len(eta))}
	for i := range l.Rows {
		theta := make([]float64, len(args))
		for a := range args {
			theta[a] = args[a][i]
		}
		l.Rows[i] = stretch.Row{Y: y.Values[i], Eta: eta[i], Theta: theta}
	}
	n := stretch.Noise{Rho: y.Predictor.Rho, Clients: y.Predictor.Clients,
		Power: y.Powers}
	out := posterior.Forecast{Response: y.Name, Noise: posterior.Number(n.SD()), Power: n.Power}
	f, err := stretch.Of(l, n)
	if err != nil {
		out.Slope, out.Shift, out.SD, out.Reason = posterior.NotApplicable(), posterior.NotApplicable(),
			posterior.NotApplicable(), err.Error()
		return out
	}
	out.Slope, out.Shift, out.SD = posterior.Number(f.Slope), posterior.Number(f.Shift),
		posterior.Number(f.SD)
	for i, v := range f.Free {
		if out.Scales == nil {
			out.Scales = map[string]posterior.Number{}
		}
		out.Scales[y.Dist.Params[l.Free[i]].Name] = posterior.Number(v)
	}
	return out
}

// mean is that of all draws of all chains.
func mean(chains [][]float64) float64 {
	sum, n := 0.0, 0
	for _, c := range chains {
		for _, v := range c {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// forecastLines are the forecasts as text, with the name of the response where there are several.
func forecastLines(forecasts []posterior.Forecast) (text string) {
	for _, f := range forecasts {
		if len(forecasts) > 1 {
			text += f.Response + ": "
		}
		text += fmt.Sprintln(f)
	}
	return text
}
