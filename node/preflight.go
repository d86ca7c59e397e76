package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/node/policy"
)

// A Check is one thing that would make a run fail, or that would not.
type Check struct {
	Name    string `json:"check"`
	Problem string `json:"problem,omitempty"` // "": there is none
	Found   string `json:"found,omitempty"`   // where there is no problem
	Fix     string `json:"fix,omitempty"`
}

// Bounds of a preflight.
const (
	answerMost  = 6 * time.Second
	clockMost   = time.Minute
	expiresSoon = 30 * 24 * time.Hour
)

// Preflight looks for what would make a run of the party fail, without taking part in one. It needs the server only for what the two must have alike.
func Preflight(ctx context.Context, o Options) []Check {
	p := &preflight{Options: o}
	for _, check := range []func(context.Context) bool{p.certificate, p.programs, p.table, p.reach, p.alike} {
		if !check(ctx) {
			break // what follows needs it
		}
	}
	return p.checks
}

type preflight struct {
	Options
	node   *node
	part   *participant
	checks []Check
}

func (p *preflight) fine(name, format string, args ...any) bool {
	p.checks = append(p.checks, Check{Name: name, Found: fmt.Sprintf(format, args...)})
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
	return p.fine("certificate", "%s of %s, until %s", id.Party, id.Project.Name, id.Cert.NotAfter.Format(time.DateOnly))
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
		return p.fine("policy", "there is no %s: whatever the programs are may run", filepath.Join(p.Identity, policy.FileName))
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
	a := announcement{Manifest: p.part.digest, Key: p.key(), Salt: randomID()}
	if err := p.part.read(a); err != nil {
		return p.problem("data", err, "vflc check PROGRAM --data FILE shows the place")
	}
	text := ""
	for _, line := range p.part.part.Data.Joined() {
		text += line + "; "
	}
	for name, size := range p.part.facts.Sizes {
		text += fmt.Sprintf("%s = %d; ", name, size.Value)
	}
	if text == "" {
		text = "the program needs none; "
	}
	p.fine("data", "%s", text[:len(text)-2])
	if p.node.policy == nil {
		return true
	}
	lines, err := p.part.rowLines()
	return p.allows(lines, err)
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
	beats := make(chan *beat, 16)
	c, err := carrier.Join(id, carrier.Events{Back: func() {}, Notice: func(string) {}, Packet: func(from string, packet []byte) {
		b := &beat{}
		if _, err := opened(id, packet, b); err == nil {
			select {
			case beats <- b:
			default:
			}
		}
	}})
	if err != nil {
		return p.problem("server", err, "")
	}
	defer c.Close()
	wait, cancel := context.WithTimeout(ctx, answerMost)
	defer cancel()
	var b *beat
	select {
	case b = <-beats:
	case <-wait.Done():
		return p.problem("run", "the server tells nothing of a run in which this party takes part", "compare the parties in the project file of the server with those of the manifest")
	}
	p.clock(time.Since(time.Unix(0, int64(b.N))))
	if rtt, err := c.RTT(); err == nil {
		p.fine("latency", "%.1f ms for a round trip; 10,000 of them wait %.0f s", float64(rtt.Microseconds())/1e3, 10000*rtt.Seconds())
	}
	var a announcement
	if b.Stage != stageAnnounce || json.Unmarshal(b.Body, &a) != nil {
		return p.fine("run", "it is under way: nothing is compared")
	}
	var r *refusal
	if err := p.part.accepts(a); errors.As(err, &r) {
		return p.problem(string(r.code), r.err, "agree with the keeper of the project on one version, one manifest and one key")
	}
	return p.fine("run", "%s, backend %s, rows joined on %s, vflc %s", a.Model, a.Backend, a.Key, fit.Version())
}

func (p *preflight) clock(ahead time.Duration) {
	if ahead.Abs() > clockMost {
		p.problem("clock", fmt.Sprintf("it differs from the server's by %v", ahead.Round(time.Second)), "set both by a time server: certificates and logs depend on it")
		return
	}
	p.fine("clock", "it differs from the server's by less than %v", max(time.Second, ahead.Abs().Round(time.Second)))
}
