package fit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// A PredictionRequest says what is predicted, and how much of it.
type PredictionRequest struct {
	Data []string // as --data names tables; none: those of the run
	Key  string   // the column that joins their rows; "": as in the run
	// Intersect keeps the rows that all tables have, for PredictBound: a run has it in its record.
	Intersect bool
	Draws     int // of the run to use, at even distances; 0: all of them
	Seed      uint64
	// Sources are the tables, in place of Data. With Scored they have the responses too, and the log density
	// of each is computed.
	Sources data.Sources
	Scored  bool
	// Replicates summarises draws of the responses, in place of expectations, in the documents of the
	// predictions.
	Replicates bool
	// NewLevels draws the parameters of categories that the run did not see from their priors; else these are
	// an error.
	NewLevels bool
	// Linear predicts linear predictors in place of expectations, and Expectations keeps them at each draw of
	// the run also for continuous responses.
	Linear, Expectations bool
	// Centred are group effects (compile.Model.GroupEffects) that are held at the location of their prior.
	Centred []string
	// Wire is how clients write what is added up; Predict takes that of the run.
	Wire model.Wire
	// PerParty runs a goroutine for each party, which exchange messages; the result is the same, bit for bit.
	PerParty bool
}

// Predictions are what the draws of a run say of new rows.
type Predictions struct {
	Model     *compile.Prediction
	Key       string   // the column that names the rows; "": their numbers do
	Keys      []string // of the rows; nil: numbers from 1
	Draws     int
	Responses []PredictedResponse
	NewLevels map[string]int // categories that the run did not see, by the size that counts them
	recipes   map[string][]data.Recipe
	Work      density.Work // what crossed between the parties, or would
	// Replicates: documents and files are of draws of all responses, also where there are expectations.
	Replicates bool
	all        bool // expectations of continuous responses are kept too
}

// A PredictedResponse is the prediction of one response. Arrays by element have the first index fastest.
type PredictedResponse struct {
	Name, Owner string
	Shape       []int
	Categories  []string  // of a response that is a category
	Mean        []float64 // by element: the expectation, averaged over the draws
	// by element: a draw of the response for each draw of the run; of a generated quantity its value there
	Draws [][]float64
	// Expected is the expectation at each draw of the run, by element, and by category where the response is
	// one: element fastest. It is nil where none is written, and for responses that are neither whole numbers
	// nor categories.
	Expected [][]float64
	Observed []float64 // what the new rows have, where predictions are scored
	// by element: the log density of what was observed at each draw, where that is wanted
	Scores [][]float64
	// What the model says of it: a category, of ordered ones, a whole number; a generated quantity, which is
	// no response.
	Level, Ordered, Discrete, Quantity bool
	// by draw: the expectation, where one is written, as it was computed
	expected [][]float64
	kinds    int // categories
}

// Predict draws the responses of new rows at the draws of a run, across its parties: each client evaluates
// its cuts for the new rows, and the server the rest. It holds all parties' draws in one process. The error
// holds diagnostics (data.Errors) where the new tables do not fit.
func Predict(ctx context.Context, r *posterior.Run, q PredictionRequest) (*Predictions, diag.List, error) {
	m, diags, err := Recompile(r)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	recipes, err := recipesOf(r.Path)
	if err != nil {
		return nil, nil, err
	}
	if q.Data == nil {
		q.Data = RecordedData(r.Record)
	}
	q.Wire = WireOf(r.Record)
	return predicted(ctx, m, recipes, r.Draws, data.Joining{Key: cmp.Or(q.Key, r.Record.Key),
		Intersect: r.Record.Intersect}, q)
}

// PredictBound is Predict for a fit in memory, whose model has its data.
func PredictBound(ctx context.Context, b *compile.BoundModel, d *posterior.Draws,
	q PredictionRequest) (*Predictions, diag.List, error) {
	recipes, join := map[string][]data.Recipe{}, data.Joining{Key: q.Key, Intersect: q.Intersect}
	for party, values := range b.Values {
		recipes[party] = recipesIn(values)
	}
	if b.Data != nil && len(b.Data.Joins) > 0 {
		join.Key = cmp.Or(q.Key, b.Data.Joins[0].Key)
	}
	return predicted(ctx, b.Model, recipes, d, join, q)
}

