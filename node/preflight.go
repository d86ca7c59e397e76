package node

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/runtime/network"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib/transforms"
)

// A Check is one thing that would make a run fail, or that would not, or what the party ought to know of the run.
type Check struct {
	Name    string `json:"check"`
	Problem string `json:"problem,omitempty"` // "": there is none
	Found   string `json:"found,omitempty"`   // where there is no problem
	Fix     string `json:"fix,omitempty"`
	Note    bool   `json:"-"` // nothing was compared: Found tells of the run
}

// Bounds of a preflight.
const (
	answerMost  = 6 * time.Second
	clockMost   = time.Minute
	expiresSoon = 30 * 24 * time.Hour
)

// Preflight looks for what would make a run of the party fail, without taking part in one. It needs the server only for what the two must have alike.
// Where a client has no policy, its owner can confirm what was found.
func Preflight(ctx context.Context, o Options) ([]Check, *Pending) {
	p := &preflight{Options: o}
	for _, check := range []func(context.Context) bool{p.certificate, p.programs, p.table, p.reach, p.alike} {
		if !check(ctx) {
			break // what follows needs it
		}
	}
	return p.checks, p.pending
}

type preflight struct {
	Options
	node    *node
	part    *participant
	checks  []Check
	pending *Pending
}

func (p *preflight) fine(name, format string, args ...any) bool {
	p.checks = append(p.checks, Check{Name: name, Found: fmt.Sprintf(format, args...)})
	return true
}

func (p *preflight) note(name, format string, args ...any) bool {
	p.checks = append(p.checks, Check{Name: name, Found: fmt.Sprintf(format, args...), Note: true})
	return true
}

func (p *preflight) problem(name string, err any, fix string) bool {
	p.checks = append(p.checks, Check{Name: name, Problem: fmt.Sprint(err), Fix: fix})
	return false
}

func (p *preflight) certificate(context.Context) bool {
	id, err := identity.Load(p.Identity)
	if err != nil {
		return p.problem("certificate", err, "make keys with vflc provision request, send the request, and copy the bundle beside the keys")
	}
	p.node = &node{Options: p.Options, id: id, journal: quietJournal()}
	if left := time.Until(id.Cert.NotAfter); left < expiresSoon {
		p.problem("certificate", fmt.Sprintf("it expires on %s", id.Cert.NotAfter.Format(time.DateOnly)), "have it revoked, and request another")
		return true
	}
	f := id.Fingerprints()
	p.fine("certificate", "%s of %s, until %s", id.Party, id.Project.Name, id.Cert.NotAfter.Format(time.DateOnly))
	p.note("key", "%s", f.Key)
	return p.note("authority", "%s; the keeper of the project and every other party read the same to each other", f.Authority)
}

func (p *preflight) programs(context.Context) bool {
	part, diags, err := p.node.readPrograms()
	if err == nil && diags.HasErrors() {
		err = data.Errors(diags)
	}
	if err != nil {
		return p.problem("programs", err, "copy the folder that vflc compile --split-by client has written")
	}
	p.part, p.node.part = part, part
	p.fine("programs", "%s, manifest %s…", part.manifest.Model, short(part.digest))
	if err := p.node.readPolicy(); err != nil {
		return p.problem("policy", err, "see vflc explain "+string(diag.BadPolicy))
	}
	if p.node.policy == nil {
		return p.note("policy", "there is no %s: a client takes part in what its owner has confirmed alone (--confirm)", filepath.Join(p.Identity, policy.FileName))
	}
	lines, err := part.programLines(announcement{Key: p.key()})
	return p.allows(lines, err)
}

// allows adds lines of the policy to the checks.
func (p *preflight) allows(lines []policy.Line, err error) bool {
	if err != nil {
		return p.problem("policy", err, "")
	}
	for _, l := range lines {
		if d := l.Refused; d != nil {
			p.problem("policy: "+l.Name, d.Message, fmt.Sprintf("run what the policy allows, or change its line; vflc explain %s", d.Code))
		} else {
			p.fine("policy: "+l.Name, "%s", l.Found)
		}
	}
	return true
}

