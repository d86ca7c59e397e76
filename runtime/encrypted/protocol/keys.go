package protocol

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

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

// all are the columns of all parties.
func (v *view) all() (out []*encrypted.Vector) {
	for _, list := range v.columns {
		out = append(out, list...)
	}
	return out
}

// committed has all parties show what each commits to first: nobody chooses by what others show.
func (e *Evaluator) committed(ctx context.Context, what string, own [][]byte) ([][]byte, error) {
	digests := make([][]byte, len(own))
	for k, v := range own {
		if v != nil {
			d := sha256.Sum256(v)
			digests[k] = d[:]
		}
	}
	told, err := e.via.Tell(ctx, digests)
	if err != nil {
		return nil, err
	}
	shown, err := e.via.Tell(ctx, own)
	if err != nil {
		return nil, err
	}
	for k, v := range shown {
		if d := sha256.Sum256(v); !bytes.Equal(d[:], told[k]) {
			return nil, fmt.Errorf("encrypted: party %d shows another %s than it committed to", k, what)
		}
	}
	return shown, nil
}

// each has every party of this process make something.
func (e *Evaluator) each(f func(b int) ([]byte, error)) ([][]byte, error) {
	own := make([][]byte, len(e.columns))
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
	if drawn, err = e.committed(ctx, "contribution to the reference", drawn); err != nil {
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
	if public, err = e.committed(ctx, "share of the public key", public); err != nil {
		return err
	}
	ones, err := e.each(func(b int) ([]byte, error) { return e.secrets[b].RoundOne(reference) })
	if err != nil {
		return err
	}
	if ones, err = e.via.Tell(ctx, ones); err != nil {
		return err
	}
	twos, err := e.each(func(b int) ([]byte, error) { return e.secrets[b].RoundTwo(encrypted.List(ones)) })
	if err != nil {
		return err
	}
	if twos, err = e.via.Tell(ctx, twos); err != nil {
		return err
	}
	views := 1
	if e.options.DeriveEach {
		views = len(e.secrets)
	}
	for range views {
		keys, err := e.params.Keys(reference, encrypted.List(public), encrypted.List(ones), encrypted.List(twos))
		if err != nil {
			return err
		}
		e.views = append(e.views, &view{keys: keys})
	}
	return nil
}
