package transport_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vflc/vflc/runtime/transport"
)

var names = []string{"registry", "a", "b"}

func message(round uint64, data ...float64) transport.Message {
	return transport.Message{Round: round, Kind: "test", Arrays: []transport.Channel{{Name: "x", Data: data}}}
}

// recv checks the next message against want.
func recv(t *testing.T, end transport.Transport, from string, want transport.Message) {
	t.Helper()
	got, err := end.Recv(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message from %s (-want +got):\n%s", from, diff)
	}
}

func send(t *testing.T, end transport.Transport, to string, m transport.Message) {
	t.Helper()
	if err := end.Send(t.Context(), to, m); err != nil {
		t.Fatal(err)
	}
}

func TestConnectionsAreSeparateAndCopied(t *testing.T) {
	ends := transport.NewMem(names)
	data := []float64{1, 2}
	send(t, ends[1], "registry", message(1, data...))
	send(t, ends[2], "registry", message(2, 7))
	data[0] = 99
	send(t, ends[0], "b", message(3))
	recv(t, ends[0], "b", message(2, 7))
	recv(t, ends[0], "a", message(1, 1, 2))
	got, err := ends[2].Recv(t.Context(), "registry")
	if err != nil || got.Round != 3 || len(got.Arrays[0].Data) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

// Any sequence of messages arrives complete and in order, however slow the reader is, and a message stays
// intact until the next is received.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		sizes := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 5), 0, 3), 1, 40).Draw(r, "sizes")
		ends := transport.NewMem(names)
		var wait sync.WaitGroup
		wait.Add(1)
		go func() {
			defer wait.Done()
			for k, arrays := range sizes {
				if err := ends[1].Send(context.Background(), "registry", numbered(k, arrays)); err != nil {
					t.Error(err)
				}
			}
		}()
		defer wait.Wait()
		defer ends[0].Close()
		for k, arrays := range sizes {
			got, err := ends[0].Recv(context.Background(), "a")
			if err != nil {
				r.Fatal(err)
			}
			want := numbered(k, arrays)
			if got.Round != want.Round || len(got.Arrays) != len(want.Arrays) {
				r.Fatalf("message %d: got %v", k, got)
			}
			for i := range want.Arrays {
				if !same(got.Arrays[i], want.Arrays[i]) {
					r.Fatalf("message %d: got %v, want %v", k, got, want)
				}
			}
		}
	})
}

// numbered returns message k, with arrays of the given sizes and distinct contents.
func numbered(k int, sizes []int) transport.Message {
	m := transport.Message{Round: uint64(k)}
	for i, n := range sizes {
		a := transport.Channel{Name: string(rune('a' + i))}
		for j := range n {
			a.Data = append(a.Data, float64(1000*k+100*i+j))
		}
		m.Arrays = append(m.Arrays, a)
	}
	return m
}

func same(a, b transport.Channel) bool {
	if a.Name != b.Name || len(a.Data) != len(b.Data) {
		return false
	}
	for i := range a.Data {
		if a.Data[i] != b.Data[i] {
			return false
		}
	}
	return true
}

func TestClosedPeerIsNamed(t *testing.T) {
	ends := transport.NewMem(names)
	send(t, ends[1], "registry", message(1, 4))
	ends[1].Close()
	ends[1].Close()
	recv(t, ends[0], "a", message(1, 4))
	_, got := ends[0].Recv(t.Context(), "a")
	closedBy(t, got, "a")
	closedBy(t, ends[0].Send(t.Context(), "a", message(2)), "a")
	closedBy(t, ends[1].Send(t.Context(), "registry", message(2)), "a")
	send(t, ends[0], "b", message(3, 1))
}

func closedBy(t *testing.T, err error, party string) {
	t.Helper()
	var closed *transport.ClosedError
	if !errors.As(err, &closed) || closed.Party != party {
		t.Errorf("got %v, want a ClosedError of %q", err, party)
	}
}

// A party that waits, to receive or for room to send, gets an error when the peer closes, when it closes
// itself, and when the context is done.
func TestWaitingEnds(t *testing.T) {
	reason := errors.New("no more")
	waits := map[string]func(context.Context, transport.Transport) error{
		"receiving": func(ctx context.Context, end transport.Transport) error {
			_, err := end.Recv(ctx, "registry")
			return err
		},
		"sending": func(ctx context.Context, end transport.Transport) error {
			for {
				if err := end.Send(ctx, "registry", message(1, 1)); err != nil {
					return err
				}
			}
		},
	}
	for name, wait := range waits {
		for _, by := range []string{"registry", "a", "context"} {
			t.Run(name+" until "+by, func(t *testing.T) {
				ends := transport.NewMem(names)
				ctx, cancel := context.WithCancelCause(t.Context())
				result := make(chan error)
				go func() { result <- wait(ctx, ends[1]) }()
				switch by {
				case "registry":
					ends[0].Close()
				case "a":
					ends[1].Close()
				case "context":
					cancel(reason)
				}
				err := <-result
				cancel(nil)
				if by != "context" {
					closedBy(t, err, by)
				} else if !errors.Is(err, reason) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

func TestStarOnly(t *testing.T) {
	ends := transport.NewMem(names)
	var none *transport.UnconnectedError
	if err := ends[1].Send(t.Context(), "b", message(1)); !errors.As(err, &none) || none.From != "a" ||
		none.To != "b" {
		t.Errorf("got %v", err)
	}
	if _, err := ends[0].Recv(t.Context(), "c"); !errors.As(err, &none) || none.To != "c" {
		t.Errorf("got %v", err)
	}
}

func TestNoAllocations(t *testing.T) {
	ends := transport.NewMem(names)
	m := message(1, make([]float64, 500)...)
	ctx := t.Context()
	cycle := func() {
		if err := ends[1].Send(ctx, "registry", m); err != nil {
			t.Fatal(err)
		}
		if _, err := ends[0].Recv(ctx, "a"); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		cycle()
	}
	if n := testing.AllocsPerRun(100, cycle); n != 0 {
		t.Errorf("%v allocations per message", n)
	}
}
