package node

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// readPolicy reads the party's policy; nil where it has none.
func (n *node) readPolicy() error {
	p, diags, err := policy.Read(filepath.Join(n.Identity, policy.FileName))
	n.policy = p
	return data.Failed(diags, err)
}

// forbidden is the error where lines of the policy do not allow the run.
func forbidden(lines []policy.Ruling) error {
	return refused(CodePolicy, policy.Refused(lines), nil)
}

// programLines are those of the policy on what runs.
func (p *participant) programLines(a announcement) ([]policy.Ruling, error) {
	manifest := filepath.Join(p.programs(), split.ManifestFile)
	signers, err := p.id.Signers(manifest)
	if err != nil {
		return nil, err
	}
	base, _, _ := compile.Member(p.id.Party) // its name was checked
	sends := slices.ContainsFunc(p.manifest.Cuts, func(c split.ManifestCut) bool { return c.Client == base })
	return p.policy.Program(policy.Proposal{
		Manifest: p.digest, Signers: signers, Transform: p.manifest.Transform,
		Encrypted: p.manifest.RowsStay() && len(p.manifest.Predicted) == 0, Sends: sends,
		Rho: p.manifest.Rho[base], Key: a.Key, Parties: p.names(), Record: a.Record, At: time.Now(),
		Noised: p.noised(),
	}), nil
}

// encrypts says whether the run decrypts sums over the party's rows: how many holds over all runs, also
// without a policy.
func (p *participant) encrypts() bool {
	return p.manifest.RowsStay() && !p.releases() && p.announce.Task.Kind == Fitting
}

// rowLines are those on the party's rows, which were read; asked is what a run with encrypted rows is
// foreseen to decrypt.
func (p *participant) rowLines(asked policy.DecryptionCounts) ([]policy.Ruling, error) {
	own := p.part.Values[p.id.Party]
	names := p.part.Data.RowNames(own)
	p.rows = policy.NewRowSet(p.id.Secret(), names)
	f := policy.RowCounts{Rows: len(names), Predicted: p.announce.Task.Kind != Fitting}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if n, ok := own[name].SmallestCell(); ok {
			f.Cells = append(f.Cells, policy.FactorLevel{Factor: name, Rows: n})
		}
	}
	var err error
	h := policy.OpenHistory(p.Identity)
	if f.Differs, f.Spent, err = h.Earlier(p.rows); err == nil && p.encrypts() {
		f.Decrypted = &asked
		f.Decrypted.Spent, err = h.Decrypted(p.rows, p.book.Keys())
	}
	if err == nil && p.noised() {
		var c policy.ReleaseCharge
		c, err = h.Charged(p.rows, p.book.Charges())
		f.Charged = &c
	}
	return p.limits().Rows(f), err
}

// sums are those to which a party of a plan contributes numbers that others can read.
func sums(plan *model.Plan, index int) (out []policy.ContributedSum) {
	if plan.Wire.Encrypted {
		return nil
	}
	for _, g := range plan.Groups {
		clients, own := map[int]bool{}, false
		for _, m := range g.Members {
			own = own || m.Party == index && index > 0
			if m.Party > 0 {
				clients[m.Party] = true
			}
		}
		if own {
			out = append(out, policy.ContributedSum{Name: g.Name, Clients: len(clients),
				Masked: plan.Wire.Masked && len(clients) > 1})
		}
	}
	return out
}

// A channelKey names an array of a kind of message.
type channelKey struct{ kind, channel string }

// A guard stands between the session and the connections of an epoch: what crosses is in the ledger, and
// within the policy.
type guard struct {
	transport.Transport
	book   *ledger.Book
	policy *policy.Policy // nil: none
	// nil where nothing is counted: there is no policy, and rows are not encrypted
	meter    *policy.Meter
	overhear func([]byte) // PartyOptions.overhears
	// by kind and channel, of what arrives and can be held to something
	bounds  map[channelKey]session.ChannelForm
	clients int // over which what arrives is added up
	// the party has ended the run: nothing leaves any more, peers are told by its node
	err error
}

func (p *participant) guard(t transport.Transport, plan *model.Plan, uses []density.Use) (*guard, error) {
	g := &guard{Transport: t, book: p.book, policy: p.policy, overhear: p.overhears,
		bounds: map[channelKey]session.ChannelForm{}, clients: 1}
	if plan.AtClients {
		g.clients = len(plan.Names) - 1
	}
	script := session.Forms(plan, p.index, uses)
	for _, f := range script {
		if f.Bound != "" && f.Client == p.id.Party {
			g.bounds[channelKey{f.Kind, f.Channel}] = f
		}
	}
	if p.policy != nil || plan.Wire.Encrypted {
		h := policy.OpenHistory(p.Identity)
		if err := h.Begin(p.rows, p.noised()); err != nil {
			return nil, err
		}
		g.meter = policy.NewMeter(p.limits(), h, p.rows)
	}
	return g, p.book.Begin(ledger.Opening{Run: p.memory.Run, Epoch: p.epoch, Names: plan.Names,
		Script: script, Manifest: p.digest, Agreed: hex.EncodeToString(p.told[:])})
}

