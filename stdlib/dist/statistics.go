package dist

import (
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// The functions of a value in which log densities are linear.
var (
	theValue = &def.Statistic{Name: "x", Of: func(x float64, _ []float64) float64 { return x }}
	itsLog   = &def.Statistic{Name: "log(x)", Of: func(x float64, _ []float64) float64 { return portable.Log(x) }}
	itsInv   = &def.Statistic{Name: "inv(x)", Of: func(x float64, _ []float64) float64 { return 1 / x }}
	itsLogit = &def.Statistic{Name: "logit(x)", Of: func(x float64, _ []float64) float64 { return portable.Log(x) - portable.Log1p(-x) }}
	// itsPower and itsInvPower are for a shape that is the first parameter.
	itsPower    = &def.Statistic{Name: "x .^ alpha", Of: func(x float64, theta []float64) float64 { return portable.Pow(x, theta[0]) }, Fixed: []int{0}}
	itsInvPower = &def.Statistic{Name: "x .^ -alpha", Of: func(x float64, theta []float64) float64 { return portable.Pow(x, -theta[0]) }, Fixed: []int{0}}
)
