package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/node/ledger"
)

// A coordinator is the server's node: it leads the parties through the stages, and decides where the run goes
// on.
type coordinator struct {
	*node
	clients  map[string]*client
	stage    int
	body     json.RawMessage
	replies  map[string]json.RawMessage // of this stage, the own included
	away     map[string]absence         // clients that said that they leave, and why
	shut     map[string]bool            // clients whose certificates were revoked
	missing  map[string]absence
	saved    []map[int][]int // the states that each party has, at the start of the epoch
	since    time.Time       // the start of this process
	told     time.Time       // the last beat
	dirty    bool            // something has changed: a beat is due at once
	result   Outcome
	complete bool
	ended    *ending
	failure  error
	full     error // no disk has room for what the server must keep: it stops, and goes on when there is
	stopping <-chan struct{}
}

// A client is what the server knows of one.
type client struct {
	incarnation string
	reached     int // the last stage that it has answered in this epoch; -1: none
	saved, bye  bool
	apart       bool // when all had their results, it took no part in the run: it waits for another
}

// Serve runs the server's part until the run is complete, until it is told to stop, or until a party ends it.
// The error is ErrStopped, an *EndedError, or the server's own.
func Serve(ctx context.Context, o PartyOptions, stop <-chan struct{}) (Outcome, error) {
	n, err := open(o)
	if err != nil {
		return nil, err
	}
	defer n.close()
	return n.serve(ctx, stop)
}

func (n *node) serve(ctx context.Context, stop <-chan struct{}) (Outcome, error) {
	if err := n.announcing(); err != nil {
		return nil, err
	}
	c := &coordinator{node: n, clients: map[string]*client{}, away: map[string]absence{},
		shut: map[string]bool{}, missing: map[string]absence{}, since: time.Now()}
	names := n.names()
	for _, name := range names[1:] {
		c.clients[name] = &client{reached: -1, bye: n.memory.Complete && !slices.Contains(n.memory.Unaware,
			name)}
	}
	if err := n.carry(); err != nil {
		return nil, err
	}
	defer n.carrier.Close()
	if n.Listening != nil {
		n.Listening(n.carrier.Where())
	}
	n.note("%s serves run %s of %s on %s, and waits for %s", n.id.Party, short(n.memory.Run),
		n.part.manifest.Model, n.carrier.Where(), list(names[1:]))
	return c.loop(ctx, stop)
}

// names are the parties of the run: those of the project that the manifest lists.
func (n *node) names() []string {
	var listed []string
	for _, p := range n.part.manifest.Parties {
		listed = append(listed, p.Name)
	}
	return ordered(n.part.manifest.Server, listed, n.id.Project.Parties)
}

// announcing finds what the server announces: that of the run in its folder, or of a new one.
func (n *node) announcing() error {
	a := &announcement{
		Version: fit.Version(), Protocol: split.ProtocolVersion, Model: n.part.manifest.Model,
		Manifest: n.part.digest, Key: n.Key, Salt: randomID(), Backend: n.Backend, Settings: n.Settings,
		Seed: n.Seed, Task: n.Task, Record: n.Record, From: n.part.begins,
	}
	if old := n.memory.Announce; old != nil {
		if began := (program{old.Version, old.Protocol}); began != ownProgram() {
			return refuse(CodeVersion,
				"%s holds a run that %s began, and this is %s: end it with the version that began it, or "+
					"name another folder for a new run", n.Dir, began, ownProgram())
		}
		a.Salt = old.Salt
		if text, now := asText(old), asText(a); text != now {
			return fmt.Errorf("%s holds a run with other settings or another model; give the "+
				"same, or name another folder", n.Dir)
		}
	}
	if a.Settings == nil {
		a.Settings = map[string]string{}
	}
	run := n.memory.Run
	if run == "" {
		run = randomID()
	}
	return n.remember(run, n.memory.Epoch, a)
}

func asText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("node: " + err.Error()) // texts and numbers only
	}
	return string(text)
}

func list(names []string) string {
	text := ""
	for i, name := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			text += " and "
		default:
			text += ", "
		}
		text += name
	}
	return text
}

func (c *coordinator) loop(ctx context.Context, stop <-chan struct{}) (Outcome, error) {
	defer c.halt(ErrStopped)
	if c.complete = c.memory.Complete; c.complete {
		c.note("the run is complete; %s may not know it yet", list(c.memory.Unaware))
	} else if err := c.again(); err != nil {
		return nil, err
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if c.dirty || time.Since(c.told) >= beatEvery {
			c.beat()
		}
		if done, err := c.over(); done {
			return c.result, err
		}
		var err error
		select {
		case e := <-c.events:
			err = c.take(ctx, e)
		case <-ticker.C:
			err = c.look()
		case <-stop:
			stop = nil
			c.wind()
		case <-c.stopping:
			c.stopping = nil
			c.halt(ErrStopped)
			c.tellAll(func(b *beat) { b.Paused = true })
			c.state(Stopped, "", nil)
			return nil, ErrStopped
		}
		switch {
		case diskFull(err):
			c.full = err
		case err != nil:
			c.end(c.id.Party, err)
		}
	}
}

