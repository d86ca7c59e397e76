package encrypted

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/multiparty"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"github.com/tuneinsight/lattigo/v6/utils/sampling"
)

// A ReferenceString is the common reference string of a run: 32 bytes to which every holder contributed in a
// way that none could choose, such as a digest of numbers that all committed to before any was shown.
type ReferenceString [sha256.Size]byte

// stream returns random bytes that are the same at all holders, of one purpose.
func (r ReferenceString) stream(purpose string) (sampling.PRNG, error) {
	key := sha256.Sum256(append([]byte("vflc encrypted "+purpose+"\x00"), r[:]...))
	return sampling.NewKeyedPRNG(key[:])
}

// A Secret is one holder's share of the key. It lives for one run and counts the openings that it took part
// in.
type Secret struct {
	params *Ring
	key    *rlwe.SecretKey
	once   *rlwe.SecretKey // between the rounds of the relinearisation key
	opened int
}

// NewSecret draws the share of a holder.
func (p *Ring) NewSecret() *Secret {
	return &Secret{params: p, key: rlwe.NewKeyGenerator(p.rlwe).GenSecretKeyNew()}
}

// MarshalBinary returns the secret for the holder's own storage: the openings so far, the key, and what is
// kept between the rounds.
func (s *Secret) MarshalBinary() ([]byte, error) {
	out := s.params.appendQP(binary.LittleEndian.AppendUint64(nil, uint64(s.opened)), s.key.Value)
	if s.once != nil {
		out = s.params.appendQP(out, s.once.Value)
	}
	return out, nil
}

// Secret is the inverse of Secret.MarshalBinary.
func (p *Ring) Secret(data []byte) (*Secret, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("encrypted: a secret of %d bytes", len(data))
	}
	s := &Secret{params: p, key: rlwe.NewSecretKey(p.rlwe)}
	s.opened = int(min(binary.LittleEndian.Uint64(data), uint64(p.openings)))
	r := reader{rest: data[8:]}
	err := r.polyQP(s.key.Value, p)
	if err == nil && len(r.rest) > 0 {
		s.once = rlwe.NewSecretKey(p.rlwe)
		err = r.polyQP(s.once.Value, p)
	}
	if err == nil {
		err = r.end()
	}
	if err != nil {
		return nil, fmt.Errorf("encrypted: a secret: %w", err)
	}
	return s, nil
}

// Shared counts openings whose shares are sent again.
func (s *Secret) Shared(openings int) { s.opened = min(s.opened+openings, s.params.openings) }

// PublicShare returns the holder's share of the public key. It is fresh at every call: what was sent once is
// sent again as it was. Holders exchange its digest before they show it.
func (s *Secret) PublicShare(r ReferenceString) ([]byte, error) {
	protocol := multiparty.NewPublicKeyGenProtocol(s.params.rlwe)
	stream, err := r.stream("public key")
	if err != nil {
		return nil, err
	}
	share := protocol.AllocateShare()
	protocol.GenShare(s.key, protocol.SampleCRP(stream), &share)
	return s.params.appendQP(nil, share.Value), nil
}

// RoundOne returns the holder's share of the first round of the relinearisation key. It is fresh at every
// call, and RoundTwo belongs to the last.
func (s *Secret) RoundOne(r ReferenceString) ([]byte, error) {
	protocol := multiparty.NewRelinearizationKeyGenProtocol(s.params.rlwe)
	stream, err := r.stream("relinearisation key")
	if err != nil {
		return nil, err
	}
	once, share, _ := protocol.AllocateShare()
	protocol.GenShareRoundOne(s.key, protocol.SampleCRP(stream), once, &share)
	s.once = once
	return s.params.appendGadget(share), nil
}

// RoundTwo returns the holder's share of the second round, given the sum of those of the first.
func (s *Secret) RoundTwo(ones *Round) ([]byte, error) {
	if s.once == nil {
		return nil, fmt.Errorf("encrypted: the second round comes after the first")
	}
	if err := ones.whole(); err != nil {
		return nil, err
	}
	protocol := multiparty.NewRelinearizationKeyGenProtocol(s.params.rlwe)
	_, _, share := protocol.AllocateShare()
	protocol.GenShareRoundTwo(s.once, s.key, *ones.sum, &share)
	for _, digit := range share.Value { // the library leaves residues up to twice the primes
		for _, polys := range digit {
			for _, q := range polys {
				s.params.rlwe.RingQP().Reduce(q, q)
			}
		}
	}
	return s.params.appendGadget(share), nil
}

// CollectiveKeys are the public keys of a run: anyone encrypts and evaluates with them, one goroutine at a
// time.
type CollectiveKeys struct {
	params  *Parameters
	public  *rlwe.PublicKey
	encoder *ckks.Encoder // of float64, for what is encrypted
	eval    *evaluator
}

// Keys adds up the shares of the public key of all holders, and makes the relinearisation key of the sums of
// both rounds.
func (p *Parameters) Keys(r ReferenceString, public Shares, ones, twos *Round) (*CollectiveKeys, error) {
	key, relin, err := p.keys(r, public, ones, twos)
	if err != nil {
		return nil, err
	}
	return &CollectiveKeys{params: p, public: key, encoder: ckks.NewEncoder(p.ckks, 53),
		eval: p.evaluator(relin)}, nil
}