// predicted predicts from a model, the encoders that its data were read with, and draws.
func predicted(ctx context.Context, m *compile.Model, recipes map[string][]data.Recipe, d *posterior.Draws,
	join data.Joining, q PredictionRequest) (*Predictions, diag.List, error) {
	written := func() (*compile.Prediction, diag.List, error) { return m.Prediction(q.Scored) }
	if q.Linear {
		written = m.Predictors
	}
	p, diags, err := written()
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	out := &Predictions{Model: p, recipes: recipes, NewLevels: map[string]int{}, Replicates: q.Replicates,
		all: q.Expectations}
	b, keys, diags, err := out.bind(m, d, join, q)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	if err := out.draw(ctx, d, b, q); err != nil {
		return nil, diags, err
	}
	if shape := out.Responses[0].Shape; len(shape) > 0 {
		out.Key, out.Keys = keys.name[shape[0]], keys.keys[shape[0]]
	}
	return out, diags, nil
}

// PredictionAudit lists what each party learns from another when new rows are predicted; nil for a model that
// pools.
func PredictionAudit(r *posterior.Run) ([]compile.Disclosure, diag.List, error) {
	m, diags, err := Recompile(r)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	p, diags, err := m.Prediction(false)
	if err != nil || diags.HasErrors() || p.Pooled() {
		return nil, diags, err
	}
	bundle, diags := p.Bundle()
	if diags.HasErrors() {
		return nil, diags, nil
	}
	return bundle.Audit(inEveryRun, WireOf(r.Record)), nil, nil
}

// rowKeys are the keys of rows and the name of their column, by the number of rows.
type rowKeys struct {
	name map[int]string
	keys map[int][]string
}

// bind gives the model of a prediction the new rows, with the encoders of the run. fitted is the model of the
// run.
func (p *Predictions) bind(fitted *compile.Model, draws *posterior.Draws, join data.Joining,
	q PredictionRequest) (*compile.BoundModel, rowKeys, diag.List, error) {
	none := rowKeys{}
	m := p.Model
	sources := q.Sources
	if sources == nil {
		var err error
		if sources, err = data.Named(m.Parties(), q.Data); err != nil {
			return nil, none, nil, err
		}
	}
	members := map[string]int{}
	for _, k := range m.Checked.Clients {
		if k.Family {
			members[k.Name] = sources.Members(k.Name)
		}
	}
	wants := lower.Wants(m.Checked)
	sizes := sizesOf(m.Checked, draws)
	for i := range wants {
		if n, ok := sizes[wants[i].Level.Name]; ok && wants[i].Elem == types.Level && !wants[i].Level.Own {
			wants[i].Levels = n
		}
	}
	d, diags := data.Load(sources, wants, join)
	if diags.HasErrors() {
		return nil, none, diags, nil
	}
	unseen := d.Fresh(wants, p.recipes, sizes)
	var known map[string]data.Fresh
	if q.NewLevels {
		known = unseen
	}
	for _, size := range slices.Sorted(maps.Keys(known)) {
		diags = append(diags, fitted.NewLevels(size)...)
		p.NewLevels[size], sizes[size] = known[size].Count-sizes[size], known[size].Count
	}
	if diags.HasErrors() {
		return nil, none, diags, nil
	}
	values, found := d.Apply(wants, p.recipes, known)
	if diags = append(diags, found...); diags.HasErrors() {
		if len(unseen) > 0 && !q.NewLevels {
			wayOut(diags, unseen)
		}
		return nil, none, diags, nil
	}
	var owners []string // of what the predictions are computed from
	for _, w := range wants {
		if w.Rank > 0 && w.Owner != data.OwnerShared {
			owners = append(owners, w.Owner)
		}
	}
	keys := rowKeys{map[int]string{}, map[int][]string{}}
	for _, bindings := range values {
		for _, v := range bindings {
			if len(v.Dims) > 0 && keys.keys[v.Dims[0]] == nil {
				keys.name[v.Dims[0]], keys.keys[v.Dims[0]] = d.RowKeys(v.Dims[0], owners...)
			}
		}
	}
	b, found, err := compile.BindNew(m.Model, d, values, members, sizes)
	return b, keys, append(diags, found...), err
}

