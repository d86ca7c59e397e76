package transport

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A carrier brings packets between the links of one run, and loses, repeats and delays some of them.
type carrier struct {
	mutex sync.Mutex
	links map[string]*Endpoint
	rand  *rand.Rand
	lose  float64
	cut   bool // nothing arrives
	seen  map[[32]byte]int
	sends int
}

func (c *carrier) publish(to string, packet []byte) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.sends++
	c.seen[sha256.Sum256(packet)]++
	if c.cut {
		return errors.New("cut")
	}
	copies := 1
	switch u := c.rand.Float64(); {
	case u < c.lose:
		copies = 0
	case u < 1.5*c.lose:
		copies = 2
	}
	bytes, delay := slices.Clone(packet), time.Duration(0)
	if c.rand.Float64() < c.lose {
		delay = 30 * time.Millisecond
	}
	l := c.links[to]
	for range copies {
		go func() {
			time.Sleep(delay)
			l.Deliver(bytes)
		}()
	}
	return nil
}

func delivered(l *Endpoint, packet []byte) bool {
	_, ok := l.Deliver(packet)
	return ok
}

func key(a, b string) PacketKey { return sha256.Sum256([]byte(a + ">" + b)) }

func connect(t testing.TB, c *carrier, names []string) {
	t.Helper()
	c.links, c.seen = map[string]*Endpoint{}, map[[32]byte]int{}
	for i, own := range names {
		cfg := EndpointConfig{Run: RunID{1}, Epoch: 3, Names: names, Own: own, Send: map[string]PacketKey{},
			Receive: map[string]PacketKey{}, Publish: c.publish}
		for j, other := range names {
			if (i == 0) != (j == 0) {
				cfg.Send[other], cfg.Receive[other] = key(own, other), key(other, own)
			}
		}
		l, err := NewEndpoint(cfg)
		if err != nil {
			t.Fatal(err)
		}
		c.links[own] = l
	}
}

func (c *carrier) end() {
	for _, l := range c.links {
		l.Close()
	}
}

// first are the packets of the first n messages of a, which are not delivered; they are sent again, and lost,
// for as long as the link is there.
func (c *carrier) first(t testing.TB, n int) (packets [][]byte) {
	t.Helper()
	var mutex sync.Mutex
	a := c.links["a"]
	a.Publish = func(_ string, p []byte) error {
		mutex.Lock()
		defer mutex.Unlock()
		if h, err := readHeader(p); err == nil && h.seq == uint64(len(packets)+1) {
			packets = append(packets, slices.Clone(p))
		}
		return nil
	}
	for k := range n {
		if err := a.Send(t.Context(), "server", message(k+1)); err != nil {
			t.Fatal(err)
		}
	}
	mutex.Lock()
	defer mutex.Unlock()
	return packets[:n]
}

func message(k int) Message {
	return Message{Round: uint64(k), Kind: "aux",
		Arrays: []Channel{{Name: "z z_1", Data: []float64{float64(k), -float64(k)}}}}
}

// exchange sends n messages and their answers, and wants each once and in order.
func exchange(ctx context.Context, c *carrier, n int) error {
	fail := make(chan error, 2)
	go func() {
		for k := range n {
			if err := c.links["a"].Send(ctx, "server", message(k)); err != nil {
				fail <- err
				return
			}
			m, err := c.links["a"].Recv(ctx, "server")
			if err != nil || m.Round != uint64(k+1000) {
				fail <- fmt.Errorf("answer %d: %+v, %v", k, m, err)
				return
			}
		}
		fail <- nil
	}()
	go func() {
		for k := range n {
			m, err := c.links["server"].Recv(ctx, "a")
			if err != nil || m.Round != uint64(k) || m.Arrays[0].Data[1] != -float64(k) {
				fail <- fmt.Errorf("message %d: %+v, %v", k, m, err)
				return
			}
			if err := c.links["server"].Send(ctx, "a", message(k+1000)); err != nil {
				fail <- err
				return
			}
		}
		fail <- nil
	}()
	return errors.Join(<-fail, <-fail)
}

