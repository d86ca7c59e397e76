package transport

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// Lanes divide one party's connections among chains that run side by side: each lane is a Transport of its
// own, and what the lanes send travels together. A flight leaves for each peer when every running lane waits
// for a message, so that lanes which need a round trip at the same time share it. What a lane receives does
// not depend on the others.
type Lanes struct {
	transport Transport
	mutex     sync.Mutex
	changed   sync.Cond
	lanes     []*lane
	out       []*flight // by peer, in the order of their names
	leaving   []Departure
	err       error // of the transport: the end of all lanes
	reading   bool  // a lane waits for a flight
	flights   int
	watch     LaneWatcher
	before    func(lanes []int, messages []Message) error
	lanesOf   []int // what before is given
	messages  []Message
}

// A LaneWatcher is told when a lane begins to wait for a message that has not come, and when it has come or
// the wait has ended otherwise. It must not call a lane.
type LaneWatcher interface {
	Pause(lane int)
	Resume(lane int)
}

// flightKind is the kind of a message that holds those of lanes, which are all of one epoch of one run:
// before the arrays of each is a header, named by its kind, with the numbers of headerLen, and where the last
// of them is 1 two more headers, which name a reason and a party.
const flightKind = "flight"

// The numbers of a header.
const (
	headLane = iota
	headChain
	headRound
	headArrays // how many follow
	headEnded
	headerLen
)

// A flight is what has not left for a peer: the arrays of a message, of which so many are in use. Their
// buffers are those of earlier flights.
type flight struct {
	to   string
	from Message // of whom and which run
	used int
	all  []Channel
	of   []boarded
}

// A boarded is a message in a flight: its arrays are n from one on.
type boarded struct {
	lane    int
	message Message
	at, n   int
}

// array is the next array of a flight.
func (f *flight) array() *Channel {
	if f.used == len(f.all) {
		f.all = append(f.all, Channel{})
	}
	f.used++
	return &f.all[f.used-1]
}

// name appends an array that is a name alone.
func (f *flight) name(text string) { f.array().keep(Channel{Name: text}) }

// A lane is one of them.
type lane struct {
	*Lanes
	number  int
	running bool
	waits   string               // the peer it waits for; "": none
	paused  bool                 // the watcher knows that it waits
	heeds   context.Context      // whose end wakes the lane; nil: none
	unheed  func() bool          // ends that
	in      map[string]*incoming // by peer
}

// An incoming is what a lane has received from a peer, with the buffers of what was read.
type incoming struct{ waiting, spare []*Message }

// take returns the next message, whose buffers are used again after the next call.
func (q *incoming) take() Message {
	m := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.spare = append(q.spare, m)
	return *m
}

// put keeps a message, and leaves it other buffers in place of its own.
func (q *incoming) put(m Message) {
	kept := &Message{}
	if len(q.spare) > 1 { // the last one may still be read
		kept, q.spare = q.spare[0], slices.Delete(q.spare, 0, 1)
	}
	kept.trade(m)
	q.waiting = append(q.waiting, kept)
}

// NewLanes divides a transport, which only the lanes may use from now on, into n.
func NewLanes(t Transport, n int) *Lanes {
	l := &Lanes{transport: t}
	l.changed.L = &l.mutex
	for k := range n {
		l.lanes = append(l.lanes, &lane{Lanes: l, number: k, in: map[string]*incoming{}})
	}
	return l
}

// Lane is the transport of a chain.
func (l *Lanes) Lane(k int) Transport { return l.lanes[k] }

// Flights is how many flights were sent, to all peers.
func (l *Lanes) Flights() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.flights
}

// Watch sets who is told of waits, nil for nobody. No lane may run.
func (l *Lanes) Watch(w LaneWatcher) { l.watch = w }

// Before sets what is done with a flight before it leaves: f is given its messages in the order of their
// lanes, and may change their numbers. No lane may run.
func (l *Lanes) Before(f func(lanes []int, messages []Message) error) { l.before = f }

