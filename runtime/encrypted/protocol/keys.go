package protocol

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

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

// all are the columns of all parties.
func (v *view) all() (out []*encrypted.Vector) {
	for _, list := range v.columns {
		out = append(out, list...)
	}
	return out
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

// each has every party of this process make something, which may be sent then. Once there are keys, what takes no
// randomness is written down too, by its digest: a run that is made again tells what it has told, which was counted.
func (e *Evaluator) each(f func(b int) ([]byte, error)) ([][]byte, error) {
	own := make([][]byte, e.parties)
	for b, block := range e.Blocks() {
		before := e.options.Journal.steps(block.Index())
		v, err := f(b)
		if err == nil && e.keys != [sha256.Size]byte{} && e.options.Journal.steps(block.Index()) == before {
			_, err = e.once(b, "told", sha256.Sum256(v), func() ([]byte, error) { return nil, nil })
		}
		if err != nil {
			return nil, err
		}
		own[block.Index()] = v
	}
	return own, e.options.Journal.sure()
}

// once are the bytes of a step of a party that takes randomness, which follow from what is given beside.
func (e *Evaluator) once(b int, step string, inputs [sha256.Size]byte, anew func() ([]byte, error)) ([]byte, error) {
	return e.options.Journal.once(e.Blocks()[b].Index(), step, inputs, anew)
}

// reference has all parties draw the common reference of the run.
func (e *Evaluator) reference(ctx context.Context) (r encrypted.Reference, err error) {
	agreed := e.params.Digest()
	drawn, err := e.each(func(b int) ([]byte, error) {
		return e.once(b, "reference", agreed, func() ([]byte, error) {
			v := make([]byte, sha256.Size)
			_, err := rand.Read(v)
			return v, err
		})
	})
	if err != nil {
		return r, err
	}
	if drawn, err = e.committed(ctx, commitment, drawing, e.alike(sha256.Size), drawn); err != nil {
		return r, err
	}
	return encrypted.Reference(sha256.Sum256(bytes.Join(drawn, nil))), nil
}

// secret draws a party's share of the key, and makes its share of the public one.
func (e *Evaluator) secret(b int, reference encrypted.Reference) ([]byte, error) {
	kept, err := e.once(b, "secret", reference, func() ([]byte, error) { return e.params.NewSecret().MarshalBinary() })
	if err != nil {
		return nil, err
	}
	s, err := e.params.Secret(kept)
	if err != nil {
		return nil, err
	}
	e.secrets = append(e.secrets, s)
	return e.once(b, "public share", reference, func() ([]byte, error) { return s.PublicShare(reference) })
}

// roundOne makes a party's share of the first round of the relinearisation key. What the second takes from it
// is written down beside it, and not sent.
func (e *Evaluator) roundOne(b int, reference encrypted.Reference) ([]byte, error) {
	both, err := e.once(b, "round one", reference, func() ([]byte, error) {
		share, err := e.secrets[b].RoundOne(reference)
		if err != nil {
			return nil, err
		}
		kept, err := e.secrets[b].MarshalBinary()
		return pack(pack(nil, kept), share), err
	})
	if err != nil {
		return nil, err
	}
	list, err := unpack(both)
	if err != nil || len(list) != 2 {
		return nil, errors.Join(errors.New("encrypted: a secret and a share are written down in round one"), err)
	}
	e.secrets[b], err = e.params.Secret(list[0])
	return list[1], err
}

// ceremony makes the keys of the run: every party is a holder.
func (e *Evaluator) ceremony(ctx context.Context) error {
	reference, err := e.reference(ctx)
	if err != nil {
		return err
	}
	public, err := e.each(func(b int) ([]byte, error) { return e.secret(b, reference) })
	if err != nil {
		return err
	}
	if public, err = e.committed(ctx, commitment, publicKey, e.alike(e.params.PublicSize()), public); err != nil {
		return err
	}
	one, two := e.params.RoundSizes()
	ones, err := e.each(func(b int) ([]byte, error) { return e.roundOne(b, reference) })
	if err != nil {
		return err
	}
	if ones, err = e.tell(ctx, roundOne, e.alike(one), ones); err != nil {
		return err
	}
	first := digestOf(append([][]byte{reference[:]}, ones...)...)
	twos, err := e.each(func(b int) ([]byte, error) {
		return e.once(b, "round two", first, func() ([]byte, error) { return e.secrets[b].RoundTwo(encrypted.List(ones)) })
	})
	if err != nil {
		return e.blameHolder(ctx, err)
	}
	if twos, err = e.tell(ctx, roundTwo, e.alike(two), twos); err != nil {
		return err
	}
	e.keys = digestOf(slices.Concat([][]byte{first[:]}, public, twos)...)
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
