package node

import (
	"context"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/runtime/network"
	"github.com/vflc/vflc/runtime/rng"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
)

// A refusal is why this party does not take part: its peers get the code.
type refusal struct {
	code Code
	err  error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

func refuse(code Code, format string, args ...any) error {
	var diags diag.List
	diags.Errorf(code.explained(), nil, source.Span{}, format, args...)
	return &refusal{code, data.Errors(diags)}
}

func refused(code Code, diags diag.List, err error) error {
	switch {
	case err != nil:
		return &refusal{code, err}
	case diags.HasErrors():
		return &refusal{code, data.Errors(diags)}
	}
	return nil
}

// codeOf is what peers are told of an error.
func codeOf(err error) Code {
	var r *refusal
	var protocol *session.ProtocolError
	switch {
	case errors.As(err, &r):
		return r.code
	case errors.As(err, &protocol):
		return CodeProtocol
	}
	return CodeFailed
}

// A participant does its party's part of a run, stage by stage. What does not change when a run goes on after a crash is kept.
type participant struct {
	*node
	manifest *split.Manifest
	program  *source.File
	own      *source.File // with the party's module written out; nil: it has none
	digest   string       // of the manifest

	announce announcement
	left     map[string]compile.Rows // the rows that were left out when part was read; nil: the incomplete ones of this party
	folds    []int                   // of the rows of a cross-validation when part was read, where one party tells them; nil: all rows were read
	part     *compile.OneParty
	facts    facts
	secret   *ecdh.PrivateKey
	epoch    uint32
	agreed   agreement
	wiring   compile.Wiring
	hindered hindrance
	index    int
	marks    *fit.Marks
	link     *network.Link
	job      func(context.Context) (Outcome, error) // until it runs: what the party does in the epoch
	discard  func()                                 // gives it up
	earlier  *runs.Run                              // whose draws a prediction uses
	begins   *origin                                // the run in this party's folder where the chains of a fit begin; nil: in none
	stages   sync.Mutex                             // one stage is answered at a time
	rows     policy.RowSet                          // of the party, where it has a policy
	guarded  *guard
}

// readPrograms reads the manifest and the party's own program from a folder that vflc compile has written.
func (n *node) readPrograms() (*participant, diag.List, error) {
	path := filepath.Join(n.programs(), split.ManifestFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, n.noPrograms(err)
	}
	m, diags := split.ParseManifest(source.New(path, string(text)), stdlib.New())
	if diags.HasErrors() {
		return nil, diags, nil
	}
	if err := n.mayPredict(len(m.Predicted)); err != nil {
		return nil, nil, err
	}
	name, _, err := compile.Member(n.id.Party)
	if err != nil {
		return nil, nil, err
	}
	entry, ok := m.Party(name)
	if !ok {
		return nil, nil, coded(diag.OtherParty, "%s lists no party %s, whose folder %s is", path, name, n.Identity)
	}
	if m.Server != n.id.Project.Server {
		return nil, nil, coded(diag.OtherParty, "the server of the model is %s, that of the project %s is %s; give them the same name", m.Server, n.id.Project.Name, n.id.Project.Server)
	}
	file := filepath.Join(n.programs(), entry.Program)
	program, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, coded(diag.BadPrograms, "%v; name the folder that vflc compile --split-by client has written", err)
	}
	if entry.SHA256 != "" && entry.SHA256 != split.Digest(string(program)) {
		return nil, nil, refuse(CodeManifest, "%s is not the program that the manifest lists: it was changed since it was compiled", file)
	}
	own, err := compile.OwnProgram(m, n.programs(), name)
	if err != nil {
		return nil, nil, err
	}
	begins, err := n.origin()
	if err != nil {
		return nil, nil, err
	}
	return &participant{node: n, manifest: m, program: source.New(file, string(program)), own: own, digest: digest(text), begins: begins}, nil, nil
}

// options are those of the fit, which every party has alike but for its folder.
func (p *participant) options() (fit.Options, error) {
	a, ok := fit.Backend(p.announce.Backend)
	if !ok {
		return fit.Options{}, refuse(CodeVersion, "this version has no backend %s", p.announce.Backend)
	}
	_, err := os.Stat(filepath.Join(p.Dir, runs.RecordFile))
	inits := p.Inits
	if err == nil {
		r, err := runs.ReadRecord(p.Dir)
		if err != nil {
			return fit.Options{}, err
		}
		if inits, err = fit.RecordedInits(p.Dir, r); err != nil {
			return fit.Options{}, err
		}
	}
	from := ""
	if p.begins != nil {
		from = p.From
	}
	return fit.Options{
		From: from, Inits: inits, Algorithm: a, Settings: p.announce.Settings, Seed: p.announce.Seed, Dir: p.Dir, Resume: err == nil, SaveEvery: p.CheckpointEvery,
		Joining: data.Joining{Key: p.announce.Key}, Progress: p.progress, Record: p.announce.Record && p.id.Party == p.id.Project.Server, Origin: fit.Origin{Command: p.Command, Began: p.began},
	}, nil
}