// over reports whether nothing is left to do.
func (c *coordinator) over() (bool, error) {
	switch {
	case c.full != nil:
		c.halt(ErrStopped)
		c.tellAll(func(b *beat) { b.Paused = true })
		c.state(Failed, c.full.Error(), nil)
		return true, goesOn(c.full)
	case c.ended != nil:
		c.halt(c.failure)
		for name, k := range c.clients { // each is to know why; one that is just connecting too
			if !k.bye && !c.silent(name, c.since) {
				return false, nil
			}
		}
		c.sync(c.book.End(ledger.Ended))
		c.failed(c.ended.Party, c.failure)
		return true, c.failure
	case !c.complete:
		return false, nil
	}
	c.memory.Unaware = nil
	for _, name := range c.names()[1:] {
		if k := c.clients[name]; k.bye {
			continue
		} else if !k.apart && !c.silent(name, c.since) {
			return false, nil
		}
		c.memory.Unaware = append(c.memory.Unaware, name)
	}
	if len(c.memory.Unaware) > 0 {
		c.note("%s did not say that the run is known to be complete there; where it waits, start both again",
			list(c.memory.Unaware))
	}
	if err := c.finish(); err != nil {
		return true, err
	}
	c.state(Complete, "", nil)
	return true, c.deliver(c.result)
}

// wind stops the run when every party has saved it, or at once where that cannot be.
func (c *coordinator) wind() {
	now := make(chan struct{})
	close(now)
	c.stopping = now
	if c.cancel != nil && len(c.missing) == 0 && c.result == nil && c.Task.Kind == Fitting &&
		!c.part.releases() {
		c.note("stopping when all parties have saved the run")
		c.stopping = c.part.marks.SaveNow()
	}
}

// again begins an epoch: with the first stage, where all parties have answered anew.
func (c *coordinator) again() error {
	c.halt(errEpoch)
	c.result = nil
	if err := c.remember(c.memory.Run, c.memory.Epoch+1, c.memory.Announce); err != nil {
		return err
	}
	for _, k := range c.clients {
		k.reached, k.saved = -1, false
	}
	c.begin(stageAnnounce, c.memory.Announce)
	return nil
}

func (c *coordinator) take(ctx context.Context, e any) error {
	switch e := e.(type) {
	case backEvent:
		c.dirty = true
	case answerEvent:
		c.answerTo(e)
	case askEvent:
		told := announced{Beat: c.now()}
		var own held
		if reply := c.replies[c.id.Party]; c.stage == stageAnnounce && reply != nil &&
			decode(reply, &own) == nil {
			told.Rows, told.Facts = c.part.whole(own)
		}
		text := []byte(asText(told))
		if told.Rows != nil || told.Facts != nil {
			if err := c.part.book.Tell(ledger.Told{To: e.of.party, What: ledger.Asked,
				Digest: digest(text)}); err != nil {
				return err
			}
		}
		if wellFormed(told) == nil && fitsControl(text, c.carrier.MaxPayload()) == nil {
			_ = c.carrier.Publish(e.of.party, c.secrets.reply(e.of, text)) // it asks again
		}
	case otherEvent:
		c.end(e.party, c.secrets.refuses(e))
	case controlEvent:
		return c.hears(ctx, e)
	case stageEvent:
		if e.epoch != c.memory.Epoch || e.stage != c.stage || c.ended != nil {
			return nil
		}
		c.working = false
		if e.err != nil {
			return e.err
		}
		if e.stage == stageStart {
			c.activate()
			c.part.link.Nudge() // clients may have begun
		}
		return c.replied(ctx, c.id.Party, json.RawMessage(asText(e.reply)))
	case runEvent:
		return c.ran(e)
	}
	return nil
}

// activate lets packets reach the link of the epoch.
func (n *node) activate() { n.active.Store(n.part.link) }

func (c *coordinator) ran(e runEvent) error {
	if e.epoch != c.memory.Epoch || c.ended != nil {
		return nil
	}
	switch {
	case e.err == nil:
		c.result, c.dirty = e.result, true
		c.note("%s has saved its results", c.id.Party)
	case passing(e.err):
		return c.again()
	default:
		return e.err
	}
	return nil
}