// ready lets before have a flight.
func (l *Lanes) ready(f *flight) error {
	if l.before == nil {
		return nil
	}
	slices.SortStableFunc(f.of, func(a, b boarded) int { return a.lane - b.lane })
	l.lanesOf, l.messages = l.lanesOf[:0], l.messages[:0]
	for _, b := range f.of {
		b.message.Arrays = f.all[b.at:][:b.n]
		l.lanesOf, l.messages = append(l.lanesOf, b.lane), append(l.messages, b.message)
	}
	return l.before(l.lanesOf, l.messages)
}

// pause tells the watcher whether a lane waits.
func (l *lane) pause(on bool) {
	if l.watch == nil || l.paused == on {
		return
	}
	l.paused = on
	if on {
		l.watch.Pause(l.number)
	} else {
		l.watch.Resume(l.number)
	}
}

// Start lets all lanes run: none sends a flight before each of them waits or is done.
func (l *Lanes) Start() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, one := range l.lanes {
		one.running = true
	}
}

// Done ends the part of a lane until the next Start. The last one sends what is left.
func (l *Lanes) Done(ctx context.Context, k int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lanes[k].running = false
	l.lanes[k].heedNone()
	if !slices.ContainsFunc(l.lanes, func(one *lane) bool { return one.running }) {
		l.fail(l.flush(ctx))
	}
	l.changed.Broadcast()
}

// Send adds a message to the next flight for a peer.
func (l *lane) Send(_ context.Context, to string, m Message) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.err != nil {
		return l.err
	}
	f := l.flight(to)
	f.from = Message{Kind: flightKind, Sender: m.Sender}
	f.from.Run, f.from.Epoch = m.Run, m.Epoch
	header := f.array()
	*header = Channel{Name: m.Kind, Data: append(header.Data[:0], float64(l.number), float64(m.Chain),
		float64(m.Round), float64(len(m.Arrays)), 0)}
	if m.Reason != "" {
		header.Data[headEnded] = 1
		f.name(m.Reason)
		f.name(m.Party)
	}
	f.of = append(f.of, boarded{l.number, m, f.used, len(m.Arrays)})
	for _, a := range m.Arrays {
		f.array().keep(a)
	}
	return nil
}

// flight is the one for a peer.
func (l *Lanes) flight(to string) *flight {
	at, ok := slices.BinarySearchFunc(l.out, to, func(f *flight, name string) int {
		return strings.Compare(f.to, name)
	})
	if !ok {
		l.out = slices.Insert(l.out, at, &flight{to: to})
	}
	return l.out[at]
}

// from is what the lane has received from a peer.
func (l *lane) from(peer string) *incoming {
	if l.in[peer] == nil {
		l.in[peer] = &incoming{}
	}
	return l.in[peer]
}

// Recv waits for the lane's next message from a peer. Where all others wait too it sends the flights, and
// receives one for all.
func (l *lane) Recv(ctx context.Context, from string) (Message, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.heed(ctx)
	l.waits = from
	in := l.from(from)
	defer func() {
		l.pause(false)
		l.waits = ""
	}()
	for {
		switch {
		case len(in.waiting) > 0:
			return in.take(), nil
		case l.err != nil:
			return Message{}, l.err
		case ctx.Err() != nil:
			return Message{}, context.Cause(ctx)
		case !l.reading && l.idle():
			l.pause(true)
			l.exchange(ctx, from)
		default:
			l.pause(true)
			l.changed.Wait()
		}
	}
}

// heed wakes the lanes when a context ends, and no longer when that of before does.
func (l *lane) heed(ctx context.Context) {
	if ctx == l.heeds {
		return
	}
	l.heedNone()
	l.heeds = ctx
	l.unheed = context.AfterFunc(ctx, func() {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.changed.Broadcast()
	})
}