// open answers an announcement: the party reads its data.
func (p *participant) open(a announcement, epoch uint32) (held, error) {
	if err := p.accepts(a); err != nil {
		return held{}, err
	}
	if !reflect.DeepEqual(a, p.announce) || p.part == nil {
		if err := p.read(a, nil, nil); err != nil {
			return held{}, err
		}
	}
	p.epoch = epoch
	salt, err := hex.DecodeString(a.Salt)
	if err != nil {
		return held{}, refuse(CodeProtocol, "the salt of the announcement is not hexadecimal")
	}
	rows := p.part.Rows(salt)
	if p.id.Party == p.id.Project.Server {
		return held{rows}, nil
	}
	for _, size := range slices.Sorted(maps.Keys(rows)) {
		if err := p.tells(p.id.Project.Server, ledger.Incomplete, size, rows[size].Rows, rows[size].Left); err != nil {
			return held{}, err
		}
	}
	return held{rows}, nil
}

// whole is what the party tells in a preflight, after open: of its rows without saying which are incomplete, and of its data where none is.
func (p *participant) whole(h held) (map[string]compile.Rows, *compile.Facts) {
	known := p.facts.Facts
	complete := p.left == nil
	rows := map[string]compile.Rows{}
	for size, r := range h.Rows {
		complete = complete && r.Left == nil
		r.Left = nil
		rows[size] = r
	}
	if !complete {
		return rows, nil
	}
	return rows, &known
}

// tells writes down that a party is told which rows of a size are incomplete, or left out.
func (p *participant) tells(to, what, size string, rows int, left []byte) error {
	n := 0
	for _, b := range left {
		n += bits.OnesCount8(b)
	}
	if n == 0 {
		return nil
	}
	return p.book.Tell(ledger.Told{To: to, What: what, Size: size, Rows: rows, Left: n, Digest: digest(left)})
}

// leave answers which rows are left out: the party reads its data without them, unless it has, and tells what it has.
func (p *participant) leave(l leaving, run string) (facts, error) {
	rows := p.part.Rows(nil)
	for _, size := range slices.Sorted(maps.Keys(l.Rows)) {
		left := l.Rows[size]
		if own, ok := rows[size]; ok && left.Rows != own.Rows || len(left.Left) != (left.Rows+7)/8 {
			return facts{}, refuse(CodeProtocol, "the list of rows that are left out has another length than the rows of %s", size)
		}
		if p.id.Party == p.id.Project.Server {
			if err := p.tells(everyClient, ledger.LeftOut, size, left.Rows, left.Left); err != nil {
				return facts{}, err
			}
		}
	}
	if p.awaitsFolds() {
		if err := p.reread(l.Rows, nil); err != nil {
			return facts{}, err
		}
		own, err := p.offers(l.Deals, run)
		return facts{Dealt: own}, err
	}
	folds, err := p.known()
	if err != nil {
		return facts{}, err
	}
	if err := p.reread(l.Rows, folds); err != nil {
		return facts{}, err
	}
	return p.disclose(run)
}

// reread reads the party's data without some rows, and of a cross-validation with those of the folds; nil: all. It does so unless it has.
func (p *participant) reread(left map[string]compile.Rows, folds []int) error {
	if reflect.DeepEqual(left, p.left) && slices.Equal(folds, p.folds) {
		return nil
	}
	return p.read(p.announce, left, folds)
}

// disclose answers with what the party discloses about the rows that it takes part with.
func (p *participant) disclose(run string) (facts, error) {
	if p.policy != nil {
		lines, err := p.rowLines()
		if err != nil {
			return facts{}, err
		}
		if err := forbidden(lines); err != nil {
			return facts{}, err
		}
	}
	for _, text := range p.part.Data.Joined() {
		p.note("%s", text)
	}
	p.facts.Saved = fit.Checkpoints(p.Dir)
	if _, err := os.Stat(filepath.Join(p.Dir, runs.RecordFile)); err != nil {
		p.facts.Saved = nil
	}
	p.secret, p.facts.Key = newKey(p.id, run, p.epoch)
	return p.facts, nil
}

