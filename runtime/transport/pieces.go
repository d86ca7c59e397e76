package transport

import (
	"encoding/binary"
	"fmt"
)

// headOfPiece is the number of the piece and how many there are.
const headOfPiece = 4 + 4

// PieceCount is how many pieces a frame of so many bytes has under a limit, which includes a head of 8 bytes on each.
func PieceCount(bytes, limit int) int {
	room := limit - headOfPiece
	return max(1, (bytes+room-1)/room)
}

// Pieces divides a frame into pieces of at most limit bytes, which must be more than 8. One Joiner takes them.
func Pieces(frame []byte, limit int) [][]byte {
	n := PieceCount(len(frame), limit)
	out := make([][]byte, 0, n)
	for k := range n {
		part := frame[:min(len(frame), limit-headOfPiece)]
		frame = frame[len(part):]
		piece := make([]byte, 0, headOfPiece+len(part))
		piece = binary.LittleEndian.AppendUint32(piece, uint32(k))
		piece = binary.LittleEndian.AppendUint32(piece, uint32(n))
		out = append(out, append(piece, part...))
	}
	return out
}

// A Joiner puts frames together from their pieces, which come in order. Most is how many bytes a frame may have.
type Joiner struct {
	Most  int
	frame []byte
	next  uint32
	of    uint32
}

// Add takes the next piece. It returns the frame where that is the last piece, else nil; the frame is valid until the next call. A piece that has come before is left out. The error
// is a *FrameError.
func (j *Joiner) Add(piece []byte) ([]byte, error) {
	if len(piece) < headOfPiece {
		return nil, &FrameError{"a piece is too short"}
	}
	k, n := binary.LittleEndian.Uint32(piece), binary.LittleEndian.Uint32(piece[4:])
	if k == 0 && j.next == 0 {
		j.frame, j.of = j.frame[:0], n
	}
	switch {
	case n == 0, n != j.of:
		return nil, &FrameError{fmt.Sprintf("piece %d of %d where one of %d is due", k, n, j.of)}
	case k < j.next:
		return nil, nil
	case k != j.next:
		return nil, &FrameError{fmt.Sprintf("piece %d where %d is due", k, j.next)}
	case len(j.frame)+len(piece)-headOfPiece > j.Most:
		return nil, &FrameError{fmt.Sprintf("it has more than %d bytes", j.Most)}
	}
	j.frame = append(j.frame, piece[headOfPiece:]...)
	if j.next++; j.next < n {
		return nil, nil
	}
	j.next = 0
	return j.frame, nil
}
