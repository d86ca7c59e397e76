package protocol

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"math"
	"slices"

	random "math/rand/v2"

	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/stdlib/def"
)

// binary reports whether a response is encrypted as zeros and units.
func (f *family) binary() bool {
	s := f.form.Statistic
	return s != nil && f.term.Dist.Support == def.ZeroOne && s.Of(0, f.theta) == 0 && s.Of(1, f.theta) == 1
}

// proofs is how many sums a proof decrypts: of the response, and of that for draws.
const proofs = 2

var errNotBinary = errors.New("response that is not of zeros and ones")

// proveResponse has all parties see that a binary response is of zeros and ones: Σ r_i y_i(1 − y_i) is 0
// then, and hardly ever otherwise, for numbers r that nobody could choose or know before the response was
// committed to. A number that is so near 0 or 1 that the noise hides it passes.
func (e *EncryptedEnv) proveResponse(ctx context.Context) error {
	if !e.family.binary() {
		return nil
	}
	if err := e.spend(toldAll(proofs)); err != nil {
		return err
	}
	for _, y := range []*encrypted.Vector{e.views[0].response, e.views[0].tiled} {
		if y.Range().Max > e.family.unit {
			return e.blame(ctx, 0, errNotBinary)
		}
	}
	one, tiled := e.views[0].response.Digest(), e.views[0].tiled.Digest()
	committed := digestOf(one[:], tiled[:])
	drawn, err := e.each(func(b int) ([]byte, error) {
		return e.once(b, "challenge", committed, func() ([]byte, error) {
			v := make([]byte, sha256.Size)
			_, err := rand.Read(v)
			return v, err
		})
	})
	if err != nil {
		return err
	}
	if drawn, err = e.committed(ctx, commitment, challenging, e.alike(sha256.Size), drawn); err != nil {
		return err
	}
	seed := sha256.Sum256(bytes.Join(append(drawn, committed[:]), nil))
	sums, err := e.derived(func(_ int, v *view) (out []*encrypted.EncryptedSum, err error) {
		r := random.NewChaCha8(seed)
		for _, y := range []*encrypted.Vector{v.response, v.tiled} {
			weights := make([]float64, y.Rows())
			for i := range weights {
				weights[i] = math.Ldexp(float64(int64(r.Uint64())>>40), -23)
			}
			rows, err := v.keys.Binary(y, e.family.unit)
			if err != nil {
				return nil, err
			}
			s, err := rows.Total(weights)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		return out, nil
	})
	if err != nil {
		return beyond(err)
	}
	return e.proved(ctx, sums)
}

// proved decrypts sums to all parties, which are 0 but for noise.
func (e *EncryptedEnv) proved(ctx context.Context, sums [][]*encrypted.EncryptedSum) error {
	if err := e.confirm(ctx); err != nil {
		return err
	}
	own, err := e.each(func(b int) ([]byte, error) { return e.shares(b, sums[min(b, len(sums)-1)]) })
	if err != nil {
		return err
	}
	if own, err = e.tell(ctx, proving, e.alike(sharesSize(sums[0])), own); err != nil {
		return err
	}
	got, err := e.decrypt(ctx, sums[0], own)
	if err != nil {
		return err
	}
	for i, s := range sums[0] {
		if math.Abs(got[i]) > float64(certain*s.Deviation())+s.Error() {
			return e.blame(ctx, 0, errNotBinary)
		}
	}
	return nil
}

// certain is how many standard deviations the noise of an honest proof stays below, but once in 10¹⁵ runs.
const certain = 8

// sharesSize is how many bytes the shares of sums have, packed.
func sharesSize(sums []*encrypted.EncryptedSum) (bytes int) {
	for _, s := range sums {
		bytes += packed(s.ShareSize())
	}
	return bytes
}

// decrypt adds the shares of all parties, packed, of sums.
func (e *EncryptedEnv) decrypt(ctx context.Context, sums []*encrypted.EncryptedSum, own [][]byte) ([]float64,
	error) {
	shares := make([][][]byte, len(sums))
	for p, data := range own {
		list, err := unpack(data)
		if err != nil || len(list) != len(shares) {
			return nil, e.blame(ctx, p, errors.Join(errors.New("share that is not of every sum"), err))
		}
		for i, one := range list {
			shares[i] = append(shares[i], slices.Clone(one))
		}
	}
	out := make([]float64, len(shares))
	for i, s := range sums {
		var err error
		if out[i], err = s.Open(encrypted.List(shares[i])); err != nil {
			return nil, err
		}
	}
	return out, nil
}
