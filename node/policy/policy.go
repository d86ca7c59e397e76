// Package policy is what a party allows runs to do with its data: a file in its own folder, which it enforces
// itself. Nothing that another party sends widens it.
package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// FileName is the name of the policy in the folder with a party's keys.
const FileName = "policy.toml"

// A Policy is what a party allows. What a file does not set is not limited, but for Unmasked, Record and
// MinContributors.
type Policy struct {
	Whole     string   `toml:"policy"`    // "open": what no line limits is allowed
	Manifests []string `toml:"manifests"` // SHA-256 of the manifests that may run
	// parties, each of which must have signed the programs
	SignedBy   []string `toml:"signed_by"`
	Transforms []string `toml:"transforms"` // that may run
	// smallest sd of the noise on what the party sends; a cut without noise has none
	MinRho    float64 `toml:"min_rho"`
	MaxRounds int64   `toml:"max_rounds"` // of all runs together on the same rows
	MinRows   int     `toml:"min_rows"`   // rows that a run must have
	// rows that every category of a factor of the party must have
	MinCell int `toml:"min_cell"`
	// a contribution for each row may leave without a mask
	Unmasked bool `toml:"unmasked"`
	// clients that a masked sum must have; 3 where it is not set
	MinContributors *int `toml:"min_contributors"`
	// rows by which the rows of a run differ from those of every earlier one, unless they are the same
	MinDifference int `toml:"min_difference"`
	// largest absolute derivative of the log likelihood of one client and row that the party takes
	MaxAdjoint   float64 `toml:"max_adjoint"`
	MaxCurvature float64 `toml:"max_curvature"` // the same of second derivatives
	// vectors of the server's choice that the party multiplies in all runs together on the same rows
	MaxProducts int64 `toml:"max_products"`
	// "encrypted": nothing runs in which a number of a row crosses
	Wire string `toml:"wire"`
	// numbers that one other party learns of a person's rows in all runs of encrypted rows together; a 20th
	// of the rows of a run where it is not set
	MaxDecrypted int64 `toml:"max_decrypted"`
	Record       bool  `toml:"record"` // the server may keep what it receives in a run
	// the party's columns and responses from which the folds of a cross-validation may follow, which all
	// parties are told
	Folds []string `toml:"folds"`
	Key   string   `toml:"key"`   // column that joins rows
	Peers []string `toml:"peers"` // parties that may take part
	// last day on which a run may begin, go on or be published
	Expires *toml.LocalDate `toml:"expires"`
	// of all releases of a person's rows together; nothing runs then that is none with noise
	Budget *PrivacyBudget `toml:"budget"`
	// in place of the lines of the same names, of rows that are predicted
	Predict *Predict `toml:"predict"`
	// what of its results the party lets others see; nothing where it is not set
	Release Release `toml:"release"`
	// with the names of columns and categories, which come from its data
	ReleaseNames bool `toml:"release_names"`

	path string
	seen bool // the owner has confirmed the run: a contribution without others may leave without a mask
}

// Predict is what holds for predictions in place of the lines of the same names.
type Predict struct {
	MinRows int `toml:"min_rows"`
	MinCell int `toml:"min_cell"`
}

// open is the policy that allows what no line limits, and encrypted the wire over which no number of a row
// crosses.
const open, encrypted = "open", "encrypted"

// Unwritten are the lines that hold where a party has no policy, and its owner has confirmed the run: what
// several clients add up is masked, and the server keeps nothing.
func Unwritten(path string) *Policy {
	two := 2
	return &Policy{MinContributors: &two, path: path, seen: true}
}

// A Release is what a party lets others see of its results. Each includes those before.
type Release string

// The releases.
const (
	Nothing   Release = "nothing"
	Summaries Release = "summaries"
	Draws     Release = "draws"
)

var releases = []Release{Nothing, Summaries, Draws}

// leastContributors is the number of clients that a masked sum has where the policy sets none: with two, each
// learns the other's value from the total.
const leastContributors = 3

