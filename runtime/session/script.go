package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// A frame is a message as the plan has it: its channels, with the data of the message being sent or received.
// A frame without channels is not sent.
type frame struct {
	arrays   []transport.Channel
	channels []channel
	size     int64 // bytes of numbers as they are
	coded    bool  // a channel has words
	rounded  bool  // a channel may have short numbers
	masked   bool
	tallied  bool // there are totals of scalars
	lacks    bool // by which no evaluation is wanted, so that its numbers are not there
	kind     kind
	said     *frame // of bytes that all receive: what the receiver itself has sent, which does not come back
}

// A channel is what an array of a frame carries, and of which shared parameter or sum of the plan: -1 where
// it is none.
type channel struct {
	content *density.Content
	of      int
	len     int     // numbers
	coding  *coding // of a channel that is added up as words; nil elsewhere
	tells   *grid   // what a channel tells beside its numbers; nil elsewhere
	marks   bool    // a channel that goes down may say that its numbers follow from an invalid array
	short   bool    // a channel that goes down may have short numbers
	wanted  bool    // beside scalars: without numbers where they say that no evaluation is wanted
	// the parties that receive a channel that goes down, all of them the same numbers; nil elsewhere
	alike []int
}

func (f *frame) channel(name string, c channel) {
	f.arrays = append(f.arrays, transport.Channel{Name: c.content.Prefix + name})
	f.channels = append(f.channels, c)
	f.size += int64(c.len) * bytesPerNumber
	f.coded, f.rounded = f.coded || c.coding != nil, f.rounded || c.short
}

// resize sets how many numbers channel k has.
func (f *frame) resize(k, n int) {
	f.size += int64(n-f.channels[k].len) * bytesPerNumber
	f.channels[k].len = n
}

// seals is the channel of seals, which is the last one; nil where there is none.
func (f *frame) seals() *transport.Channel {
	if k := len(f.channels) - 1; k >= 0 && f.channels[k].seals() {
		return &f.arrays[k]
	}
	return nil
}

// seals reports whether a channel is of seals, which clients make for one another.
func (c *channel) seals() bool { return c.content.Of == density.OfSeals }

// words reports whether a channel has words that are no numbers.
func (c *channel) words() bool { return c.seals() || c.content.Of.Bytes() }

// load puts data into channel k, for sending.
func (f *frame) load(k int, data []float64) {
	a, c := &f.arrays[k], &f.channels[k]
	if c.coding != nil {
		c.coding.write(a, data)
		return
	}
	a.Data = data
	if c.tells != nil {
		a.Grid, a.NextSize = c.tells.exponent, c.tells.size
	}
}

// finite reports whether all numbers are.
func finite(v []float64) bool {
	sum := 0.0
	for _, x := range v {
		sum += x - x // 0, or NaN where x is not finite
	}
	return sum == 0
}

// A valueError is the error where numbers are not finite and their sender did not say so, or said so of
// others.
type valueError struct{ channel string }

func (e *valueError) Error() string {
	return fmt.Sprintf("channel %q with numbers that are not finite, unlike what it says of them", e.channel)
}

// invalid reports whether a channel's numbers follow from an invalid array.
func (f *frame) invalid() bool {
	for k := range f.arrays {
		if f.arrays[k].Invalid {
			return true
		}
	}
	return false
}

// flag says of channel k whether its numbers follow from an invalid array.
func (f *frame) flag(k int, invalid bool) {
	f.arrays[k].Invalid = invalid && (f.channels[k].marks || f.channels[k].tells != nil)
}

// lack takes the numbers of an evaluation that is not wanted out of the message, if it is none.
func (f *frame) lack(unwanted bool) {
	f.lacks = f.tallied && unwanted
	for k := range f.arrays {
		if f.lacks && f.channels[k].wanted {
			f.arrays[k].Data = f.arrays[k].Data[:0]
		}
	}
}

