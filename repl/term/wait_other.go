//go:build !unix

package term

import "os"

// newDecoder returns a decoder of a terminal whose bytes of one sequence come together.
func newDecoder(in *os.File) *decoder {
	return &decoder{in: in, more: func() bool { return true }}
}

// suspend does nothing where shells have no jobs.
func (e *Editor) suspend() {}
