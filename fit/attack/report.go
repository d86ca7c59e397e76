package attack

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/vflc/vflc/posterior"
)

// An Assessment is the outcome of an attack on one run.
type Assessment struct {
	Schema    int    `json:"schema"`
	Model     string `json:"model"`
	Backend   string `json:"backend"`
	Transform string `json:"transform"`
	// the folder did not hold what the server received: the run was repeated from its seed
	Repeated bool `json:"repeated"`
	// each client's own first, then the sums of several, sum by sum
	Cuts      []Reconstruction `json:"cuts"`
	Separated []Separation     `json:"separated"` // sums over clients
	Notes     []string         `json:"notes"`
}

// WriteText writes the report as tables: the cuts of single clients, the sums of several, the progress over
// rounds, and what the columns mean.
func (r *Assessment) WriteText(w io.Writer) error {
	var b strings.Builder
	from := "kept by the run"
	if r.Repeated {
		from = "from repeating the run"
	}
	fmt.Fprintf(&b, "model %s, transform %s, backend %s: reconstruction from what the server received (%s)\n",
		r.Model, r.Transform, r.Backend, from)
	r.table(&b, "\nThe cut of each client\n", false)
	r.table(&b, "\nSums over clients, which the server receives under masks too\n", true)
	r.bare(&b)
	r.columns(&b)
	separationText(&b, r.Separated, true)
	b.WriteString("\nCorrelation with the true cut, from the second half of so many rounds\n")
	b.WriteString(posterior.AlignLeft(r.progress()))
	b.WriteString(legend)
	for _, n := range r.Notes {
		b.WriteString("\n" + n + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const legend = `
correlation, residual sd: over rows, of the mean of z - rho²·adjoint over the later rounds with the mean of the true cut over the run's draws.
rounds: evaluations; in a fit by quadrature iterations, of which the newest alone counts.
directions: principal components of z - rho²·adjoint that stand out of the noise, or of what crossed without any; span: the share of the posterior variance of the true cut
that they hold. groups: how many groups of rows separate / how many share their cut, and the adjusted Rand index of the two (1: the same).
receivers: the server has every z, or under masks their sum; a client has the sum where it is sent it, or where it holds the response and solves the adjoint for the
sum (up to what the server adds), and takes its own share away.
rows solved: where the adjoint, as a function of the cut, has one solution; likelihoods with several predictors a row are not tried.
columns of two values: private columns and categories of factors, found in the span of the components or of what crossed without noise;
claimed: all that looked like one, such as unions of categories too.
A dash: not known from so few rounds or from single windows of rows, or no two rows share their cut.
`

func (r *Assessment) table(b *strings.Builder, title string, sums bool) {
	lines := [][]string{{"cut", "party", "receivers", "rho", "rounds", "correlation", "residual sd",
		"sd of cut", "directions", "span", "groups"}}
	followed := ""
	for _, c := range r.Cuts {
		if c.Sum != sums {
			continue
		}
		if c.Followed < c.Elements {
			followed = fmt.Sprintf("Figures are of %d of %d rows, evenly spaced.\n", c.Followed, c.Elements)
		}
		lines = append(lines, []string{
			c.Name, listed(c.Parties), listed(c.Receivers), fmt.Sprintf("%.3g", c.Rho), fmt.Sprint(c.seen()),
			digits(c.Correlation, "%.6f"),
			digits(c.ResidualSD, "%.2g"), digits(c.CutSD, "%.3g"), c.found(), digits(c.Span, "%.3f"),
			c.Groups.String(),
		})
	}
	if len(lines) > 1 {
		b.WriteString(title + posterior.AlignLeft(lines) + followed)
	}
}

// bare writes what one evaluation shows without noise.
func (r *Assessment) bare(b *strings.Builder) {
	lines := [][]string{{"cut", "party", "receivers", "rows solved", "correlation", "residual sd"}}
	for _, c := range r.Cuts {
		if i := c.Inversion; i != nil {
			lines = append(lines, []string{
				c.Name, listed(c.Parties), listed(c.Receivers), fmt.Sprintf("%d of %d", i.Solved, i.Of),
				digits(i.Correlation, "%.6f"), digits(i.ResidualSD, "%.2g"),
			})
		}
	}
	if len(lines) > 1 {
		b.WriteString("\nWithout noise, from one evaluation alone, whatever rho\n" +
			posterior.AlignLeft(lines))
	}
}

// columns writes which columns of two values were found.
func (r *Assessment) columns(b *strings.Builder) {
	lines, names := [][]string{{"cut", "party", "columns", "of two values", "found", "claimed",
		"categories of factors"}}, ""
	for _, c := range r.Cuts {
		k := c.Columns
		if k == nil {
			continue
		}
		factors := "-"
		for i, f := range k.Factors {
			if text := f.Name + " " + f.String(); i == 0 {
				factors = text
			} else {
				factors += "; " + text
			}
		}
		lines = append(lines, []string{c.Name, listed(c.Parties), fmt.Sprint(k.All), fmt.Sprint(k.TwoValued),
			fmt.Sprint(len(k.Found)), fmt.Sprint(k.Claimed), factors})
		if len(k.Found) > 0 {
			names += fmt.Sprintf("%s of %s: %d of %d columns found exactly: %s\n", c.Name, listed(c.Parties),
				len(k.Found), k.All, strings.Join(first(k.Found), ", "))
		}
	}
	if len(lines) > 1 {
		b.WriteString("\nColumns of two values in the span of what was received\n" +
			posterior.AlignLeft(lines) + names)
	}
}

// mostNames is how many names are written out.
const mostNames = 12

func first(names []string) []string {
	if len(names) > mostNames {
		return append(names[:mostNames:mostNames], fmt.Sprintf("… (%d more)", len(names)-mostNames))
	}
	return names
}

// seen is the number of rounds that the figures are of.
func (r *Reconstruction) seen() int {
	if r.Rounds == 0 {
		return r.Iterates
	}
	return r.Rounds
}

// found is the number of directions, where it is known.
func (r *Reconstruction) found() string {
	if math.IsNaN(float64(r.Span)) {
		return "-"
	}
	return fmt.Sprint(r.Directions)
}

// String is how many groups separate, of how many there are, and how well they agree.
func (g *Groups) String() string {
	if g == nil {
		return "-"
	}
	return fmt.Sprintf("%d/%d (%s)", g.Found, g.True, digits(g.Rand, "%.3f"))
}

// widest is the longest list of parties that is written out.
const widest = 3

func listed(names []string) string {
	if len(names) > widest {
		return fmt.Sprintf("%s … %s (%d)", names[0], names[len(names)-1], len(names))
	}
	return strings.Join(names, ", ")
}

func digits(v posterior.Number, format string) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return fmt.Sprintf(format, float64(v))
}

// shownRounds is how many columns the table of progress has at most: the last ones of every second power of
// two.
const shownRounds = 8

func (r *Assessment) progress() [][]string {
	var lines [][]string
	for _, c := range r.Cuts {
		var picked []Interim
		for k := len(c.Progress) - 1; k >= 0 && len(picked) < shownRounds; k -= 2 {
			picked = append([]Interim{c.Progress[k]}, picked...)
		}
		if lines == nil {
			head := []string{"cut", "party"}
			for _, p := range picked {
				head = append(head, fmt.Sprint(p.Rounds))
			}
			lines = append(lines, head)
		}
		line := []string{c.Name, listed(c.Parties)}
		for _, p := range picked {
			line = append(line, digits(p.Correlation, "%.4f"))
		}
		lines = append(lines, line)
	}
	return lines
}