// accepts compares an announcement with what this party has.
func (p *participant) accepts(a announcement) error {
	switch {
	case a.Manifest != p.digest:
		return refuse(CodeManifest, "%s runs another manifest than %s: its SHA-256 is %s…, this party's %s…; compile the model again and give all parties the same programs", p.id.Project.Server, p.manifest.Model, short(a.Manifest), short(p.digest))
	case !p.Task.same(a.Task):
		return &refusal{CodeSettings, otherTask("%s asks for %s, and this party was started for %s; start both alike (--predict, --ppc, --log-lik, --cv, --extrapolate)", p.id.Project.Server, a.Task, p.Task)}
	case p.Key != "" && p.Key != a.Key:
		return refuse(CodePolicy, "%s joins rows on %q, this party on %q (--key)", p.id.Project.Server, a.Key, p.Key)
	}
	if err := p.beginsAt(a.From); err != nil {
		return err
	}
	if a.Record {
		p.note("%s keeps what it receives in this run (--record)", p.id.Project.Server)
	}
	if p.policy == nil {
		return nil
	}
	lines, err := p.programLines(a)
	if err != nil {
		return err
	}
	return forbidden(lines)
}

// tables are those of this party.
func (p *participant) tables() []string {
	name, _, _ := compile.Member(p.id.Party) // its name was checked
	return TablesOf(name, p.Tables)
}

// TablesOf names the party of a table that is given without one.
func TablesOf(name string, tables []string) (out []string) {
	for _, t := range tables {
		if party, _, given := strings.Cut(t, "="); !given || party != name && party != data.OwnerShared {
			t = name + "=" + t
		}
		out = append(out, t)
	}
	return out
}

func short(digest string) string { return digest[:min(12, len(digest))] }

// everyClient is whom the server tells which rows are left out.
const everyClient = "every client"

// read reads the party's data without the rows given; nil: without those that are incomplete here. folds are those that one party has told; nil: none has, or not yet.
func (p *participant) read(a announcement, left map[string]compile.Rows, folds []int) error {
	part, diags, err := compile.OpenParty(p.manifest, p.id.Party, p.program, p.own)
	if err := refused(CodeManifest, diags, err); err != nil {
		return err
	}
	if err := p.bind(a, part, left, folds); err != nil {
		return err
	}
	alignment, err := alignmentOf(p.tables())
	if err != nil {
		return refused(CodeData, nil, err)
	}
	salt, err := hex.DecodeString(a.Salt)
	if err != nil {
		return refuse(CodeProtocol, "the salt of the announcement is not hexadecimal")
	}
	f, diags := part.Facts(salt)
	if err := refused(CodeData, diags, nil); err != nil {
		return err
	}
	p.announce, p.left, p.folds, p.part, p.facts = a, left, folds, part, facts{Facts: f, Program: split.Digest(p.program.Text), Aligned: alignment}
	p.agreed = agreement{}
	return nil
}

// size answers an agreement: the party lowers its program. The keys of all parties are checked.
func (p *participant) size(g agreement, run string) (outline, error) {
	for _, name := range g.Names {
		if _, err := g.Keys[name].check(p.id, run, p.epoch, name); err != nil {
			return outline{}, &refusal{CodeProtocol, err}
		}
	}
	if !reflect.DeepEqual(g.Sizes, p.agreed.Sizes) || !reflect.DeepEqual(g.Members, p.agreed.Members) || p.part.Lowered == nil {
		if err := refused(CodeData, p.part.Lower(g.Sizes, g.Members), nil); err != nil {
			return outline{}, err
		}
		p.wiring = compile.Wiring{}
	}
	p.agreed = g
	return p.part.Outline(), nil
}

// wire answers a wiring.
func (p *participant) wire(w compile.Wiring) (hindrance, error) {
	if !slices.Equal(w.Names, p.agreed.Names) {
		return hindrance{}, refuse(CodeWiring, "the wiring is not of the parties that agreed")
	}
	if reflect.DeepEqual(w, p.wiring) {
		return p.hindered, nil
	}
	index, err := p.part.Take(w)
	if err != nil {
		return hindrance{}, &refusal{CodeWiring, err}
	}
	o, err := p.options()
	if err != nil {
		return hindrance{}, err
	}
	if p.announce.Task.Kind != Fitting {
		p.index, p.wiring, p.hindered = index, w, hindrance{}
		return p.hindered, nil
	}
	algorithm, near, err := fit.Hinders(p.part, index, o)
	if err != nil {
		return hindrance{}, &refusal{CodeSettings, err}
	}
	p.index, p.wiring, p.hindered = index, w, hindrance{algorithm, near}
	return p.hindered, nil
}

