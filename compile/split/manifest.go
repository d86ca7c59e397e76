package split

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/compile/leak"
	"github.com/vflc/vflc/compile/suitable"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// Versions in a manifest, which parties compare before a run.
const (
	LanguageVersion = "2"
	ProtocolVersion = "7"
	SchemaVersion   = 2 // of the manifest itself
)

// Roles of a party in a manifest.
const (
	roleServer = "server"
	roleClient = "client"
)

// A Manifest lists what each party runs and what crosses between parties. Its fields are in alphabetical
// order, so that its JSON is canonical; numbers with a fraction are text.
type Manifest struct {
	// disclosures that whoever compiled the model accepted
	Accepted diag.Accepted `json:"accepted,omitempty"`
	// what clients compute in modules of their own
	Contributions []ManifestContribution `json:"contributions,omitempty"`
	Cuts          []ManifestCut          `json:"cuts"`
	Groups        []ManifestGroup        `json:"groups"`
	Language      string                 `json:"language"`
	Model         string                 `json:"model"`
	ModelSHA256   string                 `json:"model_sha256"`
	Parties       []ManifestParty        `json:"parties"`
	Powers        []ManifestPower        `json:"powers"`
	// what programs of a prediction draw; none: they are those of a run
	Predicted []Predicted `json:"predicted,omitempty"`
	Protocol  string      `json:"protocol"`
	// of programs without a likelihood: what is released of their data
	Release *ManifestRelease `json:"release,omitempty"`
	// sd of each client's auxiliary variables; empty where there are none
	Rho map[string]string `json:"rho"`
	// the size of rows that are independent of each other, which minibatches divide; "" where there is none
	Rows string `json:"rows,omitempty"`
	// of programs that parties run: what crosses then
	Run        *ManifestRun     `json:"run,omitempty"`
	Schema     int              `json:"schema"`
	Server     string           `json:"server"`
	SharedData []ManifestData   `json:"shared_data"`
	Shared     []ManifestShared `json:"shared_parameters"`
	Sizes      []ManifestSize   `json:"sizes"`
	Sums       []ManifestSum    `json:"sums"`
	Transform  string           `json:"transform"`
	// the model was compiled for a run whose rows stay encrypted; Run says so of programs
	Encrypted bool `json:"-"`
	// some party has weights, which are estimated as points
	Weights bool `json:"weights,omitempty"`
	// priors of some party's parameters depend on parameters, or may do so
	Hyper bool `json:"hyperparameters,omitempty"`

	file *source.File // that it was read from; nil: it was not
}

// A ManifestRun is the run that the programs are for: all rows of its audit, and the settings on which these
// depend. A run with others is refused.
type ManifestRun struct {
	Backend   string             `json:"backend"`
	Crossings []ManifestCrossing `json:"crossings"`
	Settings  map[string]string  `json:"settings"` // those alone without which something else would cross
	// what each party can compute of the rows of others, as an audit says it first
	Verdict []string `json:"verdict"`
}

// A ManifestCrossing is one thing that a party learns from another.
type ManifestCrossing struct {
	From   string `json:"from"`
	Often  string `json:"how_often"`
	Masked string `json:"masked"` // "no", or what hides it
	// the kinds of message that carry it, each with its channel: "aux: z z_1+z_2"
	Messages []string `json:"messages,omitempty"`
	Learns   string   `json:"receiver_computes"` // what a curious receiver can compute
	Shape    []string `json:"shape"`
	To       string   `json:"to"`
	What     string   `json:"what"`
}

// ManifestParty is one party's program.
type ManifestParty struct {
	Family string `json:"family,omitempty"` // number of members, a size; "" for a single party
	Name   string `json:"name"`
	// sizes of which every member of the family has a value of its own
	OwnSizes []string `json:"own_sizes,omitempty"`
	Program  string   `json:"program"`
	Role     string   `json:"role"` // server or client
	SHA256   string   `json:"sha256"`
}

// ManifestContribution is what a client computes in a module of its own: of it the others know the shape.
type ManifestContribution struct {
	Client string   `json:"client"`
	Name   string   `json:"name"`
	Shape  []string `json:"shape"`
}

// ManifestCut is one auxiliary variable, or one cut itself, that leaves its client each round.
type ManifestCut struct {
	Client string   `json:"client"`
	Group  int      `json:"group"`
	Name   string   `json:"name"`
	Offset bool     `json:"offset,omitempty"` // data of the client are added to it as they are
	Rho    string   `json:"rho,omitempty"`    // "": the cut itself leaves
	SeenBy []string `json:"seen_by"`          // who learns it, separately or in a sum
	Shape  []string `json:"shape"`
}

