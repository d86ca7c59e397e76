package protocol

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
)

// A view is what a holder derives everything from: the keys, and what parties have committed.
type view struct {
	keys     *encrypted.CollectiveKeys
	columns  [][]*encrypted.Vector // by party
	response *encrypted.Vector     // nil where a residual is the predictor
	tiled    *encrypted.Vector     // the response once for each draw that one ciphertext has room for
	at       []*encrypted.Vector   // contributions to the last slopes
}

// committed has all parties show what each commits to first: nobody chooses by what others show.
func (e *Evaluator) committed(ctx context.Context, commit, show *density.Exchange, size []int, own [][]byte) ([][]byte, error) {
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
			return nil, e.blame(ctx, k, fmt.Errorf("message %q with something else than it committed to", show.Name))
		}
	}
	return shown, nil
}

// each has every party of this process make something.
func (e *Evaluator) each(f func(b int) ([]byte, error)) ([][]byte, error) {
	own := make([][]byte, e.parties)
	for b, block := range e.Blocks() {
		v, err := f(b)
		if err != nil {
			return nil, err
		}
		own[block.Index()] = v
	}
	return own, nil
}

// ceremony makes the keys of the run: every party is a holder.
func (e *Evaluator) ceremony(ctx context.Context) error {
	drawn, err := e.each(func(int) ([]byte, error) {
		v := make([]byte, sha256.Size)
		_, err := rand.Read(v)
		return v, err
	})
	if err != nil {
		return err
	}
	if drawn, err = e.committed(ctx, commitment, drawing, e.alike(sha256.Size), drawn); err != nil {
		return err
	}
	reference := encrypted.Reference(sha256.Sum256(bytes.Join(drawn, nil)))
	public, err := e.each(func(int) ([]byte, error) {
		s := e.params.NewSecret()
		e.secrets = append(e.secrets, s)
		return s.PublicShare(reference)
	})
	if err != nil {
		return err
	}
	if public, err = e.committed(ctx, commitment, publicKey, e.alike(e.params.PublicSize()), public); err != nil {
		return err
	}
	one, two := e.params.RoundSizes()
	ones, err := e.each(func(b int) ([]byte, error) { return e.secrets[b].RoundOne(reference) })
	if err != nil {
		return err
	}
	if ones, err = e.tell(ctx, roundOne, e.alike(one), ones); err != nil {
		return err
	}
	twos, err := e.each(func(b int) ([]byte, error) { return e.secrets[b].RoundTwo(encrypted.List(ones)) })
	if err != nil {
		return e.blameHolder(ctx, err)
	}
	if twos, err = e.tell(ctx, roundTwo, e.alike(two), twos); err != nil {
		return err
	}
	views := 1
	if e.options.DeriveEach {
		views = len(e.secrets)
	}
	for range views {
		keys, err := e.params.Keys(reference, encrypted.List(public), encrypted.List(ones), encrypted.List(twos))
		if err != nil {
			return e.blameHolder(ctx, err)
		}
		e.views = append(e.views, &view{keys: keys})
	}
	return nil
}
