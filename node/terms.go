package node

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/runtime/session"
)

// terms shows the run that is announced, and lets the owner of a client without a policy confirm it.
func (p *preflight) terms(a announcement, uses []density.Use) {
	clients := p.node.names()[1:]
	var programs []string
	for _, one := range p.part.manifest.Parties {
		programs = append(programs, one.Name+" "+one.SHA256)
	}
	p.note("manifest", "SHA-256 %s", p.part.digest)
	p.note("digests", "SHA-256 of the programs: %s", strings.Join(programs, ", "))
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(a.Settings)) {
		settings = append(settings, fmt.Sprintf("--%s %s", name, a.Settings[name]))
	}
	p.note("settings",
		"%s; what is not listed is as vflc %s has it, the number of rounds too: "+
			"max_rounds in a policy bounds it", cmp.Or(strings.Join(settings, " "), "none given"),
		fit.Version())
	masked := "masked: " + p.masks(a)
	switch {
	case p.encrypted(a):
		p.note("contributors", "%s: rows are encrypted, and nobody can decrypt a number of a row",
			list(clients))
	case len(clients) == 1:
		p.note("contributors", "%s alone: what it sends has no mask; %s", clients[0], masked)
	case len(clients) == 2:
		p.note("contributors", "%s: with two, each learns the other's contribution from a total; %s",
			list(clients), masked)
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
		if !p.encrypted(a) {
			p.allows(p.node.policy.Sums(p.sums(a)), nil)
			p.steepest(a, uses)
		}
		if again != nil {
			p.pending = &Pending{p.Identity, a, nil}
		}
		return
	}
	if len(clients) > 1 && p.masks(a) == "no" && !p.encrypted(a) {
		p.problem("masks", "the run has no masked sums, and a party without a policy takes part in none such",
			"have the server leave out --secure-sum off, or write unmasked = true in policy.toml")
		return
	}
	p.pending = &Pending{p.Identity, a, []terms{p.part.terms(a)}}
}

// sums are those to which the party contributes, as the manifest and the project have them.
func (p *preflight) sums(a announcement) (out []policy.ContributedSum) {
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
		out = append(out, policy.ContributedSum{Name: strings.Join(g.Cuts, " + "), Clients: clients,
			Masked: masked && clients > 1})
	}
	return out
}

// steepest compares the bound of the policy on derivatives with what the form of the programs has, and lists
// the messages that it bounds.
func (p *preflight) steepest(a announcement, uses []density.Use) {
	const name = "policy: " + maxAdjoint
	bounded := p.bounded(uses)
	if a.Task.Kind != Fitting || bounded == "" {
		return
	}
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
	case set > 0 && why != "":
		p.note(name,
			"the programs have no bound that is known before the run: %s; a number beyond %v ends it: %s",
			why, set, bounded)
	case set > 0 && set < most:
		p.problem(name,
			fmt.Sprintf("the policy takes derivatives of a row of at most %v, and the run has some of %v: %s",
				set, most, bounded), fmt.Sprintf("max_adjoint = %v, or leave the line out", most))
	case set > 0:
		p.fine(name,
			"%v; by the form of the programs the derivative of a row is at most %v, beside what an "+
				"intercept adds to all rows alike: %s", set, most, bounded)
	case why == "":
		p.note(name, "not set; by the form of the programs %v bounds it: %s", most, bounded)
	}
}

const maxAdjoint = "max_adjoint"