// hears takes the newest status of a client.
func (c *coordinator) hears(ctx context.Context, e controlEvent) error {
	k := c.clients[e.from]
	if k == nil || e.beat != nil {
		return nil
	}
	if c.ended != nil {
		k.bye = k.bye || e.Ended != nil || e.Left
		c.dirty = c.dirty || !k.bye
		return nil
	}
	delete(c.shut, e.from) // it has a new certificate
	known := k.incarnation
	k.incarnation = e.Incarnation
	if e.Ended != nil {
		k.bye = true
		c.end(e.from, &EndedError{Party: e.from, Code: e.Ended.Code})
		return nil
	}
	if e.Left {
		c.away[e.from] = absentLeft
	} else {
		delete(c.away, e.from)
	}
	k.bye = e.Bye
	if c.complete {
		k.bye, k.apart = k.bye || e.Finished == c.memory.Run, e.Epoch == 0
		c.dirty = c.dirty || !k.bye
		return nil
	}
	if e.Server != c.own || e.Epoch != c.memory.Epoch {
		c.dirty = true // it does not know this epoch yet
		// a process before it may have begun the epoch, and not have been heard: it does not begin one twice
		unheard := e.Server == "" && e.Epoch == c.memory.Epoch
		if known != "" && known != e.Incarnation || unheard {
			c.note("%s was started again", e.from)
			return c.again()
		}
		return nil
	}
	if known != "" && known != e.Incarnation || e.Broken || e.Left && k.reached >= 0 {
		return c.again()
	}
	k.saved = e.Saved
	if e.Stage == c.stage && k.reached < c.stage && e.Reply != nil {
		k.reached = e.Stage
		return c.replied(ctx, e.from, e.Reply)
	}
	return nil
}

// look finds who is missing, and whether all is done.
func (c *coordinator) look() error {
	missing := maps.Clone(c.away)
	for name := range c.shut {
		missing[name] = absentRevoked
	}
	for name, err := range c.secrets.revoked() {
		c.warn(err)
		c.shut[name] = true
		if k := c.clients[name]; k != nil && !c.complete && c.ended == nil && k.reached >= 0 {
			if err := c.again(); err != nil { // nothing of the run is for it any more
				return err
			}
		}
	}
	for name, k := range c.clients {
		switch {
		case missing[name] != "" || k.bye || !c.silent(name, c.since):
		case k.incarnation == "":
			missing[name] = absentNew
		default:
			missing[name] = absentSilent
		}
	}
	if c.ended == nil && !maps.Equal(missing, c.missing) {
		c.changed(missing)
	}
	if c.asked() && c.stopping == nil {
		c.wind()
	}
	saved := c.result != nil
	for _, k := range c.clients {
		saved = saved && k.saved
	}
	if saved && !c.complete {
		// before any of them is told: it then removes what an epoch would need
		c.memory.Complete, c.memory.Unaware = true, c.names()[1:]
		if err := c.memory.write(c.Dir); err != nil {
			return err
		}
		c.complete, c.dirty = true, true
		c.note("all parties have saved their results")
	}
	c.state(c.stateNow(), "", c.missing)
	return nil
}

func (c *coordinator) stateNow() string {
	switch {
	case c.complete:
		return Complete
	case c.result != nil:
		return Saved
	case len(c.missing) > 0:
		return Waiting
	case c.stage < stageStart:
		return Agreeing
	}
	return Running
}

func (c *coordinator) changed(missing map[string]absence) {
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if c.missing[name] != missing[name] {
			c.note("%s is missing: %s; the run waits", name, absences[missing[name]])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.missing)) {
		if missing[name] == "" {
			c.note("%s is back", name)
			if l := c.active.Load(); l != nil {
				l.Nudge()
			}
		}
	}
	c.missing, c.dirty = missing, true
}

// end makes an error the end of the run, everywhere.
func (c *coordinator) end(party string, err error) {
	if c.ended == nil {
		c.ended, c.failure = &ending{Party: party, Code: codeOf(err)}, err
		var other *EndedError
		if errors.As(err, &other) {
			c.ended.Code = other.Code
		}
		c.dirty = true
		c.note("%v", err)
	}
}

func (c *coordinator) beat() { c.tellAll(func(*beat) {}) }

func (c *coordinator) tellAll(set func(*beat)) {
	b := c.now()
	set(&b)
	for name := range c.clients {
		if err := c.tell(name, b); err != nil {
			c.end(c.id.Party, err)
		}
	}
	c.told, c.dirty = time.Now(), false
}

// now is what the server tells at this moment.
func (c *coordinator) now() beat {
	return beat{
		Incarnation: c.own, Run: c.memory.Run, Epoch: c.memory.Epoch, Stage: c.stage, Body: c.body,
		Missing: c.missing, Complete: c.complete, Finished: c.Finished, Ended: c.ended,
	}
}
