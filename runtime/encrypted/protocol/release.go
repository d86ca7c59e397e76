package protocol

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/release"
)

// A Releasing is what the parties of a process bring to a release of second moments (package release).
type Releasing struct {
	Family   string
	Declared []release.BoundedColumn // the response last; a matrix stands for its columns
	Terms    func(columns []release.BoundedColumn, rows int) release.Terms
	// Next is the next score, which follows from what was released before; nil: the release is complete. It
	// is nil itself where moments alone are released.
	Next    func(m *release.Moments) *release.Step
	Parties []string // in party order
	// Own are the rows of a party of this process: the names and values of the columns of each of its
	// declarations, in their order.
	Own func(party string) []DeclaredColumns
	// Charge is called before any share of a decryption leaves, with the digest of the run's keys, which
	// names the release: a run that is made again makes the same call again. An error ends the run, and
	// nothing is opened.
	Charge func(keys string, m *release.Moments) error
	// Sign signs a release for a party of this process; nil: nobody signs.
	Sign    func(party string, m *release.Moments) (release.Signature, error)
	Journal *Journal // nil: the run cannot be resumed
	// Noise is the source of noise, for tests; nil: the machine's.
	Noise    io.Reader
	Insecure int // the logarithm of a small ring, for tests; 0: the secure one
	forged   func(shares []byte, score bool) []byte
}

// DeclaredColumns are the columns of a declaration.
type DeclaredColumns struct {
	Names  []string
	Values [][]float64
}

// A releasing is a release under way.
type releasing struct {
	courier
	o         Releasing
	rows      int
	table     *release.Moments
	params    *encrypted.Integers
	rowParams *encrypted.Parameters // of scores
	keys      *encrypted.IntegerKeys
	secrets   []*encrypted.Secret        // by block
	columns   []*encrypted.IntegerColumn // of the table; that of the 1 is nil
	sums      []*encrypted.IntegerSum    // those that are opened; nil: it is known
}

// Release has the parties make a release together: each encrypts its columns, all derive the sums of their
// products, and each adds its own noise to its share of the decryption. Nobody sees a sum without the noise
// of all. The parties of one process have one journal. What crosses is declared in release_messages.go.
func Release(ctx context.Context, env density.Env, o Releasing) (*release.Moments, error) {
	to, err := newCourier(env, len(o.Parties), o.Journal)
	if err != nil {
		return nil, err
	}
	r := &releasing{courier: to, o: o}
	for _, step := range []func(context.Context) error{
		r.describe, r.agree, r.ceremony, r.encrypt, r.derive, r.confirm, r.open, r.confirm, r.scores, r.sign,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return r.table, nil
}

// mostText bounds the names of a party's columns.
const mostText = 1 << 20

// describe has every party tell how many rows it has, and the names of its columns.
func (r *releasing) describe(ctx context.Context) error {
	texts := map[int][]byte{}
	own, err := r.each(func(b int) ([]byte, error) {
		party := r.Blocks()[b]
		names, rows := [][]string{}, 0
		for _, d := range r.o.Own(party.Party()) {
			names, rows = append(names, d.Names), len(d.Values[0])
		}
		if rows > 0 {
			r.rows = rows
		}
		text, err := json.Marshal(names)
		texts[party.Index()] = text
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(rows)),
			uint64(len(text))), err
	})
	if err != nil {
		return err
	}
	told, err := r.tell(ctx, releaseSizes, r.alike(16), own)
	if err != nil {
		return err
	}
	sizes := r.alike(0)
	for p, v := range told {
		rows, size := binary.LittleEndian.Uint64(v), binary.LittleEndian.Uint64(v[8:])
		if r.rows == 0 {
			r.rows = int(min(rows, 1<<31))
		}
		if rows > 0 && int(rows) != r.rows || size > mostText {
			return r.blame(ctx, p,
				fmt.Errorf("%d rows with columns whose names have %d bytes: others have %d rows", rows, size,
					r.rows))
		}
		sizes[p] = int(size)
	}
	if own, err = r.each(func(b int) ([]byte, error) {
		return texts[r.Blocks()[b].Index()], nil
	}); err != nil {
		return err
	}
	if told, err = r.tell(ctx, releaseNames, sizes, own); err != nil {
		return err
	}
	columns, err := r.named(ctx, told)
	if err != nil {
		return err
	}
	r.table, err = release.Blank(r.o.Family, columns, r.rows, r.o.Terms(columns, r.rows))
	return err
}

