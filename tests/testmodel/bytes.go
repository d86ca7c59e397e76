package testmodel

import (
	"context"
	"fmt"

	"github.com/vflc/vflc/density"
)

// RelayBytes implements density.ByteRelaying: bytes stay where they are.
func (e *clearingEnv) RelayBytes(ctx context.Context, _ *density.Exchange, to int, bytes []int,
	own [][]byte) ([][]byte, error) {
	c := e.Clearing
	err := e.meet(ctx, func(_, b int) {
		if c.bytes == nil {
			c.bytes = make([][]byte, len(c.blocks))
		}
		if to == density.Each && b == 0 {
			copy(c.bytes, own)
		} else if to != density.Each {
			c.bytes[b] = own[b]
		}
	}, func() error { c.Trips++; return nil })
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(bytes))
	for k := range out {
		for _, b := range e.at {
			if to == density.All || to == b || to == density.Each && k == b {
				if out[k] = c.bytes[k]; len(out[k]) != bytes[k] {
					return nil, fmt.Errorf("testmodel: %d bytes, and not %d", len(out[k]), bytes[k])
				}
			}
		}
	}
	return out, e.leave(ctx)
}

// Blame implements density.ByteRelaying.
func (e *clearingEnv) Blame(_ context.Context, parties []int, what string) error {
	return fmt.Errorf("party %d: %s", parties, what)
}