// recipesOf reads the fitted encoders of all parties from the folder of a run.
func recipesOf(dir string) (map[string][]data.Recipe, error) {
	files, err := filepath.Glob(filepath.Join(dir, posterior.PartiesDir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no encoders (%s): it is not the whole folder of a run", dir,
			posterior.PartiesDir)
	}
	out := map[string][]data.Recipe{}
	for _, file := range files {
		var p struct {
			Party string        `json:"party"`
			Data  []data.Recipe `json:"data"`
		}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out[p.Party] = p.Data
	}
	return out, nil
}

// sizesOf are the sizes that the parameters of a run have, as far as all parties have them in common.
func sizesOf(p *check.Program, d *posterior.Draws) map[string]int {
	out := map[string]int{}
	for _, s := range p.Order {
		k := slices.IndexFunc(d.Vars, func(v posterior.Variable) bool { return v.Name == s.Name })
		if s.Kind != check.Param || s.Family || k < 0 || len(d.Vars[k].Dims) != len(s.Type.Dims) {
			continue
		}
		for i, size := range s.Type.Dims {
			names := size.Names()
			if len(names) != 1 || p.Sizes[names[0]] == nil || p.Sizes[names[0]].Member != "" {
				continue
			}
			for n := range d.Vars[k].Dims[i] + mostOffset { // K of K - 1
				got, err := size.Eval(func(string) (int, bool) { return n, true })
				if err == nil && got == d.Vars[k].Dims[i] {
					out[names[0]] = n
					break
				}
			}
		}
	}
	return out
}

// mostOffset is the largest number that a size of a parameter may have added to a name.
const mostOffset = 1000

// draw evaluates the model at every draw that is used.
func (p *Predictions) draw(ctx context.Context, d *posterior.Draws, b *compile.BoundModel,
	q PredictionRequest) error {
	every := everyOf(d, q.Draws)
	var grown *newLevels
	if len(p.NewLevels)+len(q.Centred) > 0 {
		var diags diag.List
		if grown, diags = grow(b, d, q.Seed, q.Centred); diags.HasErrors() {
			return data.Errors(diags)
		}
	}
	if grown != nil {
		if err := grown.draw(d, every); err != nil {
			return err
		}
	}
	columns, err := columnsOfParties(b, d, grown)
	if err != nil {
		return err
	}
	if err := p.prepare(b, d, every); err != nil {
		return err
	}
	mode := session.OneLoop
	if q.PerParty {
		mode = session.PerParty
	}
	works := make([]density.Work, len(b.Plan.Names))
	err = session.Run(ctx, b.Plan.On(q.Wire), mode, q.Seed, func(ctx context.Context, env density.Env) error {
		for c := range d.Chains() {
			if err := p.chain(ctx, density.Chain(env, c+1), d, columns,
				used{chain: c, every: every, shares: 1}); err != nil {
				return err
			}
		}
		works[env.Blocks()[0].Index()] = *env.Work()
		return nil
	})
	p.Work = works[0]
	p.finish()
	return err
}

// An origin gives an element of a party's parameter at each draw: a column among the draws of the run, or
// what was drawn for a new category.
type origin struct {
	column int
	drawn  []float64 // nil for a column; else the value at draw k is drawn[k*step+column]
	step   int
}

func (s origin) at(d *posterior.Draws, chain, i, used int) float64 {
	if s.drawn != nil {
		return s.drawn[used*s.step+s.column]
	}
	return d.Column(s.column)[chain][i]
}