// Allowed lists what the party's policy says of programs, before anybody is met and anything is read; without a policy it says nothing.
func Allowed(o Options) (checks []Check, refused error) {
	p := &preflight{Options: o}
	id, err := identity.Load(o.Identity)
	if err != nil {
		return nil, err
	}
	p.node = &node{Options: o, id: id, journal: quietJournal()}
	part, diags, err := p.node.readPrograms()
	if err == nil && diags.HasErrors() {
		err = data.Errors(diags)
	}
	if err != nil {
		return nil, err
	}
	p.part, p.node.part = part, part
	if err := p.node.readPolicy(); err != nil || p.node.policy == nil {
		return nil, err
	}
	lines, err := part.programLines(announcement{Key: p.key()})
	if err != nil {
		return nil, err
	}
	p.allows(lines, nil)
	return p.checks, forbidden(lines)
}

// key is the column on which rows are joined: the server's where the party names none.
func (p *preflight) key() string {
	switch {
	case p.Key != "":
		return p.Key
	case p.node.policy != nil && p.node.policy.Key != "":
		return p.node.policy.Key
	}
	return data.DefaultKey
}

// table reads the party's data as a run would; its key is the server's where the party names none.
func (p *preflight) table(context.Context) bool {
	a := announcement{Manifest: p.part.digest, Key: p.key(), Salt: randomID(), Task: p.Task}
	if err := p.part.read(a, nil, nil); err != nil {
		return p.problem("data", err, "vflc check PROGRAM --data FILE shows the place")
	}
	sizes := p.part.facts.Sizes
	texts := slices.Clone(p.part.part.Data.Joined())
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		texts = append(texts, fmt.Sprintf("%s = %d", name, sizes[name].Value))
	}
	if texts == nil {
		texts = []string{"the program needs none"}
	}
	p.fine("data", "%s", strings.Join(texts, "; "))
	if err := p.deals(); err != nil {
		return p.problem("folds", err, "name a column or response as the others do")
	}
	if p.node.policy == nil {
		return true
	}
	lines, err := p.part.rowLines()
	return p.allows(lines, err)
}

// deals says whether this party would tell the folds, and what that tells.
func (p *preflight) deals() error {
	if !p.part.awaitsFolds() {
		return nil
	}
	deal, err := p.part.deal("")
	if err != nil || deal == nil {
		return err
	}
	if why := p.part.mayDeal(deal); why.HasErrors() {
		p.problem("policy: folds", why[0].Message, fmt.Sprintf("%s; vflc explain %s", why[0].Notes[0].Message, why[0].Code))
		return nil
	}
	p.note("leaves: folds", "to every party, once: in which of %d folds each of %d rows is, which follows from %s; masked: no; they can compute: %s", p.Task.Folds, len(deal.Folds), deal.Name, learns(p.Task.Fold))
	return nil
}

func (p *preflight) reach(ctx context.Context) bool {
	id := p.node.id
	if id.Party == id.Project.Server {
		listen := p.Listen
		if listen == "" {
			_, port, _ := net.SplitHostPort(id.Project.Address)
			listen = net.JoinHostPort("", port)
		}
		l, err := net.Listen("tcp", listen)
		if err != nil {
			return p.problem("port", err, "end the process that uses the port, or name another with --listen")
		}
		l.Close()
		return p.fine("port", "%s is free", listen)
	}
	if p.NATS.URL != "" {
		return true // the server's answer shows it
	}
	if err := carrier.Probe(ctx, id); err != nil {
		return p.problem("server", err, "start vflc serve there, open its port in the firewalls between, and compare the project's address")
	}
	return p.fine("server", "%s answers at %s", id.Project.Server, id.Project.Address)
}

