package transport

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
)

// MaxPart is the largest number of bytes of a message in one packet.
const MaxPart = 480 << 10

// MinPart is the smallest part of a message for which a carrier must have room.
const MinPart = 16 << 10

// MaxPacket and MinPacket are the largest packet, and the smallest that a carrier must take.
const (
	MaxPacket = headerSize + MaxPart + tagSize
	MinPacket = headerSize + MinPart + tagSize
)

const (
	headerSize = 52
	tagSize    = 16
	// maxMessage bounds what a peer can make this party hold.
	maxMessage = 1 << 30
)

// magic begins a packet, and is followed by its type.
const magic = "VF1"

// Types of packets.
const (
	typeData = 'D'
	typeAck  = 'A'
)

// RunID names a run.
type RunID [16]byte

// A header is the part of a packet that everybody can read.
type header struct {
	kind        byte
	run         RunID
	epoch       uint32
	from, to    uint16
	seq         uint64
	part, parts uint32
	ack         uint64 // the receiver has all messages up to this one
}

// formed reports whether a packet can have the header: no two packets of a key have one nonce.
func (h *header) formed() bool {
	known := h.kind == typeData || h.kind == typeAck && h.part == 0 && (h.parts == seen || h.parts == wanted)
	return known && h.seq > 0 && h.seq < ackNonce && h.part < h.parts && h.parts <= maxMessage/MinPart+1
}

func (h *header) put(dst []byte) []byte {
	if !h.formed() {
		panic("network: a packet that no party takes")
	}
	dst = append(append(dst, magic...), h.kind)
	dst = append(dst, h.run[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, h.epoch)
	dst = binary.LittleEndian.AppendUint16(dst, h.from)
	dst = binary.LittleEndian.AppendUint16(dst, h.to)
	dst = binary.LittleEndian.AppendUint64(dst, h.seq)
	dst = binary.LittleEndian.AppendUint32(dst, h.part)
	dst = binary.LittleEndian.AppendUint32(dst, h.parts)
	return binary.LittleEndian.AppendUint64(dst, h.ack)
}

var errNoPacket = errors.New("no packet of this protocol")

func readHeader(b []byte) (h header, err error) {
	if len(b) < headerSize || len(b) > MaxPacket || string(b[:len(magic)]) != magic {
		return h, errNoPacket
	}
	h.kind = b[3]
	copy(h.run[:], b[4:])
	h.epoch = binary.LittleEndian.Uint32(b[20:])
	h.from, h.to = binary.LittleEndian.Uint16(b[24:]), binary.LittleEndian.Uint16(b[26:])
	h.seq = binary.LittleEndian.Uint64(b[28:])
	h.part, h.parts = binary.LittleEndian.Uint32(b[36:]), binary.LittleEndian.Uint32(b[40:])
	h.ack = binary.LittleEndian.Uint64(b[44:])
	if !h.formed() {
		return h, errNoPacket
	}
	return h, nil
}

// IsPacket reports whether bytes look like a packet of this package, whose run then is the second result.
func IsPacket(b []byte) (RunID, bool) {
	h, err := readHeader(b)
	return h.run, err == nil
}

// A PacketKey is a secret of one direction between two parties in one epoch.
type PacketKey [32]byte

func newCipher(k PacketKey) cipher.AEAD {
	block, err := aes.NewCipher(k[:])
	if err != nil {
		panic("transport: " + err.Error()) // the key has the length of AES-256
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		panic("transport: " + err.Error())
	}
	return seal
}

// ackNonce distinguishes the numbers of acknowledgements from those of messages.
const ackNonce = 1 << 63

func (h *header) nonce(dst *[12]byte) []byte {
	seq := h.seq
	if h.kind == typeAck {
		seq |= ackNonce
	}
	binary.LittleEndian.PutUint64(dst[:], seq)
	binary.LittleEndian.PutUint32(dst[8:], h.part)
	return dst[:]
}

// Kinds of content.
const (
	contentMessage = 0
	contentMark    = 1
)

// encode appends a message.
func encode(dst []byte, m Message) []byte {
	return Append(append(dst, contentMessage), m)
}

// markable reports whether a mark can be of a chain and a transition.
func markable(chain, at uint64) bool { return chain < 1<<31 && at < 1<<62 }

func encodeMark(chain, at int) []byte {
	if !markable(uint64(chain), uint64(at)) {
		panic("network: a mark that no party takes")
	}
	dst := binary.LittleEndian.AppendUint64([]byte{contentMark}, uint64(chain))
	return binary.LittleEndian.AppendUint64(dst, uint64(at))
}

// readMark reads what encodeMark has made.
func readMark(b []byte) (chain, at int, ok bool) {
	if len(b) != 17 {
		return 0, 0, false
	}
	c, t := binary.LittleEndian.Uint64(b[1:]), binary.LittleEndian.Uint64(b[9:])
	return int(c), int(t), markable(c, t)
}
