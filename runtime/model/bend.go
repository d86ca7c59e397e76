package model

import (
	"math"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

// mostProduct is how large a product of numbers becomes before its logarithm is taken.
const mostProduct = 1e100

// A bend is the map between coordinates t of scales, as a rule their logarithms, and u: t = anchor + u where
// u ≥ 0, and anchor + u·√(1 + s/4), s = (strength·u)², below.
type bend struct {
	density.Effects
	number        int // of Effects
	anchors       []float64
	strength      float64   // 0: the coordinates are the same
	slope, change []float64 // dt/du and its logarithm's derivative by u, where At was called last
}

func newBend(e density.Effects, number int) *bend {
	v := make([]float64, 3*e.Len)
	return &bend{Effects: e, number: number, anchors: v[:e.Len], slope: v[e.Len:][:e.Len],
		change: v[2*e.Len:]}
}

// at sets the centring.
func (b *bend) at(centring float64, anchors []float64) {
	b.strength = density.MostBent * (b.Centring - centring)
	copy(b.anchors, anchors)
}

// move takes scales from u to t, or back, and returns log|∂to/∂from|.
func (b *bend) move(from, to []float64, toTheta bool) float64 {
	sum, product, squared := 0.0, 1.0, b.strength*b.strength
	for i, anchor := range b.anchors {
		var u float64
		if toTheta {
			u = from[b.Offset+i]
			to[b.Offset+i] = anchor + bent(u, squared)
		} else {
			u = unbent(from[b.Offset+i]-anchor, squared)
			to[b.Offset+i] = u
		}
		b.slope[i], b.change[i] = 1, 0
		if u < 0 {
			s := float64(squared*u) * u
			half, quarter := 1+float64(0.5*s), 1+float64(0.25*s)
			b.slope[i] = half / math.Sqrt(quarter)
			b.change[i] = squared * u * (1/half - 0.25/quarter)
			if product *= b.slope[i]; product > mostProduct {
				sum += portable.Log(product)
				product = 1
			}
		}
	}
	sum += portable.Log(product)
	if !toTheta {
		return -sum
	}
	return sum
}

func bent(u, squared float64) float64 {
	if u >= 0 {
		return u
	}
	return u * math.Sqrt(1+float64(float64(0.25*squared)*float64(u*u)))
}

// unbent is the inverse of bent: u² = 2(√(1 + (strength·t)²) − 1)/strength², written so that nothing cancels.
func unbent(t, squared float64) float64 {
	if t >= 0 {
		return t
	}
	return t * math.Sqrt(2/(1+math.Sqrt(1+float64(squared*float64(t*t)))))
}

// pull turns a gradient by θ to one by u, or the other way round; the logarithm of the slope is counted in
// the former.
func (b *bend) pull(g []float64, fromTheta bool) {
	for i, slope := range b.slope {
		if at := &g[b.Offset+i]; fromTheta {
			*at = float64(*at*slope) + b.change[i]
		} else {
			*at = (*at - b.change[i]) / slope
		}
	}
}