// alike compares what the server announces with what this party has.
func (p *preflight) alike(ctx context.Context) bool {
	id := p.node.id
	if id.Party == id.Project.Server {
		return true
	}
	answer, c, err := p.ask(ctx)
	if err != nil {
		return p.problem("server", err, "")
	}
	defer c.Close()
	if answer == nil {
		return p.problem("run", "the server tells nothing of a run in which this party takes part", "start vflc serve there; compare the parties in the project file of the server with those of the manifest")
	}
	if answer.other != nil {
		return p.problem("version", fmt.Sprintf("%s runs %s, this party %s", id.Project.Server, *answer.other, ownProgram()), "install the same version of vflc at all parties, and compile the model again with it")
	}
	var told announced
	if json.Unmarshal(answer.text, &told) != nil || wellFormed(told) != nil {
		return p.problem("run", "the server describes the run in another form", "install the same version of vflc at all parties")
	}
	p.clock(time.Since(time.Unix(0, int64(answer.number))))
	p.payload(c)
	rtt, err := c.RTT()
	if err == nil {
		p.fine("latency", "%s for a round trip", posterior.Seconds(rtt.Seconds()))
	}
	var a announcement
	if told.Beat.Stage != stageAnnounce || json.Unmarshal(told.Beat.Body, &a) != nil {
		return p.note("run", "it is under way: nothing is compared")
	}
	var r *refusal
	if err := p.part.fits(a); errors.As(err, &r) {
		return p.problem(string(r.code), r.err, "agree with the keeper of the project on one version, one manifest and one key")
	}
	if p.node.policy != nil || a.Record {
		if err := p.part.allows(a); errors.As(err, &r) {
			return p.problem(string(r.code), r.err, "run what the policy allows, or change its line")
		}
	}
	p.fine("run", "%s, backend %s, rows joined on %s, vflc %s", a.Model, a.Backend, a.Key, fit.Version())
	p.compare(told, a)
	return p.crosses(a, rtt)
}

// announced is what the server tells a process that asks.
type announced struct {
	Beat beat `json:"beat"`
	// Of the server's own data, while the parties meet; nil: they have. Rows are told without those that are incomplete; where there are any, Facts are not told.
	Rows  map[string]compile.Rows `json:"rows,omitempty"`
	Facts *compile.Facts          `json:"facts,omitempty"`
}

// payload compares the carrier's largest packet with what a run needs.
func (p *preflight) payload(c conveyor) bool {
	most := c.MaxPayload()
	if most < network.MinPacket {
		return p.problem("payload", fmt.Sprintf("%s takes packets of %d bytes, and a run needs %d", c.Where(), most, network.MinPacket), "raise max_payload of the NATS server; 1 MB is its default")
	}
	return p.fine("payload", "packets of %s; longer messages are divided", posterior.Bytes(int64(min(most, network.MaxPacket))))
}

// compare compares sizes, the order of rows and shared data with the server's, by digests with the salt of the run.
func (p *preflight) compare(told announced, a announcement) bool {
	const way = "compare the tables of the two parties: vflc align puts rows in one order, and data @ shared must be the same file"
	salt, err := hex.DecodeString(a.Salt)
	if told.Rows == nil && told.Facts == nil || err != nil {
		return p.note("shared data", "the server has not read its own yet")
	}
	names := []string{p.node.id.Project.Server, p.node.id.Party}
	rows := p.part.part.Rows(salt)
	left, err := compile.LeaveOut(names, map[string]map[string]compile.Rows{names[0]: told.Rows, names[1]: rows})
	if err != nil {
		return p.problem("shared data", err, way)
	}
	if told.Facts == nil || len(left) > 0 {
		return p.fine("shared data", "as many rows as at the server, in one order; the rest is compared when rows with missing cells are left out at all parties")
	}
	own, diags := p.part.part.Facts(salt)
	if diags.HasErrors() {
		return p.problem("shared data", data.Errors(diags), "")
	}
	server := told.Facts
	if _, err := compile.Agree(names, map[string]compile.Facts{names[0]: *server, names[1]: own}); err != nil {
		return p.problem("shared data", err, way)
	}
	var same []string
	for _, name := range slices.Sorted(maps.Keys(own.Shared)) {
		if server.Shared[name] != "" {
			same = append(same, name)
		}
	}
	text := "sizes"
	if own.Order != "" && server.Order != "" {
		text += fmt.Sprintf(", the order of %s", grouped.Count(own.Rows, "row"))
	}
	if len(same) > 0 {
		text += ", " + strings.Join(same, ", ")
	}
	return p.fine("shared data", "as the server's: %s", text)
}

// evaluations is how many of them a forecast is made for; a fit takes thousands.
const evaluations = 10_000