// without reports whether arrays for the frame have none of the numbers of an evaluation.
func (f *frame) without(arrays []transport.Channel) bool {
	none := f.optional()
	for k := range f.channels {
		none = none && (!f.channels[k].wanted || arrays[k].Len() == 0)
	}
	return none
}

// optional reports whether the message has numbers of an evaluation where one is wanted, and else none.
func (f *frame) optional() bool {
	return f.tallied && slices.ContainsFunc(f.channels, func(c channel) bool { return c.wanted && c.len > 0 })
}

// numbers is how many numbers of 8 bytes channel k has.
func (f *frame) numbers(k int) int {
	if f.lacks && f.channels[k].wanted {
		return 0
	}
	if c := &f.channels[k]; c.coding != nil {
		return c.coding.words(c.len)
	}
	return f.channels[k].len
}

// bytes are those that the message has now: words may be two for a number, and shorter than it.
func (f *frame) bytes() (n int64) {
	if !f.coded && !f.rounded && !f.lacks {
		return f.size
	}
	for k := range f.channels {
		size := f.arrays[k].Size
		if c := f.channels[k].coding; c != nil {
			size = c.size()
		}
		n += int64(f.numbers(k)) * int64(sizeOf(size))
	}
	return n
}

// besides are the bytes of a message without the vectors of sums.
func (f *frame) besides() (n int64) {
	for k, c := range f.channels {
		if c.of < 0 {
			n += int64(f.numbers(k)) * bytesPerNumber
		}
	}
	return n
}

// encoding is how channel k is written.
func (f *frame) encoding(k int) transport.Encoding {
	switch {
	case f.channels[k].words():
		return transport.Fixed
	case f.channels[k].coding == nil:
		return transport.Plain
	case f.masked:
		return transport.Masked
	}
	return transport.Fixed
}

// covered says of what will be masked that it is.
func (f *frame) covered() {
	for k := range f.channels {
		if f.masked && f.channels[k].coding != nil {
			f.arrays[k].Encoding = transport.Masked
		}
	}
}

// announce says of all numbers that are sent as they are whether they are finite.
func (f *frame) announce() {
	for k := range f.arrays {
		f.arrays[k].NotFinite = !finite(f.arrays[k].Data)
	}
}

// mask masks what has words, inside a process.
func (f *frame) mask(by *masker, id transport.ChainID, round uint64) error {
	if by == nil || !f.coded {
		return nil
	}
	f.covered()
	return by.send(letter{id: id, round: round, frame: f, arrays: f.arrays})
}

// accept takes the data of a message after comparing it with the frame, and what its channels tell.
func (f *frame) accept(m transport.Message, round uint64) error {
	kind := f.kind.Name
	switch {
	case m.Kind != kind:
		return fmt.Errorf("message %q where the plan has %q", m.Kind, kind)
	case m.Round != round:
		return fmt.Errorf("message %q of round %d in round %d", m.Kind, m.Round, round)
	case len(m.Arrays) != len(f.arrays):
		return fmt.Errorf("message %q with %d channels where the plan has %d", m.Kind, len(m.Arrays),
			len(f.arrays))
	}
	f.lacks = f.without(m.Arrays)
	for i, a := range m.Arrays {
		if err := f.fits(i, a); err != nil {
			return fmt.Errorf("message %q: %w", m.Kind, err)
		}
	}
	for i, a := range m.Arrays {
		f.arrays[i] = a
		if tells := f.channels[i].tells; tells != nil {
			tells.exponent, tells.size = a.Grid, a.NextSize
		}
	}
	return nil
}

// fits compares an array that has arrived with channel i.
func (f *frame) fits(i int, a transport.Channel) error {
	if err := f.formed(i, a); err != nil {
		return err
	}
	if a.NotFinite == finite(a.Data) {
		return &valueError{a.Name}
	}
	return nil
}

