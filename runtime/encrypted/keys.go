package encrypted

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/multiparty"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"github.com/tuneinsight/lattigo/v6/utils/sampling"
)

// A Reference is the common reference string of a run: 32 bytes to which every holder contributed in a way
// that none could choose, such as a digest of numbers that all committed to before any was shown.
type Reference [sha256.Size]byte

// stream returns random bytes that are the same at all holders, of one purpose.
func (r Reference) stream(purpose string) (sampling.PRNG, error) {
	key := sha256.Sum256(append([]byte("vflc encrypted "+purpose+"\x00"), r[:]...))
	return sampling.NewKeyedPRNG(key[:])
}

// A Secret is one holder's share of the key. It lives for one run and counts the openings that it took part
// in.
type Secret struct {
	params *Parameters
	key    *rlwe.SecretKey
	once   *rlwe.SecretKey // between the rounds of the relinearisation key
	opened int
}

// NewSecret draws the share of a holder.
func (p *Parameters) NewSecret() *Secret {
	return &Secret{params: p, key: rlwe.NewKeyGenerator(p.ckks).GenSecretKeyNew()}
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
func (p *Parameters) Secret(data []byte) (*Secret, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("encrypted: a secret of %d bytes", len(data))
	}
	s := &Secret{params: p, key: rlwe.NewSecretKey(p.ckks)}
	s.opened = int(min(binary.LittleEndian.Uint64(data), uint64(p.openings)))
	r := reader{rest: data[8:]}
	err := r.polyQP(s.key.Value, p)
	if err == nil && len(r.rest) > 0 {
		s.once = rlwe.NewSecretKey(p.ckks)
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
func (s *Secret) PublicShare(r Reference) ([]byte, error) {
	protocol := multiparty.NewPublicKeyGenProtocol(s.params.ckks)
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
func (s *Secret) RoundOne(r Reference) ([]byte, error) {
	protocol := multiparty.NewRelinearizationKeyGenProtocol(s.params.ckks)
	stream, err := r.stream("relinearisation key")
	if err != nil {
		return nil, err
	}
	once, share, _ := protocol.AllocateShare()
	protocol.GenShareRoundOne(s.key, protocol.SampleCRP(stream), once, &share)
	s.once = once
	return s.params.appendGadget(share), nil
}

// RoundTwo returns the holder's share of the second round, given those of the first.
func (s *Secret) RoundTwo(ones Shares) ([]byte, error) {
	if s.once == nil {
		return nil, fmt.Errorf("encrypted: the second round comes after the first")
	}
	sum, err := s.params.gadgets(ones, 1)
	if err != nil {
		return nil, fmt.Errorf("encrypted: first round: %w", err)
	}
	protocol := multiparty.NewRelinearizationKeyGenProtocol(s.params.ckks)
	_, _, share := protocol.AllocateShare()
	protocol.GenShareRoundTwo(s.once, s.key, *sum, &share)
	return s.params.appendGadget(share), nil
}

// CollectiveKeys are the public keys of a run: anyone encrypts and evaluates with them, one goroutine at a time.
type CollectiveKeys struct {
	params  *Parameters
	public  *rlwe.PublicKey
	encoder *ckks.Encoder // of float64, for what is encrypted
	eval    *evaluator
}

// Keys adds up the shares of all holders.
func (p *Parameters) Keys(r Reference, public, ones, twos Shares) (*CollectiveKeys, error) {
	k := &CollectiveKeys{params: p, public: rlwe.NewPublicKey(p.ckks), encoder: ckks.NewEncoder(p.ckks, 53)}
	stream, err := r.stream("public key")
	if err != nil {
		return nil, err
	}
	protocol := multiparty.NewPublicKeyGenProtocol(p.ckks)
	sum, share := protocol.AllocateShare(), protocol.AllocateShare()
	err = p.each(public, func(r *reader) error {
		if err := r.polyQP(share.Value, p); err != nil {
			return err
		}
		protocol.AggregateShares(sum, share, &sum)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("encrypted: public key: %w", err)
	}
	protocol.GenPublicKey(sum, protocol.SampleCRP(stream), k.public)
	one, err := p.gadgets(ones, 1)
	if err != nil {
		return nil, fmt.Errorf("encrypted: first round: %w", err)
	}
	two, err := p.gadgets(twos, 0)
	if err != nil {
		return nil, fmt.Errorf("encrypted: second round: %w", err)
	}
	relin := rlwe.NewRelinearizationKey(p.ckks)
	multiparty.NewRelinearizationKeyGenProtocol(p.ckks).GenRelinearizationKey(*one, *two, relin)
	k.eval = p.evaluator(relin)
	return k, nil
}

// each reads one share of every holder.
func (p *Parameters) each(shares Shares, read func(*reader) error) error {
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

// Shares returns the share of a holder, of holders from 0. Those of keys are tens of megabytes, so that they are
// taken one after the other.
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

// gadgets adds up shares of the relinearisation key, of two polynomials a digit in the first round (degree 1)
// and one in the second.
func (p *Parameters) gadgets(shares Shares, degree int) (*multiparty.RelinearizationKeyGenShare, error) {
	protocol := multiparty.NewRelinearizationKeyGenProtocol(p.ckks)
	allocate := func() multiparty.RelinearizationKeyGenShare {
		_, one, two := protocol.AllocateShare()
		if degree == 1 {
			return one
		}
		return two
	}
	sum, share := allocate(), allocate()
	err := p.each(shares, func(r *reader) error {
		for _, digit := range share.Value {
			for _, polys := range digit {
				for _, q := range polys {
					if err := r.polyQP(q, p); err != nil {
						return err
					}
				}
			}
		}
		protocol.AggregateShares(sum, share, &sum)
		return nil
	})
	return &sum, err
}

func (p *Parameters) appendGadget(share multiparty.RelinearizationKeyGenShare) []byte {
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