// crosses lists what leaves the party and what arrives, with what a curious receiver can compute, and forecasts rounds and bytes.
func (p *preflight) crosses(a announcement, rtt time.Duration) bool {
	for _, line := range p.part.manifest.Run.Verdict {
		p.note("verdict", "%s", line)
	}
	p.terms(a)
	own, _, _ := compile.Member(p.node.id.Party)      // its name was checked
	kinds, numbers, often := map[string]bool{}, 0, "" // of messages, by their names
	for _, d := range p.part.manifest.Run.Crossings {
		from, _, _ := strings.Cut(d.From, "[")
		to, _, _ := strings.Cut(d.To, "[")
		if from != own && to != own {
			continue
		}
		if len(d.Messages) > 0 && strings.HasPrefix(d.Often, "every") && (often == "" || slices.Contains(strings.Split(d.Often, ", "), often)) {
			often, _, _ = strings.Cut(d.Often, ", ")
			numbers += p.numbers(d.Shape)
			for _, m := range d.Messages {
				kind, _, _ := strings.Cut(m, ":")
				kinds[kind] = true
			}
		}
		switch {
		case from == own:
			p.note("leaves", "%s", leaves(d, p.size(d.Shape)))
		case len(d.Messages) > 0:
			p.note("arrives", "%s: %s, %s; lines of a policy that limit them: %s", d.What, p.size(d.Shape), d.Often, p.limits(d.Messages))
		}
	}
	if often == "" {
		return p.note("forecast", "nothing crosses more than once")
	}
	if a.Task.Kind != Fitting {
		return p.predicts(a, rtt, numbers)
	}
	p.rounds(a)
	trips := session.RoundTrips(kinds)
	if k := a.Task.Folds; k > 0 {
		p.note("folds", "the cross-validation has %d fits, each followed by a prediction: what is listed here crosses in each", k)
	}
	w := posterior.Work{SequentialRounds: int64(trips) * evaluations, Bytes: int64(8*numbers) * evaluations}
	wait, _ := posterior.Link{RoundTrip: rtt, Bandwidth: 1}.Waits(w)
	return p.note("forecast", "%s takes %s and about %s to and from this party; %s of them wait %s and move %s; vflc audit RUN --rtt counts those of a run",
		often, grouped.Count(trips, "round trip"), posterior.Bytes(int64(8*numbers)), grouped.Digits(evaluations), posterior.Seconds(wait), posterior.Bytes(w.Bytes))
}

// size says how many numbers an array of a shape has, with the sizes that the party knows.
func (p *preflight) size(shape []string) string {
	out := slices.Clone(shape)
	for k, one := range out {
		if f, ok := p.part.facts.Sizes[one]; ok {
			out[k] = grouped.Digits(f.Value)
		}
	}
	if text := strings.Join(out, " × "); text != "" && text != "1" {
		return text + " numbers"
	}
	return "1 number"
}