// formed compares what an array says of itself with channel i, before it leaves and when it has arrived. That
// its numbers are finite is what announce says.
func (f *frame) formed(i int, a transport.Channel) error {
	c := &f.channels[i]
	coding, encoding, size := c.coding, f.encoding(i), uint8(0)
	switch {
	case coding != nil:
		size = coding.size()
	case c.short && a.Encoding == transport.Short:
		encoding, size = a.Encoding, a.Size
	}
	switch name := f.arrays[i].Name; {
	case a.Name != name:
		return fmt.Errorf("channel %q where the plan has %q", a.Name, name)
	case a.Encoding != encoding:
		return fmt.Errorf("channel %q with encoding %d where the run has %d", a.Name, a.Encoding, encoding)
	case coding != nil && a.Grid != coding.exponent():
		return fmt.Errorf("channel %q on the grid %d where the run has %d", a.Name, a.Grid, coding.exponent())
	case a.Size != size:
		return fmt.Errorf("channel %q with numbers of size %d where the run has %d", a.Name, a.Size, size)
	case coding == nil && c.tells == nil && (a.Grid != 0 || a.Invalid && !c.marks),
		a.NextSize != 0 && (c.tells == nil || a.NextSize == 1 || a.NextSize > mostSize):
		return fmt.Errorf("channel %q with a grid or a mark that it cannot have", a.Name)
	}
	data, words := f.numbers(i), 0
	if encoding != transport.Plain && encoding != transport.Short {
		data, words = 0, data
	}
	if len(a.Data) != data || len(a.Words) != words {
		return fmt.Errorf("channel %q has length %d where the plan has %d", a.Name, a.Len(), data+words)
	}
	return nil
}

// A script is every message that one client and the server exchange. Clients of one run whose messages are
// alike may share one. Both ends derive it from the plan and the table of kinds. Channels are in the order of
// the plan, those of shared parameters first.
type script struct {
	messages [ownKinds]frame // of the methods of an Env
	// aux and reply with scalars in the last channel
	auxTally, replyTally frame
	// of turns that have no message one way: it has no channels
	none frame
	// the channels of drawn: indices into role.Members
	drawnMembers                                  []int
	repeatedMembers                               []int // those of anew
	relayed                                       map[*density.Exchange]*pair
	writer                                        writer
	lateArrivals, earlyArrivals, trailingArrivals []int // indices into role.Arrivals
}

// A pair is the two messages of a relay.
type pair struct{ up, down frame }

// relay is the messages of a relay, made when it is first needed.
func (s *script) relay(x *density.Exchange) *pair {
	p := s.relayed[x]
	if p == nil {
		p = &pair{}
		of := relayKinds(x)
		s.writer.write(&p.up, of[0])
		s.writer.write(&p.down, of[1])
		s.relayed[x] = p
	}
	return p
}

// answers reports whether a message that goes down has a channel, among those that a run may have and the
// relays that it has had.
func (s *script) answers(kind, channel string) bool {
	var all []*frame
	for k := range s.messages {
		all = append(all, s.tallied(k))
	}
	for _, p := range s.relayed {
		all = append(all, &p.down)
	}
	return slices.ContainsFunc(all, func(f *frame) bool {
		return !f.kind.up && f.kind.Name == kind && slices.ContainsFunc(f.arrays,
			func(a transport.Channel) bool {
				return a.Name == channel
			})
	})
}

// tallied is a message by its position in kinds, with scalars where it can have them.
func (s *script) tallied(k int) *frame {
	switch k {
	case kindAux:
		return &s.auxTally
	case kindReply:
		return &s.replyTally
	}
	return &s.messages[k]
}

// alike reports whether the scripts with clients of two roles have the same channels.
func alike(a, b model.Role) bool {
	return slices.EqualFunc(a.Members, b.Members, func(x, y model.Membership) bool {
		return x.Group == y.Group
	}) &&
		slices.EqualFunc(a.Receptions, b.Receptions, func(x, y model.Reception) bool {
			return x.Group == y.Group
		}) &&
		slices.EqualFunc(a.Arrivals, b.Arrivals, func(x, y model.Arrival) bool {
			return x.Shared == y.Shared
		})
}