func (l *lane) heedNone() {
	if l.heeds != nil {
		l.unheed()
		l.heeds = nil
	}
}

// idle reports whether every running lane waits for a message that has not come.
func (l *Lanes) idle() bool {
	return !slices.ContainsFunc(l.lanes, func(one *lane) bool {
		return one.running && (one.waits == "" || len(one.from(one.waits).waiting) > 0)
	})
}

// exchange sends the flights and receives the next one from a peer.
func (l *Lanes) exchange(ctx context.Context, from string) {
	defer l.changed.Broadcast()
	if l.fail(l.flush(ctx)); l.err != nil {
		return
	}
	l.reading = true
	l.mutex.Unlock()
	m, err := l.transport.Recv(ctx, from)
	l.mutex.Lock()
	l.reading = false
	if l.fail(err); l.err == nil {
		l.fail(l.unpack(from, m))
	}
	for _, one := range l.lanes {
		if one.waits != "" && len(one.from(one.waits).waiting) > 0 {
			one.pause(false) // before the first of them goes on
		}
	}
}

func (l *Lanes) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// flush sends the flights, in the order of the names of peers.
func (l *Lanes) flush(ctx context.Context) error {
	l.leaving = l.leaving[:0]
	for _, f := range l.out {
		if f.used > 0 {
			if err := l.ready(f); err != nil {
				return err
			}
			m := f.from
			m.Arrays, f.used, f.of = f.all[:f.used], 0, f.of[:0]
			l.leaving = append(l.leaving, Departure{f.to, m})
		}
	}
	l.flights += len(l.leaving)
	if t, ok := l.transport.(together); ok && len(l.leaving) > 0 {
		return t.SendAll(ctx, l.leaving)
	}
	for _, d := range l.leaving {
		if err := l.transport.Send(ctx, d.To, d.Message); err != nil {
			return err
		}
	}
	return nil
}

// A FlightError is the error where a message is not a flight of these lanes.
type FlightError struct{ Party string }

func (e *FlightError) Error() string {
	return "transport: " + e.Party + " sent what is no flight of these lanes"
}

// unpack gives the messages of a flight to their lanes.
func (l *Lanes) unpack(from string, m Message) error {
	if m.Kind != flightKind {
		return &FlightError{from}
	}
	ok := unpackFlight(m, func(to int, one Message) bool {
		if to >= len(l.lanes) {
			return false
		}
		l.lanes[to].from(from).put(one)
		return true
	})
	if !ok {
		return &FlightError{from}
	}
	return nil
}

// Each calls f for every message that a message holds: those of its lanes where it is a flight, else itself.
// It reports whether a flight has the form of one. Arrays are those of m.
func Each(m Message, f func(Message)) bool {
	if m.Kind != flightKind {
		f(m)
		return true
	}
	return unpackFlight(m, func(_ int, one Message) bool { f(one); return true })
}

// unpackFlight reads a flight, until take says that a message fits no lane.
func unpackFlight(m Message, take func(lane int, one Message) bool) bool {
	for rest := m.Arrays; len(rest) > 0; {
		head := rest[0]
		rest = rest[1:]
		if len(head.Data) != headerLen {
			return false
		}
		to, n, ended := int(head.Data[headLane]), int(head.Data[headArrays]), 2*int(head.Data[headEnded])
		if to < 0 || ended < 0 || ended > 2 || n < 0 || n+ended > len(rest) {
			return false
		}
		one := Message{ChainID: m.ChainID, Sender: m.Sender, Round: uint64(head.Data[headRound]),
			Kind: head.Name}
		one.Chain = uint32(head.Data[headChain])
		if ended > 0 {
			one.Reason, one.Party = rest[0].Name, rest[1].Name
		}
		one.Arrays = rest[ended:][:n:n]
		rest = rest[ended+n:]
		if !take(to, one) {
			return false
		}
	}
	return true
}

// Close ends the connections of all lanes.
func (l *lane) Close() { l.transport.Close() }
