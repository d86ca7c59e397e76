package posterior

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A CSVInfo is what the comments of a Stan CSV file say about a chain of independent draws.
type CSVInfo struct {
	Model      string  // without blanks
	Backend    string  // the algorithm that made the draws
	Iterations int     // of the fit that the draws come from; told as warm-up, which the readers want to be positive
	Seconds    float64 // time to fit and draw
}

// WriteStanCSV writes one chain of independent draws as CmdStan would write those of its fixed_param sampler, for readers of Stan's files
// (cmdstanpy.from_csv, ArviZ, R's posterior). Columns are named x.1.2, first index fastest; lp__ and accept_stat__ are 0 and 1: nothing was
// accepted or refused.
func WriteStanCSV(w io.Writer, d *Draws, chain int, info CSVInfo) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, csvHead, info.Model, d.Len(chain), max(1, info.Iterations), info.Backend)
	out.WriteString("lp__,accept_stat__")
	for _, name := range stanNames(d.Vars) {
		out.WriteString("," + name)
	}
	out.WriteString("\n")
	var line []byte
	for i := range d.Len(chain) {
		line = append(line[:0], "0,1"...)
		for _, column := range d.values[chain] {
			line = append(line, ',')
			line = strconv.AppendFloat(line, column[i], 'g', -1, 64)
		}
		out.Write(append(line, '\n'))
	}
	fmt.Fprintf(out, csvTail, info.Seconds, info.Seconds)
	return out.Flush()
}

// The comments that cmdstanpy 1.3 needs: without those of the head and the bare # at the end it refuses the file.
const (
	csvHead = `# model = %s
# method = sample
#   sample
#     num_samples = %d
#     num_warmup = %d
#     save_warmup = 0
#     thin = 1 (Default)
#     algorithm = fixed_param
# written by vflc: independent draws of %s
`
	csvTail = `# 
#  Elapsed Time: 0 seconds (Warm-up)
#                %g seconds (Sampling)
#                %g seconds (Total)
# 
`
)

// stanNames are the columns' names in a Stan CSV header. A member or component becomes part of the name, hospital[4].beta[1] ↦ hospital_4_beta.1,
// because readers take what follows the first point for indices. A name that this gives twice gets a trailing underscore.
func stanNames(vars []Variable) []string {
	notName := regexp.MustCompile(`[^A-Za-z0-9_]+`)
	taken := map[string]bool{}
	var out []string
	for _, v := range vars {
		base := strings.Trim(notName.ReplaceAllString(v.Name, "_"), "_")
		for taken[base] {
			base += "_"
		}
		taken[base] = true
		for k := range v.Len() {
			out = append(out, base+subscript(v.index(k), ".", ".", ""))
		}
	}
	return out
}

// An ELBOPoint is one evaluation of the evidence lower bound during a fit, in nats.
type ELBOPoint struct {
	Iteration int
	Value, SE float64
}

// WriteELBO writes the course of a fit as CSV with the columns iteration, elbo, se.
func WriteELBO(w io.Writer, trace []ELBOPoint) error {
	out := bufio.NewWriter(w)
	out.WriteString("iteration,elbo,se\n")
	for _, p := range trace {
		fmt.Fprintf(out, "%d,%v,%v\n", p.Iteration, p.Value, p.SE)
	}
	return out.Flush()
}