// sameMessages reports whether all clients send and receive the same messages, so that what leaves together
// is the same at all of them.
func sameMessages(plan *model.Plan) bool {
	first := plan.Role(1)
	early := func(x, y model.Arrival) bool { return x.Early == y.Early }
	for k := range plan.Names[1:] {
		role := plan.Role(k + 1)
		if !alike(first, role) || !slices.EqualFunc(first.Arrivals, role.Arrivals, early) {
			return false
		}
	}
	return !plan.Wire.Encrypted
}

// newScript writes the script with a client.
func newScript(plan *model.Plan, client int, c *codes) *script {
	s := &script{relayed: map[*density.Exchange]*pair{}, writer: writer{plan: plan, role: plan.Role(client),
		codes: c, client: client}}
	for k := range s.messages {
		s.writer.write(&s.messages[k], ownKind(k))
	}
	for i, a := range s.writer.role.Arrivals {
		if a.Early {
			s.earlyArrivals = append(s.earlyArrivals, i)
		} else {
			s.lateArrivals = append(s.lateArrivals, i)
		}
		if afterAdjoints(circumstances(plan, a.Early)) {
			s.trailingArrivals = append(s.trailingArrivals, i)
		}
	}
	for i, m := range s.writer.role.Members {
		if len(plan.Groups[m.Group].Quantities) > 0 {
			s.drawnMembers = append(s.drawnMembers, i)
		}
		if c.evaluated[m.Group] != nil {
			s.repeatedMembers = append(s.repeatedMembers, i)
		}
	}
	s.auxTally, s.replyTally = s.writer.withScalars(s.messages[kindAux], density.Scalars),
		s.writer.withScalars(s.messages[kindReply], ScalarTotal)
	s.replyTally.tallied = true
	return s
}

// A writer makes a script.
type writer struct {
	plan   *model.Plan
	role   model.Role
	codes  *codes
	client int
}

// write makes the frame of a kind of message.
func (w *writer) write(f *frame, k kind) {
	f.kind, f.masked = k, w.plan.Wire.Masked
	if k.shortly && !w.plan.Wire.Short {
		return
	}
	here := circumstances(w.plan, false)
	any := len(k.Carries) == 0
	for _, c := range k.Carries {
		w.carry(f, c)
		any = any || c.Applies(here)
	}
	if any && k.sealed.applies(w.plan) {
		w.seal(f)
	}
}

// carry adds the channels of a content to a frame.
func (w *writer) carry(f *frame, c density.Carried) {
	role := w.role
	switch c.Content.Of {
	case density.OfParameters:
		for _, a := range role.Arrivals {
			if c.Applies(circumstances(w.plan, a.Early)) {
				w.channel(f, c, a.Shared, w.plan.Shared[a.Shared].Name, a.Len)
			}
		}
	case density.OfScalars, density.OfAnswers:
		if c.Applies(circumstances(w.plan, false)) {
			w.channel(f, c, -1, scalarsName, 0)
		}
	case density.OfReceptions:
		for _, r := range role.Receptions {
			w.group(f, c, r.Group)
		}
	case density.OfShown, density.OfGiven:
		w.bytes(f, c)
	default:
		for _, m := range role.Members {
			w.group(f, c, m.Group)
		}
	}
}

// bytes adds channels of bytes: of the client's, or of those that it receives from the server and, where
// clients send some, from each other one.
func (w *writer) bytes(f *frame, c density.Carried) {
	several := slices.Contains(w.plan.Several, w.client)
	for k, name := range w.plan.Names {
		if own := k == w.client; f.kind.up && own || !f.kind.up &&
			(k == 0 || f.kind.passes && (!own || several)) {
			w.channel(f, c, k, name, 0)
		}
	}
	if !f.kind.up && f.kind.passes && c.Content.Of == density.OfShown {
		f.said = &frame{kind: f.kind}
		w.channel(f.said, c, w.client, w.plan.Names[w.client], 0)
	}
}

