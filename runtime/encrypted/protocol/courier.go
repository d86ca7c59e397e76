package protocol

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
)

// A courier brings what the parties of this process make to all others.
type courier struct {
	density.Env
	via      density.ByteRelaying
	journal  *Journal
	parties  int
	keys     [sha256.Size]byte // digest of all shares of the public keys
	unsealed bool              // something was told since the clients compared it
}

func newCourier(env density.Env, parties int, j *Journal) (courier, error) {
	via, err := density.Require[density.ByteRelaying](env)
	return courier{Env: env, via: via, journal: j, parties: parties}, err
}

// tell gives everyone what each party has, so many bytes by party.
func (e *courier) tell(ctx context.Context, x *density.Exchange, bytes []int, own [][]byte) ([][]byte,
	error) {
	e.unsealed = true
	return e.via.RelayBytes(ctx, x, density.All, bytes, own)
}

// confirm has the clients compare what everybody was told, before sums that follow from it are decrypted.
func (e *courier) confirm(ctx context.Context) error {
	c, ok := density.As[density.Chained](e.Env)
	if !ok || !e.unsealed {
		return nil
	}
	e.unsealed = false
	return c.End(ctx)
}

// alike are as many bytes of every party, and serverOnly of the server alone.
func (e *courier) alike(n int) []int { return slices.Repeat([]int{n}, e.parties) }

func (e *courier) serverOnly(n int) []int {
	out := e.alike(0)
	out[0] = n
	return out
}

// blame ends the run where an error is of what a party has sent. What one client has of another the server
// has brought: their seals tell whether it has brought all the same, and not whether that is what was sent.
func (e *courier) blame(ctx context.Context, party int, err error) error {
	if err == nil {
		return nil
	}
	what := err.Error()
	if e.Blocks()[0].Index() > 0 && party > 0 {
		what += "; the server, which has brought it, may have altered it"
	}
	return e.via.Blame(ctx, []int{party}, what)
}

// blameHolder is blame of an error that says whose share it is of.
func (e *courier) blameHolder(ctx context.Context, err error) error {
	var holder *encrypted.HolderError
	if errors.As(err, &holder) {
		return e.blame(ctx, holder.Holder, err)
	}
	return err
}

// same has every party of this process tell the same bytes.
func (e *courier) same(ctx context.Context, x *density.Exchange, data []byte) ([][]byte, error) {
	own, err := e.each(func(int) ([]byte, error) { return data, nil })
	if err != nil {
		return nil, err
	}
	return e.tell(ctx, x, e.alike(len(data)), own)
}

// committed has all parties show what each commits to first: nobody chooses by what others show.
func (e *courier) committed(ctx context.Context, commit, show *density.Exchange, size []int,
	own [][]byte) ([][]byte, error) {
	digests, sizes := make([][]byte, e.parties), e.alike(0)
	for k, n := range size {
		if n > 0 {
			sizes[k] = sha256.Size
		}
	}
	for k, v := range own {
		if v != nil {
			d := sha256.Sum256(v)
			digests[k] = d[:sizes[k]]
		}
	}
	told, err := e.tell(ctx, commit, sizes, digests)
	if err != nil {
		return nil, err
	}
	shown, err := e.tell(ctx, show, size, own)
	if err != nil {
		return nil, err
	}
	for k, v := range shown {
		if d := sha256.Sum256(v); sizes[k] > 0 && !bytes.Equal(d[:], told[k]) {
			return nil, e.blame(ctx, k, fmt.Errorf("message %q with something else than it committed to",
				show.Name))
		}
	}
	return shown, nil
}

// each has every party of this process make something, which may be sent then. Once there are keys, what
// takes no randomness is written down too, by its digest: a run that is made again tells what it has told,
// which was counted.
func (e *courier) each(f func(b int) ([]byte, error)) ([][]byte, error) {
	own := make([][]byte, e.parties)
	for b, block := range e.Blocks() {
		before := e.journal.steps(block.Index())
		v, err := f(b)
		if err == nil && e.keys != [sha256.Size]byte{} && e.journal.steps(block.Index()) == before {
			_, err = e.once(b, "told", sha256.Sum256(v), func() ([]byte, error) { return nil, nil })
		}
		if err != nil {
			return nil, err
		}
		own[block.Index()] = v
	}
	return own, e.journal.sure()
}

// once are the bytes of a step of a party that takes randomness, which follow from what is given beside.
func (e *courier) once(b int, step string, inputs [sha256.Size]byte, anew func() ([]byte, error)) ([]byte,
	error) {
	return e.journal.once(e.Blocks()[b].Index(), step, inputs, anew)
}