// named are the columns of the release, of which each party has told the names of its own.
func (r *releasing) named(ctx context.Context, told [][]byte) (out []release.BoundedColumn, err error) {
	names := map[string][][]string{}
	for p, text := range told {
		var list [][]string
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, r.blame(ctx, p, fmt.Errorf("names of columns that are none"))
		}
		names[r.o.Parties[p]] = list
	}
	for _, c := range r.o.Declared {
		list := names[c.Owner]
		owner := 0
		for p, name := range r.o.Parties {
			if name == c.Owner {
				owner = p
			}
		}
		if len(list) == 0 || len(list[0]) == 0 || len(out)+len(list[0]) > mostColumns {
			return nil, r.blame(ctx, owner, fmt.Errorf("columns that are not those of %s", c.Name))
		}
		for _, name := range list[0] {
			one := c
			if one.Name = name; name != c.Name && !strings.HasPrefix(name, c.Name+"[") {
				return nil, r.blame(ctx, owner, fmt.Errorf("a column of %s with another name", c.Name))
			}
			out = append(out, one)
		}
		names[c.Owner] = list[1:]
	}
	for p, name := range r.o.Parties {
		if len(names[name]) > 0 {
			return nil, r.blame(ctx, p, fmt.Errorf("columns that are not released"))
		}
	}
	return out, nil
}

// agree has all parties compare what is released and the parameters of the encryption, before there are keys.
func (r *releasing) agree(ctx context.Context) error {
	opened := 0
	if err := r.table.Fill(func(int, int, int) (*big.Int, error) {
		opened++
		return new(big.Int), nil
	}); err != nil {
		return err
	}
	var err error
	if r.o.Insecure > 0 {
		r.params, err = encrypted.InsecureIntegers(r.o.Insecure, r.parties, opened, r.rows)
	} else {
		r.params, err = encrypted.NewIntegers(r.parties, opened, r.rows)
	}
	if err != nil {
		return err
	}
	digest, err := r.agreed()
	if err != nil {
		return err
	}
	told, err := r.same(ctx, releaseTerms, digest)
	if err != nil {
		return err
	}
	for p, data := range told {
		if !bytes.Equal(data, digest) {
			return r.blame(ctx, p,
				fmt.Errorf("digest of another release: other columns, bounds, norms, rows or budget"))
		}
	}
	return nil
}

// agreed is a digest of the release without its sums, and of the parameters.
func (r *releasing) agreed() ([]byte, error) {
	of, err := r.table.Agreed()
	if err != nil {
		return nil, err
	}
	params := r.params.Digest()
	if r.o.Next == nil {
		d := digestOf(of, params[:])
		return d[:], nil
	}
	// of a table; openings of a key are for the most that there may be
	openings := mostSteps * (len(r.table.Columns)*(len(r.table.Columns)+2) + 1)
	if r.o.Insecure > 0 {
		r.rowParams, err = encrypted.Insecure(r.o.Insecure, r.parties, openings)
	} else {
		r.rowParams, err = encrypted.New(r.parties, openings)
	}
	if err != nil {
		return nil, err
	}
	rows := r.rowParams.Digest()
	d := digestOf(of, params[:], rows[:])
	return d[:], nil
}

// mostSteps is how many scores a release has at most.
const mostSteps = 8

func (r *releasing) ceremony(ctx context.Context) error {
	c := &ceremony{courier: &r.courier, ring: &r.params.Ring, keyMessages: releaseKeys}
	err := c.hold(ctx)
	if err != nil {
		return err
	}
	r.secrets = c.secrets
	r.keys, err = r.params.Keys(c.common, encrypted.List(c.public), c.ones, c.twos)
	return r.blameHolder(ctx, err)
}

// owned is how many columns of the release a party has.
func (r *releasing) owned(party string) (n int) {
	for _, c := range r.table.Columns {
		if c.Owner == party {
			n++
		}
	}
	return n
}

// values are the rows of a party's columns.
func (r *releasing) values(party string) (out [][]float64) {
	for _, d := range r.o.Own(party) {
		out = append(out, d.Values...)
	}
	return out
}

// encrypt has every party commit to its columns, and show them then.
func (r *releasing) encrypt(ctx context.Context) error {
	own, err := r.each(func(b int) ([]byte, error) {
		party := r.Blocks()[b].Party()
		columns := r.table.Own(party, r.values(party))
		inputs := sha256.Sum256(fmt.Appendf(r.courier.keys[:], "%v", columns))
		return r.once(b, "columns", inputs, func() (out []byte, err error) {
			for _, c := range columns {
				data, err := r.keys.Encrypt(c)
				if err != nil {
					return nil, err
				}
				out = append(out, data...)
			}
			return out, nil
		})
	})
	if err != nil {
		return err
	}
	sizes := r.alike(0)
	for p, name := range r.o.Parties {
		sizes[p] = r.owned(name) * r.params.ColumnSize()
	}
	told, err := r.committed(ctx, releaseKeys.commitment, releaseColumns, sizes, own)
	if err != nil {
		return err
	}
	at := make([]int, len(told))
	r.columns = append(r.columns, nil)
	for _, c := range r.table.Columns {
		for p, name := range r.o.Parties {
			if name != c.Owner {
				continue
			}
			size := r.params.ColumnSize()
			column, err := r.params.Column(told[p][at[p]:][:size])
			if err != nil {
				return r.blame(ctx, p, err)
			}
			at[p] += size
			r.columns = append(r.columns, column)
		}
	}
	return nil
}