func (w *writer) group(f *frame, c density.Carried, g int) {
	here := circumstances(w.plan, false)
	here.Generated = len(w.plan.Groups[g].Quantities) > 0
	if f.kind.shortly && w.codes.evaluated[g] == nil {
		return
	}
	if c.Content == Again {
		w.channel(f, c, g, w.plan.Groups[g].Name, 0)
		return
	}
	if c.Applies(here) {
		w.channel(f, c, g, w.plan.Groups[g].Name, w.plan.Groups[g].Len)
	}
}

func (w *writer) channel(f *frame, c density.Carried, of int, name string, n int) {
	ch := channel{content: c.Content, of: of, len: n, wanted: c.Wanted}
	if f.kind.up {
		ch.coding = w.codes.of(c, of)
	} else {
		ch.tells = w.codes.tells(c, of)
		ch.short = w.plan.Wire.Short && (c.Content == Adjoint || c.Content == Whole)
		switch c.Content.Of { // of a sum whose contributions, or whose derivatives, are added up as words
		case density.OfCuts, density.OfSums, density.OfReceptions:
			ch.marks = w.codes.contribution[of] != nil || w.codes.partial[of] != nil
		}
	}
	if !f.kind.up || c.Content.Of == density.OfShown { // the others receive what one shows
		ch.alike = w.alike(c.Content, of)
	}
	f.channel(name, ch)
}

// seal adds the channel of seals, which is the last one.
func (w *writer) seal(f *frame) {
	c := Seals
	if f.kind.up {
		c = Seal
	}
	f.channel(sealsName, channel{content: c, of: -1, len: sealWords * (len(w.plan.Names) - 2)})
}

// alike lists the parties that receive a channel that goes down.
func (w *writer) alike(c *density.Content, of int) []int {
	switch c.Of {
	case density.OfParameters:
		return w.codes.to[of]
	case density.OfReceptions:
		return w.codes.receivers[of]
	case density.OfCuts, density.OfSums:
		return w.codes.members[of]
	case density.OfGiven:
		return nil
	}
	return w.codes.clients
}

// scalarsName is the channel of numbers that are added up.
const scalarsName = "scalars"

// sealsName is the channel of seals.
const sealsName = "seals"

// withScalars is a frame with a channel of scalars, before that of seals.
func (w *writer) withScalars(f frame, c *density.Content) frame {
	with := frame{kind: f.kind, masked: f.masked}
	for k := range f.channels {
		if ch := f.channels[k]; !ch.seals() {
			with.channel(strings.TrimPrefix(f.arrays[k].Name, ch.content.Prefix), ch)
		}
	}
	w.carry(&with, density.Carried{Content: c})
	if ofSeveral.applies(w.plan) {
		w.seal(&with)
	}
	return with
}

// scalarsAt is the channel of scalars: the last one but for seals.
func (f *frame) scalarsAt() int {
	k := len(f.channels) - 1
	if f.seals() != nil {
		k--
	}
	return k
}

// scalars is the channel of scalars.
func (f *frame) scalars() *transport.Channel { return &f.arrays[f.scalarsAt()] }

// loadScalars puts numbers into the channel of scalars.
func (f *frame) loadScalars(v []float64) {
	k := f.scalarsAt()
	f.resize(k, len(v))
	f.load(k, v)
}

// loadPartial loads, under power, the adjoints of the sums that a client received.
func (c *client) loadPartial(up *frame) {
	c.party.collectShared()
	up.loadGradients(c.party, c.lateArrivals)
	for i, r := range c.role.Receptions {
		up.load(len(c.lateArrivals)+i, c.party.InputAdjoint(r.Input))
	}
}

// loadTrailing loads the gradients by shared parameters that were not sent before.
func (c *client) loadTrailing(up *frame) {
	c.party.collectShared()
	up.loadGradients(c.party, c.trailingArrivals)
}

// loadGradients puts gradients by shared parameters into the first channels of a frame.
func (f *frame) loadGradients(p *partyState, arrivals []int) {
	for i, k := range arrivals {
		f.load(i, p.shared[k])
	}
}