// Read reads a policy. It is nil where there is no file. The list has what is wrong with it.
func Read(path string) (*Policy, diag.List, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	p, diags := Parse(path, text)
	return p, diags, nil
}

// Parse reads a policy from its text.
func Parse(path string, text []byte) (*Policy, diag.List) {
	p := &Policy{path: path}
	var diags diag.List
	bad := func(line int, format string, args ...any) (*Policy, diag.List) {
		d := diags.Errorf(diag.BadPolicy, nil, source.Span{}, format, args...)
		d.Data = fmt.Sprintf("%s:%d", path, max(1, line))
		return nil, diags
	}
	var strict *toml.StrictMissingError
	var decoding *toml.DecodeError
	switch err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(p); {
	case errors.As(err, &strict):
		line, _ := strict.Errors[0].Position()
		return bad(line, "a policy has no %s", strings.Join(strict.Errors[0].Key(), "."))
	case errors.As(err, &decoding):
		line, _ := decoding.Position()
		if key := decoding.Key(); len(key) > 0 {
			if lineOf(text, key[0]) < line {
				return bad(line, "%s stands twice", strings.Join(key, "."))
			}
			return bad(line, "%s has a value of another type", strings.Join(key, "."))
		}
		return bad(line, "the policy is not TOML: %s", strings.TrimPrefix(decoding.Error(), "toml: "))
	case err != nil:
		return bad(1, "the policy is not TOML: %v", err)
	}
	for name, v := range map[string]float64{
		"min_rho": p.MinRho, "max_rounds": float64(p.MaxRounds), "min_rows": float64(p.MinRows),
		"min_cell": float64(p.MinCell), "min_difference": float64(p.MinDifference),
		"max_adjoint":   p.MaxAdjoint,
		"max_curvature": p.MaxCurvature, "max_products": float64(p.MaxProducts),
		"max_decrypted": float64(p.MaxDecrypted),
	} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return bad(lineOf(text, name), "%s must be a number of at least 0", name)
		}
	}
	if p.Budget != nil && !p.Budget.valid() {
		return bad(lineOf(text, "budget"), "a budget has an epsilon above 0, and a delta above 0 and below 1")
	}
	switch p.Whole {
	case "":
	case open:
		two := 2
		p.Unmasked, p.Record = true, true
		if p.MinContributors == nil {
			p.MinContributors = &two
		}
	default:
		return bad(lineOf(text, "policy"),
			"policy is %q, which allows what no other line limits, or left out", open)
	}
	if p.Wire != "" && p.Wire != encrypted {
		return bad(lineOf(text, "wire"), "wire is %q, which lets nothing else run, or left out", encrypted)
	}
	if p.Predict != nil && (p.Predict.MinRows < 0 || p.Predict.MinCell < 0) {
		return bad(lineOf(text, "[predict]"), "lines of [predict] are numbers of at least 0")
	}
	if p.MinContributors != nil && *p.MinContributors < 2 {
		return bad(lineOf(text, "min_contributors"),
			"min_contributors is 2 or more; a contribution alone is not masked: unmasked = true allows it")
	}
	if p.Release == "" {
		p.Release = Nothing
	}
	if !slices.Contains(releases, p.Release) {
		return bad(lineOf(text, "release"), "release is one of nothing, summaries and draws, not %q",
			p.Release)
	}
	for name, list := range map[string][]string{"manifests": p.Manifests, "signed_by": p.SignedBy,
		"transforms": p.Transforms, "folds": p.Folds, "peers": p.Peers} {
		if list != nil && len(list) == 0 {
			return bad(lineOf(text, name),
				"%s lists nothing; leave the line out where nothing is to be limited", name)
		}
	}
	for _, t := range p.Transforms {
		if _, ok := stdlib.TransformNamed(t); !ok {
			return bad(lineOf(text, "transforms"), "there is no transform %q", t)
		}
	}
	for _, m := range p.Manifests {
		if len(m) != 64 || strings.Trim(m, "0123456789abcdef") != "" {
			return bad(lineOf(text, "manifests"),
				"%q is no SHA-256 in hexadecimal; sha256sum PROGRAMS/manifest.json prints it", m)
		}
	}
	return p, nil
}

