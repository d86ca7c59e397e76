package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/leak"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// A Verdict is a line of what an audit says first: what parties can compute of the rows of others, whatever
// noise or masks are on what they receive. It follows from the reach of the contents that reach them
// (density.Reach), from whose contributions these hold, and from the data in these.
type Verdict struct {
	Receivers []string  `json:"receivers"`         // of each of whom it holds
	Columns   []Columns `json:"columns,omitempty"` // that it can compute for every row
	Each      []string  `json:"each,omitempty"`    // whose contribution to every row it can compute
	// of whose contributions to every row it can compute the sum alone
	Sum      []string `json:"sum,omitempty"`
	Response []string `json:"response,omitempty"` // that it can compute for every row
	Totals   []string `json:"totals,omitempty"`   // of whose data it receives sums over rows
	// whose incomplete rows it is told, or sees where imputed cells move a row alone
	Gaps []string `json:"gaps,omitempty"`
	// Wide are clients whose single columns it can compute too if they have more than WideFrom parameters,
	// which the tables tell, and these were not at hand.
	Wide     []string `json:"wide,omitempty"`
	WideFrom int      `json:"wide_from,omitempty"`
	// Narrow are clients whose contribution is a column if they have one alone, which the tables tell.
	Narrow []string `json:"narrow,omitempty"`
	// Text is what String returns behind the colon.
	Text  string `json:"text"`
	every bool   // all clients are receivers, and more than two
}

// Columns are columns of a party.
type Columns struct {
	Party string   `json:"party"`
	Names []string `json:"names,omitempty"`
	// Within are declarations in which columns of two values can be computed: which these are the programs do
	// not tell. All are those of which any column can be.
	Within []string `json:"within,omitempty"`
	All    []string `json:"all,omitempty"`
	// Based are declarations whose rows can be computed up to one change of basis.
	Based []string `json:"based,omitempty"`
}

// String is the line: "registry can compute: clinic's sex of every row; each client's contribution to every
// row".
func (v Verdict) String() string {
	if v.every {
		return "each client can compute: " + v.Text
	}
	return joined(v.Receivers) + " can compute: " + v.Text
}

// Nothing reports whether the line says that nothing can be computed of a row.
func (v Verdict) Nothing() bool {
	return len(v.Columns)+len(v.Each)+len(v.Sum)+len(v.Response)+len(v.Totals)+len(v.Gaps) == 0
}

// Concerns reports whether the line tells something of a party, given without the number of a member.
func (v Verdict) Concerns(party string) bool {
	for _, parties := range [][]string{v.Each, v.Sum, v.Totals, v.Gaps} {
		if slices.Contains(parties, party) {
			return true
		}
	}
	return slices.ContainsFunc(v.Columns, func(c Columns) bool { return c.Party == party })
}

// VerdictText is all lines, each with its end.
func VerdictText(lines []Verdict) string {
	var b strings.Builder
	for _, v := range lines {
		b.WriteString(v.String() + "\n")
	}
	return b.String()
}

// AllPooled is the verdict of a model whose data one process holds; nil of others.
func (m *Model) AllPooled() []Verdict {
	if !m.Pooled() || len(m.AuditPooled()) == 0 {
		return nil
	}
	return []Verdict{{Receivers: []string{"whoever runs the process"},
		Text: "everything: it holds all data and parameters of all parties"}}
}

// Verdict says what each party can compute of the rows of others in a run that uses these exchanges over this
// wire. tables may be nil.
func (p *Bundle) Verdict(uses []density.Use, wire model.Wire, tables *Tables) []Verdict {
	a := p.auditor(wire)
	if of := p.Manifest.Release; of != nil {
		text := fmt.Sprintf("of one person's row of another party no more than epsilon %s at delta %s allow",
			of.Epsilon, of.Delta)
		if of.NoNoise {
			text = "sums over rows without noise"
		}
		return []Verdict{{Receivers: slices.Clone(a.plan.Names), Totals: slices.Clone(a.plan.Names),
			Text: text}}
	}
	if tables == nil {
		tables = &Tables{}
	}
	j := &judge{auditor: a, tables: tables, given: map[int]given{}, wants: map[*check.Program][]data.Want{}}
	for range a.plan.Names {
		j.known = append(j.known, &knowledge{reached: map[int]reached{}, columns: map[int]*Columns{},
			multiply: map[int][]string{}})
	}
	for _, c := range crossings(a.plan, uses) {
		j.take(c)
	}
	for at, k := range j.known {
		for of := range j.known {
			if a.plan.Wire.Encrypted && of != at {
				addTo(&k.totals, of)
			}
		}
	}
	j.incomplete()
	return j.lines()
}

// A judge collects what each party knows, by its number in the plan.
type judge struct {
	*auditor
	tables *Tables
	known  []*knowledge
	given  map[int]given // what contributed finds in each party's program
	wants  map[*check.Program][]data.Want
}