// Over a carrier that loses, repeats and delays packets every message arrives once and in order.
func TestMessagesArriveOnceAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{rand: rand.New(rand.NewPCG(1, 2)), lose: 0.2}
		connect(t, c, []string{"server", "a", "b"})
		if err := exchange(t.Context(), c, 200); err != nil {
			t.Error(err)
		}
		c.end()
	})
}

// A message that is sent again has the same bytes: the carrier sees each packet of a message more than once,
// and never two for one number.
func TestSentAgainWithTheSameBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{rand: rand.New(rand.NewPCG(1, 2)), cut: true}
		connect(t, c, []string{"server", "a"})
		if err := c.links["a"].Send(t.Context(), "server", message(1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		c.mutex.Lock()
		if len(c.seen) != 1 || c.sends < 5 {
			t.Errorf("%d packets, %d different", c.sends, len(c.seen))
		}
		c.mutex.Unlock()
		c.end()
	})
}

// A day without a connection loses nothing.
func TestADayOfPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{rand: rand.New(rand.NewPCG(3, 4)), lose: 0.05}
		connect(t, c, []string{"server", "a"})
		go func() {
			time.Sleep(10 * time.Millisecond)
			c.mutex.Lock()
			c.cut = true
			c.mutex.Unlock()
			time.Sleep(24 * time.Hour)
			c.mutex.Lock()
			c.cut = false
			c.mutex.Unlock()
		}()
		began := time.Now()
		if err := exchange(t.Context(), c, 100); err != nil {
			t.Error(err)
		}
		if d := time.Since(began); d < 24*time.Hour || d > 24*time.Hour+time.Minute {
			t.Errorf("the run took %v", d)
		}
		c.end()
	})
}

// Flush names the peers that did not say that they have what was sent, and none when all have.
func TestFlushNamesWhoLacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{rand: rand.New(rand.NewPCG(3, 4)), cut: true}
		connect(t, c, []string{"server", "a", "b"})
		if err := c.links["server"].Send(t.Context(), "b", message(1)); err != nil {
			t.Fatal(err)
		}
		wait, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if lacking := c.links["server"].Flush(wait); !slices.Equal(lacking, []string{"b"}) {
			t.Errorf("while nothing arrives %v lack the message", lacking)
		}
		c.mutex.Lock()
		c.cut = false
		c.mutex.Unlock()
		if lacking := c.links["server"].Flush(t.Context()); lacking != nil {
			t.Errorf("%v lack a message that has come", lacking)
		}
		c.end()
	})
}

// Long messages travel in parts.
func TestLongMessages(t *testing.T) {
	c := &carrier{rand: rand.New(rand.NewPCG(1, 2))}
	connect(t, c, []string{"server", "a"})
	defer c.end()
	long := make([]float64, 1<<18)
	for i := range long {
		long[i] = float64(i)
	}
	m := Message{Kind: "aux", Arrays: []Channel{{Name: "z", Data: long}}}
	if err := c.links["a"].Send(t.Context(), "server", m); err != nil {
		t.Fatal(err)
	}
	got, err := c.links["server"].Recv(t.Context(), "a")
	if err != nil || !slices.Equal(got.Arrays[0].Data, long) {
		t.Fatal(err, len(got.Arrays))
	}
	c.links["a"].most = 1 << 20 // which no party takes: it would be sent again for ever
	var e *LengthError
	if err := c.links["a"].Send(t.Context(), "server", m); !errors.As(err, &e) || e.Bytes < 8<<18 ||
		e.Kind != "aux" {
		t.Errorf("a message that is too long: %v", err)
	}
	if c.links["a"].peers["server"].flying() > 1 {
		t.Error("it was sent")
	}
}

