package dist

import "github.com/vflc/vflc/stdlib/def"

// scaled is k·(x - mu)/sigma, with one division for all rows where sigma is one number.
func scaled(b def.DensityBuilder, x, mu, sigma def.Value, k float64) def.Value {
	return b.Mul(b.Sub(x, mu), b.Div(b.Number(k), sigma))
}

var (
	locationParam = def.Param{Name: "mu", Doc: "location", Domain: def.RealLine}
	scaleParam    = def.Param{Name: "sigma", Doc: "scale", Domain: def.Positive}
	nuParam       = def.Param{Name: "nu", Doc: "degrees of freedom", Domain: def.Positive}
)