// Send implements transport.Transport.
func (g *guard) Send(ctx context.Context, to string, m transport.Message) error {
	return g.SendAll(ctx, []transport.Departure{{To: to, Message: m}})
}

// SendAll sends messages to several peers, of which the ledger has entries in one piece.
func (g *guard) SendAll(ctx context.Context, all []transport.Departure) error {
	for _, d := range all {
		g.note(true, d.To, d.Message)
	}
	if g.write(); g.err != nil {
		return g.err
	}
	for _, d := range all {
		if err := g.Transport.Send(ctx, d.To, d.Message); err != nil {
			return err
		}
	}
	return nil
}

// Recv implements transport.Transport.
func (g *guard) Recv(ctx context.Context, from string) (transport.Message, error) {
	if g.err != nil {
		return transport.Message{}, g.err
	}
	m, err := g.Transport.Recv(ctx, from)
	if err != nil {
		return m, err
	}
	if g.overhear != nil {
		g.overhear(transport.Append(nil, m))
	}
	g.note(false, from, m)
	g.write()
	return m, g.err
}

// write writes down what was noted.
func (g *guard) write() {
	if g.err == nil {
		g.err = g.book.Write()
	}
}

// note checks a message, and notes it.
func (g *guard) note(sent bool, peer string, m transport.Message) {
	if g.err != nil {
		return
	}
	if g.policy != nil {
		now := time.Now()
		transport.Each(m, func(one transport.Message) { g.check(sent, one, now) })
	}
	if err := g.book.Record(sent, peer, m); g.err == nil {
		g.err = err
	}
}

func (g *guard) check(sent bool, m transport.Message, now time.Time) {
	if g.err != nil || m.Kind == session.Ending {
		return
	}
	allowed, err := g.meter.Round(m.Chain, m.Round)
	diags := g.policy.Over(now)
	if !allowed {
		diags = g.policy.Spent()
	}
	if !sent {
		found, counting := g.bounded(m)
		diags, err = append(diags, found...), errors.Join(err, counting)
	}
	g.err = refused(CodePolicy, diags, err)
}

// bounded holds what arrives to what its content allows.
func (g *guard) bounded(m transport.Message) (diags diag.List, err error) {
	columns := 0
	for _, a := range m.Arrays {
		f, ok := g.bounds[channelKey{m.Kind, a.Name}]
		if !ok {
			continue
		}
		slopes, curvatures := a.Data, []float64(nil)
		switch f.Bound {
		case density.BoundSlopes:
		case density.BoundCurved:
			n := min(f.Length, len(a.Data))
			slopes, curvatures = a.Data[:n], a.Data[n:min(2*n, len(a.Data))]
		case density.BoundDirections:
			columns = max(columns, len(a.Data)/max(1, f.Length))
			continue
		}
		diags = append(diags, g.policy.Adjoint(a.Name, slopes, g.clients, session.Announced(a))...)
		diags = append(diags, g.policy.Curvature(a.Name, curvatures, g.clients, session.Announced(a))...)
	}
	if columns > 0 {
		var spent diag.List
		spent, err = g.meter.Products(int64(columns))
		diags = append(diags, spent...)
	}
	return diags, err
}

// Decrypt notes how many numbers that depend on the party's encrypted rows another party is about to know of
// a run with some keys. Where the party does not allow as many on these rows in all runs, it has ended the
// run: it gives no share of its key.
func (g *guard) Decrypt(keys string, numbers int) error {
	if g.err != nil {
		return g.err
	}
	diags, err := g.meter.Decrypt(keys, int64(numbers), func() error {
		return g.book.Decrypt(ledger.LoggedDecryption{Numbers: numbers, Keys: keys, Rows: g.meter.Rows()})
	})
	g.err = refused(CodePolicy, diags, err)
	return g.err
}

// decrypts is how many numbers that depend on the party's rows another may learn in this run.
func (p *participant) decrypts(rows int) (int, error) {
	spent, err := policy.OpenHistory(p.Identity).Decrypted(p.rows, "")
	return int(p.limits().Decrypts(rows, spent)), err
}

// end gives back the rounds that were not used.
func (g *guard) end() error {
	if g.meter == nil {
		return nil
	}
	return g.meter.Close()
}