// derive makes the sums that are opened, from what all have been shown.
func (r *releasing) derive(context.Context) error {
	r.sums = nil
	at := map[int]*encrypted.IntegerSum{}
	most := 0
	err := r.table.Fill(func(sum, i, j int) (*big.Int, error) {
		var s *encrypted.IntegerSum
		var err error
		if i == 0 {
			s, err = r.keys.Total(r.columns[j], r.table.Unit())
		} else {
			s, err = r.keys.Inner(r.columns[i], r.columns[j])
		}
		at[sum], most = s, sum
		return new(big.Int), err
	})
	for k := range most + 1 {
		r.sums = append(r.sums, at[k])
	}
	return err
}

// open has every party commit to its shares of all sums, with its noise, and show them then: a party that
// ends before it shows its own has nothing, and one that shows its own last and does not has the release.
// What a release costs is charged before.
func (r *releasing) open(ctx context.Context) error {
	name := hex.EncodeToString(r.courier.keys[:])
	if err := r.o.Charge(name, r.table); err != nil {
		return err
	}
	inputs := [][]byte{r.courier.keys[:]}
	for _, s := range r.sums {
		if s != nil {
			d := s.Digest()
			inputs = append(inputs, d[:])
		}
	}
	own, err := r.each(func(b int) ([]byte, error) {
		return r.once(b, "release", digestOf(inputs...), func() ([]byte, error) { return r.shares(b) })
	})
	if err != nil {
		return err
	}
	size := r.params.IntegerShareSize()
	told, err := r.committed(ctx, releaseKeys.commitment, releaseShares, r.alike(size*(len(inputs)-1)), own)
	if err != nil {
		return err
	}
	at := 0
	err = r.table.Fill(func(sum, _, _ int) (*big.Int, error) {
		shares := func(holder int) ([]byte, error) { return told[holder][at:][:size], nil }
		v, err := r.sums[sum].Open(shares)
		at += size
		return v, err
	})
	if err != nil {
		return r.blameHolder(ctx, err)
	}
	return r.blameOthers(ctx, r.table.Possible())
}

// blameOthers ends the run where sums that were opened are none of these rows: a share that was altered
// before its party has committed to it has the form of any other, and does not tell whose it is.
func (r *releasing) blameOthers(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var others []int
	for p := range r.o.Parties {
		if !slices.ContainsFunc(r.Blocks(), func(b density.Block) bool { return b.Index() == p }) {
			others = append(others, p)
		}
	}
	return r.via.Blame(ctx, others, fmt.Sprintf("share of another sum: %v; nothing is released", err))
}

// shares are a party's shares of all sums that are opened. Its noise is drawn here and is nowhere else.
func (r *releasing) shares(b int) (out []byte, err error) {
	noise := make([]*big.Int, len(r.table.Sums))
	for i := range noise {
		noise[i] = new(big.Int)
	}
	if r.owned(r.Blocks()[b].Party()) > 0 {
		noise = r.table.Noise(r.o.Noise)
	}
	for k, s := range r.sums {
		if s == nil {
			continue
		}
		share, err := r.secrets[b].IntegerShare(s, noise[k])
		if err != nil {
			return nil, err
		}
		out = append(out, share...)
	}
	if r.o.forged != nil { // in a test
		out = r.o.forged(out, false)
	}
	return out, nil
}

// signatureSize is the room for a signature with its certificate.
const signatureSize = 4 << 10

// sign has every party sign the release.
func (r *releasing) sign(ctx context.Context) error {
	if r.o.Sign == nil {
		return nil
	}
	own, err := r.each(func(b int) ([]byte, error) {
		s, err := r.o.Sign(r.Blocks()[b].Party(), r.table)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(s)
		if len(text) > signatureSize {
			return nil, fmt.Errorf("encrypted: a signature of %d bytes", len(text))
		}
		return append(text, make([]byte, signatureSize-len(text))...), err
	})
	if err != nil {
		return err
	}
	told, err := r.tell(ctx, releaseSignatures, r.alike(signatureSize), own)
	if err != nil {
		return err
	}
	for p, text := range told {
		var s release.Signature
		if err := json.Unmarshal(bytes.TrimRight(text, "\x00"), &s); err != nil || s.Party != r.o.Parties[p] {
			return r.blame(ctx, p, fmt.Errorf("a signature of a release that is none"))
		}
		r.table.Signatures = append(r.table.Signatures, s)
	}
	return nil
}
