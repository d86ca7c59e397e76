package attack

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A server of a run across machines cannot repeat the run, and knows no truth. Where it is to record, its
// Recorder keeps more: what crosses without noise, and of each client whose contributions have masks the same
// sums of the words under the masks as of any other sequence. What can be found in a recording is then
// reported without a comparison.

// Vectors without noise are kept once a chain has left its starting point, and not one after another.
const (
	leaving     = 100
	spacing     = 8
	mostVectors = 256
)

// NewRecording returns the recorder of a server that is to keep what it receives.
func NewRecording(plan *model.Plan) *Recorder { return newRecorder(plan, true) }

// newBlind is the view of what a member of a masked sum sends: words that are uniformly distributed.
func newBlind(plan *model.Plan, of source, picks []int) *view {
	of.rho, of.receiver = 0, -1
	v := newView(plan, of, picks)
	v.blind = true
	return v
}

// Masked implements session.MaskWatcher.
func (r *Recorder) Masked(words [][][]float64) { r.words = words }

// contribution is what a view has of an evaluation or a relay; nil where it is not there.
func (r *Recorder) contribution(v *view, z [][][]float64, total [][]float64) []float64 {
	switch g := v.of.group; {
	case v.blind:
		if g < len(r.words) && v.of.member < len(r.words[g]) && len(r.words[g][v.of.member]) > 0 {
			return r.words[g][v.of.member]
		}
		return nil
	case len(v.covers) > 1:
		return total[g]
	default:
		return z[g][v.of.member]
	}
}

// keep keeps the newest evaluation of a cut that crosses itself.
func (r *Recorder) keep(v *view) {
	if !r.recording || !r.plan.Exact || v.blind || v.members != nil || r.window >= 0 || r.rounds < leaving ||
		r.rounds%spacing != 0 || v.relayed {
		return
	}
	v.keepVector(v.v)
}

func (v *view) keepVector(values []float64) {
	if all := vec.Dot(len(values), values, values); len(v.vectors) < mostVectors && all-all == 0 {
		v.vectors = append(v.vectors, slices.Clone(values))
	}
}

// keepDraws keeps cuts at draws, which cross in the end of a fit: of draws every second, since the others are
// their reflections in the mean, which is the first.
func (r *Recorder) keepDraws(v *view, x *density.Exchange, columns int, cuts []float64) {
	n, every := len(cuts)/max(1, columns), 2
	final, shown := AtFinalDraws(x), x.Up.Shows(r.here())
	if shown == density.CutAtPriorDraws { // independent ones
		final, every = true, 1
	}
	switch vectors := shown == density.CutThenVector; {
	case !r.recording || !final && (!vectors || v.drawn):
		return
	case vectors:
		columns -= 2
	}
	if !final || r.latest != x { // else it is a further piece
		v.vectors = nil
	}
	v.relayed, v.drawn = true, v.drawn || final
	one := make([]float64, len(v.picks))
	for at := 0; at < columns; at += min(every, 1+at%2) {
		for k, e := range v.picks {
			one[k] = cuts[at*n+e]
		}
		v.keepVector(one)
	}
}

// clear are the vectors without noise, no more of them than show their span; of a sum, the sums of those of
// its members.
func (v *view) clear() (out [][]float64) {
	for m, one := range v.each() {
		for k, vector := range one.vectors {
			if m == 0 {
				out = append(out, slices.Clone(vector))
			} else if k < len(out) {
				vec.Accumulate(len(vector), out[k], vector)
			}
		}
	}
	for k := 32; k < len(out); k *= 2 {
		if Spanned(out[:k]) {
			return out[:k]
		}
	}
	return out
}

func (v *view) vectorsState(c *backends.Codec) {
	n := len(v.vectors)
	c.Ints(&n)
	c.Bool(&v.relayed)
	c.Bool(&v.drawn)
	if n < 0 || n > mostVectors {
		c.Fail(fmt.Errorf("%d vectors were kept", n))
		return
	}
	for len(v.vectors) < n {
		v.vectors = append(v.vectors, make([]float64, len(v.picks)))
	}
	for _, vector := range v.vectors {
		c.Floats(vector)
	}
}

