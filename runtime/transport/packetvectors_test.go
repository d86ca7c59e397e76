package transport

import (
	"crypto/sha256"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/vflc/vflc/tests/vectors"
)

type packetVector struct {
	Type    string       `json:"type"`
	From    uint16       `json:"from"`
	To      uint16       `json:"to"`
	Seq     vectors.Word `json:"sequence"`
	Part    uint32       `json:"part"`
	Parts   uint32       `json:"parts"`
	Ack     vectors.Word `json:"acknowledges"`
	Heading vectors.Hex  `json:"heading"`
	Nonce   vectors.Hex  `json:"nonce"`
	Content vectors.Hex  `json:"content,omitempty"`
	Bytes   int          `json:"bytes"` // of the packet
	Tag     vectors.Hex  `json:"tag"`
	SHA256  vectors.Hex  `json:"sha256"` // of the packet
	Packet  vectors.Hex  `json:"packet,omitempty"`
}

// vectorOf describes a packet, which a key opens; what is long by its digest.
func vectorOf(t *testing.T, k PacketKey, packet []byte) packetVector {
	t.Helper()
	h, err := readHeader(packet)
	if err != nil {
		t.Fatal(err)
	}
	var nonce [12]byte
	content, err := newCipher(k).Open(nil, h.nonce(&nonce), packet[headerSize:], packet[:headerSize])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packet)
	v := packetVector{string(h.kind), h.from, h.to, vectors.Word(h.seq), h.part, h.parts, vectors.Word(h.ack),
		packet[:headerSize], nonce[:], content, len(packet), packet[len(packet)-tagSize:], sum[:], packet}
	if len(packet) > 1<<10 {
		v.Content, v.Packet = nil, nil
	}
	return v
}

// Packets are those of docs/protocol: messages, marks, acknowledgements and parts.
func TestVectorsOfPackets(t *testing.T) {
	file := struct {
		Run     vectors.Hex            `json:"run"`
		Epoch   uint32                 `json:"epoch"`
		Parties []string               `json:"parties"`
		Keys    map[string]vectors.Hex `json:"keys"`
		Part    int                    `json:"bytes_in_a_part"`
		Long    int                    `json:"bytes_of_the_long_message"`
		Packets []packetVector         `json:"packets"`
	}{Run: vectors.Count(0xf0, 16), Epoch: 0x01020304, Parties: []string{"server", "a"}, Part: MinPart}
	up, down := PacketKey(vectors.Count(0x40, 32)), PacketKey(vectors.Count(0x80, 32))
	file.Keys = map[string]vectors.Hex{"a to server": up[:], "server to a": down[:]}
	synctest.Test(t, func(t *testing.T) {
		links := map[string]*Endpoint{}
		for own, keys := range map[string][2]PacketKey{"server": {down, up}, "a": {up, down}} {
			peer := map[string]string{"server": "a", "a": "server"}[own]
			l, err := NewEndpoint(EndpointConfig{
				Run: RunID(file.Run), Epoch: file.Epoch, Names: file.Parties, Own: own,
				Send: map[string]PacketKey{peer: keys[0]}, Receive: map[string]PacketKey{peer: keys[1]},
				MaxPacket: MinPacket,
				Publish: func(to string, packet []byte) error {
					file.Packets = append(file.Packets, vectorOf(t, keys[0], slices.Clone(packet)))
					if !delivered(links[to], packet) {
						t.Errorf("%s does not take a packet of %s", to, own)
					}
					return nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			links[own] = l
		}
		send := func(from, to string, numbers int) {
			long := make([]float64, numbers)
			for k := range long {
				long[k] = float64(k)
			}
			m := Message{Round: 9, Kind: "aux", Arrays: []Channel{{Name: "z", Data: long}}}
			file.Long = len(encode(nil, m))
			if err := links[from].Send(t.Context(), to, m); err != nil {
				t.Fatal(err)
			}
		}
		links["server"].Mark(2, 0x0102030405)
		send("a", "server", 1)
		links["server"].byID[1].acknowledge()
		links["server"].byID[1].request()
		links["a"].byID[0].acknowledge()
		send("server", "a", 4090)
	})
	vectors.Check(t, "../../docs/protocol/packets.json", file)
}