// ManifestGroup is a sum of cuts.
type ManifestGroup struct {
	Additive bool     `json:"additive"` // only the sum is needed
	Cuts     []string `json:"cuts"`
	Number   int      `json:"number"`
	Shape    []string `json:"shape"`
}

// ManifestShared is a parameter of the server that clients learn each round.
type ManifestShared struct {
	Name string `json:"name"`
	// Prior declares one element, as "param k : real ~ half_normal(1)": a client checks with draws from it
	// that what it sends is not its data. Empty where the prior depends on other parameters or on data.
	Prior string   `json:"prior,omitempty"`
	Shape []string `json:"shape"`
	To    []string `json:"to"`
}

// ManifestData is data that more than one party holds.
type ManifestData struct {
	Name  string   `json:"name"`
	Shape []string `json:"shape"`
	To    []string `json:"to"`
}

// A Predicted is a response that a prediction draws, or a generated quantity of new rows. Name is that of its
// generated quantity, Mean that of its expectation, "" where the distribution has none written, and Score
// that of the log density of what was observed, "" where that is not computed.
type Predicted struct {
	Binary bool `json:"binary,omitempty"` // it is 0 or 1
	// rows are censored by what became of each, so that its draws are no replicates
	Censored bool   `json:"censored,omitempty"`
	Data     string `json:"data"`               // the declaration of the model whose values it predicts
	Discrete bool   `json:"discrete,omitempty"` // it takes whole numbers
	Level    bool   `json:"level,omitempty"`    // it is a category
	Mean     string `json:"mean,omitempty"`
	Name     string `json:"name"`
	// of a category: Mean is the probability that it is no greater than each but the last
	Ordered bool   `json:"ordered,omitempty"`
	Owner   string `json:"owner"` // a party, a family, or shared
	// it is no response, but a generated quantity of the model with an element for each row
	Quantity bool   `json:"quantity,omitempty"`
	Score    string `json:"score,omitempty"`
}

// ManifestPower is a likelihood that a client evaluates at what the others contribute: to the power 1/J where
// all hold its response, or whole, where the client alone does.
type ManifestPower struct {
	Distribution string `json:"distribution"`
	Exponent     string `json:"exponent"`       // as written: 1/2, 1 / (J + 1)
	Home         bool   `json:"home,omitempty"` // the response is the party's
	Party        string `json:"party"`
	Response     string `json:"response"` // as written; shared data, unless the party is its home
}

// Kind is the transform of the manifest's programs; false: its name is unknown.
func (m *Manifest) Kind() (def.Transform, bool) {
	t, ok := stdlib.TransformNamed(m.Transform)
	if m.Homes() {
		t = t.ByHolders()
	}
	return t, ok
}

// Homes reports whether clients evaluate likelihoods of several parties whose responses they hold.
func (m *Manifest) Homes() bool {
	return slices.ContainsFunc(m.Powers, func(p ManifestPower) bool { return p.Home })
}

// ManifestSize is a size that parties learn from the data of others.
type ManifestSize struct {
	Name string   `json:"name"`
	To   []string `json:"to"`
}

// ManifestSum is a sum of z that the server sends to a client.
type ManifestSum struct {
	Name  string   `json:"name"`
	Shape []string `json:"shape"`
	To    string   `json:"to"`
	Value string   `json:"value"` // as written: z_1 + z_2, others(z_1)
}

// Contradicts reports that the programs contradict what the manifest says in a field.
func (m *Manifest) Contradicts(field, format string, args ...any) *diag.Diagnostic {
	v := &validator{Manifest: m, at: m.file}
	if m.file == nil {
		v.at = source.New(ManifestFile, "")
	}
	return v.errorf(field, format, args...).Note("compile the model again, or ask who sent it")
}

// JSON returns the canonical form.
func (m *Manifest) JSON() []byte {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic("split: a manifest cannot be written: " + err.Error()) // it holds strings and integers only
	}
	return append(b, '\n')
}

// RhoValue is the standard deviation of the auxiliary variables: one number, or one by client where they
// differ, or nil where there are none.
func (m *Manifest) RhoValue() any {
	by, same := map[string]float64{}, true
	var one float64
	for client, text := range m.Rho {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil // a manifest that was read has numbers
		}
		same = same && (len(by) == 0 || v == one)
		by[client], one = v, v
	}
	switch {
	case len(by) == 0:
		return nil
	case same:
		return one
	}
	return by
}

// Party returns the entry of a party.
func (m *Manifest) Party(name string) (ManifestParty, bool) {
	for i := range m.Parties { // a party is a large value
		if m.Parties[i].Name == name {
			return m.Parties[i], true
		}
	}
	return ManifestParty{}, false
}

