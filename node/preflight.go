package node

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/transport"
)

// A Check is one thing that would make a run fail, or that would not, or what the party ought to know of the
// run.
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

// Preflight looks for what would make a run of the party fail, without taking part in one. It needs the
// server only for what the two must have alike. Where a client has no policy, its owner can confirm what was
// found.
func Preflight(ctx context.Context, o PartyOptions) ([]Check, *Pending) {
	p := &preflight{PartyOptions: o}
	if p.certificate() && p.programs() {
		met := p.reach(ctx) && p.meet(ctx)
		if p.table() && met {
			p.alike()
		}
	}
	if p.carrier != nil {
		p.carrier.Close()
	}
	return p.checks, p.pending
}

type preflight struct {
	PartyOptions
	node    *node
	part    *participant
	checks  []Check
	pending *Pending
	carrier conveyor // after the server has answered
	told    announced
	run     *announcement // nil: none is announced, since the run is under way
	rtt     time.Duration
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

func (p *preflight) certificate() bool {
	id, err := identity.Load(p.Identity)
	if err != nil {
		return p.problem("certificate", err,
			"make keys with vflc provision request, send the request, and copy the bundle beside the keys")
	}
	p.node = &node{PartyOptions: p.PartyOptions, id: id, journal: quietJournal()}
	if left := time.Until(id.Cert.NotAfter); left < expiresSoon {
		p.problem("certificate", fmt.Sprintf("it expires on %s", id.Cert.NotAfter.Format(time.DateOnly)),
			"renew it: vflc provision renew")
		return true
	}
	f := id.Fingerprints()
	p.fine("certificate", "%s of %s, until %s", id.Party, id.Project.Name,
		id.Cert.NotAfter.Format(time.DateOnly))
	p.note("key", "%s", f.Key)
	return p.note("authority",
		"%s; the keeper of the project and every other party read the same to each other", f.Authority)
}

func (p *preflight) programs() bool {
	part, diags, err := p.node.readPrograms()
	if err := data.Failed(diags, err); err != nil {
		return p.problem("programs", err, "copy the folder that vflc compile --split-by client has written")
	}
	p.part, p.node.part = part, part
	p.fine("programs", "%s, manifest %s…", part.manifest.Model, short(part.digest))
	if err := p.node.readPolicy(); err != nil {
		return p.problem("policy", err, "see vflc explain "+string(diag.BadPolicy))
	}
	if p.node.policy == nil {
		return p.note("policy",
			"there is no %s: a client takes part in what its owner has confirmed alone (--confirm)",
			filepath.Join(p.Identity, policy.FileName))
	}
	lines, err := part.programLines(announcement{Key: p.key()})
	return p.allows(lines, err)
}

// allows adds lines of the policy to the checks.
func (p *preflight) allows(lines []policy.Ruling, err error) bool {
	if err != nil {
		return p.problem("policy", err, "")
	}
	for _, l := range lines {
		if d := l.Refused; d != nil {
			p.problem("policy: "+l.Name, d.Message,
				fmt.Sprintf("run what the policy allows, or change its line; vflc explain %s", d.Code))
		} else {
			p.fine("policy: "+l.Name, "%s", l.Found)
		}
	}
	return true
}

// key is the column on which rows are joined: the server's where the party names none.
func (p *preflight) key() string {
	switch {
	case p.Key != "":
		return p.Key
	case p.node.policy != nil && p.node.policy.Key != "":
		return p.node.policy.Key
	case p.run != nil:
		return p.run.Key
	}
	return data.DefaultKey
}

// table reads the party's data as a run would; its key is the server's where the party names none.
func (p *preflight) table() bool {
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
	asked, err := p.decryptions()
	if err != nil {
		return p.problem("decryptions", err, "compile the model again")
	}
	if p.node.policy == nil && !p.part.encrypts() {
		return true
	}
	lines, err := p.part.rowLines(asked)
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
		p.problem("policy: folds", why[0].Message, fmt.Sprintf("%s; vflc explain %s", why[0].Notes[0].Message,
			why[0].Code))
		return nil
	}
	p.note("leaves: folds",
		"to every party, once: in which of %d folds each of %d rows is, which follows from %s; masked: "+
			"no; they can compute: %s", p.Task.Folds, len(deal.Folds), deal.Name, learns(p.Task.Fold))
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
		return p.problem("server", err,
			"start vflc serve there, open its port in the firewalls between, and "+
				"compare the project's address")
	}
	return p.fine("server", "%s answers at %s", id.Project.Server, id.Project.Address)
}

