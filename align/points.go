package align

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cloudflare/circl/group"

	"github.com/vflc/vflc/runtime/transport"
)

const (
	pointSize = 32
	block     = 64 // elements that a goroutine takes at a time
)

// A pointError is the error where bytes are not the encoding of an element, or that of the neutral one.
type pointError struct{}

func (*pointError) Error() string { return "align: no element of the group" }

// A secret is a party's number of one alignment.
type secret struct{ k group.Scalar }

func newSecret() secret { return secret{group.Ristretto255.RandomNonZeroScalar(rand.Reader)} }

// hash returns H(keys[order[i]])^k for all i. H depends on the alignment, so that lists of two alignments
// have nothing in common.
func (s secret) hash(ctx context.Context, id transport.ChainID, keys []string, order []int) ([]byte, error) {
	of := domain(id)
	return each(ctx, len(order), func(i int) (group.Element, error) {
		return group.Ristretto255.HashToElement([]byte(keys[order[i]]), of), nil
	}, s.k)
}

// domain is that of the hash of an alignment.
func domain(id transport.ChainID) []byte { return append([]byte("vflc align v1 "), id.Run[:]...) }

// raise returns the elements of a list, in its order, to the power k.
func (s secret) raise(ctx context.Context, list []byte) ([]byte, error) {
	return each(ctx, len(list)/pointSize, func(i int) (group.Element, error) {
		return decoded(list[i*pointSize : (i+1)*pointSize])
	}, s.k)
}

// decoded reads an element that has exactly these bytes.
func decoded(b []byte) (group.Element, error) {
	e := group.Ristretto255.NewElement()
	if e.UnmarshalBinary(b) != nil || e.IsIdentity() {
		return nil, &pointError{}
	}
	if again, err := e.MarshalBinary(); err != nil || !bytes.Equal(again, b) {
		return nil, &pointError{}
	}
	return e, nil
}

// each writes element(i)^k for i < n, on all cores.
func each(ctx context.Context, n int, element func(int) (group.Element, error), k group.Scalar) ([]byte,
	error) {
	out := make([]byte, n*pointSize)
	var next atomic.Int64
	var failed atomic.Bool
	var first error
	var once sync.Once
	fail := func(err error) {
		once.Do(func() { first = err })
		failed.Store(true)
	}
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+block-1)/block) {
		wait.Go(func() {
			power := group.Ristretto255.NewElement()
			for !failed.Load() {
				from := int(next.Add(block)) - block
				if from >= n {
					return
				}
				if ctx.Err() != nil {
					fail(context.Cause(ctx))
					return
				}
				for i := from; i < min(n, from+block); i++ {
					e, err := element(i)
					if err == nil && power.Mul(e, k).IsIdentity() {
						// k is not 0 and e has the group's prime order
						err = errors.New("align: the neutral element")
					}
					var b []byte
					if err == nil {
						b, err = power.MarshalBinary()
					}
					if err != nil {
						fail(err)
						return
					}
					copy(out[i*pointSize:], b)
				}
			}
		})
	}
	wait.Wait()
	if failed.Load() {
		return nil, first
	}
	return out, nil
}