// lineOf finds the first line that sets a key; 1 where none does.
func lineOf(text []byte, key string) int {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if name, _, set := strings.Cut(string(line), "="); set && strings.TrimSpace(name) == key {
			return n
		}
	}
	return 1
}

func (p *Policy) contributors() int {
	if p.MinContributors == nil {
		return leastContributors
	}
	return *p.MinContributors
}

// A Proposal is what a party knows of a run before it reads its data.
type Proposal struct {
	Manifest  string   // SHA-256
	Signers   []string // parties whose valid signatures of the programs are there
	Transform string
	Sends     bool   // the party contributes to the computation of others
	Rho       string // sd of the noise on that; "": there is none
	Encrypted bool   // rows stay encrypted
	Key       string
	Parties   []string // all of the run
	Record    bool     // the server says that it keeps what it receives
	Noised    bool     // it makes a release with noise, and nothing else
	At        time.Time
}

// RowCounts are what it knows when it has.
type RowCounts struct {
	Predicted bool // new rows, or rows of a run, for which predictions are made
	Rows      int
	Cells     []FactorLevel // the smallest category of every factor
	// the smallest number of rows in which an earlier run's rows differ from these, 0 where none do
	Differs   int
	Spent                       // in earlier runs on these rows
	Decrypted *DecryptionCounts // of encrypted rows; nil: they are not
	Charged   *ReleaseCharge    // of a release; nil: it is none
}

// A FactorLevel is a category of a factor.
type FactorLevel struct {
	Factor string
	Rows   int
}

// A ContributedSum is one to which the party contributes.
type ContributedSum struct {
	Name    string
	Clients int  // that contribute, this one included
	Masked  bool // so that the server has the total alone
}

// A Ruling is one line of a policy with what becomes of a run by it.
type Ruling struct {
	Name    string
	Found   string // what the run has, where it is allowed
	Refused *diag.Diagnostic
}

// lines collects what lines of a policy say.
type lines struct {
	path, within string // within is the table of the lines; "": none
	out          []Ruling
}

// add adds a line. ok says that the run is allowed.
func (l *lines) add(name string, ok bool, code diag.Code, found, format string, args ...any) {
	name = l.within + name
	line := Ruling{Name: name, Found: found}
	if !ok {
		d := &diag.Diagnostic{Code: code, Severity: diag.Error, Message: fmt.Sprintf(format, args...)}
		line.Refused = d.Note("%s in %s says so", name, l.path)
	}
	l.out = append(l.out, line)
}

// Refused lists the reasons of lines that do not allow a run.
func Refused(lines []Ruling) (diags diag.List) {
	for _, l := range lines {
		if l.Refused != nil {
			diags = append(diags, l.Refused)
		}
	}
	return diags
}

