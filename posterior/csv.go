package posterior

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A CSVInfo is the content of the comments of a Stan CSV file about a chain.
type CSVInfo struct {
	Model      string  // without blanks
	Backend    string  // the algorithm that produced the draws
	Iterations int     // before the first draw: of warm-up, or of the fit that independent draws come from
	Seconds    float64 // time to fit and draw
	// Of a Hamiltonian Markov chain:
	MaxDepth int
	StepSize float64 // after warm-up
	// InverseMetric is its diagonal, one number per unconstrained parameter; or if Dense is set the rows of
	// the matrix, one after another. Readers require one, so nil is written as ones.
	InverseMetric []float64
	Dense         bool
	WarmupSeconds float64
}

// metric is Stan's name for the form of the metric.
func (i CSVInfo) metric() string {
	if i.Dense {
		return "dense_e"
	}
	return "diag_e (Default)"
}

// WriteStanCSV writes one chain as CmdStan would, for readers of Stan's files (cmdstanpy.from_csv, ArviZ, R's
// posterior). Columns are named x.1.2, first index fastest. Independent draws are written as those of Stan's
// fixed_param sampler: lp__ and accept_stat__ are 0 and 1, since there was no accept step.
func WriteStanCSV(w io.Writer, d *Draws, chain int, info CSVInfo) error {
	out := bufio.NewWriter(w)
	if d.Independent() {
		fmt.Fprintf(out, csvHead, info.Model, d.Len(chain), max(1, info.Iterations))
		fmt.Fprintf(out, csvFixed, info.Backend)
	} else {
		fmt.Fprintf(out, csvHead, info.Model, d.Len(chain), info.Iterations)
		fmt.Fprintf(out, csvHMC, info.MaxDepth, info.metric(), info.Backend)
	}
	names := append(samplerColumns(d.Independent()), stanNames(d.Vars)...)
	if err := distinct(names); err != nil {
		return err
	}
	out.WriteString(strings.Join(names, ",") + "\n")
	if !d.Independent() {
		writeAdaptation(out, info, len(names))
	}
	var line []byte
	for i := range d.Len(chain) {
		line = d.appendSampler(line[:0], chain, i)
		for _, column := range d.values[chain] {
			line = append(line, ',')
			line = strconv.AppendFloat(line, column[i], 'g', -1, 64)
		}
		out.Write(append(line, '\n'))
	}
	fmt.Fprintf(out, csvTail, info.WarmupSeconds, info.Seconds-info.WarmupSeconds, info.Seconds)
	return out.Flush()
}

// samplerColumns are the columns before the parameters, in Stan's order.
func samplerColumns(independent bool) []string {
	if independent {
		return []string{"lp__", "accept_stat__"}
	}
	return []string{"lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__",
		"energy__"}
}

func (d *Draws) appendSampler(line []byte, chain, i int) []byte {
	if d.Independent() {
		return append(line, "0,1"...)
	}
	t := d.Transitions[chain][i]
	divergent := 0.0
	if t.Divergent {
		divergent = 1
	}
	for k, v := range []float64{t.LP, t.Accept, t.StepSize, float64(t.TreeDepth), float64(t.Leapfrogs),
		divergent, t.Energy} {
		if k > 0 {
			line = append(line, ',')
		}
		line = strconv.AppendFloat(line, v, 'g', -1, 64)
	}
	return line
}

// writeAdaptation writes the comments that Stan has between the header and the draws. columns is the number
// of columns.
func writeAdaptation(out *bufio.Writer, info CSVInfo, columns int) {
	metric := info.InverseMetric
	if metric == nil {
		metric = make([]float64, columns-len(samplerColumns(false)))
		for k := range metric {
			metric[k] = 1
		}
	}
	row, what := len(metric), "Diagonal elements"
	if info.Dense {
		row, what = int(math.Sqrt(float64(len(metric)))), "Elements"
	}
	fmt.Fprintf(out, "# Adaptation terminated\n# Step size = %g\n# %s of inverse mass matrix:\n",
		info.StepSize, what)
	for line := range slices.Chunk(metric, max(1, row)) {
		text := make([]string, row)
		for k, v := range line {
			text[k] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		fmt.Fprintf(out, "# %s\n", strings.Join(text, ", "))
	}
}

// The comments that cmdstanpy 1.3 needs: without those of the head and the bare # at the end it cannot read
// the file.
const (
	csvHead = `# model = %s
# method = sample (Default)
#   sample
#     num_samples = %d
#     num_warmup = %d
#     save_warmup = 0
#     thin = 1 (Default)
`
	csvFixed = `#     algorithm = fixed_param
# written by vflc: independent draws of %s
`
	csvHMC = `#     algorithm = hmc (Default)
#       hmc
#         engine = nuts (Default)
#           nuts
#             max_depth = %d
#         metric = %s
# written by vflc: draws of %s
`
	csvTail = `# 
#  Elapsed Time: %g seconds (Warm-up)
#                %g seconds (Sampling)
#                %g seconds (Total)
# 
`
)

var notName = regexp.MustCompile(`[^\pL\pM\pN_]+`)

// FlatNames returns the variables' names for formats that allow only identifiers, of letters of any alphabet.
// A member or component becomes part of the name, hospital[4].beta ↦ hospital_4_beta. A name that would
// appear twice gets a trailing underscore.
func FlatNames(vars []Variable) []string {
	taken := map[string]bool{}
	var out []string
	for _, v := range vars {
		base := strings.Trim(notName.ReplaceAllString(v.Name, "_"), "_")
		for taken[base] {
			base += "_"
		}
		taken[base] = true
		out = append(out, base)
	}
	return out
}

// stanNames returns the columns' names in a Stan CSV header. Readers parse what follows the first point as
// indices.
func stanNames(vars []Variable) []string {
	var out []string
	for i, base := range FlatNames(vars) {
		for k := range vars[i].Len() {
			out = append(out, base+subscript(vars[i].index(k), ".", ".", ""))
		}
	}
	return out
}

// An ELBOPoint is one evaluation of the evidence lower bound during a fit, in nats.
type ELBOPoint struct {
	Iteration int
	Value, SE float64
}

// WriteELBO writes the ELBO trace of a fit as CSV with the columns iteration, elbo, se.
func WriteELBO(w io.Writer, trace []ELBOPoint) error {
	out := bufio.NewWriter(w)
	out.WriteString("iteration,elbo,se\n")
	for _, p := range trace {
		fmt.Fprintf(out, "%d,%v,%v\n", p.Iteration, p.Value, p.SE)
	}
	return out.Flush()
}
