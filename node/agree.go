package node

// The stages in which the parties agree on a run before it begins.

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
)

// begin begins a stage, and answers it at this party.
func (c *coordinator) begin(stage int, body any) {
	c.stage, c.body, c.replies, c.dirty = stage, json.RawMessage(asText(body)), map[string]json.RawMessage{},
		true
	c.answer(c.memory.Epoch, stage, c.part.stage(stage, c.body, c.memory.Run, c.memory.Epoch))
}

// stage is the work of a stage at any party.
func (p *participant) stage(stage int, body json.RawMessage, run string, epoch uint32) func() (any, error) {
	return func() (any, error) {
		p.stages.Lock()
		defer p.stages.Unlock()
		p.hear(stage, body)
		switch stage {
		case stageAnnounce:
			var a announcement
			if err := decode(body, &a); err != nil {
				return nil, err
			}
			return p.open(a, epoch)
		case stageRows:
			var l leaving
			if err := decode(body, &l); err != nil {
				return nil, err
			}
			return p.leave(l, run)
		case stageFolds:
			var d dealt
			if err := decode(body, &d); err != nil {
				return nil, err
			}
			return p.divide(d, run)
		case stageSizes:
			var g agreement
			if err := decode(body, &g); err != nil {
				return nil, err
			}
			return p.size(g, run)
		case stageWiring:
			var w compile.Wiring
			if err := decode(body, &w); err != nil {
				return nil, err
			}
			return p.wire(w)
		}
		var s start
		if err := decode(body, &s); err != nil {
			return nil, err
		}
		return struct{}{}, p.begin(s, run)
	}
}

// hear adds what a stage tells to the digest of all that the party was told in the epoch. The server tells
// every client the same: clients compare the digest, since one that began from another state, with other rows
// or with other random numbers would show its part of the first total.
func (p *participant) hear(stage int, body json.RawMessage) {
	if stage == stageAnnounce {
		p.told = [sha256.Size]byte{}
	}
	p.told = sha256.Sum256(slices.Concat(p.told[:], []byte{byte(stage)}, body))
}

// after is the stage that follows one; -1 stands before the first.
func (p *participant) after(stage int) int {
	if stage == stageRows && !p.awaitsFolds() {
		stage = stageFolds
	}
	return stage + 1
}

// replied keeps an answer; when all have answered the next stage begins.
func (c *coordinator) replied(ctx context.Context, party string, reply json.RawMessage) error {
	c.replies[party] = reply
	if len(c.replies) <= len(c.clients) {
		return nil
	}
	switch c.part.after(c.stage) {
	case stageRows:
		return c.rows()
	case stageFolds:
		return c.folds()
	case stageSizes:
		return c.agree()
	case stageWiring:
		return c.link()
	case stageStart:
		return c.start()
	}
	c.note("epoch %d: all parties have begun", c.memory.Epoch)
	c.fit(ctx)
	return nil
}

// rows finds the rows that are left out at all parties.
func (c *coordinator) rows() error {
	all := map[string]map[string]compile.RowDisclosure{}
	for party, reply := range c.replies {
		var h held
		if err := decode(reply, &h); err != nil {
			return c.blame(party, err)
		}
		all[party] = h.Rows
	}
	left, err := compile.LeaveOut(c.names(), all)
	if err != nil {
		return c.disagree(err)
	}
	if len(left) == 0 {
		left = nil
	}
	l := leaving{Rows: left}
	if c.part.awaitsFolds() {
		own, err := c.part.deal(c.memory.Run)
		if err != nil {
			return err
		}
		l.Deals = own != nil
	}
	c.begin(stageRows, l)
	return nil
}

// folds tells all parties the folds of a cross-validation, which one of them has told.
func (c *coordinator) folds() error {
	var found *dealt
	from := ""
	for _, name := range c.names() {
		var f facts
		if err := decode(c.replies[name], &f); err != nil {
			return c.blame(name, err)
		}
		switch {
		case f.Dealt == nil:
		case found == nil:
			found, from = f.Dealt, name
		case !reflect.DeepEqual(found, f.Dealt):
			return c.disagree(&compile.Disagreement{Kind: compile.SeveralFolds, Party: from, Other: name})
		}
	}
	if found == nil {
		return c.disagree(&compile.Disagreement{Kind: compile.NoFolds, Party: c.id.Party, Other: c.id.Party})
	}
	c.note("the folds are as %s tells them", from)
	c.begin(stageFolds, found)
	return nil
}

