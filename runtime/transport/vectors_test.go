package transport_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/tests/vectors"
)

type messageVector struct {
	Run    vectors.Hex   `json:"run"`
	Epoch  uint32        `json:"epoch"`
	Chain  uint32        `json:"chain"`
	Round  vectors.Word  `json:"round"`
	Sender string        `json:"sender"`
	Kind   string        `json:"kind"`
	Reason string        `json:"reason"`
	Party  string        `json:"party"`
	Arrays []arrayVector `json:"arrays"`
}

type arrayVector struct {
	Name      string         `json:"name"`
	Encoding  uint8          `json:"encoding"`
	Invalid   bool           `json:"invalid"`
	NotFinite bool           `json:"not_finite"`
	Size      uint8          `json:"size"`
	NextSize  uint8          `json:"next_size"`
	Step      int16          `json:"step"`
	Grid      int16          `json:"grid"`
	Data      []vectors.Word `json:"data,omitempty"`
	Words     []vectors.Word `json:"words,omitempty"`
}

func vectorOf(m transport.Message) messageVector {
	v := messageVector{m.Run[:], m.Epoch, m.Chain, vectors.Word(m.Round), m.Sender, m.Kind, m.Reason, m.Party,
		[]arrayVector{}}
	for _, a := range m.Arrays {
		v.Arrays = append(v.Arrays, arrayVector{a.Name, uint8(a.Encoding), a.Invalid, a.NotFinite, a.Size,
			a.NextSize, a.Step, a.Grid, vectors.Bits(a.Data), vectors.Words(a.Words)})
	}
	return v
}

// vectorMessages are messages with everything that a frame can hold.
func vectorMessages() map[string]transport.Message {
	id := transport.ChainID{Run: [16]byte(vectors.Count(0xf0, 16)), Epoch: 3, Chain: 2}
	numbers := []float64{0.5, -2, math.Copysign(0, -1), math.Ldexp(1, -1074), math.MaxFloat64}
	words := []uint64{0, 1, 1 << 63, math.MaxUint64, 0x0123456789abcdef}
	return map[string]transport.Message{
		"numbers as they are": {ChainID: id, Sender: "server", Round: 0x1112131415161718, Kind: "reply",
			Arrays: []transport.Channel{
				{Name: "adjoint z_1+z_2", Data: numbers, Grid: -37},
				{Name: "adjoint s", Data: []float64{math.Inf(1)}, NotFinite: true, Invalid: true,
					Grid: math.MinInt16},
			}},
		"words": {ChainID: id, Sender: "lab[2]", Round: 7, Kind: "aux", Arrays: []transport.Channel{
			{Name: "z z_1", Encoding: transport.Masked, Words: words, Grid: -37},
			{Name: "z z_2", Encoding: transport.Masked, Words: make([]uint64, 2), Invalid: true,
				Grid: math.MinInt16},
			{Name: "seals", Encoding: transport.Fixed, Words: words[:2]},
			{Name: "scalars"},
		}},
		"short words and numbers": {ChainID: id, Sender: "server", Round: 9, Kind: "reply",
			Arrays: []transport.Channel{
				{Name: "adjoint s", Encoding: transport.Short, Size: 2, Step: -3, Grid: -9, NextSize: 3,
					Data: []float64{0.125, -4096, 4095.875}},
				{Name: "adjoint t", Encoding: transport.Short, Size: 3, NotFinite: true,
					Data: []float64{math.NaN()}},
				{Name: "z s", Encoding: transport.Masked, Size: 3, Words: []uint64{1, 1<<24 - 1}},
			}},
		"the end of a run": {ChainID: transport.ChainID{Run: id.Run}, Sender: "größe", Round: 8,
			Kind: "end of run", Reason: "protocol", Party: "lab[2]"},
	}
}

// kept is a transport that keeps the last message.
type kept struct{ last transport.Message }

func (k *kept) Send(_ context.Context, _ string, m transport.Message) error { k.last = m; return nil }
func (*kept) Recv(context.Context, string) (transport.Message, error) {
	return transport.Message{}, &transport.ClosedError{}
}
func (*kept) Close() {}

// Frames are those of docs/protocol, also of a flight, and are read as what was written.
func TestVectorsOfFrames(t *testing.T) {
	type frame struct {
		Message  messageVector `json:"message"`
		ArraysAt []int         `json:"arrays_at"` // where each array begins
		Frame    vectors.Hex   `json:"frame"`
	}
	framed := func(m transport.Message) frame {
		f := frame{Message: vectorOf(m), ArraysAt: []int{}, Frame: transport.Append(nil, m)}
		for k := range m.Arrays {
			part := m
			part.Arrays = m.Arrays[:k]
			f.ArraysAt = append(f.ArraysAt, len(transport.Append(nil, part)))
		}
		var got transport.Message
		if err := transport.Parse(f.Frame, &got); err != nil || !cmp.Equal(got, m, sameBits) {
			t.Errorf("%v; read as %v", err, got)
		}
		return f
	}
	file := struct {
		Frames map[string]frame         `json:"frames"`
		Lanes  map[string]messageVector `json:"lanes"`
		Bundle frame                    `json:"flight"`
	}{Frames: map[string]frame{}, Lanes: map[string]messageVector{}}
	all := vectorMessages()
	for name, m := range all {
		file.Frames[name] = framed(m)
	}
	out := &kept{}
	lanes := transport.NewLanes(out, 2)
	lanes.Start()
	for k, name := range []string{"words", "the end of a run"} {
		m := all[name]
		m.Sender, m.Epoch, m.Chain = "lab[2]", 3, uint32(k+1)
		file.Lanes[string(rune('0'+k))] = vectorOf(m)
		if err := lanes.Lane(k).Send(t.Context(), "server", m); err != nil {
			t.Fatal(err)
		}
	}
	lanes.Done(t.Context(), 0)
	lanes.Done(t.Context(), 1)
	file.Bundle = framed(out.last)
	vectors.Check(t, "../../docs/protocol/frames.json", file)
}