// An outline is what of a plan a recording is read with.
type outline struct {
	Names   []string        `json:"names"`
	Groups  []model.Group   `json:"groups"`
	Cuts    [][]density.Cut `json:"cuts"` // by party
	Power   bool            `json:"power,omitempty"`
	Exact   bool            `json:"exact,omitempty"`
	Wire    model.Wire      `json:"wire"`
	Windows [][]int         `json:"windows,omitempty"`
}

func outlineOf(p *model.Plan) (o outline) {
	o = outline{Names: p.Names, Groups: p.Groups, Power: p.AtClients, Exact: p.Exact, Wire: p.Wire}
	for _, s := range p.Parties {
		o.Cuts = append(o.Cuts, s.Cuts)
	}
	for _, w := range p.Windows {
		o.Windows = append(o.Windows, w.Rows)
	}
	return o
}

// plan is what a Recorder needs of the plan. The error says what does not fit.
func (o outline) plan() (*model.Plan, error) {
	p := &model.Plan{Names: o.Names, Groups: o.Groups, AtClients: o.Power, Exact: o.Exact, Wire: o.Wire}
	if len(o.Cuts) != len(o.Names) {
		return nil, fmt.Errorf("it has cuts of %d parties, and %d parties", len(o.Cuts), len(o.Names))
	}
	for _, cuts := range o.Cuts {
		p.Parties = append(p.Parties, &model.Spec{Cuts: cuts})
	}
	for _, g := range o.Groups {
		if g.Len < 0 || g.Len > mostRecorded || len(g.Members) == 0 {
			return nil, fmt.Errorf("its sum %s is none", g.Name)
		}
		for _, m := range g.Members {
			if m.Party < 0 || m.Party >= len(o.Cuts) || m.Index < 0 || m.Index >= len(o.Cuts[m.Party]) ||
				o.Cuts[m.Party][m.Index].Rows < 1 {
				return nil, fmt.Errorf("its sum %s has a member that is none", g.Name)
			}
		}
	}
	for _, rows := range o.Windows {
		p.Windows = append(p.Windows, model.Window{Rows: rows})
	}
	return p, nil
}

// mostRecorded bounds what a damaged file can make ReadRecording allocate.
const mostRecorded = 1 << 30

const recordingHeading = "vflc recording of a server 1"

