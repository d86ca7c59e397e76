package dist

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// The functions of a value in which log densities are linear.
var (
	theValue = statistic("x", func(x float64) float64 { return x })
	itsLog   = statistic("log(x)", portable.Log)
	itsInv   = statistic("inv(x)", func(x float64) float64 { return 1 / x })
	itsLogit = statistic("logit(x)", func(x float64) float64 { return portable.Log(x) - portable.Log1p(-x) })
	// The powers are for a shape that is the first parameter.
	itsPower    = power("x .^ alpha", 1)
	itsInvPower = power("x .^ -alpha", -1)
)

func statistic(name string, f func(x float64) float64) *def.Statistic {
	return &def.Statistic{Name: name, Of: func(x float64, _ []float64) float64 { return f(x) }}
}

func power(name string, sign float64) *def.Statistic {
	return &def.Statistic{Name: name, Fixed: []int{0}, Of: func(x float64, theta []float64) float64 {
		return portable.Pow(x, sign*theta[0])
	}}
}
