package posterior

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Advice is what the remedies of findings name. Settings of the run's algorithm are written as a user gives
// them ("--draws"), by what they mean; "" is one that the algorithm does not have.
type Advice struct {
	Chains, Draws, Warmup, Iterations, Rate, MaxDepth, TargetAccept string

	Recentred bool // the warm-up chose the coordinates of hierarchies itself

	// Improper are the parameters with improper priors, without which no posterior is improper; nil: not
	// known.
	Improper []string

	Depth int // the limit of MaxDepth; 0: not known, or there are no trees
	// settings with which an approximation is closer to the posterior, as on the command line; "": none
	Closer string
	// the choice of an algorithm that samples the posterior itself, as on the command line; "": none
	Exact string
}

// PlainAdvice is the advice for draws of an unknown sampler: settings have no names, only meanings.
func PlainAdvice() Advice {
	return Advice{Draws: "draws", Warmup: "warm-up", Iterations: "iterations",
		TargetAccept: "target acceptance statistic"}
}

// phrase inserts the name of a setting into a format, whose first verb it is; it is "" where there is no such
// setting.
func phrase(format, setting string, rest ...any) string {
	if setting == "" {
		return ""
	}
	return fmt.Sprintf(format, append([]any{setting}, rest...)...)
}

// centring advises on the coordinates of a hierarchy. Where the warm-up chose them it has both forms to
// choose from, however the model is written.
func (a Advice) centring() string {
	if a.Recentred {
		return ""
	}
	return "write the parameters of a hierarchy `noncentered`"
}

// beyond writes a value with as many digits, at least some, as show that it is not its bound.
func beyond(v, bound float64, digits int) string {
	for ; digits < 8; digits++ {
		text := strconv.FormatFloat(v, 'f', digits, 64)
		if shown, err := strconv.ParseFloat(text, 64); err == nil && shown != bound {
			return text
		}
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// remedies joins those that apply.
func remedies(list ...string) string {
	var out []string
	for _, r := range list {
		if r != "" {
			out = append(out, r)
		}
	}
	return strings.Join(out, "; ")
}

// longer advises chains that have not reached the same distribution.
func (a Advice) longer() string {
	first := strings.Join(strings.Fields(phrase("a longer %s", a.Warmup)+" "+both(a.Warmup, a.Draws)+" "+
		phrase("more %s", a.Draws)), " ")
	return remedies(first,
		"if chains stay at different values (vflc plot RUN), the posterior has several modes or the "+
			"model is not identified")
}

func both(a, b string) string {
	if a != "" && b != "" {
		return "and"
	}
	return ""
}

// together is the largest R-hat of chains whose effective draws add up, so that a number of times as many
// would do.
const together = 1.05

// few advises what to do where there are so few effective draws.
func (a Advice) few(ess float64, r SummaryRow) string {
	if float64(r.RHat) > together {
		return "what its R-hat asks for: draws of chains that stay apart do not add " +
			"up, however many there are"
	}
	return a.more(ess)
}

// more advises how many times as many draws are needed to reach the bound.
func (a Advice) more(ess float64) string {
	if a.Draws == "" {
		return "a parameterisation that mixes better"
	}
	return fmt.Sprintf("about %.0f times as many %s, or a parameterisation that mixes better",
		math.Ceil(ESSBound/math.Max(ess, 1)), a.Draws)
}
