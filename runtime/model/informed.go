package model

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// An informed map is that between effects θ, as they are written, and their coordinates u where these are
// density.Informed: θ = stretch·u + shift, by effects. With the scale s of an effect and q = 1 + h·s²,
// stretch is 1/√q and shift s·h·(y - m)/q for its standard form; the effect itself is m and s times that.
type informed struct {
	on                bool
	anchors           []float64
	scale             []float64
	stretch, shift    []float64
	log               []float64 // derivative of log stretch by log s
	byLog, byLocation []float64 // derivatives of θ
}

// inform takes effects from u to θ, or back, and returns the log-Jacobian.
func (e *recentredEffects) inform(from, to []float64, toTheta bool) float64 {
	f := &e.informed
	if f.scale == nil {
		for _, v := range []*[]float64{&f.scale, &f.stretch, &f.shift, &f.log, &f.byLog, &f.byLocation} {
			*v = make([]float64, e.Len)
		}
	}
	logStretch := float64(-0.5 * f.standard(e.location, e.logScale))
	if e.Centring == 1 {
		scales := len(e.logScale)
		logStretch += float64(float64(e.Len) / float64(scales) * vector.Sum(scales, e.logScale))
		f.whole(e.location)
	}
	u := from
	if toTheta {
		vector.Mul(e.Len, to, f.stretch, from)
		vector.Add(e.Len, to, to, f.shift)
	} else {
		vector.Sub(e.Len, to, from, f.shift)
		vector.Div(e.Len, to, to, f.stretch)
		u, logStretch = to, -logStretch
	}
	for i, v := range f.log {
		f.byLog[i] += float64(float64(u[i]*f.stretch[i]) * v)
	}
	return logStretch
}

// mostProduct is how large a product of numbers becomes before its logarithm is taken.
const mostProduct = 1e100

// standard sets the map for the standard form of effects, byLog without what u adds, and returns Σ log q.
func (f *informed) standard(location, logScale []float64) float64 {
	n := len(f.scale)
	vector.Exp(len(logScale), f.scale, logScale)
	for i := len(logScale); i < n; i++ {
		f.scale[i] = f.scale[i-len(logScale)]
	}
	sum, product, j := 0.0, 1.0, 0
	for i, s := range f.scale {
		h := f.anchors[i]
		q := 1 + float64(float64(h*s)*s)
		if product *= q; product > mostProduct {
			sum += portable.Log(product)
			product = 1
		}
		part := 1 / q
		pull := f.anchors[n+i] - float64(h*location[j]) // h(y - m)
		shift := float64(s*part) * pull
		f.stretch[i], f.shift[i], f.log[i] = math.Sqrt(part), shift, part-1
		f.byLog[i], f.byLocation[i] = shift*(float64(2*part)-1), -float64(s*part)*h
		j = after(j, len(location))
	}
	return sum + portable.Log(product)
}

// whole makes the map for the standard form that for effects themselves.
func (f *informed) whole(location []float64) {
	j := 0
	for i, s := range f.scale {
		part := f.log[i] + 1
		f.byLog[i] = float64(float64(2*s)*f.shift[i]) * part
		f.stretch[i] *= s
		f.shift[i] = location[j] + float64(s*f.shift[i])
		f.log[i], f.byLocation[i] = part, part
		j = after(j, len(location))
	}
}

// pullInformed replaces a gradient by θ by that by u, or the other way round, and sets the adjoints of
// location and log scale; those of the log-Jacobian of θ by u too.
func (e *recentredEffects) pullInformed(g []float64, fromTheta bool) {
	f, sign := &e.informed, 1.0
	if !fromTheta {
		sign = -1
	}
	clear(e.toLog)
	clear(e.toLocation)
	j, k := 0, 0
	for i, d := range g {
		if !fromTheta {
			d /= f.stretch[i]
		}
		e.toLog[k] += float64(sign * (float64(d*f.byLog[i]) + f.log[i]))
		if e.toLocation != nil {
			e.toLocation[j] += float64(float64(sign*d) * f.byLocation[i])
		}
		if fromTheta {
			d *= f.stretch[i]
		}
		g[i] = d
		j, k = after(j, len(e.location)), after(k, len(e.logScale))
	}
}

// Evidence implements density.Map.
func (m *recentred) Evidence(theta, g, v, slope []float64) {
	at := make([]int, len(m.effects)) // where effects begin in v
	n := 0
	for k, e := range m.effects {
		if at[k] = n; e != nil && !e.Anchored {
			n += e.Len
		}
	}
	for i := range m.stages {
		st := &m.stages[i]
		st.exec.Forward(theta)
		for _, e := range st.effects {
			if e.Anchored {
				continue
			}
			e.evidence(theta[e.Offset:][:e.Len], g[e.Offset:], v[at[e.number]:], slope[at[e.number]:])
		}
	}
}

func (e *recentredEffects) evidence(theta, g, v, slope []float64) {
	if e.Walk {
		e.walkEvidence(theta, g, v, slope)
		return
	}
	if e.Process {
		e.processEvidence(theta, g, v, slope)
		return
	}
	j, k := 0, 0
	for i, x := range theta {
		m, s := e.location[j], portable.Exp(e.logScale[k])
		if e.Centring == 1 {
			v[i], slope[i] = x, g[i]+(x-m)/s/s
		} else {
			v[i], slope[i] = m+float64(s*x), (g[i]+x)/s
		}
		j, k = after(j, len(e.location)), after(k, len(e.logScale))
	}
}