// Maskable reports whether the server needs only a group's sum and the group has, or as a family may have,
// two senders: masks can then hide each value among the others'.
func (m *Manifest) Maskable(g ManifestGroup) bool {
	return g.Additive && (len(g.Cuts) > 1 || slices.ContainsFunc(m.Cuts, func(c ManifestCut) bool {
		p, _ := m.Party(c.Client)
		return slices.Contains(g.Cuts, c.Name) && p.Family != "" && p.Family != "1"
	}))
}

// Together lists the cuts that enter a sum with a cut, this one included; none where it is seen separately.
func (m *Manifest) Together(cut string) (out []ManifestCut) {
	for _, g := range m.Groups {
		if !g.Additive || !slices.Contains(g.Cuts, cut) {
			continue
		}
		for _, c := range m.Cuts {
			if slices.Contains(g.Cuts, c.Name) {
				out = append(out, c)
			}
		}
	}
	return out
}

func (s *splitter) manifest(programs []PartyProgram) *Manifest {
	m := &Manifest{
		Accepted: s.accepted, Schema: SchemaVersion, Language: LanguageVersion, Protocol: ProtocolVersion,
		Model: s.name, ModelSHA256: s.model,
		Server: s.Server, Transform: s.Transform.Kind.Name, Rho: map[string]string{},
		Cuts: []ManifestCut{}, Groups: []ManifestGroup{}, Shared: []ManifestShared{},
		SharedData: []ManifestData{},
		Powers:     []ManifestPower{}, Sizes: []ManifestSize{}, Sums: []ManifestSum{},
	}
	for i, p := range programs {
		entry := ManifestParty{Name: p.Party, Role: roleClient, Program: p.File, SHA256: p.SHA256()}
		if i == 0 {
			entry.Role = roleServer
		}
		if c, ok := s.Client(p.Party); ok && c.Family {
			entry.Family, entry.OwnSizes = c.Count.String(), s.ownSizes(p.Party)
		}
		m.Parties = append(m.Parties, entry)
	}
	for _, k := range s.Parties[0].Received {
		c := s.manifestCut(k)
		if c.Rho != "" {
			m.Rho[k.Client] = c.Rho
		}
		g := s.groupOf(k)
		if c.Group = slices.IndexFunc(m.Groups, func(x ManifestGroup) bool {
			return x.Additive && slices.Contains(x.Cuts, k.Name)
		}) + 1; c.Group == 0 {
			m.Groups = append(m.Groups, s.manifestGroup(k, g))
			c.Group = len(m.Groups)
			m.Groups[c.Group-1].Number = c.Group
		}
		m.Cuts = append(m.Cuts, c)
	}
	if size, diags := suitable.ToSubsample(s.Program.Program); !diags.HasErrors() {
		m.Rows = size
	}
	server := s.writer(s.Parties[0])
	m.Hyper = s.hierarchical()
	for _, sym := range s.Order {
		m.Weights = m.Weights || sym.Initial != nil
		if sym.Opaque {
			m.Rows = ""
			m.Contributions = append(m.Contributions, ManifestContribution{Client: sym.Owner, Name: sym.Name,
				Shape: sym.Type.Shape()})
		}
		if to := names(server.usersOf(sym)); len(to) > 0 {
			m.Shared = append(m.Shared, ManifestShared{Name: sym.Name, Prior: s.prior(sym),
				Shape: sym.Type.Shape(), To: to})
		}
		if sym.Kind == check.Data && sym.Owner == check.Shared {
			m.SharedData = append(m.SharedData, ManifestData{Name: sym.Name, Shape: sym.Type.Shape(),
				To: s.holders(sym)})
		}
	}
	for _, q := range s.Parties {
		s.manifestOf(q, m)
	}
	return m
}

// hierarchical reports whether a prior depends on a parameter, or there is one with bounds that enters no
// likelihood: else none can be a hyperparameter.
func (s *splitter) hierarchical() bool {
	found := map[string]bool{}
	var read func(e ast.Expr)
	read = func(e ast.Expr) {
		ast.Walk(e, func(n ast.Node) bool {
			name, ok := n.(*ast.Name)
			if !ok || found[name.Name] {
				return true
			}
			found[name.Name] = true
			if of := s.Symbols[name.Name]; of != nil && of.Kind == check.Let {
				read(of.Decl.(*ast.Let).Value)
			}
			return true
		})
	}
	random := func() bool {
		return slices.ContainsFunc(s.Order, func(p *check.Symbol) bool {
			return p.Kind == check.Param && found[p.Name]
		})
	}
	for _, p := range s.Order {
		for _, arg := range p.Args {
			if arg != nil && p.Kind == check.Param {
				read(arg)
			}
		}
	}
	if random() {
		return true
	}
	for _, l := range s.Likelihoods {
		for _, e := range append(slices.Clone(l.Args), l.Stmt.Left) {
			if e != nil {
				read(e)
			}
		}
	}
	return slices.ContainsFunc(s.Order, func(p *check.Symbol) bool {
		return p.Kind == check.Param && !found[p.Name] && (p.Dist == nil || p.Dist.Support != def.RealLine)
	})
}