// disagree ends the run where the data of two parties contradict one another.
func (c *coordinator) disagree(err error) error {
	var d *compile.Disagreement
	if !errors.As(err, &d) {
		return err
	}
	if d.Kind == compile.NoFolds || d.Kind == compile.SeveralFolds {
		err = coded(diag.FoldsUnknown, "%v", err)
	}
	c.note("%v", err)
	c.failure, c.dirty, c.ended = err, true, &ending{Party: d.Other, Code: CodeDiffer,
		About: &compile.Disagreement{Kind: d.Kind, What: d.What, Party: d.Party, Other: d.Other, Here: d.Here,
			Who: d.Who}}
	return nil
}

// agree compares the facts of all parties.
func (c *coordinator) agree() error {
	g := agreement{Names: c.names(), Members: map[string]int{}, Keys: map[string]signedKey{}}
	all := map[string]compile.Facts{}
	c.saved = nil
	alignment := ""
	for party, reply := range c.replies {
		var f facts
		if err := decode(reply, &f); err != nil {
			return c.blame(party, err)
		}
		base, _, _ := compile.Member(party)
		if entry, _ := c.part.manifest.Party(base); entry.SHA256 != f.Program && entry.SHA256 != "" &&
			party == c.id.Party {
			return refuse(CodeManifest, "the program of %s is not the manifest's", party)
		}
		if _, err := f.Key.check(c.id, c.memory.Run, c.memory.Epoch, party); err != nil {
			return c.blame(party, &refusal{CodeProtocol, err})
		}
		if f.Aligned != "" {
			if alignment != "" && f.Aligned != alignment {
				return c.blame(party,
					refuse(CodeDiffer,
						"the tables of %s are of another alignment than those of other "+
							"parties; use those of one", party))
			}
			alignment = f.Aligned
		}
		all[party], g.Keys[party], c.saved = f.Facts, f.Key, append(c.saved, f.Saved)
	}
	for _, name := range g.Names {
		if base, k, _ := compile.Member(name); k > 0 {
			g.Members[base]++
		}
	}
	var err error
	if g.Sizes, err = compile.Agree(g.Names, all); err != nil {
		return c.disagree(err)
	}
	c.begin(stageSizes, g)
	return nil
}

// blame ends the run because of what a party sent.
func (c *coordinator) blame(party string, err error) error {
	if party == c.id.Party {
		return err
	}
	c.note("%s: %v", party, err)
	c.end(party, &EndedError{Party: party, Code: codeOf(err)})
	return nil
}

func (c *coordinator) link() error {
	outlines := make([]outline, len(c.names()))
	for i, name := range c.names() {
		if err := decode(c.replies[name], &outlines[i]); err != nil {
			return c.blame(name, err)
		}
		base, k, _ := compile.Member(name)
		family := ""
		if k > 0 {
			family = base
		}
		if o := outlines[i]; o.Name != name || o.Family != family || o.Member != k {
			return c.blame(name, refuse(CodeWiring, "the outline is not its own"))
		}
	}
	w, err := c.part.part.Link(outlines)
	if err != nil {
		return &refusal{CodeWiring, err}
	}
	c.begin(stageWiring, w)
	return nil
}

// start decides where the run goes on.
func (c *coordinator) start() error {
	s := start{}
	for _, name := range c.names() {
		var h hindrance
		if err := decode(c.replies[name], &h); err != nil {
			return c.blame(name, err)
		}
		s.and(h)
	}
	o, err := c.part.options()
	if err != nil {
		return err
	}
	if c.Task.Kind != Fitting || c.part.releases() { // it begins anew, with the same results
		c.begin(stageStart, s)
		return nil
	}
	chains, together, err := fit.Walks(c.part.part, o)
	if err != nil {
		return &refusal{CodeSettings, err}
	}
	s.At = fit.Common(c.saved, chains, together)
	if len(s.At) > 0 {
		var at []string
		for _, chain := range slices.Sorted(maps.Keys(s.At)) {
			at = append(at, fmt.Sprintf("step %d of chain %d", s.At[chain], chain))
		}
		c.note("the run goes on from what all parties have saved: %s", strings.Join(at, ", "))
	}
	c.begin(stageStart, s)
	return nil
}