// A message that is longer than any party sends is taken as one that cannot be read, and what follows it
// arrives.
func TestOversizedMessages(t *testing.T) {
	c := &carrier{rand: rand.New(rand.NewPCG(1, 2))}
	connect(t, c, []string{"server", "a"})
	defer c.end()
	c.links["server"].most = 1 << 18
	long := Message{Kind: "aux", Arrays: []Channel{{Name: "z", Data: make([]float64, 1<<18)}}}
	for _, m := range []Message{long, message(2)} {
		if err := c.links["a"].Send(t.Context(), "server", m); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := c.links["server"].Recv(t.Context(), "a"); err != nil || got.Kind != unreadable ||
		len(got.Arrays) > 0 {
		t.Error(got.Kind, err)
	}
	if got, err := c.links["server"].Recv(t.Context(), "a"); err != nil || got.Round != 2 {
		t.Error(got, err)
	}
}

// What is forged, altered, of another run, epoch, direction or time is not taken, and changes nothing.
func TestForgedPacketsChangeNothing(t *testing.T) {
	c := &carrier{rand: rand.New(rand.NewPCG(1, 2))}
	connect(t, c, []string{"server", "a", "b"})
	defer c.end()
	first, server := c.first(t, 2), c.links["server"]
	packet, later := first[0], first[1]
	for name, alter := range map[string]func([]byte){
		"magic": func(b []byte) {
			b[0]++
		}, "type": func(b []byte) {
			b[3] = typeAck
		}, "run": func(b []byte) { b[4]++ }, "epoch": func(b []byte) { b[20]++ },
		"sender": func(b []byte) {
			b[24] = 2
		}, "no sender": func(b []byte) {
			b[24] = 9
		}, "receiver": func(b []byte) { b[26] = 1 }, "number": func(b []byte) { b[28]++ },
		"part": func(b []byte) {
			b[40]++
		}, "acknowledgement": func(b []byte) {
			b[44]++
		}, "content": func(b []byte) { b[headerSize+9]++ }, "seal": func(b []byte) { b[len(b)-1]++ },
	} {
		forged := slices.Clone(packet)
		alter(forged)
		if delivered(server, forged) {
			t.Errorf("%s: taken", name)
		}
	}
	if delivered(server, packet[:len(packet)-1]) || delivered(server, nil) ||
		delivered(server, packet[:10]) || delivered(c.links["b"], packet) {
		t.Error("a part of a packet, or one for another party, is taken")
	}
	if from, ok := server.Deliver(later); !ok || from != "" {
		t.Error("a packet that can be repeated while one before it is missing shows "+
			"that its sender is there:", from, ok)
	}
	// the second is one that was sent again, or that somebody repeats
	for _, want := range []string{"a", ""} {
		if from, ok := server.Deliver(packet); !ok || from != want {
			t.Error("the packet is not taken as it should be:", from, ok)
		}
	}
	if m, err := server.Recv(t.Context(), "a"); err != nil || m.Round != 1 {
		t.Error(m, err)
	}
	if p := server.peers["a"]; len(p.queue) != 0 || len(p.assembly) != 0 {
		t.Error("a packet that came again is a message again")
	}
}

// A sender waits while too much is on its way, and ends with the link.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &carrier{rand: rand.New(rand.NewPCG(1, 2)), cut: true}
		connect(t, c, []string{"server", "a"})
		big := Message{Kind: "aux", Arrays: []Channel{{Name: "z", Data: make([]float64, 1<<20)}}}
		done := make(chan int)
		go func() {
			n := 0
			for c.links["a"].Send(context.Background(), "server", big) == nil {
				n++
			}
			done <- n
		}()
		synctest.Wait() // until it can send no more
		c.end()
		if n := <-done; n != window/(8<<20) {
			t.Errorf("%d messages of 8 MB were on their way", n)
		}
	})
}

var frames = flag.Int("frames", 100_000, "how many frames of garbage TestGarbage sends")