// How much a party knows of what another contributes to a row.
type reached int

const (
	inSum  reached = iota + 1 // the sum with others' alone
	alone                     // its contribution
	single                    // single columns
)

// knowledge is what one party can compute.
type knowledge struct {
	reached  map[int]reached // by contributor
	columns  map[int]*Columns
	multiply map[int][]string // declarations that parameters of the server multiply, column by column
	response []string
	totals   []int
	gaps     []int
	wide     []int // of whom single columns would be known, had they more parameters than wideFrom
	wideFrom int
	narrow   []int // whose contribution would be a column, had they one alone
}

func (k *knowledge) reach(party int, how reached) { k.reached[party] = max(k.reached[party], how) }

// take adds what a crossing tells its receiver.
func (j *judge) take(c session.Crossing) {
	if c.Content.Of.Bytes() {
		j.decrypted(c)
		return
	}
	if c.Up {
		j.atServer(c)
	} else {
		j.atClient(c)
	}
}

// decrypted adds sums over rows whose decryption a party receives shares of.
func (j *judge) decrypted(c session.Crossing) {
	to := 0
	if !c.Up {
		to = c.Client
	}
	for k := range j.plan.Names {
		if c.Reach == density.Weighted && k != to {
			addTo(&j.known[to].totals, k)
		}
	}
}

func (j *judge) atServer(c session.Crossing) {
	k := j.known[0]
	switch c.Reach {
	case density.Weighted:
		j.weighted(c)
	case density.Contribution:
		contributors := []int{c.Client}
		if c.Hidden {
			contributors = j.clientsIn(c.Of)
		}
		if c.Content == session.Partial && j.Manifest.Homes() {
			contributors = nil
			for _, r := range j.readings(c.Of) {
				if r.party > 0 && (c.Hidden || r.party == c.Client) {
					addTo(&contributors, r.party)
					addAll(&k.response, j.response(r))
				}
			}
		}
		for _, of := range contributors {
			if len(j.cuts[c.Of][0].Shape) == 0 { // one number, not one a row
				if len(j.contributed(of).data) > 0 {
					addTo(&k.totals, of)
				}
				continue
			}
			j.from(k, c, of, !c.Hidden)
		}
	}
}

// weighted adds a gradient: sums over rows or, where it was accepted that it gives the rows away, these.
func (j *judge) weighted(c session.Crossing) {
	k, program := j.known[0], j.Programs[c.Client]
	of := j.contributions(c.Client)
	for _, l := range program.Likelihoods {
		of = append(append(of, l.Args...), l.Stmt.Left)
	}
	name := j.plan.Shared[c.Of].Name
	if !slices.Contains(names(program, of...), name) && !earlyIn(program, name) &&
		!slices.Contains(leak.Gradients(program), name) {
		return // it is in priors alone, of parameters that it does not tell
	}
	addTo(&k.totals, c.Client)
	if !j.Manifest.Accepted.Code(diag.GradientLeak) {
		return
	}
	for _, name := range j.behind(c.Client) {
		addTo(&j.columnsOf(k, c.Client).All, name)
	}
}

// from adds how far a receiver gets who knows the sum of some contributions, or one alone.
func (j *judge) from(k *knowledge, c session.Crossing, of int, sole bool) {
	if c.Motion == density.ByPrior && j.multiplies(of, c.Hidden || !c.Up) {
		k.multiply[of] = j.multiplied(of)
	}
	switch {
	case c.Motion == density.ByColumn:
		k.reach(of, single)
	case c.Motion == density.Adapted:
		program := j.Programs[of]
		n, known := j.tables.Parameters[program.For]
		if !known {
			n, known = parametersOf(program, program.For, func(string) (int, bool) { return 0, false })
		}
		if hierarchical(program) || known && n > c.DenseMost {
			k.reach(of, single)
			return
		}
		if !known {
			addTo(&k.wide, of)
			k.wideFrom = c.DenseMost
		}
		k.reach(of, alone)
	case c.Motion == density.ByPrior && j.divides(c, of):
		k.reach(of, alone)
	case c.Motion == density.ByClient || sole:
		k.reach(of, alone)
	default:
		k.reach(of, inSum)
	}
}