// ownSizes lists the sizes of which every member of a family has a value of its own.
func (s *splitter) ownSizes(family string) (names []string) {
	for name, z := range s.Sizes {
		if z.Member == family {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// manifestOf adds the sizes that a party learns, the sums that it is sent and the likelihoods that it
// evaluates at them.
func (s *splitter) manifestOf(q *transform.PartyShare, m *Manifest) {
	w := s.writer(q)
	w.file()
	for _, name := range w.learned {
		i := slices.IndexFunc(m.Sizes, func(x ManifestSize) bool { return x.Name == name })
		if i < 0 {
			i, m.Sizes = len(m.Sizes), append(m.Sizes, ManifestSize{Name: name})
		}
		m.Sizes[i].To = append(m.Sizes[i].To, q.Name)
	}
	for _, sum := range q.Sums {
		m.Sums = append(m.Sums, ManifestSum{Name: sum.Name, Shape: sum.Type.Shape(), To: q.Name,
			Value: sum.Text(q.Name)})
	}
	for _, l := range q.Likelihoods {
		home := s.athome(q, l)
		if l.Power == nil && !home {
			continue
		}
		power := ManifestPower{Party: q.Name, Response: format.Expr(l.Left), Distribution: l.Dist.Name.Name,
			Exponent: "1", Home: home}
		if l.Power != nil {
			power.Exponent = format.Expr(l.Power)
		}
		if !home || !slices.Contains(m.Powers, power) {
			m.Powers = append(m.Powers, power)
		}
	}
}

// athome reports whether a client evaluates a likelihood because it holds the response.
func (s *splitter) athome(q *transform.PartyShare, l *ast.Likelihood) bool {
	return slices.ContainsFunc(s.Likelihoods, func(k *cut.Likelihood) bool {
		return k.Party == "" && k.Home == q.Name && k.Home != s.Server && k.Stmt.At == l.At
	})
}

func (s *splitter) manifestCut(k *cut.Expression) ManifestCut {
	out := ManifestCut{Name: k.Name, Client: k.Client,
		Offset: len(leak.OffsetsOf(s.Program, k.Client, k.Expr)) > 0, Shape: k.Type.Shape(),
		SeenBy: []string{s.Server}}
	if s.Transform.Kind.Noise() {
		out.Rho = formatRho(s.RhoOf(k.Client))
	}
	for _, q := range s.Parties[1:] {
		for _, sum := range q.Sums {
			if slices.Contains(sum.Cuts, k) && (q.Name != k.Client || q.Family) {
				out.SeenBy = append(out.SeenBy, q.Name)
			}
		}
	}
	return out
}

// groupOf returns the additive group of a cut, or nil.
func (s *splitter) groupOf(k *cut.Expression) *cut.Group {
	for _, g := range s.Groups {
		if g.Additive && slices.Contains(g.Cuts, k) {
			return g
		}
	}
	return nil
}

// manifestGroup is the group in which a cut enters the model; a cut that is seen separately is a group of its
// own.
func (s *splitter) manifestGroup(k *cut.Expression, g *cut.Group) ManifestGroup {
	if g == nil {
		return ManifestGroup{Additive: s.sentOn(k), Cuts: []string{k.Name}, Shape: k.Type.Shape()}
	}
	out := ManifestGroup{Additive: true, Shape: g.Type.Shape(), Cuts: []string{}}
	for _, c := range g.Cuts {
		if slices.Contains(s.Parties[0].Received, c) {
			out.Cuts = append(out.Cuts, c.Name)
		}
	}
	return out
}

// sentOn reports whether the sum over the members of a family is all that is needed of a cut of theirs,
// although it is in several sums: the server sends it on.
func (s *splitter) sentOn(k *cut.Expression) bool {
	sent := false
	for _, q := range s.Parties {
		for _, sum := range q.Sums {
			sent = sent || slices.Contains(sum.Cuts, k)
		}
	}
	return k.Family && sent && !slices.ContainsFunc(s.Groups, func(g *cut.Group) bool {
		return g.Each() && slices.Contains(g.Cuts, k)
	})
}

// holders lists the parties whose programs read shared data.
func (s *splitter) holders(sym *check.Symbol) []string {
	out := []string{}
	for _, q := range s.Parties {
		w := s.writer(q)
		w.channels()
		w.reach()
		if w.holds(sym) {
			out = append(out, q.Name)
		}
	}
	return out
}

func names(ids []ast.Ident) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Name
	}
	return out
}

func formatRho(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
