package protocol

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
)

// rangeOf states the numbers of a vector by powers of 2, which say little of them.
func rangeOf(values []float64) encrypted.Range {
	most, squares := 0.0, 0.0
	for _, v := range values {
		most = max(most, math.Abs(v))
		squares += float64(v * v)
	}
	up := func(v float64) float64 {
		if !(v > 0) {
			return 1
		}
		part, power := math.Frexp(v)
		if part == 0.5 {
			return v
		}
		return math.Ldexp(1, power)
	}
	return encrypted.Range{Max: up(most), Squares: up(float64(squares * (1 + 1e-9)))}
}

// post encrypts vectors of one party, whose step that is, and packs them.
func (e *EncryptedEnv) post(b int, step string, kind encrypted.Kind, vectors [][]float64,
	within func(v []float64) encrypted.Range) ([]byte, error) {
	inputs := [][]byte{e.keys[:], {byte(kind)}}
	for _, v := range vectors {
		r := within(v)
		inputs = append(inputs, floats(r.Max, r.Squares, r.Interval), floats(v...))
	}
	return e.once(b, step, digestOf(inputs...), func() ([]byte, error) {
		out := []byte{}
		for _, v := range vectors {
			c, err := e.views[0].keys.Encrypt(kind, v, within(v))
			if err != nil {
				return nil, err
			}
			data, err := c.MarshalBinary()
			if err != nil {
				return nil, err
			}
			out = pack(out, data)
		}
		return out, nil
	})
}

// read reads what a party packed, n rows a vector.
func (e *EncryptedEnv) read(kind encrypted.Kind, n, count int, data []byte) (out []*encrypted.Vector,
	err error) {
	list, err := unpack(data)
	if err == nil && len(list) != count {
		err = fmt.Errorf("encrypted: %d vectors, and not %d", len(list), count)
	}
	for _, one := range list {
		var v *encrypted.Vector
		if err == nil {
			v, err = e.params.Vector(n, one)
		}
		if err == nil && v.Kind() != kind {
			err = fmt.Errorf("encrypted: a vector of another kind")
		}
		out = append(out, v)
	}
	return out, err
}

// pack appends bytes with their length.
func pack(out, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(data))), data...)
}

// packed is how many bytes pack appends for so many.
func packed(n int) int { return 4 + n }

// vectorBytes is how many bytes vectors of n rows have that one party packs.
func (e *EncryptedEnv) vectorBytes(kind encrypted.Kind, n, count int) int {
	return count * packed(e.params.VectorSize(kind, n))
}

// unpack is the inverse of pack, of several.
func unpack(data []byte) (out [][]byte, err error) {
	for len(data) > 0 {
		if len(data) < 4 {
			return nil, fmt.Errorf("encrypted: a message is cut")
		}
		n := int(binary.LittleEndian.Uint32(data))
		if data = data[4:]; n > len(data) {
			return nil, fmt.Errorf("encrypted: a message is cut")
		}
		out, data = append(out, data[:n]), data[n:]
	}
	return out, nil
}

// floats are numbers as bytes.
func floats(values ...float64) []byte {
	out := []byte{}
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// numbers is the inverse of floats.
func numbers(data []byte, n int) ([]float64, error) {
	if len(data) != 8*n {
		return nil, fmt.Errorf("encrypted: %d bytes, and not %d numbers", len(data), n)
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return out, nil
}

// commit has every party encrypt its columns, and the server its response, once.
func (e *EncryptedEnv) commit(ctx context.Context) error {
	if err := e.spend(density.Decryption{Sums: density.Outlined, Number: 2}); err != nil {
		return err
	}
	own, err := e.each(func(b int) ([]byte, error) {
		m, list := e.maps[b], [][]float64{}
		for j := range len(m.Matrix) / e.rows {
			list = append(list, m.Matrix[j*e.rows:][:e.rows])
		}
		return e.post(b, "columns", encrypted.Column, list, rangeOf)
	})
	if err != nil {
		return err
	}
	sizes := e.alike(0)
	columns := slices.Clone(e.columns)
	columns[0] -= e.globals
	for k, c := range columns {
		sizes[k] = e.vectorBytes(encrypted.Column, e.rows, c)
	}
	if own, err = e.committed(ctx, commitment, committing, sizes, own); err != nil {
		return err
	}
	for k, data := range own {
		for _, v := range e.views {
			list, err := e.read(encrypted.Column, e.rows, columns[k], data)
			if err != nil {
				return e.blame(ctx, k, err)
			}
			v.columns = append(v.columns, list)
		}
		own[k] = nil // hundreds of megabytes of all
	}
	return nil
}

// responseBounds is how many bounds the server tells of its response: two of each of two vectors.
const responseBounds = 4

// commitResponse has the server encrypt its response, as the polynomials take it.
func (e *EncryptedEnv) commitResponse(ctx context.Context) error {
	if e.family.form.Residual {
		return nil
	}
	if err := e.spend(toldAll(responseBounds)); err != nil {
		return err
	}
	own, err := e.each(func(b int) ([]byte, error) {
		if e.Blocks()[b].Index() > 0 {
			return []byte{}, nil
		}
		one, tiled := make([]float64, e.rows), make([]float64, 0, e.rows*e.room)
		for i, t := range e.statistics {
			one[i] = float64(t * e.family.unit)
		}
		for range e.room {
			tiled = append(tiled, one...)
		}
		return e.post(b, "response", encrypted.Response, [][]float64{one, tiled}, rangeOf)
	})
	if err != nil {
		return err
	}
	first := e.vectorBytes(encrypted.Response, e.rows, 1)
	both := e.serverOnly(first + e.vectorBytes(encrypted.Response, e.rows*e.room, 1))
	if own, err = e.committed(ctx, commitOwn, responding, both, own); err != nil {
		return err
	}
	for _, v := range e.views {
		one, err := e.read(encrypted.Response, e.rows, 1, own[0][:first])
		if err != nil {
			return e.blame(ctx, 0, err)
		}
		tiled, err := e.read(encrypted.Response, e.rows*e.room, 1, own[0][first:])
		if err != nil {
			return e.blame(ctx, 0, err)
		}
		v.response, v.tiled = one[0], tiled[0]
	}
	return e.proveResponse(ctx)
}