// columnsOfParties finds where each element of a party's parameters comes from.
func columnsOfParties(b *compile.BoundModel, d *posterior.Draws, grown *newLevels) ([][]origin, error) {
	first, column := map[string]int{}, 0
	for _, v := range d.Vars {
		first[v.Name] = column
		column += v.Len()
	}
	out := make([][]origin, len(b.Plan.Parties))
	for k, party := range b.Plan.Parties {
		if party == nil { // its process has its draws
			continue
		}
		for i, port := range party.Graph.Params() {
			name := party.Params[i].Name
			from, ok := first[name]
			if !ok {
				return nil, fmt.Errorf("the draws have no %s", name)
			}
			columns, fresh := grown.of(name)
			if fresh == 0 {
				for e := range port.Len {
					out[k] = append(out[k], origin{column: from + e})
				}
				continue
			}
			next := 0
			for _, at := range columns {
				if at >= 0 {
					out[k] = append(out[k], origin{column: at})
					continue
				}
				out[k] = append(out[k], origin{next, grown.values[name], fresh})
				next++
			}
		}
	}
	return out, nil
}

// prepare makes room for the responses of all parties that are in this process.
func (p *Predictions) prepare(b *compile.BoundModel, d *posterior.Draws, every int) error {
	for c := range d.Chains() {
		p.Draws += d.Len(c) / every
	}
	values := 0
	for _, party := range b.Plan.Parties {
		if party == nil {
			continue
		}
		for _, v := range party.Params {
			r, part := p.Model.ResponseOf(v.Name)
			if part != compile.OfDraw {
				continue
			}
			out := PredictedResponse{Name: v.Name, Owner: v.Owner, Shape: v.Dims, Draws: p.room(v.Len),
				Mean: make([]float64, v.Len), Level: r.Level, Ordered: r.Ordered, Discrete: r.Discrete,
				Quantity: r.Quantity}
			if r.Level {
				out.Categories = p.categories(r, party.Party)
			}
			p.observe(b, r, party.Party, &out)
			p.Responses = append(p.Responses, out)
			values += v.Len
		}
		for _, v := range party.Params {
			switch r, part := p.Model.ResponseOf(v.Name); part {
			case compile.OfScore:
				p.of(v.Name, r).Scores = p.room(v.Len)
			case compile.OfMean:
				of := p.of(v.Name, r)
				of.expected, of.kinds = make([][]float64, p.Draws), 1
				if len(v.Dims) > 0 {
					of.kinds = v.Dims[len(v.Dims)-1]
				}
				if r.Ordered {
					of.kinds++
				}
				values += v.Len
			}
		}
	}
	if values*p.Draws > mostValues {
		return fmt.Errorf("%d values at %d draws are too many to keep; use fewer draws of the run", values,
			p.Draws)
	}
	return nil
}

// room is a number for each element and draw.
func (p *Predictions) room(elements int) [][]float64 {
	out := make([][]float64, elements)
	for e := range out {
		out[e] = make([]float64, p.Draws)
	}
	return out
}

// of is the response that a quantity, which has this name, belongs to.
func (p *Predictions) of(name string, r *compile.Predicted) *PredictedResponse {
	member := name[:strings.LastIndex(name, ".")+1]
	return &p.Responses[slices.IndexFunc(p.Responses, func(o PredictedResponse) bool {
		return o.Name == member+r.Name
	})]
}

// observe takes what the new rows have of a response that is scored.
func (p *Predictions) observe(b *compile.BoundModel, r *compile.Predicted, party string,
	out *PredictedResponse) {
	if r.Score == "" {
		return
	}
	for _, of := range []string{party, r.Owner} {
		if v := b.Values[of][r.Data]; v != nil {
			out.Observed = v.Values
		}
	}
}

// categories are the names of the categories of a response, as the party that held it coded them; nil where
// they are numbers.
func (p *Predictions) categories(r *compile.Predicted, party string) []string {
	for _, of := range []string{party, r.Owner} {
		for _, recipe := range p.recipes[of] {
			if recipe.Name == r.Data && len(recipe.Encoders) > 0 {
				return recipe.Encoders[0].Words
			}
		}
	}
	return nil
}