// limits names the lines of a policy that limit what messages bring, with their values.
func (p *preflight) limits(messages []string) string {
	var lines []string
	for _, m := range messages {
		kind, channel, _ := strings.Cut(m, ": ")
		for _, line := range policy.Limits(session.BoundOf(kind, channel)) {
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	for k, line := range lines {
		lines[k] += " (" + p.node.policy.Set(line) + ")"
	}
	return strings.Join(lines, ", ")
}

// rounds forecasts them beside the line that bounds them.
func (p *preflight) rounds(a announcement) {
	algorithm, _ := fit.Backend(a.Backend)
	transform, _ := transforms.Named(p.part.manifest.Transform)
	s, err := algorithm.Resolve(transform, a.Settings)
	set := "max_rounds (" + p.node.policy.Set("max_rounds") + ")"
	if err != nil || algorithm.Forecast == nil {
		p.note("rounds", "as many as the fit takes to converge; %s bounds those of all runs on these rows", set)
		return
	}
	f := algorithm.Forecast(s).Divided(p.column())
	p.note("rounds", "%s (%s); %s bounds those of all runs on these rows", between(f.Rounds), f.Basis, set)
	if p.node.policy == nil || p.node.policy.MaxRounds == 0 {
		return
	}
	const name = "policy: max_rounds"
	_, spent, err := policy.OpenHistory(p.Identity).Earlier(p.part.rows)
	left := int(p.node.policy.MaxRounds - spent.Rounds)
	short := fmt.Sprintf("%s rounds are left, and such a fit takes %s", grouped.Digits(max(0, left)), between(f.Rounds))
	way := fmt.Sprintf("max_rounds = %d suffices, or fewer chains or draws", spent.Rounds+int64(f.Rounds.Most))
	switch {
	case err != nil:
		p.problem(name, err, "")
	case left < f.Rounds.Least:
		p.problem(name, short, way)
	case left < f.Rounds.Most:
		p.note(name, "%s: it may end before the fit does; %s", short, way)
	}
}

// column is how many numbers all clients together send for one draw.
func (p *preflight) column() (numbers int) {
	for _, c := range p.part.manifest.Cuts {
		for _, name := range p.node.names()[1:] {
			if program, _, _ := compile.Member(name); program == c.Client {
				numbers += p.numbers(c.Shape)
			}
		}
	}
	return numbers
}

func between(r backends.Range) string {
	return grouped.Digits(r.Least) + " to " + grouped.Digits(r.Most)
}

// terms shows the run that is announced, and lets the owner of a client without a policy confirm it.
func (p *preflight) terms(a announcement) {
	clients := p.node.names()[1:]
	p.note("manifest", "SHA-256 %s", p.part.digest)
	for _, one := range p.part.manifest.Parties {
		p.note("program", "of %s, SHA-256 %s", one.Name, one.SHA256)
	}
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(a.Settings)) {
		settings = append(settings, fmt.Sprintf("--%s %s", name, a.Settings[name]))
	}
	p.note("settings", "%s; what is not listed is as vflc %s has it, the number of rounds too: max_rounds in a policy bounds it", cmp.Or(strings.Join(settings, " "), "none given"), fit.Version())
	masked := "masked: " + p.masks(a)
	switch len(clients) {
	case 1:
		p.note("contributors", "%s alone: what it sends has no mask; %s", clients[0], masked)
	case 2:
		p.note("contributors", "%s: with two, each learns the other's contribution from a total; %s", list(clients), masked)
	default:
		p.note("contributors", "%s; %s", list(clients), masked)
	}
	again, err := readDeparted(p.Identity)
	if err != nil {
		p.problem("unlike numbers", err, "")
	} else if again != nil {
		p.note("unlike numbers", "%v", again.error())
	}
	if p.node.policy != nil {
		p.allows(p.node.policy.Sums(p.sums(a)), nil)
		p.steepest(a)
		if again != nil {
			p.pending = &Pending{p.Identity, a, nil}
		}
		return
	}
	if len(clients) > 1 && p.masks(a) == "no" {
		p.problem("masks", "the run has no masked sums, and a party without a policy takes part in none such", "have the server leave out --secure-sum off, or write unmasked = true in policy.toml")
		return
	}
	p.pending = &Pending{p.Identity, a, []terms{p.part.terms(a)}}
}

// sums are those to which the party contributes, as the manifest and the project have them.
func (p *preflight) sums(a announcement) (out []policy.Sum) {
	m := p.part.manifest
	own, _, _ := compile.Member(p.node.id.Party) // its name was checked
	masked := p.masks(a) != "no"
	for _, g := range m.Groups {
		bases := map[string]bool{}
		for _, c := range m.Cuts {
			if slices.Contains(g.Cuts, c.Name) {
				bases[c.Client] = true
			}
		}
		if !bases[own] {
			continue
		}
		clients := 0
		for _, name := range p.node.names()[1:] {
			if base, _, _ := compile.Member(name); bases[base] {
				clients++
			}
		}
		out = append(out, policy.Sum{Name: strings.Join(g.Cuts, " + "), Clients: clients, Masked: masked && clients > 1})
	}
	return out
}

// steepest compares the bound of the policy on derivatives with what the form of the programs has.
func (p *preflight) steepest(a announcement) {
	const name = "policy: max_adjoint"
	bundle, diags, err := compile.ReadBundle(p.node.programs())
	if err != nil || diags.HasErrors() {
		p.note(name, "the folder does not have the programs of all parties, whose form bounds it")
		return
	}
	most, why := bundle.Steepest()
	if algorithm, ok := fit.Backend(a.Backend); ok && why == "" {
		if window, ok := algorithm.In(backends.Minibatch); ok && a.Settings[window.Name] != "" {
			why = "a minibatch multiplies them"
		}
	}
	set := p.node.policy.MaxAdjoint
	switch {
	case a.Task.Kind != Fitting:
	case set > 0 && why != "":
		p.note(name, "the programs have no bound that is known before the run: %s; a number beyond %v ends it", why, set)
	case set > 0 && set < most:
		p.problem(name, fmt.Sprintf("the policy takes derivatives of a row of at most %v, and the run has some of %v", set, most), fmt.Sprintf("max_adjoint = %v, or leave the line out", most))
	case set > 0:
		p.fine(name, "%v; by the form of the programs the derivative of a row is at most %v, beside what an intercept adds to all rows alike", set, most)
	case why == "":
		p.note(name, "not set; by the form of the programs %v bounds it", most)
	}
}

// masks says whether sums over clients are masked.
func (p *preflight) masks(a announcement) string {
	algorithm, _ := fit.Backend(a.Backend)
	algorithm, settings, err := fit.Declared(p.part.manifest, &algorithm, a.Settings)
	if secure, ok := algorithm.In(backends.SecureSum); ok && err == nil && settings[secure.Name] == "on" {
		return "yes, sums over two clients or more"
	}
	return "no"
}

// predicts forecasts a prediction with the draws of the party's run.
func (p *preflight) predicts(a announcement, rtt time.Duration, numbers int) bool {
	run, err := runs.Open(p.From)
	if err != nil {
		return p.problem("run", err, "name this party's folder of the run whose draws are used")
	}
	draws := run.Draws.Len(0) * run.Draws.Chains()
	if a.Task.Draws > 0 {
		draws = min(draws, a.Task.Draws)
	}
	trips := fit.PredictionTrips(draws)
	wait, _ := posterior.Link{RoundTrip: rtt, Bandwidth: 1}.Waits(posterior.Work{SequentialRounds: int64(trips)})
	return p.note("forecast", "%s, with %s, takes %s and about %s to and from this party, and waits %s for the network", a.Task, grouped.Count(draws, "draw"), grouped.Count(trips, "round trip"), posterior.Bytes(int64(8*numbers*draws)), posterior.Seconds(wait))
}

// numbers is how many numbers an array of a shape has; 0 where that depends on what this party does not know.
func (p *preflight) numbers(shape []string) int {
	n := 1
	for _, one := range shape {
		k, err := strconv.Atoi(one)
		if f, ok := p.part.facts.Sizes[one]; err != nil && ok {
			k, err = f.Value, nil
		}
		if err != nil {
			return 0
		}
		n *= k
	}
	return n
}

// ask asks the server what it announces, as a process of its own that takes no part. nil: it has not answered.
func (p *preflight) ask(ctx context.Context) (*told, conveyor, error) {
	id, own := p.node.id, newSecrets(p.node.id)
	answers := make(chan told, 16)
	n := &node{Options: p.Options, id: id, journal: quietJournal()}
	err := n.carryTo(carrier.Events{Back: func() {}, Notice: func(string) {}, Refuse: func(error) {}, Packet: func(from string, packet []byte) {
		if t, err := own.take(from, packet); err == nil && (t.text != nil || t.other != nil) && t.from == id.Project.Server {
			select {
			case answers <- t:
			default:
			}
		}
	}})
	if err != nil {
		return nil, nil, err
	}
	wait, cancel := context.WithTimeout(ctx, answerMost)
	defer cancel()
	for {
		own.mutex.Lock()
		question := own.hello(kindAsk, id.Project.Server, nil)
		own.mutex.Unlock()
		_ = n.carrier.Publish(id.Project.Server, question) // it is asked again
		select {
		case t := <-answers:
			return &t, n.carrier, nil
		case <-time.After(answerMost / 20):
		case <-wait.Done():
			return nil, n.carrier, nil
		}
	}
}

func (p *preflight) clock(ahead time.Duration) {
	if ahead.Abs() > clockMost {
		p.problem("clock", fmt.Sprintf("it differs from the server's by %v", ahead.Round(time.Second)), "set both by a time server: certificates and logs depend on it")
		return
	}
	p.fine("clock", "it differs from the server's by less than %v", max(time.Second, ahead.Abs().Round(time.Second)))
}
