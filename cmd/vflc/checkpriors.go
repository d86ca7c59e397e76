package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
)

// impliedDraws is how often parameters are drawn from their priors.
const impliedDraws = 200

// checkImplied says what priors imply for the responses of a model with its tables, and which columns are
// nearly combinations of others.
func (t *tableFlags) checkImplied(cmd *cobra.Command, path string, f modelFlags) error {
	b, sources, diags, err := pooled(cmd, path, f, t.data, &t.joinFlags)
	if err := settled(cmd, diags, err); err != nil {
		return err
	}
	implied, diags, err := fit.ImpliedBy(cmd.Context(), b, sources, impliedDraws, 1)
	if err == nil && !diags.HasErrors() {
		diags = append(diags, lower.Collinear(b.Checked, b.Values)...)
		err = writeImplied(cmd.OutOrStdout(), implied)
	}
	return settled(cmd, diags, err)
}

// writeImplied prints quantiles and histograms.
func writeImplied(w io.Writer, implied []fit.Implied) error {
	rows := [][]string{{"response", "priors imply"}}
	for _, p := range fit.ImpliedAt() {
		rows[0] = append(rows[0], fmt.Sprintf("%g%%", 100*p))
	}
	rows[0] = append(rows[0], "data")
	for _, p := range implied {
		line := []string{p.Response, p.Of}
		for _, q := range p.Quantiles {
			line = append(line, fourDigits(q))
		}
		rows = append(rows, append(line, fourDigits(p.Least)+" … "+fourDigits(p.Most)))
	}
	var b strings.Builder
	b.WriteString("\n" + posterior.AlignLeft(rows))
	for _, p := range implied {
		view := plot.RunView{Name: p.Of + " that the priors imply"}
		last := len(p.Quantiles) - 1
		decades := p.Quantiles[0] > 0 && p.Quantiles[last] > mostDecades*p.Quantiles[0] && p.Of != "probabilities"
		if decades {
			view.Name += ", as powers of 10"
		}
		view.Draws = middleOf(&p, decades)
		f, err := plot.Make("histogram", []plot.RunView{view}, nil)
		if err != nil {
			return err
		}
		b.WriteString("\n" + f.Text(plot.Canvas{Width: 80}))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mostDecades is how many times larger than the least value the largest may be where values are shown as
// they are.
const mostDecades = 1000

// middleOf are the values between the outer quantiles, or their logarithms, as draws of one number.
func middleOf(p *fit.Implied, decades bool) *posterior.Draws {
	d := posterior.NewDraws([]posterior.Variable{{Name: p.Response}}, 1, len(p.Values))
	for _, v := range p.Values {
		if v >= p.Quantiles[0] && v <= p.Quantiles[len(p.Quantiles)-1] {
			if decades {
				v = portable.Log10(v)
			}
			d.Append(0, []float64{v})
		}
	}
	return d
}