// keys are the public key of all holders, and the relinearisation key.
func (p *Ring) keys(r ReferenceString, public Shares, ones, twos *Round) (*rlwe.PublicKey,
	*rlwe.RelinearizationKey,
	error) {
	key := rlwe.NewPublicKey(p.rlwe)
	stream, err := r.stream("public key")
	if err != nil {
		return nil, nil, err
	}
	protocol := multiparty.NewPublicKeyGenProtocol(p.rlwe)
	sum, share := protocol.AllocateShare(), protocol.AllocateShare()
	err = p.each(public, func(r *reader) error {
		if err := r.polyQP(share.Value, p); err != nil {
			return err
		}
		protocol.AggregateShares(sum, share, &sum)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("encrypted: public key: %w", err)
	}
	protocol.GenPublicKey(sum, protocol.SampleCRP(stream), key)
	if err := errors.Join(ones.whole(), twos.whole()); err != nil {
		return nil, nil, err
	}
	relin := rlwe.NewRelinearizationKey(p.rlwe)
	multiparty.NewRelinearizationKeyGenProtocol(p.rlwe).GenRelinearizationKey(*ones.sum, *twos.sum, relin)
	return key, relin, nil
}

// each reads one share of every holder.
func (p *Ring) each(shares Shares, read func(*reader) error) error {
	for i := range p.holders {
		data, err := shares(i)
		if err == nil {
			r := reader{rest: data}
			if err = read(&r); err == nil {
				err = r.end()
			}
		}
		if err != nil {
			return &HolderError{Holder: i, err: err}
		}
	}
	return nil
}

// Shares returns the share of a holder, of holders from 0.
type Shares func(holder int) ([]byte, error)

// List is a list of shares that are in memory.
func List(shares [][]byte) Shares {
	return func(holder int) ([]byte, error) {
		if holder >= len(shares) {
			return nil, fmt.Errorf("it is missing")
		}
		return shares[holder], nil
	}
}

// A HolderError says whose share is not one.
type HolderError struct {
	Holder int // from 0
	err    error
}

func (e *HolderError) Error() string { return fmt.Sprintf("share of holder %d: %v", e.Holder, e.err) }

func (e *HolderError) Unwrap() error { return e.err }

// A Round is the sum of all holders' shares of a round of the relinearisation key. A share is tens of
// megabytes, so that the sum is made digit by digit as they come.
type Round struct {
	params   *Ring
	protocol multiparty.RelinearizationKeyGenProtocol
	name     string
	sum, one *multiparty.RelinearizationKeyGenShare // of all digits, and of one
	digits   int                                    // that were added up
}

// Rounds are the sums of both rounds, of which there is nothing yet: shares have two polynomials a digit in
// the first and one in the second.
func (p *Ring) Rounds() (ones, twos *Round) {
	of := func(name string,
		pick func(one,
			two multiparty.RelinearizationKeyGenShare) multiparty.RelinearizationKeyGenShare) *Round {
		r := &Round{params: p, protocol: multiparty.NewRelinearizationKeyGenProtocol(p.rlwe), name: name}
		allocate := func() *multiparty.RelinearizationKeyGenShare {
			_, one, two := r.protocol.AllocateShare()
			share := pick(one, two)
			return &share
		}
		r.sum, r.one = allocate(), allocate()
		r.one.Value = slices.Clone(r.one.Value[:1])
		return r
	}
	type share = multiparty.RelinearizationKeyGenShare
	return of("first", func(one, _ share) share {
		return one
	}), of("second", func(_, two share) share { return two })
}

// Digits is how many a share has.
func (r *Round) Digits() int { return len(r.sum.Value) }

// Size is the number of bytes of a digit of a share.
func (r *Round) Size() int { return (r.sum.Degree() + 1) * r.params.sizeQP() }

// Add adds the next digits, so many, of all holders' shares.
func (r *Round) Add(digits int, shares Shares) error {
	if r.digits+digits > r.Digits() {
		return fmt.Errorf("encrypted: %s round: %d digits are too many", r.name, r.digits+digits)
	}
	err := r.params.each(shares, func(read *reader) error {
		for d := range digits {
			for _, q := range r.one.Value[0][0] {
				if err := read.polyQP(q, r.params); err != nil {
					return err
				}
			}
			into := *r.sum
			into.Value = into.Value[r.digits+d:][:1]
			r.protocol.AggregateShares(into, *r.one, &into)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("encrypted: %s round: %w", r.name, err)
	}
	r.digits += digits
	return nil
}

// whole is an error where digits are missing.
func (r *Round) whole() error {
	if r.digits < r.Digits() {
		return fmt.Errorf("encrypted: %s round: %d digits of %d", r.name, r.digits, r.Digits())
	}
	return nil
}

func (p *Ring) appendGadget(share multiparty.RelinearizationKeyGenShare) []byte {
	out := make([]byte, 0, len(share.Value)*(share.Degree()+1)*p.sizeQP())
	for _, digit := range share.Value {
		for _, polys := range digit {
			for _, q := range polys {
				out = p.appendQP(out, q)
			}
		}
	}
	return out
}
