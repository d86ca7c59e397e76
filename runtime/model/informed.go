package model

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// An informed map is that between effects θ, as they are written, and their coordinates u where these are
// density.Informed: θ = stretch·u + shift, by effects. With the scale s of an effect and q = 1 + h·s²,
// stretch is 1/√q and shift s·h·(y - m)/q for its standard form; the effect itself is m and s times that.
type informed struct {
	on                bool
	anchors           []float64
	scale, location   []float64 // of each effect
	stretch, shift    []float64
	part              []float64 // 1/q
	log               []float64 // derivative of log stretch by log s
	byLog, byLocation []float64 // derivatives of θ
	room              []float64
}

// inform takes effects from u to θ, or back, and returns the log-Jacobian.
func (e *recentredEffects) inform(from, to []float64, toTheta bool) float64 {
	f := &e.informed
	if f.scale == nil {
		for _, v := range []*[]float64{&f.scale, &f.location, &f.stretch, &f.shift, &f.part, &f.log, &f.byLog,
			&f.byLocation, &f.room} {
			*v = make([]float64, e.Len)
		}
	}
	vector.Exp(len(e.logScale), f.scale, e.logScale)
	repeat(f.scale, f.scale[:len(e.logScale)])
	repeat(f.location, e.location)
	logStretch := float64(-0.5 * f.prepare())
	if e.Centring == 1 {
		scales := len(e.logScale)
		logStretch += float64(float64(e.Len) / float64(scales) * vector.Sum(scales, e.logScale))
		f.whole()
	} else {
		f.standard()
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
	vector.Mul(e.Len, f.room, u, f.stretch)
	vector.MulAdd(e.Len, f.byLog, f.room, f.log)
	return logStretch
}

// repeat fills to with repetitions of v, its beginning perhaps.
func repeat(to, v []float64) {
	if len(v) == 1 {
		vector.Fill(len(to), to, v[0])
		return
	}
	for i := copy(to, v); i < len(to); i++ {
		to[i] = to[i-len(v)]
	}
}

// prepare sets what both forms share, with s·h/q for the derivative by the location, and s·h·(y - m)/q for
// the shift. It returns Σ log q.
func (f *informed) prepare() float64 {
	n := len(f.scale)
	h, s, q := f.anchors[:n], f.scale, f.part
	vector.Mul(n, f.byLocation, h, s)
	vector.Mul(n, q, f.byLocation, s)
	vector.Shift(n, q, 1)
	vector.Log(n, f.room, q)
	sum := vector.Sum(n, f.room)
	vector.DivInto(n, f.part, 1, q)
	vector.Sqrt(n, f.stretch, f.part)
	vector.Mul(n, f.room, h, f.location)
	vector.Sub(n, f.room, f.anchors[n:], f.room)
	vector.Mul(n, f.shift, s, f.part)
	vector.Mul(n, f.shift, f.shift, f.room)
	vector.Mul(n, f.byLocation, f.byLocation, f.part)
	return sum
}

// standard ends the map for the standard form of effects, byLog without what u adds.
func (f *informed) standard() {
	n := len(f.scale)
	vector.AddScalar(n, f.log, f.part, -1)
	vector.Neg(n, f.byLocation, f.byLocation)
	vector.Add(n, f.room, f.part, f.log)
	vector.Mul(n, f.byLog, f.shift, f.room)
}

// whole ends that for effects themselves.
func (f *informed) whole() {
	n := len(f.scale)
	copy(f.log, f.part)
	copy(f.byLocation, f.part)
	vector.Mul(n, f.stretch, f.stretch, f.scale)
	vector.Mul(n, f.shift, f.shift, f.scale)
	vector.Add(n, f.room, f.shift, f.shift)
	vector.Mul(n, f.byLog, f.room, f.part)
	vector.Add(n, f.shift, f.shift, f.location)
}

// pullInformed replaces a gradient by θ by that by u, or the other way round, and sets the adjoints of
// location and log scale; those of the log-Jacobian of θ by u too.
func (e *recentredEffects) pullInformed(g []float64, fromTheta bool) {
	f, n, sign := &e.informed, e.Len, 1.0
	if !fromTheta {
		vector.Div(n, g, g, f.stretch)
		sign = -1
	}
	vector.Mul(n, f.room, g, f.byLog)
	vector.Add(n, f.room, f.room, f.log)
	fold(e.toLog, sign, f.room)
	if e.toLocation != nil {
		vector.Mul(n, f.room, g, f.byLocation)
		fold(e.toLocation, sign, f.room)
	}
	if fromTheta {
		vector.Mul(n, g, g, f.stretch)
	}
}

// fold sets to to sign times the sums of v, of which elements len(to) apart belong together.
func fold(to []float64, sign float64, v []float64) {
	if len(to) == 1 {
		to[0] = sign * vector.Sum(len(v), v)
		return
	}
	clear(to)
	j := 0
	for _, x := range v {
		to[j] += float64(sign * x)
		j = after(j, len(to))
	}
}

// Evidence implements density.Map.
func (m *recentred) Evidence(theta, g, v, slope, weight []float64) {
	vector.Fill(len(weight), weight, 1)
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
			from := at[e.number]
			e.evidence(theta[e.Offset:][:e.Len], g[e.Offset:], v[from:], slope[from:], weight[from:])
		}
	}
}

func (e *recentredEffects) evidence(theta, g, v, slope, weight []float64) {
	if e.Walk {
		e.walkEvidence(theta, g, v, slope)
		return
	}
	if e.known != nil {
		e.knownEvidence(theta, g, v, slope)
		return
	}
	if e.vectors != nil {
		e.vectorsEvidence(theta, g, v, slope)
		return
	}
	if e.Process {
		e.processEvidence(theta, g, v, slope)
		return
	}
	j, k := 0, 0
	for i, x := range theta {
		m, s := e.location[j], portable.Exp(e.logScale[k])
		weight[i] = s * s
		if e.Centring == 1 {
			v[i], slope[i] = x, g[i]+(x-m)/s/s
		} else {
			v[i], slope[i] = m+float64(s*x), (g[i]+x)/s
		}
		j, k = after(j, len(e.location)), after(k, len(e.logScale))
	}
}