// Program lists the lines on what runs.
func (p *Policy) Program(f Proposal) []Ruling {
	l := &lines{path: p.path}
	if len(p.Manifests) > 0 {
		l.add("manifests", slices.Contains(p.Manifests, f.Manifest), diag.PolicyProgram,
			"the manifest is listed", "the policy does not list the manifest, whose SHA-256 is %s",
			f.Manifest)
	}
	for _, name := range p.SignedBy {
		l.add("signed_by", slices.Contains(f.Signers, name), diag.PolicyProgram,
			name+" has signed the programs",
			"the policy wants the signature of %s on the programs, and there is none that is valid: vflc "+
				"provision sign PROGRAMS --identity DIR makes it", name)
	}
	if len(p.Transforms) > 0 {
		l.add("transforms", slices.Contains(p.Transforms, f.Transform), diag.PolicyTransform, f.Transform,
			"the policy allows the transforms %s, and the run has %s", strings.Join(p.Transforms, ", "),
			f.Transform)
	}
	if p.MinRho > 0 && f.Sends {
		rho, err := strconv.ParseFloat(f.Rho, 64)
		switch {
		case f.Rho == "":
			l.add("min_rho", false, diag.PolicyTransform, "",
				"the policy wants noise of sd %v or more on what this party sends, and transform "+
					"%s sends it without noise", p.MinRho, f.Transform)
		default:
			l.add("min_rho", err == nil && rho >= p.MinRho, diag.PolicyTransform, "rho "+f.Rho,
				"the policy wants noise of sd %v or more on what this party sends, and the run has rho %s",
				p.MinRho, f.Rho)
		}
	}
	if p.Budget != nil && !f.Noised {
		l.unnoised()
	}
	if p.Wire == encrypted {
		l.add("wire", f.Encrypted, diag.PolicyTransform, "rows stay encrypted",
			"the policy lets nothing run in which numbers of single rows cross, and in this run "+
				"they do: --wire encrypted")
	}
	if p.Key != "" {
		l.add("key", f.Key == p.Key, diag.PolicyTerms, f.Key,
			"the policy joins rows on %s, and the run joins them on %s", p.Key, f.Key)
	}
	if len(p.Peers) > 0 {
		strangers := slices.DeleteFunc(slices.Clone(f.Parties), func(name string) bool {
			return slices.Contains(p.Peers, name)
		})
		l.add("peers", len(strangers) == 0, diag.PolicyTerms, strings.Join(f.Parties, ", "),
			"the policy does not allow %s to take part", strings.Join(strangers, ", "))
	}
	if f.Record {
		l.add("record", p.Record, diag.PolicyRecord, "the server keeps what it receives",
			"the policy lets no server keep what it receives, and this one says that it does (--record); "+
				"record = true allows it")
	}
	l.term(p.Expires, f.At)
	return l.out
}

// endOf is the end of a day.
func endOf(day *toml.LocalDate) time.Time { return day.AsTime(time.UTC).AddDate(0, 0, 1) }

// Over is the error where the policy expires while a run is under way.
func (p *Policy) Over(at time.Time) diag.List {
	if p.Expires == nil || at.Before(endOf(p.Expires)) {
		return nil
	}
	l := &lines{path: p.path}
	l.term(p.Expires, at)
	return Refused(l.out)
}

// term adds the line on the last day.
func (l *lines) term(expires *toml.LocalDate, at time.Time) {
	if expires != nil {
		l.add("expires", at.Before(endOf(expires)), diag.PolicyTerms, expires.String(),
			"the policy has expired: its last day was %s", expires)
	}
}

// Rows lists the lines on the party's rows.
func (p *Policy) Rows(f RowCounts) []Ruling {
	l := &lines{path: p.path}
	fitted := p
	if f.Predicted && p.Predict != nil {
		other := *p
		other.MinRows, other.MinCell, p = p.Predict.MinRows, p.Predict.MinCell, &other
		l.within = "predict."
	}
	if p.MinRows > 0 {
		l.add("min_rows", f.Rows >= p.MinRows, diag.PolicyRows, grouped.Count(f.Rows, "row"),
			"the policy wants %s or more, and the run has %s", grouped.Count(p.MinRows, "row"),
			grouped.Digits(f.Rows))
	}
	if p.MinCell > 0 {
		found := "no factor"
		for _, c := range f.Cells {
			found = "every category is large enough"
			if c.Rows < p.MinCell {
				l.add("min_cell", false, diag.PolicyRows, "",
					"the policy wants %d rows or more in every category of a factor, and one of %s has %d",
					p.MinCell, c.Factor, c.Rows)
				found = ""
				break
			}
		}
		if found != "" {
			l.add("min_cell", true, diag.PolicyRows, found, "")
		}
	}
	l.within, p = "", fitted
	if p.MinDifference > 0 {
		l.add("min_difference", f.Differs == 0 || f.Differs >= p.MinDifference, diag.PolicyDifference,
			"no earlier run had nearly the same rows",
			"the rows differ in %d from those of an earlier run, and the policy wants %d or more, or the "+
				"same rows: the difference of two results would tell of these few", f.Differs,
			p.MinDifference)
	}
	if p.MaxRounds > 0 {
		l.add("max_rounds", f.Rounds < p.MaxRounds, diag.PolicyRounds,
			grouped.Digits(int(p.MaxRounds-f.Rounds))+" rounds are left", "%s", p.spent())
	}
	if p.MaxProducts > 0 {
		l.add("max_products", f.Products < p.MaxProducts, diag.PolicyValue,
			grouped.Digits(int(p.MaxProducts-f.Products))+
				" products with vectors of the server's choice are left",
			"the runs on these rows have had the %s products with vectors of the server's "+
				"choice that the policy allows", grouped.Digits(int(p.MaxProducts)))
	}
	if f.Decrypted != nil {
		l.decrypted(*f.Decrypted, p, f.Rows)
	}
	if f.Charged != nil && p.Budget != nil {
		l.charged(*f.Charged, p)
	}
	return l.out
}

