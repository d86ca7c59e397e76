package node

import (
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/stdlib"
)

// A participant does its party's part of a run, stage by stage. What does not change when a run goes on after
// a crash is kept.
type participant struct {
	*node
	manifest *split.Manifest
	program  *source.File
	own      *source.File // with the party's module written out; nil: it has none
	digest   string       // of the manifest

	announce announcement
	// the rows that were left out when part was read; nil: the incomplete ones of this party
	left map[string]compile.RowDisclosure
	// of the rows of a cross-validation when part was read, where one party tells them; nil: all rows were
	// read
	folds    []int
	part     *compile.OneParty
	facts    facts
	secret   *ecdh.PrivateKey
	epoch    uint32
	agreed   agreement
	wiring   compile.Wiring
	hindered hindrance
	index    int
	marks    *fit.Marks
	link     *transport.Endpoint
	job      func(context.Context) (Outcome, error) // until it runs: what the party does in the epoch
	discard  func()                                 // gives it up
	earlier  *posterior.Run                         // whose draws a prediction uses
	// the run in this party's folder where the chains of a fit begin; nil: in none
	begins  *origin
	stages  sync.Mutex        // one stage is answered at a time
	told    [sha256.Size]byte // digest of what the stages of the epoch have told
	rows    policy.RowSet     // of the party, where it has a policy
	guarded *guard
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
		return nil, nil, coded(diag.OtherParty, "%s lists no party %s, whose folder %s is", path, name,
			n.Identity)
	}
	if m.Server != n.id.Project.Server {
		return nil, nil,
			coded(diag.OtherParty,
				"the server of the model is %s, that of the project %s is %s; give them the same name: `server "+
					"%s` in the model, where no other party holds the response, or a project with --server %s",
				m.Server, n.id.Project.Name, n.id.Project.Server, n.id.Project.Server, m.Server)
	}
	file := filepath.Join(n.programs(), entry.Program)
	program, err := os.ReadFile(file)
	if err != nil {
		return nil, nil,
			coded(diag.BadPrograms, "%v; name the folder that vflc compile --split-by client has written",
				err)
	}
	if entry.SHA256 != "" && entry.SHA256 != split.Digest(string(program)) {
		return nil, nil,
			refuse(CodeManifest,
				"%s is not the program that the manifest lists: it was changed since it was compiled", file)
	}
	if diags, err := n.contradicted(); err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	own, err := compile.OwnProgram(m, n.programs(), name)
	if err != nil {
		return nil, nil, err
	}
	begins, err := n.origin()
	if err != nil {
		return nil, nil, err
	}
	return &participant{node: n, manifest: m, program: source.New(file, string(program)), own: own,
		digest: digest(text), begins: begins}, nil, nil
}

// contradicted reports where the manifest says something else than the programs of all parties: its verdict
// and its rows are what the owner of a party reads and confirms.
func (n *node) contradicted() (diag.List, error) {
	all, diags, err := compile.ReadBundle(n.programs())
	if err != nil {
		return nil, coded(diag.BadPrograms,
			"%v; name the folder that vflc compile --split-by client has written, with the "+
				"programs of all parties", err)
	}
	if diags.HasErrors() {
		return diags, nil
	}
	return fit.Undeclared(all), nil
}

// options are those of the fit, which every party has alike but for its folder.
func (p *participant) options() (fit.Options, error) {
	a, ok := fit.Backend(p.announce.Backend)
	if !ok {
		return fit.Options{}, refuse(CodeVersion, "this version has no backend %s", p.announce.Backend)
	}
	_, err := os.Stat(filepath.Join(p.Dir, posterior.RecordFile))
	inits := p.Inits
	if err == nil {
		r, err := posterior.ReadRecord(p.Dir)
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
		From: from, Inits: inits, Algorithm: a, Settings: p.announce.Settings, Seed: p.announce.Seed,
		Dir: p.Dir, Resume: err == nil, SaveEvery: p.CheckpointEvery,
		Joining: data.Joining{Key: p.announce.Key}, Progress: p.progress, Record: p.announce.Record &&
			p.id.Party == p.id.Project.Server, Origin: fit.Origin{Command: p.Command, Began: p.began},
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
		if err := p.tells(p.id.Project.Server, ledger.Incomplete, size, rows[size].Rows,
			rows[size].Left); err != nil {
			return held{}, err
		}
	}
	return held{rows}, nil
}

// accepts says whether this party takes part in what is announced.
func (p *participant) accepts(a announcement) error {
	if err := p.fits(a); err != nil {
		return err
	}
	if a.Record {
		p.note("%s keeps what it receives in this run (--record)", p.id.Project.Server)
	}
	return p.allows(a)
}

// fits compares an announcement with what this party has.
func (p *participant) fits(a announcement) error {
	switch {
	case a.Manifest != p.digest:
		return refuse(CodeManifest,
			"%s runs another manifest than %s: its SHA-256 is %s…, this party's %s…; compile the model "+
				"again and give all parties the same programs", p.id.Project.Server, p.manifest.Model,
			short(a.Manifest), short(p.digest))
	case !p.Task.same(a.Task):
		return &refusal{CodeSettings,
			otherTask("%s asks for %s, and this party was started for %s; start both alike (--predict, "+
				"--ppc, --log-lik, --cv)", p.id.Project.Server, a.Task, p.Task)}
	case p.Key != "" && p.Key != a.Key:
		return refuse(CodePolicy, "%s joins rows on %q, this party on %q (--key)", p.id.Project.Server, a.Key,
			p.Key)
	}
	if algorithm, ok := fit.Backend(a.Backend); ok {
		if _, _, err := fit.Declared(p.manifest, &algorithm, a.Settings); err != nil {
			return &refusal{CodeSettings, err}
		}
	}
	return p.beginsAt(a.From)
}

// allows asks the policy, or where there is none what the owner has confirmed.
func (p *participant) allows(a announcement) error {
	if p.policy == nil {
		return p.confirmed(a)
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

// read reads the party's data without the rows given; nil: without those that are incomplete here. folds are
// those that one party has told; nil: none has, or not yet.
func (p *participant) read(a announcement, left map[string]compile.RowDisclosure, folds []int) error {
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
	p.announce, p.left, p.folds, p.part, p.facts = a, left, folds, part,
		facts{Facts: f, Program: split.Digest(p.program.Text), Aligned: alignment}
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
	if !reflect.DeepEqual(g.Sizes, p.agreed.Sizes) || !reflect.DeepEqual(g.Members, p.agreed.Members) ||
		p.part.Lowered == nil {
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
		return hindrance{}, refuse(CodeWiring, "%v", err)
	}
	o, err := p.options()
	if err != nil {
		return hindrance{}, err
	}
	if p.announce.Task.Kind != Fitting || p.releases() {
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

func decode(text json.RawMessage, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return refuse(CodeProtocol, "a stage of the agreement has another form")
	}
	return nil
}
