package ast

import "strings"

// A DensityKind is what a density function such as normal_lpdf gives.
type DensityKind int

// The kinds of density functions.
const (
	LogDensity DensityKind = iota // NAME_lpdf of a continuous distribution, NAME_lpmf of a discrete one
	LogCDF                        // NAME_lcdf: the log probability of a value no greater
	LogCCDF                       // NAME_lccdf: the log probability of a greater value
)

// densityEndings lists the suffixes that make a density function of the name of a distribution.
var densityEndings = [...]struct {
	suffix string
	kind   DensityKind
}{{"_lpdf", LogDensity}, {"_lpmf", LogDensity}, {"_lcdf", LogCDF}, {"_lccdf", LogCCDF}}

// Density splits the name of a density function, as normal_lpdf, into the distribution, the suffix and what
// it gives; false for any other name.
func Density(name string) (dist, suffix string, kind DensityKind, ok bool) {
	for _, e := range densityEndings {
		if dist, found := strings.CutSuffix(name, e.suffix); found && dist != "" {
			return dist, e.suffix, e.kind, true
		}
	}
	return "", "", 0, false
}

// LikeDensity reports whether a name that is no density function's has an ending like theirs, as
// weibull_lccdff.
func LikeDensity(name string) bool {
	at := strings.LastIndex(name, "_")
	return at > 0 && (strings.HasPrefix(name[at:], "_lp") || strings.HasPrefix(name[at:], "_lc"))
}

// IsDensity reports whether an expression is the call of a density function.
func IsDensity(e Expr) bool {
	call, ok := e.(*Call)
	if !ok {
		return false
	}
	_, _, _, ok = Density(call.Name.Name)
	return ok
}

// HoldsDensity reports whether a density function is called somewhere in an expression.
func HoldsDensity(e Expr) bool {
	found := false
	Walk(e, func(n Node) bool {
		x, ok := n.(Expr)
		found = found || ok && IsDensity(x)
		return !found
	})
	return found
}
