// Command rounds measures a round of a run across processes, a message to every client and one back from
// each, against a fan-out and gather of the same bytes over the same connections without anything of ours: no
// seal, no numbers, no resending. Both are on the loopback interface by TLS, or through a proxy that delays
// every byte.
//
//	go run ./bench/rounds -n 500 -clients 2
//	go run ./bench/rounds -delay 10ms -rounds 200
//
// The two are measured in turn, in short blocks, so that what else the machine does falls on both alike.
// -limit makes the command fail above a ratio of the medians.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/tests/proxy"
)

func main() {
	n := flag.Int("n", 500, "numbers in each message")
	clients := flag.Int("clients", 2, "how many clients")
	rounds := flag.Int("rounds", 4000, "rounds of each kind")
	delay := flag.Duration("delay", 0, "of every byte in each direction; 0: no proxy")
	limit := flag.Float64("limit", 0, "the largest ratio of the medians; 0: none")
	profile := flag.String("profile", "", "`file` for a profile of the processor's time in rounds of ours")
	flag.Parse()
	if err := run(*n, *clients, *rounds, *delay, *limit, *profile); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(n, clients, rounds int, delay time.Duration, limit float64, profile string) error {
	dir, err := os.MkdirTemp("", "rounds")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	h, err := newHall(dir, n, clients, delay)
	if err != nil {
		return err
	}
	defer h.close()
	ours, bare, err := h.both(rounds, profile)
	if err != nil {
		return err
	}
	ratio := float64(middle(ours)) / float64(middle(bare))
	fmt.Printf("%d clients, %d numbers, delay %v: median round %v, bare fan-out and gather %v, ratio %.2f; "+
		"9 of 10 within %v and %v\n",
		clients, n, delay, middle(ours), middle(bare), ratio, ours[len(ours)*9/10], bare[len(bare)*9/10])
	if limit > 0 && ratio > limit {
		return fmt.Errorf("the ratio is above %g", limit)
	}
	return nil
}

func middle(d []time.Duration) time.Duration { return d[len(d)/2] }

// both measures rounds of both kinds, in turn, and sorts their times.
func (h *hall) both(rounds int, profile string) (ours, bare []time.Duration, err error) {
	const block = 20
	for len(ours) < rounds+block {
		if b, err := h.measure(block, h.bareRound); err != nil {
			return nil, nil, err
		} else {
			bare = append(bare, b...)
		}
		if profile != "" && len(ours) == block {
			file, err := os.Create(profile)
			if err != nil {
				return nil, nil, err
			}
			defer file.Close()
			if err := pprof.StartCPUProfile(file); err != nil {
				return nil, nil, err
			}
			defer pprof.StopCPUProfile()
		}
		if o, err := h.measure(block, h.linkRound); err != nil {
			return nil, nil, err
		} else {
			ours = append(ours, o...)
		}
	}
	ours, bare = ours[block:], bare[block:] // the first are of connections that are new
	slices.Sort(ours)
	slices.Sort(bare)
	return ours, bare, nil
}

// A hall holds a server and its clients, each with a connection on which both kinds of rounds go.
type hall struct {
	names    []string
	carriers []*carrier.Carrier
	links    []*transport.Endpoint
	raw      []chan []byte // packets without a seal, by receiver
	bytes    []byte
	values   []float64
	done     chan struct{}
	delayed  *proxy.Proxy
}

func newHall(dir string, n, clients int, delay time.Duration) (*hall, error) {
	h := &hall{names: []string{"server"}, values: make([]float64, n), bytes: make([]byte, 8*n),
		done: make(chan struct{})}
	for k := range clients {
		h.names = append(h.names, fmt.Sprintf("client%d", k+1))
	}
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	back, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address, listen := back.Addr().String(), back.Addr().String()
	back.Close()
	if delay > 0 {
		address = front.Addr().String()
		h.delayed = proxy.Serve(front, listen, delay)
	} else {
		front.Close()
	}
	ids, err := project(dir, address, h.names)
	if err != nil {
		return nil, err
	}
	h.links, h.raw = make([]*transport.Endpoint, len(h.names)), make([]chan []byte, len(h.names))
	if err := h.connectLinks(); err != nil {
		return nil, err
	}
	up := make(chan struct{}, 16*len(h.names))
	for k, id := range ids {
		h.raw[k] = make(chan []byte, len(h.names))
		events := carrier.Handlers{Back: func() {
			up <- struct{}{}
		}, Notice: func(string) {}, Refuse: func(error) {}, Packet: func(_ string, packet []byte) {
			if _, ok := h.links[k].Deliver(packet); !ok {
				h.raw[k] <- packet
			}
		}}
		var c *carrier.Carrier
		if k == 0 {
			c, err = carrier.Serve(id, listen, events)
		} else {
			c, err = carrier.Join(id, events)
		}
		if err != nil {
			return nil, err
		}
		h.carriers = append(h.carriers, c)
	}
	for _, c := range h.carriers {
		for begin := time.Now(); !c.Connected(); time.Sleep(time.Millisecond) {
			if time.Since(begin) > 10*time.Second {
				return nil, errors.New("a client does not connect")
			}
		}
		if _, err := c.RTT(); err != nil { // its subscription is there
			return nil, err
		}
	}
	for k := range clients {
		go h.answer(k + 1)
		go h.echo(k + 1)
	}
	return h, nil
}

// project makes the identities of all parties.
func project(dir, address string, names []string) (out []*identity.Identity, err error) {
	ca := filepath.Join(dir, "ca")
	if err := identity.Init(ca, identity.Project{Name: "rounds", Server: names[0], Address: address,
		Parties: names}); err != nil {
		return nil, err
	}
	for _, name := range names {
		own := filepath.Join(dir, name)
		if err := identity.Request(own, "rounds", name); err != nil {
			return nil, err
		}
		issued, err := identity.Add(ca, filepath.Join(own, identity.RequestFile),
			identity.Admission{New: true, Server: true})
		if err != nil {
			return nil, err
		}
		cert, err := os.ReadFile(filepath.Join(issued.Bundle, identity.CertFile))
		if err := errors.Join(err, safefile.WriteBytes(filepath.Join(own, identity.CertFile), 0o644, cert),
			identity.Copy(issued.Bundle, own)); err != nil {
			return nil, err
		}
		id, err := identity.Load(own)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

func (h *hall) connectLinks() (err error) {
	configs := make([]transport.EndpointConfig, len(h.names))
	for k, name := range h.names {
		configs[k] = transport.EndpointConfig{Names: h.names, Own: name, Epoch: 1,
			Send: map[string]transport.PacketKey{}, Receive: map[string]transport.PacketKey{},
			Publish: func(to string, packet []byte) error { return h.carriers[k].Publish(to, packet) }}
	}
	for k, name := range h.names[1:] {
		var down, up transport.PacketKey
		rand.Read(down[:]) // never fails
		rand.Read(up[:])
		configs[0].Send[name], configs[k+1].Receive[h.names[0]] = down, down
		configs[k+1].Send[h.names[0]], configs[0].Receive[name] = up, up
	}
	for k := range configs {
		if h.links[k], err = transport.NewEndpoint(configs[k]); err != nil {
			return err
		}
	}
	return nil
}

func (h *hall) message() transport.Message {
	return transport.Message{Kind: "round", Arrays: []transport.Channel{{Name: "z", Data: h.values}}}
}

// answer is a client's end of rounds of ours.
func (h *hall) answer(k int) {
	ctx := context.Background()
	for {
		if _, err := h.links[k].Recv(ctx, h.names[0]); err != nil {
			return
		}
		if h.links[k].Send(ctx, h.names[0], h.message()) != nil {
			return
		}
	}
}

// echo is a client's end of bare rounds.
func (h *hall) echo(k int) {
	for {
		select {
		case <-h.done:
			return
		case packet := <-h.raw[k]:
			_ = h.carriers[k].Publish(h.names[0], packet) // a round that is lost ends the measurement
		}
	}
}

func (h *hall) linkRound() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, name := range h.names[1:] {
		if err := h.links[0].Send(ctx, name, h.message()); err != nil {
			return err
		}
	}
	for _, name := range h.names[1:] {
		if _, err := h.links[0].Recv(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (h *hall) bareRound() error {
	for _, name := range h.names[1:] {
		if err := h.carriers[0].Publish(name, h.bytes); err != nil {
			return err
		}
	}
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	for range h.names[1:] {
		select {
		case <-h.raw[0]:
		case <-late.C:
			return errors.New("a packet was lost")
		}
	}
	return nil
}

func (h *hall) measure(rounds int, round func() error) (out []time.Duration, err error) {
	for range rounds {
		begin := time.Now()
		if err := round(); err != nil {
			return nil, err
		}
		out = append(out, time.Since(begin))
	}
	return out, nil
}

func (h *hall) close() {
	close(h.done)
	for _, l := range h.links {
		l.Close()
	}
	for k := range h.carriers {
		h.carriers[len(h.carriers)-1-k].Close()
	}
	if h.delayed != nil {
		_ = h.delayed.Close() // the process ends
	}
}