// atClient adds what a client gets: the others' contributions, from their sum or from an answer that can be
// solved for it.
func (j *judge) atClient(c session.Crossing) {
	if c.Reach != density.Others && c.Reach != density.Response || c.Reach == density.Response &&
		!j.scored(c.Of) {
		return
	}
	k := j.known[c.Client]
	var others []int
	for _, of := range j.clientsIn(c.Of) {
		if of != c.Client || j.several(of) {
			others = append(others, of)
		}
	}
	if c.Reach == density.Response || c.Content == session.Whole && j.Manifest.Homes() {
		for _, r := range j.readings(c.Of) {
			if r.party == c.Client {
				continue
			}
			addAll(&k.response, j.response(r))
			if len(j.data(r.party, j.predictors(c.Of, r.party))) > 0 {
				addTo(&others, r.party)
			} else if len(others) == 0 { // the answer still tells what it adds, an intercept for one
				addTo(&k.response, j.plan.Names[r.party]+"'s part")
			}
		}
	} else if len(others) == 0 {
		addTo(&k.response, j.plan.Names[0]+"'s part")
	}
	one := len(others) == 1 && !j.several(others[0])
	for _, of := range others {
		j.from(k, c, of, one)
	}
}

// A reading is a likelihood that a party evaluates at a sum.
type reading struct {
	party int
	*check.Likelihood
}

// readings are those of a sum.
func (a *auditor) readings(group int) (out []reading) {
	for _, r := range a.plan.Groups[group].Receivers {
		var received []string
		for _, c := range a.cuts[group] {
			addTo(&received, c.Name)
			for _, s := range a.Manifest.Sums {
				if s.To == a.plan.Names[r.Party] && slices.Contains(a.cutsIn(s), c.Name) {
					addTo(&received, s.Name)
				}
			}
		}
		for _, l := range readingOf(a.Programs[r.Party], received) {
			out = append(out, reading{r.Party, l})
		}
	}
	return out
}

// home reports whether the response of a reading is data of the party alone.
func (j *judge) home(r reading) bool { return len(j.response(r)) > 0 }

// response is the party's own in a reading: an answer shows the sign of a binary one, and any over the
// rounds, in which the predictor moves.
func (j *judge) response(r reading) (out []string) {
	for _, name := range names(j.Programs[r.party], r.Stmt.Left) {
		s := j.Programs[r.party].Symbols[name]
		if s != nil && s.Kind == check.Data && s.Owner != check.Shared {
			addTo(&out, j.plan.Names[r.party]+"'s "+name)
		}
	}
	return out
}

// predictors are the arguments of the likelihoods that a party evaluates at a sum, and whose response is its
// own where it is a client.
func (j *judge) predictors(group, party int) (out []ast.Expr) {
	for _, r := range j.readings(group) {
		if r.party == party && (party == 0 || j.home(r)) {
			out = append(out, r.Args...)
		}
	}
	return out
}

// clientsIn are the clients that contribute to a sum.
func (j *judge) clientsIn(group int) (out []int) {
	for _, m := range j.plan.Groups[group].Members {
		addTo(&out, m.Party)
	}
	return out
}

func (j *judge) several(party int) bool { return slices.Contains(j.plan.Several, party) }

// incomplete adds whose incomplete rows a party is told.
func (j *judge) incomplete() {
	j.auditor.incomplete()
	for _, d := range j.rows {
		to, from := slices.Index(j.plan.Names, d.To), slices.Index(j.plan.Names, d.From)
		if from > 0 {
			addTo(&j.known[to].gaps, from)
			continue
		}
		for k := range j.plan.Names {
			if k != to {
				addTo(&j.known[to].gaps, k)
			}
		}
	}
}

func (j *judge) columnsOf(k *knowledge, party int) *Columns {
	if k.columns[party] == nil {
		k.columns[party] = &Columns{Party: j.plan.Names[party]}
	}
	return k.columns[party]
}

// find adds the columns of others that what a party knows of their contributions gives away: those of two
// values, one that is alone in a contribution, and all where the contribution itself separates.
func (j *judge) find(k *knowledge) {
	for _, of := range slices.Sorted(maps.Keys(k.reached)) {
		how, all := k.reached[of], j.contributed(of)
		if all.gaps {
			addTo(&k.gaps, of)
		}
		out := j.columnsOf(k, of)
		themselves := func(d declared) bool { return slices.Contains(k.multiply[of], d.declared) }
		rest := slices.DeleteFunc(slices.Clone(all.data), themselves)
		for _, d := range all.data {
			only := how == alone && len(rest) == 1 && !themselves(d)
			if only && d.unknown {
				addTo(&k.narrow, of)
			}
			switch {
			case how == single, themselves(d), only && d.one:
				addAll(&out.Names, d.names)
				if d.names == nil {
					addTo(&out.All, d.declared)
				}
			default:
				addAll(&out.Names, d.two)
				if d.open {
					addTo(&out.Within, d.declared)
				}
			}
		}
		addAll(&out.Names, all.offsets)
		if k == j.known[0] { // which has the log density of a client, a number of each evaluation
			addAll(&out.Based, leak.RowsByCuts(j.Programs[of]))
			addAll(&out.All, leak.RowsByPlainCuts(j.Programs[of]))
		}
		if len(out.Names)+len(out.Within)+len(out.All)+len(out.Based) == 0 {
			delete(k.columns, of)
		}
	}
}
