package session

import "context"

// A turn is what server and clients do once: a message down to each client, what the client does with it, and
// a message up. What is said, and in which order, is a list of turns at every party alike, and each part of a
// turn is done where its party is. Parts may be left out.
type turn struct {
	// at the server, whether the turn takes place, nil: it does; its clients see that by what comes
	when   func(*evaluator) bool
	before func(*evaluator) // at the server
	down   int              // the message down: a kind, or silent
	load   func(e *evaluator, c *client, down *frame)
	beside func(*evaluator) // at the server, while the clients work
	// at a client, which takes what came down and loads what goes up
	work   func(e *evaluator, c *client, down, up *frame)
	up     int
	take   func(e *evaluator, c *client, up *frame) // at the server, in party order unless the turn spreads
	after  func(*evaluator)                         // at the server, when all have answered
	spread bool                                     // clients need no order
}

// An executor carries out turns: all of them in one loop, or those of one party over a transport. Nothing
// else differs between simulation and processes.
type executor interface {
	// ready returns why no exchange can begin.
	ready(ctx context.Context) error
	// turn does of a turn what the parties of the Env do. It ends where the server has told that no more is
	// wanted.
	turn(ctx context.Context, e *evaluator, t *turn) error
	apart() bool
	// end makes an error the end of the run, of which peers are told.
	end(ctx context.Context, err error) error
}

// message is the message of a turn with a client, as long as the call has it.
func (e *evaluator) message(c *client, kind int) (f *frame) {
	switch kind {
	case silent:
		return &c.none
	case relayUp, relayDown:
		p := c.relay(e.relay.exchange)
		if f = &p.up; kind == relayDown {
			f = &p.down
		}
		f.stretch(e.plan, e.relay.size)
		return f
	case bytesUp, bytesDown:
		return e.bytes.message(c, kind == bytesUp, e.Apart())
	}
	f = &c.messages[kind]
	switch {
	case kind == kindAux && e.wants != nil:
		f = &c.auxTally
	case kind == kindReply && e.wants != nil:
		f = &c.replyTally
	case kind != kindPart && kind != kindSum:
		return f
	}
	f.resize(f.scalarsAt(), len(e.total))
	return f
}

// A loop is the executor of all parties in one process. Clients are evaluated in turn, or in runs of
// neighbours that helpers share out. What they load is taken at once, while it is near.
type loop struct {
	e *evaluator
	t *turn
}

func (*loop) apart() bool { return false }

func (*loop) end(_ context.Context, err error) error { return err }

func (*loop) ready(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (l *loop) turn(_ context.Context, e *evaluator, t *turn) error {
	if t.when != nil && !t.when(e) {
		return nil
	}
	if t.before != nil {
		t.before(e)
	}
	if t.beside != nil {
		t.beside(e)
	}
	if l.t = t; t.spread {
		e.group.Do(l, len(e.runs))
	} else {
		for k := range e.runs {
			l.Part(k)
		}
	}
	for k := range e.runs {
		if err := e.runs[k].err; err != nil {
			return err
		}
		e.work.Bytes += e.runs[k].bytes
	}
	if t.after != nil {
		t.after(e)
	}
	return nil
}

// Part carries out the turn of a run of clients. No message is copied and none is looked at: they are this
// process's own. What goes down says the same to all clients that share a script, and is loaded once.
func (l *loop) Part(k int) {
	e, t, of := l.e, l.t, &l.e.runs[k]
	of.bytes, of.err = 0, nil
	var s *script
	var down, up *frame
	for _, c := range e.clients[of.from-1 : of.to-1] {
		if s != c.script {
			s, down, up = c.script, e.message(c, t.down), e.message(c, t.up)
			if t.load != nil && len(down.channels) > 0 {
				t.load(e, c, down)
			}
		}
		if t.work != nil {
			t.work(e, c, down, up)
		}
		of.bytes += down.bytes() + up.bytes()
		if up.coded {
			if of.err = up.mask(e.masks[c.number], e.id, e.round); of.err != nil {
				return
			}
		}
		if t.take != nil && len(up.channels) > 0 {
			t.take(e, c, up)
		}
	}
}