// begin readies the party's part of the epoch.
func (p *participant) begin(s start, run string) error {
	if p.job != nil { // of an epoch that ended before its fit began
		p.link.Close()
		p.discard()
		p.job = nil
	}
	id, err := runID(run)
	if err != nil {
		return &refusal{CodeProtocol, err}
	}
	o, err := p.options()
	if err != nil {
		return err
	}
	plan, err := fit.PlanApart(p.part, o)
	if err != nil {
		return err
	}
	if p.policy != nil {
		if err := forbidden(p.policy.Sums(sums(plan, p.index))); err != nil {
			return err
		}
	}
	link, masks, err := p.connect(id, run)
	if err != nil {
		return &refusal{CodeProtocol, err}
	}
	p.marks = &fit.Marks{Every: p.CheckpointEvery}
	if p.index == 0 {
		p.marks.Announce = link.Mark
	}
	link.Marked = p.marks.Set
	guarded, err := p.guard(link, plan)
	if err != nil {
		link.Close()
		return err
	}
	apart := &fit.Apart{Index: p.index, Transport: guarded, Keys: p.keys(id, run, masks), Hindered: s.Algorithm, Near: s.Near, Marks: p.marks, At: s.At}
	if err := p.ready(apart, o); err != nil {
		link.Close()
		return err
	}
	p.link, p.guarded = link, guarded
	return nil
}

// connect opens the links of the epoch: the server has one with every client, a client with the server.
// The keys of all clients, which their certificates sign, are those of their masks too.
func (p *participant) connect(id network.RunID, run string) (*network.Link, *session.MaskKeys, error) {
	masks := &session.MaskKeys{Private: map[string]*ecdh.PrivateKey{}, Public: map[string]*ecdh.PublicKey{}}
	c := network.Config{Run: id, Epoch: p.epoch, Names: p.agreed.Names, Own: p.id.Party, Send: map[string]network.Key{}, Receive: map[string]network.Key{}, Publish: p.carrier.Publish, MaxPacket: p.carrier.MaxPayload()}
	for i, peer := range c.Names {
		public, err := p.agreed.Keys[peer].check(p.id, run, p.epoch, peer)
		if err != nil {
			return nil, nil, err
		}
		if i > 0 {
			masks.Public[peer] = public
		}
		if (i == 0) == (p.index == 0) {
			continue
		}
		secret, err := p.secret.ECDH(public)
		if err != nil {
			return nil, nil, err
		}
		if c.Send[peer], err = linkKey(secret, run, p.epoch, p.id.Party, peer); err != nil {
			return nil, nil, err
		}
		if c.Receive[peer], err = linkKey(secret, run, p.epoch, peer, p.id.Party); err != nil {
			return nil, nil, err
		}
	}
	if p.index > 0 {
		masks.Private[p.id.Party] = p.secret
	}
	link, err := network.NewLink(c)
	return link, masks, err
}

// runID is the number of a run from its hexadecimal form.
func runID(run string) (id network.RunID, err error) {
	b, err := hex.DecodeString(run)
	if err != nil || len(b) != len(id) {
		return id, errors.New("the number of the run is no hexadecimal of 16 bytes")
	}
	copy(id[:], b)
	return id, nil
}

// keys are the sources of the party's random streams: all parties have the shared one, and each its own, which follows from the seed in its folder and the run.
func (p *participant) keys(id network.RunID, run string, masks *session.MaskKeys) session.Keys {
	return session.Keys{Shared: rng.SharedKey(p.announce.Seed), Private: map[string]rng.Key{p.id.Party: p.ownKey(run)}, ID: transport.ID{Run: id, Epoch: p.epoch}, Masks: masks}
}

// ownKey is the source of the random streams that the party has alone.
func (p *participant) ownKey(run string) rng.Key {
	if p.id.Simulated != nil {
		return rng.SimulatedKey(*p.id.Simulated, p.id.Party)
	}
	b, err := hkdf.Key(sha256.New, p.id.Stream[:], []byte(run), "vflc private stream v1", 32)
	if err != nil {
		panic("node: " + err.Error()) // the length is one that HKDF has
	}
	return rng.Key(b)
}

// run makes the party's part of the epoch, and saves its results.
func (p *participant) run(ctx context.Context) (Outcome, error) {
	job := p.job
	p.job = nil
	guarded := p.guarded
	r, err := job(ctx)
	if guarded.err != nil {
		err = guarded.err
	}
	if err = errors.Join(err, guarded.end()); err != nil {
		return nil, err
	}
	return r, nil
}

// A watcher is a Progress that keeps how far the chains are.
type watcher struct {
	fit.Progress
	note func(chain int, info backends.Info)
}

func (w *watcher) Step(chain int, info backends.Info) {
	w.note(chain, info)
	w.Progress.Step(chain, info)
}

func decode(text json.RawMessage, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return refuse(CodeProtocol, "a stage of the agreement has another form")
	}
	return nil
}

// saveEvery is the time between two states that all parties save, where nobody sets it.
const saveEvery = 10 * time.Second