func (p *Policy) spent() string {
	return fmt.Sprintf("the runs on these rows have had the %s rounds that the policy allows",
		grouped.Digits(int(p.MaxRounds)))
}

// Sums lists the lines on the sums to which the party contributes.
func (p *Policy) Sums(sums []ContributedSum) []Ruling {
	l := &lines{path: p.path}
	masked, enough := true, true
	for _, s := range sums {
		if !s.Masked && !p.Unmasked && !(p.seen && s.Clients < 2) && masked {
			masked = false
			l.add("unmasked", false, diag.PolicyMasks, "",
				"the policy lets no contribution leave without a mask, and %s has none: %s", s.Name,
				unmasked(s))
		}
		if s.Masked && s.Clients < p.contributors() && enough {
			enough = false
			l.add("min_contributors", false, diag.PolicyMasks, "",
				"the policy wants %d clients or more in a masked sum, and %s has %d: with two, each learns "+
					"the other's value from the total", p.contributors(), s.Name, s.Clients)
		}
	}
	if masked && !p.Unmasked {
		l.add("unmasked", true, diag.PolicyMasks, "no contribution for each row leaves without a mask", "")
	}
	if enough {
		l.add("min_contributors", true, diag.PolicyMasks,
			fmt.Sprintf("every masked sum has %d clients or more", p.contributors()), "")
	}
	return l.out
}

func unmasked(s ContributedSum) string {
	if s.Clients < 2 {
		return "no other client contributes to the sum"
	}
	return "the run has no masked sums (--secure-sum)"
}

// Publishes is the error where a policy, which stands at a path or is nil, does not let results be published.
func (p *Policy) Publishes(path string, what Release) diag.List {
	l := &lines{path: path}
	switch {
	case p == nil:
		d := &diag.Diagnostic{Code: diag.PolicyRelease, Severity: diag.Error,
			Message: "a party without a policy releases nothing of its results"}
		return diag.List{d.Note("release = %q in %s allows it", what, path)}
	case p.Release == Nothing:
		l.add("release", false, diag.PolicyRelease, "",
			"the policy releases nothing of this party's results; release = %q allows it", what)
	case slices.Index(releases, what) > slices.Index(releases, p.Release):
		l.add("release", false, diag.PolicyRelease, "", "the policy releases %s, and %s were to be published",
			p.Release, what)
	}
	if p != nil {
		l.term(p.Expires, time.Now())
	}
	return Refused(l.out)
}

// Divides is the error where a policy, which stands at a path or is nil, does not let the folds of a
// cross-validation follow from a column or response of the party.
func (p *Policy) Divides(path, name string) diag.List {
	if p != nil && slices.Contains(p.Folds, name) {
		return nil
	}
	d := &diag.Diagnostic{Code: diag.PolicyFolds, Severity: diag.Error,
		Message: fmt.Sprintf("the folds would follow from %s, which is this party's alone, and tell every "+
			"party of each row in which fold it is: that needs a line in this party's policy", name)}
	return diag.List{d.Note("folds = [%q] in %s allows it", name, path)}
}

// Spent is the error where the rounds are spent while a run is under way.
func (p *Policy) Spent() diag.List {
	l := &lines{path: p.path}
	l.add("max_rounds", false, diag.PolicyRounds, "", "%s", p.spent())
	return Refused(l.out)
}

