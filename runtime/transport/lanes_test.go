package transport_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/runtime/transport"
)

// Two lanes whose messages meet share one flight each way, and each receives its own: what it was sent, with
// the reason of an end.
func TestLanesShareFlights(t *testing.T) {
	ends := transport.NewMem([]string{"server", "client"})
	server, client := transport.NewLanes(ends[0], 2), transport.NewLanes(ends[1], 2)
	server.Start()
	client.Start()
	failed := make(chan error, 4)
	for k := range 2 {
		sent := transport.Message{
			ChainID: transport.ChainID{Run: [16]byte{7}, Epoch: 2, Chain: uint32(k + 1)}, Sender: "client",
			Kind: "sum part", Round: uint64(3 + k),
			Arrays: []transport.Channel{{Name: "x", Data: []float64{float64(k), 2}}, {Name: "empty"},
				{Name: "words", Words: []uint64{1 << 63, 3}, Encoding: transport.Masked, Grid: -9,
					Invalid: true}},
		}
		answer := transport.Message{Kind: "end of run", Round: 9, Reason: "failed", Party: "server"}
		go func() {
			err := client.Lane(k).Send(t.Context(), "server", sent)
			got, gone := client.Lane(k).Recv(t.Context(), "server")
			client.Done(t.Context(), k)
			if diff := cmp.Diff(answer, got); diff != "" {
				err = errors.Join(err, errors.New(diff))
			}
			failed <- errors.Join(err, gone)
		}()
		go func() {
			got, gone := server.Lane(k).Recv(t.Context(), "client")
			err := server.Lane(k).Send(t.Context(), "client", answer)
			server.Done(t.Context(), k)
			if diff := cmp.Diff(sent, got); diff != "" {
				err = errors.Join(err, errors.New(diff))
			}
			failed <- errors.Join(err, gone)
		}()
	}
	for range 4 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if client.Flights() != 1 || server.Flights() != 1 {
		t.Errorf("%d and %d flights for one round trip", client.Flights(), server.Flights())
	}
}

// What is no flight of these lanes ends all of them, as does a context.
func TestLanesRefuse(t *testing.T) {
	for what, m := range map[string]transport.Message{
		"another kind": {Kind: "aux"},
		"no header":    {Kind: "flight", Arrays: []transport.Channel{{Name: "aux", Data: []float64{0}}}},
		"another lane": {Kind: "flight",
			Arrays: []transport.Channel{{Name: "aux", Data: []float64{7, 1, 0, 0}}}},
		"missing array": {Kind: "flight",
			Arrays: []transport.Channel{{Name: "aux", Data: []float64{0, 1, 1, 0}}}},
	} {
		ends := transport.NewMem([]string{"server", "client"})
		l := transport.NewLanes(ends[0], 1)
		l.Start()
		if err := ends[1].Send(t.Context(), "server", m); err != nil {
			t.Fatal(err)
		}
		_, err := l.Lane(0).Recv(t.Context(), "client")
		var flight *transport.FlightError
		if !errors.As(err, &flight) || flight.Party != "client" {
			t.Errorf("%s: %v", what, err)
		}
	}
	ends := transport.NewMem([]string{"server", "client"})
	l := transport.NewLanes(ends[0], 1)
	l.Start()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Lane(0).Recv(ctx, "client"); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}