// WriteRecording writes the recorders of the chains of a run with what is needed to read them.
func WriteRecording(w io.Writer, chains []*Recorder) error {
	o := outlineOf(chains[0].plan)
	if _, err := o.plan(); err != nil {
		return err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	n := len(chains)
	if err := backends.SaveState(w, recordingHeading, func(c *backends.Codec) {
		c.Bytes(&text)
		carryChains(c, &n)
	}); err != nil {
		return err
	}
	for _, r := range chains {
		if err := r.Save(w); err != nil {
			return err
		}
	}
	return nil
}

// ReadRecording reads what WriteRecording wrote.
func ReadRecording(in *bufio.Reader) (out []*Recorder, err error) {
	var text []byte
	n := 0
	if err := backends.LoadState(in, recordingHeading, func(c *backends.Codec) {
		c.Bytes(&text)
		carryChains(c, &n)
	}); err != nil {
		return nil, err
	}
	var o outline
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, err
	}
	plan, err := o.plan()
	if err != nil {
		return nil, err
	}
	for range n {
		r := NewRecording(plan)
		if err := r.Load(in); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// A RecordedCut is what a recording shows of what one client sent, or of a sum.
type RecordedCut struct {
	Name     string   `json:"name"`    // of the sum
	Parties  []string `json:"parties"` // whose contributions it is of
	Masked   bool     `json:"masked"`  // words under masks, which are uniformly distributed
	Rho      float64  `json:"rho"`     // sd of the noise
	Rounds   int      `json:"rounds"`
	Iterates int      `json:"iterates"`
	Draws    int      `json:"draws"` // at which the cut itself crossed
	Elements int      `json:"elements"`
	// the elements that Mean is of, from 1; all where it is not there
	Followed []int `json:"followed,omitempty"`
	// Mean is the reconstruction of the mean of the cut, element by element: of z − ρ²·adjoint, or of the cut
	// itself.
	Mean []posterior.Number `json:"mean"`
	SD   posterior.Number   `json:"sd"` // of it, over the elements
	// Agreement is the correlation of that mean in two parts of the run: near 1 where it is of something that
	// stays, about 0 ± 1/√elements for noise. Null where there are too few rounds.
	Agreement posterior.Number `json:"agreement"`
	// principal components that stand out of noise, of length 1
	Directions [][]posterior.Number `json:"directions"`
	Known      bool                 `json:"known"`  // there was enough to look for directions
	Groups     int                  `json:"groups"` // groups of rows that separate; 0 where they do not
	// rows, from 1, with the rarer value of what looks like a column of two values
	Columns [][]int `json:"columns"`
}

// Find reports what the recorders of the chains of a run hold, without knowing the truth.
func Find(chains []*Recorder) (out []RecordedCut) {
	plan := chains[0].plan
	for k, v := range chains[0].views {
		e := &evidence{fits: chains[0].fits, center: make([]float64, len(v.picks))}
		for _, r := range chains {
			e.views, e.rounds = append(e.views, r.views[k]), append(e.rounds, r.rounds)
		}
		f := RecordedCut{Name: plan.Groups[v.of.group].Name, Masked: v.blind,
			Elements: plan.Groups[v.of.group].Len, Columns: [][]int{}, Directions: [][]posterior.Number{}}
		if len(v.picks) < f.Elements {
			for _, p := range v.picks {
				f.Followed = append(f.Followed, p+1)
			}
		}
		squares := 0.0
		for _, of := range v.covers {
			f.Parties = append(f.Parties, plan.Names[plan.Groups[of.group].Members[of.member].Party])
			squares += float64(of.rho * of.rho)
		}
		f.Rho = math.Sqrt(squares)
		e.find(&f)
		out = append(out, f)
	}
	return out
}

// find fills in what was found.
func (e *evidence) find(f *RecordedCut) {
	var mean []float64
	var c components
	f.Iterates, f.Draws = e.fits, e.views[0].each()[0].bare.draws
	bare := e.views[0].clear()
	f.Agreement = posterior.NotApplicable()
	switch {
	case slices.Max(e.rounds) == 0:
		mean = e.newest()
		f.Agreement = halves(bare)
	default:
		mean, c = e.late(), e.components()
		f.Agreement = e.agreement()
		for _, n := range e.rounds {
			f.Rounds += n
		}
	}
	if len(bare) > 0 && !f.Masked {
		if k := spanned(bare); k.known {
			c = k
		}
	}
	f.Known = c.known
	for _, d := range c.directions {
		f.Directions = append(f.Directions, numbers(d))
	}
	// the draws from the prior do not tell it
	if f.Mean, f.SD = numbers(mean), posterior.Number(spread(mean)); f.Rounds+f.Iterates == 0 {
		for i := range f.Mean {
			f.Mean[i] = posterior.NotApplicable()
		}
		f.SD, f.Agreement = posterior.NotApplicable(), posterior.NotApplicable()
	}
	// along a line, noise alone has gaps
	if !slices.ContainsFunc(mean, math.IsNaN) && len(mean) > 3 && len(c.scores) > 0 {
		f.Groups = crowds(separate(e.features(mean, c)))
	}
	basis, elements := span(bare)
	if f.Masked || basis == nil {
		basis, elements = c.noisySpan(mean), spaced(len(mean), len(mean))
	}
	if len(basis) == 0 || len(elements) < fewestRows*len(basis) {
		return
	}
	f.Columns = rowsOf(basis, pickInts(e.views[0].picks, elements))
}

func numbers(v []float64) []posterior.Number {
	out := make([]posterior.Number, len(v))
	for k, x := range v {
		out[k] = posterior.Number(x)
	}
	return out
}

// agreement is the correlation of the means between the last three snapshots that all chains have.
func (e *evidence) agreement() posterior.Number {
	last := -1
	for k := 0; k < mostSnapshots && 1<<k <= slices.Min(e.rounds); k++ {
		last = k
	}
	if last < 2 {
		return posterior.NotApplicable()
	}
	between := func(k int) []float64 {
		return e.mean(func(v *view, _ int) (first, last snapshot) { return v.snapshots[k-1], v.snapshots[k] })
	}
	return correlation(between(last), between(last-1))
}

// halves is the correlation of the means of two halves of some vectors.
func halves(vectors [][]float64) posterior.Number {
	if len(vectors) < 4 {
		return posterior.NotApplicable()
	}
	var means [2][]float64
	for k := range means {
		means[k] = make([]float64, len(vectors[0]))
	}
	for k, v := range vectors {
		vec.Accumulate(len(v), means[k%2], v)
	}
	return correlation(means[0], means[1])
}

func correlation(a, b []float64) posterior.Number {
	if len(a) < 3 || slices.ContainsFunc(a, math.IsNaN) || slices.ContainsFunc(b, math.IsNaN) ||
		spread(a) == 0 || spread(b) == 0 {
		return posterior.NotApplicable()
	}
	return posterior.Number(stat.Correlation(a, b, nil))
}

// crowds is the number of groups of several rows where nearly all rows are in one of them, and not in one
// alone; else 0.
func crowds(partition []int) (n int) {
	size := make([]int, groupsOf(partition))
	for _, g := range partition {
		size[g]++
	}
	together := 0
	for _, s := range size {
		if s > 1 {
			together += s
			n++
		}
	}
	const nearly = 0.9
	if all := float64(len(partition)); n < 2 || float64(together) < nearly*all ||
		float64(slices.Max(size)) > nearly*all {
		return 0
	}
	return n
}

// A Recorded is the report of an attack on what a server has recorded.
type Recorded struct {
	Schema    int           `json:"schema"`
	Model     string        `json:"model"`
	Backend   string        `json:"backend"`
	Transform string        `json:"transform"`
	Findings  []RecordedCut `json:"findings"`
	Separated []Separation  `json:"separated"`
	Notes     []string      `json:"notes"`
}

// shownRows is how many rows of a column are written out.
const shownRows = 12

// WriteText writes the report as tables: what single clients sent and the sums, then the columns that were
// found.
func (r *Recorded) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b,
		"model %s, transform %s, backend %s: reconstruction from what the server has recorded "+
			"(vflc serve --record)\n\n", r.Model, r.Transform, r.Backend)
	lines := [][]string{{"sum", "party", "received", "rho", "rounds", "agreement", "sd", "directions",
		"groups", "columns of two values"}}
	names := ""
	for _, f := range r.Findings {
		received := "values"
		switch {
		case f.Masked:
			received = "under masks"
		case len(f.Parties) > 1:
			received = "sum"
		}
		rounds := f.Rounds
		if rounds == 0 {
			rounds = f.Iterates
		}
		directions, groups := "-", "-"
		if f.Known {
			directions = fmt.Sprint(len(f.Directions))
		}
		if f.Groups > 0 {
			groups = fmt.Sprint(f.Groups)
		}
		lines = append(lines, []string{f.Name, listed(f.Parties), received, fmt.Sprintf("%.3g", f.Rho),
			fmt.Sprint(rounds), digits(f.Agreement, "%.4f"), digits(f.SD, "%.3g"), directions, groups,
			fmt.Sprint(len(f.Columns))})
		for k, rows := range f.Columns {
			if k == mostNames {
				names += fmt.Sprintf("%s of %s: … %d more (--json lists them)\n", f.Name, listed(f.Parties),
					len(f.Columns)-mostNames)
				break
			}
			texts := []string{}
			for _, row := range rows[:min(shownRows, len(rows))] {
				texts = append(texts, fmt.Sprint(row))
			}
			if len(rows) > shownRows {
				texts = append(texts, "…")
			}
			names += fmt.Sprintf("%s of %s, column %d: %d rows have the rarer value: %s\n", f.Name,
				listed(f.Parties), k+1, len(rows), strings.Join(texts, ", "))
		}
	}
	b.WriteString(posterior.AlignLeft(lines))
	if names != "" {
		b.WriteString("\nRows of the columns of two values that were found\n" + names)
	}
	separationText(&b, r.Separated, false)
	b.WriteString(recordedLegend)
	for _, n := range r.Notes {
		b.WriteString("\n" + n + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const recordedLegend = `
The server does not know the truth, so nothing is compared with it. agreement: correlation over rows of the reconstructed mean of a cut in two parts of the run: near 1 where it is
of something that stays, about 1/√rows where it is noise. sd: of that mean over rows; of words under masks in units of their range. directions: principal components that stand out of
the noise, or of what crossed without any. groups: groups of rows that separate; a dash where none do. columns of two values: what looks like a column, or a category, in their span;
rows are numbered from 1 in the order of their sorted identifiers (whole numbers by value, others by bytes), or of the tables where rows are joined by --key none. --json has the reconstructed means.
`