// Garbage, most of it nearly a packet, is refused and changes nothing; the packet that it was made from is
// then taken.
func TestGarbage(t *testing.T) {
	c := &carrier{rand: rand.New(rand.NewPCG(1, 2))}
	connect(t, c, []string{"server", "a"})
	defer c.end()
	packet, server, random := c.first(t, 1)[0], c.links["server"], rand.New(rand.NewPCG(3, 4))
	p := server.peers["a"]
	for range *frames {
		b := slices.Clone(packet)
		switch random.IntN(5) {
		case 0:
			b = b[:random.IntN(len(b))]
		case 1:
			for range 1 + random.IntN(4) {
				b[random.IntN(len(b))] ^= byte(1 + random.IntN(255))
			}
		case 2:
			b = append(b, make([]byte, 1+random.IntN(100))...)
		case 3:
			b[random.IntN(headerSize)] = byte(random.IntN(256))
		default:
			for k := range b[4:] {
				b[4+k] = byte(random.IntN(256))
			}
		}
		if !slices.Equal(b, packet) && delivered(server, b) {
			t.Fatalf("%x was taken", b)
		}
	}
	if p.got != 0 || len(p.queue) != 0 || len(p.flight) != 0 || len(p.assembly) != 0 {
		t.Error("garbage has changed the link")
	}
	if !delivered(server, packet) {
		t.Error("the packet itself is not taken")
	}
	if m, err := server.Recv(t.Context(), "a"); err != nil || m.Round != 1 {
		t.Error(m, err)
	}
}

// No bytes make a link panic, or change what it holds.
func FuzzDeliver(f *testing.F) {
	c := &carrier{rand: rand.New(rand.NewPCG(1, 2))}
	connect(f, c, []string{"server", "a"})
	f.Cleanup(c.end)
	packet := c.first(f, 1)[0]
	f.Add(packet)
	f.Add(packet[:headerSize])
	f.Add([]byte("VF1D"))
	server := c.links["server"]
	f.Fuzz(func(t *testing.T, b []byte) {
		if slices.Equal(b, packet) {
			return
		}
		p := server.peers["a"]
		if delivered(server, b) || p.got != 0 || len(p.queue) != 0 || len(p.flight) != 0 {
			t.Errorf("%x was taken", b)
		}
	})
}

// What a receiver drops is never sealed: above all no number that would use a nonce twice.
func TestPacketsWithoutAForm(t *testing.T) {
	data, ack := header{kind: typeData, seq: 1, parts: 1}, header{kind: typeAck, seq: 1, parts: seen}
	headings := map[string]header{"as it should be": data, "an acknowledgement": ack}
	for name, change := range map[string]func(*header){
		"another type": func(h *header) {
			h.kind = 'X'
		}, "no number": func(h *header) {
			h.seq = 0
		}, "the numbers of acknowledgements": func(h *header) { h.seq = ackNonce },
		"a part too many": func(h *header) {
			h.part = 1
		}, "no parts": func(h *header) {
			h.parts = 0
		}, "too many parts": func(h *header) { h.parts = maxMessage/MinPart + 2 },
	} {
		h := data
		change(&h)
		headings[name] = h
	}
	ack.parts = 3
	headings["an acknowledgement of a third sort"] = ack
	for name, h := range headings {
		b, made := attempt(func() []byte { return h.put(nil) })
		if made != (name == "as it should be" || name == "an acknowledgement") {
			t.Errorf("%s: made %v", name, made)
		}
		if _, err := readHeader(b); made && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, at := range [][2]int{{-1, 0}, {1 << 31, 0}, {0, -1}, {0, 1 << 62}} {
		if _, made := attempt(func() []byte { return encodeMark(at[0], at[1]) }); made {
			t.Errorf("a mark at %v is made", at)
		}
	}
}

// attempt reports whether bytes were made, and not a panic.
func attempt(make func() []byte) (b []byte, made bool) {
	defer func() { _ = recover() }()
	return make(), true
}