// bounded lists what arrives at the party that the policy's bound on derivatives holds for, and how often.
func (p *preflight) bounded(uses []density.Use) string {
	own, _, _ := compile.Member(p.node.id.Party) // its name was checked
	var out []string
	for _, d := range p.part.manifest.Run.Crossings {
		if to, _, _ := strings.Cut(d.To, "["); to == own && slices.Contains(limiting(d.Messages, uses),
			maxAdjoint) {
			out = append(out, d.What+", "+d.Often)
		}
	}
	return strings.Join(out, "; ")
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

// encrypted reports whether rows are: contributions and adjoints then do not cross as numbers.
func (p *preflight) encrypted(a announcement) bool {
	if p.part.releases() {
		return true
	}
	algorithm, _ := fit.Backend(a.Backend)
	algorithm, settings, err := fit.Declared(p.part.manifest, &algorithm, a.Settings)
	if err != nil || a.Task.Kind != Fitting {
		return false
	}
	transform, _ := p.part.manifest.Kind()
	s, err := algorithm.Resolve(transform, settings)
	return err == nil && s.Plan.Encrypted
}

// crosses lists what leaves the party and what arrives, with what a curious receiver can compute, and
// forecasts rounds and bytes.
func (p *preflight) crosses(a announcement, rtt time.Duration) {
	for _, line := range p.part.manifest.Run.Verdict {
		p.note("verdict", "%s", line)
	}
	for _, d := range diag.Acceptances() {
		if slices.Contains(p.part.manifest.Accepted, d.Name) {
			p.note("accepted", "%s: %s", d.Name, d.Doc)
		}
	}
	algorithm, _ := fit.Backend(a.Backend)
	uses, err := fit.Exchanges(p.part.manifest, algorithm, a.Settings)
	p.terms(a, uses)
	if err != nil {
		p.problem("forecast", err, "compile the model again")
		return
	}
	own, _, _ := compile.Member(p.node.id.Party) // its name was checked
	var paces []*pace
	var leave, arrive alike
	for _, d := range p.part.manifest.Run.Crossings {
		from, _, _ := strings.Cut(d.From, "[")
		to, _, _ := strings.Cut(d.To, "[")
		if from != own && to != own {
			continue
		}
		when := strings.ReplaceAll(d.Often, quadrature.InPieces, "") // the payload says it
		if len(d.Messages) > 0 {
			paces = p.paced(paces, d)
		}
		switch {
		case from == own:
			leave.add(d.What, " to "+d.To+",", p.size(d.Shape)+", "+when,
				"masked: "+d.Masked+"; a curious "+d.To+" can compute ", d.Learns)
		case len(d.Messages) > 0:
			limits := p.limits(d.Messages, uses)
			arrive.add(d.What, "", p.size(d.Shape)+", "+when, "lines of a policy that limit them: "+limits,
				"")
		}
	}
	for _, line := range leave.lines() {
		p.note("leaves", "%s", line)
	}
	for _, line := range arrive.lines() {
		p.note("arrives", "%s", line)
	}
	p.forecast(a, rtt, paces, uses)
}

// alike are crossings of which the same is to be said, told together.
type alike []*crossing

type crossing struct {
	names  []string // of what crosses
	often  map[string][]string
	to     string
	says   string
	learns string
}

// add adds a crossing to those of which the same is said.
func (b *alike) add(what, to, often, says, learns string) {
	for _, one := range *b {
		if one.to == to && one.says == says && one.learns == learns {
			if one.often[what] == nil {
				one.names = append(one.names, what)
			}
			one.often[what] = append(one.often[what], often)
			return
		}
	}
	*b = append(*b, &crossing{[]string{what}, map[string][]string{what: {often}}, to, says, learns})
}

// lines are the crossings as text. What a receiver learns from several of them in the same words is said
// once, below.
func (b alike) lines() (out []string) {
	count := map[string]int{}
	for _, one := range b {
		for _, clause := range strings.Split(one.learns, "; ") {
			count[clause]++
		}
	}
	var below []string
	for _, one := range b {
		var parts, learns []string
		for _, name := range one.names {
			parts = append(parts, name+":"+one.to+" "+strings.Join(one.often[name], "; "))
		}
		mark := ""
		for k, clause := range strings.Split(one.learns, "; ") {
			if k == 0 || count[clause] < 2 {
				learns = append(learns, clause)
				continue
			}
			mark = " (*)"
			if !slices.Contains(below, clause) {
				below = append(below, clause)
			}
		}
		out = append(out, strings.Join(parts, "; ")+"; "+one.says+strings.Join(learns, "; ")+mark)
	}
	if below != nil {
		out = append(out, "(*) of each that is marked so: "+strings.Join(below, "; "))
	}
	return out
}

// size says how many numbers an array of a shape has, with the sizes that the party knows, or how many bytes.
func (p *preflight) size(shape []string) string {
	out := slices.Clone(shape)
	for k, one := range out {
		if f, ok := p.part.facts.Sizes[one]; ok {
			out[k] = grouped.Digits(f.Value)
		}
	}
	text := strings.Join(out, " × ")
	switch bytes := func(unit string) bool { return strings.Contains(text, " "+unit) }; {
	case bytes("bytes"), bytes("kB"), bytes("MB"):
		return text
	case text != "" && text != "1":
		return text + " numbers"
	}
	return "1 number"
}

// limiting names the lines of a policy that limit what messages bring.
func limiting(messages []string, uses []density.Use) (lines []string) {
	for _, m := range messages {
		kind, channel, _ := strings.Cut(m, ": ")
		for _, line := range policy.Limits(session.BoundOf(kind, channel, uses)) {
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// limits is these lines with their values.
func (p *preflight) limits(messages []string, uses []density.Use) string {
	lines := limiting(messages, uses)
	for k, line := range lines {
		lines[k] += " (" + p.node.policy.Set(line) + ")"
	}
	return strings.Join(lines, ", ")
}