// meet asks the server what it announces; false where there is nothing to compare.
func (p *preflight) meet(ctx context.Context) bool {
	id := p.node.id
	if id.Party == id.Project.Server {
		return false
	}
	answer, c, err := p.ask(ctx)
	if p.carrier = c; err != nil {
		return p.problem("server", err, "")
	}
	if answer == nil {
		return p.problem("run", "the server tells nothing of a run in which this party takes part",
			"start vflc serve there; compare the parties in the project file of the server "+
				"with those of the manifest")
	}
	if answer.other != nil {
		return p.problem("version", fmt.Sprintf("%s runs %s, this party %s", id.Project.Server, *answer.other,
			ownProgram()),
			"install the same version of vflc at all parties, and compile the model again with it")
	}
	if json.Unmarshal(answer.text, &p.told) != nil || wellFormed(p.told) != nil {
		return p.problem("run", "the server describes the run in another form",
			"install the same version of vflc at all parties")
	}
	p.clock(time.Since(time.Unix(0, int64(answer.number))))
	p.payload(c)
	if p.rtt, err = c.RTT(); err == nil {
		p.fine("latency", "%s for a round trip", posterior.Seconds(p.rtt.Seconds()))
	}
	var a announcement
	if p.told.Beat.Stage != stageAnnounce || json.Unmarshal(p.told.Beat.Body, &a) != nil {
		return !p.note("run", "it is under way: nothing is compared")
	}
	p.run = &a
	return true
}

// alike compares what the server announces with what this party has.
func (p *preflight) alike() {
	a := *p.run
	var r *refusal
	if err := p.part.fits(a); errors.As(err, &r) {
		p.problem(string(r.code), r.err,
			"agree with the keeper of the project on one version, one manifest and one key")
		return
	}
	if p.node.policy != nil || a.Record {
		if err := p.part.allows(a); errors.As(err, &r) {
			p.problem(string(r.code), r.err, "run what the policy allows, or change its line")
			return
		}
	}
	p.fine("run", "%s, backend %s, rows joined on %s, vflc %s", a.Model, a.Backend, a.Key, fit.Version())
	p.compare(p.told, a)
	p.crosses(a, p.rtt)
}

// announced is what the server tells a process that asks.
type announced struct {
	Beat beat `json:"beat"`
	// Of the server's own data, while the parties meet; nil: they have. Rows are told without those that are
	// incomplete; where there are any, Facts are not told.
	Rows  map[string]compile.RowDisclosure `json:"rows,omitempty"`
	Facts *compile.Facts                   `json:"facts,omitempty"`
}

// payload compares the carrier's largest packet with what a run needs.
func (p *preflight) payload(c conveyor) bool {
	most := c.MaxPayload()
	if most < transport.MinPacket {
		return p.problem("payload", fmt.Sprintf("%s takes packets of %d bytes, and a run needs %d", c.Where(),
			most, transport.MinPacket), "raise max_payload of the NATS server; 1 MB is its default")
	}
	return p.fine("payload", "packets of %s; longer messages are divided",
		posterior.Bytes(int64(min(most, transport.MaxPacket))))
}

// compare compares sizes, the order of rows and shared data with the server's, by digests with the salt of
// the run.
func (p *preflight) compare(told announced, a announcement) bool {
	const way = "compare the tables of the two parties: vflc align puts rows in one order, and data @ " +
		"shared must be the same file"
	salt, err := hex.DecodeString(a.Salt)
	if told.Rows == nil && told.Facts == nil || err != nil {
		return p.note("shared data", "the server has not read its own yet")
	}
	names := []string{p.node.id.Project.Server, p.node.id.Party}
	rows := p.part.part.Rows(salt)
	left, err := compile.LeaveOut(names, map[string]map[string]compile.RowDisclosure{names[0]: told.Rows,
		names[1]: rows})
	if err != nil {
		return p.problem("shared data", err, way)
	}
	if told.Facts == nil || len(left) > 0 {
		return p.fine("shared data",
			"as many rows as at the server, in one order; the rest is compared when rows with missing "+
				"cells are left out at all parties")
	}
	own, diags := p.part.part.Facts(salt)
	if diags.HasErrors() {
		return p.problem("shared data", data.Errors(diags), "")
	}
	server := told.Facts
	if _, err := compile.Agree(names, map[string]compile.Facts{names[0]: *server, names[1]: own}); err !=
		nil {
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

// ask asks the server what it announces, as a process of its own that takes no part. nil: it has not
// answered.
func (p *preflight) ask(ctx context.Context) (*told, conveyor, error) {
	id, own := p.node.id, newSecrets(p.node.id)
	answers := make(chan told, 16)
	n := &node{PartyOptions: p.PartyOptions, id: id, journal: quietJournal()}
	err := n.carryTo(carrier.Handlers{Back: func() {}, Notice: func(string) {}, Refuse: func(error) {},
		Packet: func(from string, packet []byte) {
			if t, err := own.take(from, packet); err == nil && (t.text != nil || t.other != nil) &&
				t.from == id.Project.Server {
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
		p.problem("clock", fmt.Sprintf("it differs from the server's by %v", ahead.Round(time.Second)),
			"set both by a time server: certificates and logs depend on it")
		return
	}
	p.fine("clock", "it differs from the server's by less than %v",
		max(time.Second, ahead.Abs().Round(time.Second)))
}
