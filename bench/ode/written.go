package main

import "math"

// A coupled state is hares and lynxes, and behind these the derivatives of both in each argument.
type coupled [14]float64

// change is the right side of the coupled equations.
func change(p *[6]float64, y, d *coupled) {
	hares, lynx := y[0], y[1]
	a, b, c, e := p[0]-p[1]*lynx, -p[1]*hares, p[3]*lynx, p[3]*hares-p[2]
	d[0], d[1] = a*hares, e*lynx
	for k := 2; k < 14; k += 2 {
		d[k], d[k+1] = a*y[k]+b*y[k+1], c*y[k]+e*y[k+1]
	}
	d[2] += hares
	d[4] -= hares * lynx
	d[7] -= lynx
	d[9] += hares * lynx
}

// written is half the sum of squares of the solution at whole years, and its gradient.
func written(p [6]float64) (value float64, slope [6]float64) {
	y := coupled{p[4], p[5]}
	y[10], y[13] = 1, 1
	var k [7]coupled
	change(&p, &y, &k[0])
	h, t, before := begin(&p, &y, &k), 0.0, 1e-4
	for year, rejected := 1, false; year <= years; {
		last := t+1.01*h >= years
		if last {
			h = years - t
		}
		next, err := advance(&p, &y, &k, h)
		f := math.Pow(err, 0.17)
		if err > 1 {
			h, rejected = h/min(5, f/0.9), true
			continue
		}
		f = min(5, max(0.1, f/math.Pow(before, 0.04)/0.9))
		before = max(err, 1e-4)
		for ; year <= years && (last || float64(year) <= t+h); year++ {
			at := between(&y, &next, &k, h, (float64(year)-t)/h)
			value += 0.5 * (at[0]*at[0] + at[1]*at[1])
			for j := range slope {
				slope[j] += at[0]*at[2+2*j] + at[1]*at[3+2*j]
			}
		}
		t, y, k[0] = t+h, next, k[6]
		if !rejected || f > 1 {
			h /= f
		}
		rejected = false
	}
	return value, slope
}

func allowed(v float64) float64 { return tolerance + tolerance*math.Abs(v) }

// begin chooses the first step.
func begin(p *[6]float64, y *coupled, k *[7]coupled) float64 {
	size, speed, curvature := 0.0, 0.0, 0.0
	for j, v := range y {
		size, speed = max(size, math.Abs(v)/allowed(v)), max(speed, math.Abs(k[0][j])/allowed(v))
	}
	h := min(0.01*(size/speed), years)
	var next coupled
	for j, v := range y {
		next[j] = v + h*k[0][j]
	}
	change(p, &next, &k[1])
	for j, v := range y {
		curvature = max(curvature, math.Abs(k[1][j]-k[0][j])/allowed(v))
	}
	return min(100*h, math.Pow(0.01/max(curvature/h, speed), 0.2), years)
}

// advance makes a step of Dormand and Prince, and returns its error.
func advance(p *[6]float64, y *coupled, k *[7]coupled, h float64) (next coupled, worst float64) {
	for j := range next {
		next[j] = y[j] + h*(1.0/5*k[0][j])
	}
	change(p, &next, &k[1])
	for j := range next {
		next[j] = y[j] + h*(3.0/40*k[0][j]+9.0/40*k[1][j])
	}
	change(p, &next, &k[2])
	for j := range next {
		next[j] = y[j] + h*(44.0/45*k[0][j]-56.0/15*k[1][j]+32.0/9*k[2][j])
	}
	change(p, &next, &k[3])
	for j := range next {
		next[j] = y[j] + h*(19372.0/6561*k[0][j]-25360.0/2187*k[1][j]+64448.0/6561*k[2][j]-212.0/729*k[3][j])
	}
	change(p, &next, &k[4])
	for j := range next {
		next[j] = y[j] + h*(9017.0/3168*k[0][j]-355.0/33*k[1][j]+46732.0/5247*k[2][j]+49.0/176*k[3][j]-
			5103.0/18656*k[4][j])
	}
	change(p, &next, &k[5])
	for j := range next {
		next[j] = y[j] + h*(35.0/384*k[0][j]+500.0/1113*k[2][j]+125.0/192*k[3][j]-2187.0/6784*k[4][j]+
			11.0/84*k[5][j])
	}
	change(p, &next, &k[6])
	for j := range next {
		e := 71.0/57600*k[0][j] - 71.0/16695*k[2][j] + 71.0/1920*k[3][j] - 17253.0/339200*k[4][j] +
			22.0/525*k[5][j] - 1.0/40*k[6][j]
		worst = max(worst, math.Abs(h*e)/allowed(max(math.Abs(y[j]), math.Abs(next[j]))))
	}
	return next, worst
}

// between is the state at a part of a step.
func between(y, next *coupled, k *[7]coupled, h, part float64) (at coupled) {
	for j := range at {
		d := next[j] - y[j]
		r3 := h*k[0][j] - d
		r4 := d - h*k[6][j] - r3
		r5 := h * (-12715105075.0/11282082432*k[0][j] + 87487479700.0/32700410799*k[2][j] -
			10690763975.0/1880347072*k[3][j] + 701980252875.0/199316789632*k[4][j] -
			1453857185.0/822651844*k[5][j] + 69997945.0/29380423*k[6][j])
		at[j] = y[j] + part*(d+(1-part)*(r3+part*(r4+(1-part)*r5)))
	}
	return at
}