// used says which draws of a chain are evaluated: of every so many one, and of these those of one share.
type used struct{ chain, every, share, shares int }

// chain evaluates the model at the draws of one chain that are used. Several shares are evaluated at the same
// time.
func (p *Predictions) chain(ctx context.Context, env density.Env, d *posterior.Draws, columns [][]origin,
	u used) error {
	var draw density.Draw
	var values [][]float64
	for k, block := range env.Blocks() {
		size := 0
		for _, v := range block.Params() {
			size += v.Len
		}
		draw.Theta, values = append(draw.Theta, make([]float64, block.Dim())),
			append(values, make([]float64, size))
		draw.Streams = append(draw.Streams, env.Private(k, generatedStream))
	}
	at := 0
	for c := range u.chain {
		at += d.Len(c) / u.every
	}
	for i := u.every - 1; i < d.Len(u.chain); i, at = i+u.every, at+1 {
		if at%u.shares != u.share {
			continue
		}
		for k, block := range env.Blocks() {
			for e, from := range columns[block.Index()] {
				draw.Theta[k][e] = from.at(d, u.chain, i, at)
			}
			draw.Streams[k].Round(uint64(i))
		}
		if err := env.Values(ctx, draw, values); err != nil {
			return err
		}
		for k, block := range env.Blocks() {
			p.keep(block.Params(), values[k], at)
		}
	}
	return nil
}

// keep stores what one party has computed at a draw.
func (p *Predictions) keep(params []density.Parameter, values []float64, at int) {
	for _, v := range params {
		r, part := p.Model.ResponseOf(v.Name)
		if part == compile.OfNone {
			continue
		}
		out, of := p.of(v.Name, r), values[v.Offset:v.Offset+v.Len]
		switch part {
		case compile.OfDraw:
			for e, y := range of {
				out.Draws[e][at] = y
			}
		case compile.OfScore:
			for e, lp := range of {
				out.Scores[e][at] = lp
			}
		case compile.OfMean:
			out.expected[at] = slices.Clone(of)
		}
	}
}

// finish averages expectations over the draws, and the draws where no expectation is written.
func (p *Predictions) finish() {
	for k := range p.Responses {
		out := &p.Responses[k]
		if out.expected == nil || out.Level {
			for e, draws := range out.Draws {
				for _, y := range draws {
					out.Mean[e] += y / float64(len(draws))
				}
			}
		}
		if out.expected == nil {
			continue
		}
		if out.Level || out.Discrete || p.all {
			out.spread()
		}
		for _, of := range out.expected {
			if out.Level {
				break
			}
			// an expectation of fewer axes is the same along the first ones
			lead := len(out.Mean) / max(1, len(of))
			for e := range out.Mean {
				out.Mean[e] += of[e/lead] / float64(p.Draws)
			}
		}
		out.expected = nil
	}
}

// spread sets what is expected of each element, and of each category of it, at every draw.
func (out *PredictedResponse) spread() {
	n, kinds := len(out.Draws), 1
	if out.Level {
		kinds = out.kinds
	}
	for range n * kinds {
		out.Expected = append(out.Expected, make([]float64, len(out.expected)))
	}
	for i, of := range out.expected {
		if out.Ordered {
			of = between(of, out.kinds)
		}
		lead := n / max(1, len(of)/kinds)
		for k := range kinds {
			for e := range n {
				out.Expected[e+n*k][i] = of[e/lead+n/lead*k]
			}
		}
	}
}

// between makes of the probabilities of a category no greater than each, but the last of so many, those of
// each.
func between(below []float64, kinds int) []float64 {
	rows := len(below) / (kinds - 1)
	out := make([]float64, rows*kinds)
	for i := range rows {
		last := 0.0
		for k := range kinds {
			next := 1.0
			if k < kinds-1 {
				next = below[i+rows*k]
			}
			out[i+rows*k], last = next-last, next
		}
	}
	return out
}
