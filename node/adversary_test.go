package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vflc/vflc/align"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/node/carrier"
	"github.com/vflc/vflc/node/identity"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/tests/brief"
)

// An adversary is ahead of every packet: before one arrives, it has sent its receiver what nobody has signed,
// and what an earlier process has, as from its sender. It repeats packets, alters, delays and loses them.
type adversary struct {
	*hub
	random  *rand.Rand // nil: it is ahead, and does nothing else
	kept    []sentPacket
	earlier []sentPacket // of what it has kept, what is brought ahead
}

type sentPacket struct {
	from, to string
	packet   []byte
}

func newAdversary(random *rand.Rand) *adversary {
	return &adversary{hub: newHub(), random: random}
}

// A hostile is an end whose packets pass the adversary.
type hostile struct {
	*end
	by *adversary
}

func (v *adversary) connect(id *identity.Identity, e carrier.Handlers) (conveyor, error) {
	c, err := v.hub.connect(id, e)
	return hostile{c.(*end), v}, err
}

// Publish implements conveyor.
func (h hostile) Publish(to string, packet []byte) error {
	v, from, packet := h.by, h.party, slices.Clone(packet)
	v.mutex.Lock()
	defer v.mutex.Unlock()
	again := slices.ContainsFunc(v.kept, func(s sentPacket) bool { return bytes.Equal(s.packet, packet) })
	v.kept = append(v.kept, sentPacket{from, to, packet})
	if v.random == nil {
		v.ahead(from, to, packet)
		return nil
	}
	if v.random.IntN(6) == 0 { // more often, and what it repeats is answered by as much as it repeats again
		old, other := v.kept[v.random.IntN(len(v.kept))], v.kept[v.random.IntN(len(v.kept))]
		v.ahead(old.from, old.to, old.packet)
		v.ahead(other.from, other.to, garbled(v.random, packet))
	}
	switch fate := v.random.IntN(8); {
	case fate == 0 && !again: // lost: nobody can tell who loses a last message each time from who has gone
	case fate < 3:
		time.AfterFunc(time.Duration(v.random.IntN(200))*time.Millisecond, func() {
			v.mutex.Lock()
			defer v.mutex.Unlock()
			v.ahead(from, to, packet)
		})
	default:
		v.ahead(from, to, packet)
	}
	return nil
}

// ahead brings a packet, and before it one that nobody has signed, and the first of an earlier process.
func (v *adversary) ahead(from, to string, packet []byte) {
	v.bring(from, to, append(append([]byte(controlMagic), kindSealed), make([]byte, encryptedSize+16)...))
	sent := func(s sentPacket) bool { return s.from == from && s.to == to }
	if k := slices.IndexFunc(v.earlier, sent); k >= 0 {
		v.bring(from, to, v.earlier[k].packet)
	}
	v.bring(from, to, packet)
}

// Parties find their common rows whatever an adversary sends ahead of their packets: what anybody can make up
// or repeat takes no answer from what a process has signed.
func TestAlignmentPastAnAdversary(t *testing.T) {
	t.Parallel()
	for seed := range uint64(brief.Draws(10, 100)) {
		synctest.Test(t, func(t *testing.T) {
			all := parties(t, "server", "a", "b")
			v := newAdversary(nil)
			if seed > 0 {
				v.random = rand.New(rand.NewPCG(seed, 1))
			}
			alignPast(t, v, all)
			if v.random == nil {
				v.earlier = v.kept // of processes that have ended
				alignPast(t, v, all)
			}
		})
	}
}

func alignPast(t *testing.T, v *adversary, all []*identity.Identity) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	var wait sync.WaitGroup
	got := make([]string, len(all))
	for k, id := range all {
		table := bytes.NewBufferString("id\n")
		for n := range 12 {
			if n%(k+2) != 1 {
				fmt.Fprintln(table, n)
			}
		}
		path := filepath.Join(dir, id.Party+".csv")
		if err := safefile.WriteBytes(path, 0o600, table.Bytes()); err != nil {
			t.Fatal(err)
		}
		identified, err := Identify(path, "id", align.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		wait.Go(func() {
			// what one repeats never meets what is answered to another
			time.Sleep(time.Duration(k) * 3 * answerEvery)
			o := AlignOptions{Identity: id, Table: identified, Key: "id", Out: path + ".out",
				connect: v.connect}
			o.Say = func(string) {}
			aligned, err := Align(ctx, o)
			if err != nil {
				t.Errorf("%s: %v", id.Party, err)
				return
			}
			got[k] = fmt.Sprint(aligned.Rows, " ", aligned.Digest)
		})
	}
	wait.Wait()
	time.Sleep(time.Minute) // what the hub still holds is dropped
	if rows := strings.HasPrefix(got[0], "4 "); !rows || got[1] != got[0] || got[2] != got[0] {
		t.Errorf("the parties do not have the same rows: %v", got)
	}
}

// The parties of a run meet past the same adversary.
func TestRunPastAnAdversary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, stop := newTrio(t), make(chan struct{})
		v := newAdversary(nil)
		d.alter = func(_ string, o *PartyOptions) { o.connect = v.connect }
		time.AfterFunc(time.Hour, func() { close(stop) })
		for party, err := range d.play(stop) {
			if err != nil {
				t.Errorf("%s: %v", party, err)
			}
		}
	})
}

// A party ends its part of an epoch also while nobody takes events: an adversary can make more than there is
// room for.
func TestEpochEndsWhileEventsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link, err := transport.NewEndpoint(transport.EndpointConfig{Names: []string{"server", "a"}, Own: "a"})
		if err != nil {
			t.Fatal(err)
		}
		n := &node{events: make(chan any)}
		job := func(ctx context.Context) (Outcome, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		n.part = &participant{node: n, link: link, guarded: &guard{}, job: job}
		n.fit(t.Context())
		n.halt(errEpoch)
		if e, ok := (<-n.events).(runEvent); !ok || !errors.Is(e.err, errEpoch) {
			t.Errorf("the party's part ends with %v", e.err)
		}
	})
}
