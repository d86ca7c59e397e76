package protocol

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
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
	ones, twos := e.params.Rounds()
	own, err := e.each(func(b int) ([]byte, error) { return e.roundOne(b, reference) })
	if err != nil {
		return err
	}
	first, err := e.round(ctx, roundOne, ones, reference, own)
	if err != nil {
		return err
	}
	own, err = e.each(func(b int) ([]byte, error) {
		return e.once(b, "round two", first, func() ([]byte, error) { return e.secrets[b].RoundTwo(ones) })
	})
	if err != nil {
		return err
	}
	second, err := e.round(ctx, roundTwo, twos, first, own)
	if err != nil {
		return err
	}
	e.keys = digestOf(append(public, second[:])...)
	views := 1
	if e.options.DeriveEach {
		views = len(e.secrets)
	}
	for range views {
		keys, err := e.params.Keys(reference, encrypted.List(public), ones, twos)
		if err != nil {
			return e.blameHolder(ctx, err)
		}
		e.views = append(e.views, &view{keys: keys})
	}
	return nil
}

// round has every party show its share of a round digit by digit, so that no party has all shares in memory, and adds
// them up. The digest is of all shares and what went before.
func (e *Evaluator) round(
	ctx context.Context, x *density.Exchange, sum *encrypted.Round, digest [sha256.Size]byte, own [][]byte,
) ([sha256.Size]byte, error) {
	for d := range sum.Digits() {
		digit := make([][]byte, len(own))
		for k, v := range own {
			if v != nil {
				digit[k] = v[d*sum.Size():][:sum.Size()]
			}
		}
		told, err := e.tell(ctx, x, e.alike(sum.Size()), digit)
		if err != nil {
			return digest, err
		}
		digest = digestOf(append([][]byte{digest[:]}, told...)...)
		if err := sum.Add(1, encrypted.List(told)); err != nil {
			return digest, e.blameHolder(ctx, err)
		}
	}
	return digest, nil
}
