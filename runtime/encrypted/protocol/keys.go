package protocol

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"

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

// A ceremony is how parties make the keys of a run in a ring: every party is a holder.
type ceremony struct {
	*courier
	keyMessages
	ring       *encrypted.Ring
	secrets    []*encrypted.Secret // by block
	common     encrypted.ReferenceString
	public     [][]byte
	ones, twos *encrypted.Round
}

// keyMessages are the exchanges of a ceremony, whose sizes are those of its ring.
type keyMessages struct{ commitment, drawing, publicKey, roundOne, roundTwo *density.Exchange }

// reference has all parties draw the common reference of the run.
func (e *ceremony) reference(ctx context.Context) (r encrypted.ReferenceString, err error) {
	agreed := e.ring.Digest()
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
	if drawn, err = e.committed(ctx, e.commitment, e.drawing, e.alike(sha256.Size), drawn); err != nil {
		return r, err
	}
	return encrypted.ReferenceString(sha256.Sum256(bytes.Join(drawn, nil))), nil
}

// secret draws a party's share of the key, and makes its share of the public one.
func (e *ceremony) secret(b int, reference encrypted.ReferenceString) ([]byte, error) {
	kept, err := e.once(b, "secret", reference, func() ([]byte, error) {
		return e.ring.NewSecret().MarshalBinary()
	})
	if err != nil {
		return nil, err
	}
	s, err := e.ring.Secret(kept)
	if err != nil {
		return nil, err
	}
	e.secrets = append(e.secrets, s)
	return e.once(b, "public share", reference, func() ([]byte, error) { return s.PublicShare(reference) })
}

// makeOne makes a party's share of the first round of the relinearisation key. What the second takes from it
// is written down beside it, and not sent.
func (e *ceremony) makeOne(b int, reference encrypted.ReferenceString) ([]byte, error) {
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
		return nil, errors.Join(errors.New("encrypted: a secret and a share are written down in round one"),
			err)
	}
	e.secrets[b], err = e.ring.Secret(list[0])
	return list[1], err
}

// hold makes the keys.
func (e *ceremony) hold(ctx context.Context) (err error) {
	if e.common, err = e.reference(ctx); err != nil {
		return err
	}
	if e.public, err = e.each(func(b int) ([]byte, error) { return e.secret(b, e.common) }); err != nil {
		return err
	}
	e.public, err = e.committed(ctx, e.commitment, e.publicKey, e.alike(e.ring.PublicSize()), e.public)
	if err != nil {
		return err
	}
	e.ones, e.twos = e.ring.Rounds()
	own, err := e.each(func(b int) ([]byte, error) { return e.makeOne(b, e.common) })
	if err != nil {
		return err
	}
	first, err := e.round(ctx, e.roundOne, e.ones, e.common, own)
	if err != nil {
		return err
	}
	own, err = e.each(func(b int) ([]byte, error) {
		return e.once(b, "round two", first, func() ([]byte, error) { return e.secrets[b].RoundTwo(e.ones) })
	})
	if err != nil {
		return err
	}
	second, err := e.round(ctx, e.roundTwo, e.twos, first, own)
	e.keys = digestOf(append(e.public, second[:])...)
	return err
}

// ceremony makes the keys of the run.
func (e *EncryptedEnv) ceremony(ctx context.Context) error {
	c := &ceremony{courier: &e.courier, ring: &e.params.Ring, keyMessages: keyMessages{commitment, drawing,
		publicKey, roundOne, roundTwo}}
	if err := c.hold(ctx); err != nil {
		return err
	}
	e.secrets = c.secrets
	views := 1
	if e.options.DeriveEach {
		views = len(e.secrets)
	}
	for range views {
		keys, err := e.params.Keys(c.common, encrypted.List(c.public), c.ones, c.twos)
		if err != nil {
			return e.blameHolder(ctx, err)
		}
		e.views = append(e.views, &view{keys: keys})
	}
	return nil
}

// round has every party show its share of a round digit by digit, so that no party has all shares in memory,
// and adds them up. The digest is of all shares and what went before.
func (e *courier) round(
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