// Limits names the lines that limit numbers of the server that can be held to a bound.
func Limits(b density.AnswerBound) []string {
	switch b {
	case density.BoundSlopes:
		return []string{"max_adjoint", "max_rounds"}
	case density.BoundCurved:
		return []string{"max_adjoint", "max_curvature", "max_rounds"}
	case density.BoundDirections:
		return []string{"max_products", "max_rounds"}
	}
	return []string{"max_rounds"}
}

// Set is the value of such a line in a policy, which may be nil.
func (p *Policy) Set(line string) string {
	if p == nil {
		return notSet
	}
	v := map[string]float64{"max_adjoint": p.MaxAdjoint, "max_curvature": p.MaxCurvature,
		"max_products": float64(p.MaxProducts), "max_rounds": float64(p.MaxRounds)}[line]
	if v == 0 {
		return notSet
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

const notSet = "not set"

// each says how often a bound counts.
func each(clients int) string {
	if clients == 1 {
		return ""
	}
	return fmt.Sprintf(" for each of %d clients", clients)
}

// Adjoint checks an adjoint of a sum that a message has brought; clients is over how many it was added.
// announced says that the sender has said that the sum was not finite.
//
// An intercept that is sampled relative to the sum adds one number to the derivatives of all rows: the mean
// of theirs, and a row's share of the slope of its prior. Two rows then differ by at most twice the bound,
// and none is beyond three times it where that share is within the bound.
func (p *Policy) Adjoint(name string, v []float64, clients int, announced bool) diag.List {
	return p.bounded("max_adjoint", p.MaxAdjoint, true, name, v, clients, announced)
}

// Curvature does so with second derivatives.
func (p *Policy) Curvature(name string, v []float64, clients int, announced bool) diag.List {
	return p.bounded("max_curvature", p.MaxCurvature, false, name, v, clients, announced)
}

// Products checks how many vectors of the server's choice the runs on the same rows have had.
func (p *Policy) Products(n int64) diag.List {
	l := &lines{path: p.path}
	if p.MaxProducts > 0 {
		l.add("max_products", n <= p.MaxProducts, diag.PolicyValue, "",
			"with these the runs on the same rows have had %s products with vectors of the server's "+
				"choice, and the policy allows %s", grouped.Digits(int(n)),
			grouped.Digits(int(p.MaxProducts)))
	}
	return Refused(l.out)
}

// bounded checks numbers against the bound of a line; shifted: one number may have been added to all.
func (p *Policy) bounded(line string, bound float64, shifted bool, name string, v []float64, clients int,
	announced bool) diag.List {
	if bound == 0 {
		return nil
	}
	l := &lines{path: p.path}
	most := float64(bound * float64(clients) * (1 + 1e-9)) // sums are rounded; twice that is a sum of two
	one, besides := most, ""
	if shifted {
		one, besides = 3*most, ", and twice that from an intercept in all rows"
	}
	least, largest := -1, -1
	for i, x := range v {
		finite := !math.IsNaN(x) && !math.IsInf(x, 0)
		switch {
		case !finite && !announced:
			l.add(line, false, diag.PolicyValue, "",
				"element %d of %q is not finite, and the sender has not said so", i+1, name)
			return Refused(l.out)
		case !finite:
			continue
		case math.Abs(x) > one:
			l.add(line, false, diag.PolicyValue, "",
				"element %d of %q is %.4g, and the policy takes at most %v%s%s", i+1, name, x, bound,
				each(clients), besides)
			return Refused(l.out)
		}
		if least < 0 || x < v[least] {
			least = i
		}
		if largest < 0 || x > v[largest] {
			largest = i
		}
	}
	if shifted && least >= 0 && v[largest]-v[least] > 2*most {
		l.add(line, false, diag.PolicyValue, "",
			"elements %d and %d of %q are %.4g and %.4g, and no number that is added to all rows leaves "+
				"both within the %v that the policy takes%s",
			least+1, largest+1, name, v[least], v[largest], bound, each(clients))
		return Refused(l.out)
	}
	return nil
}
