package fit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/posterior"
)

// record returns all that is needed to repeat a run.
func (p *Prepared) record() (posterior.Record, error) {
	salt := newSalt()
	inputs, err := p.inputs(salt)
	if err != nil {
		return posterior.Record{}, err
	}
	inits, err := recordInits(p.inits, salt)
	if err != nil {
		return posterior.Record{}, err
	}
	here, err := os.Getwd()
	o := p.options.Origin
	key, joins := p.joins()
	return posterior.Record{
		Schema: posterior.Schema, Version: o.Version, Created: time.Now().UTC().Format(time.RFC3339),
		Command: o.Command, Directory: here,
		Model:   posterior.InputRecord{Path: p.Source.Name, SHA256: digest([]byte(p.Source.Text))},
		Modules: modulesOf(p.Modules()), Data: inputs, Inits: inits, Salt: salt,
		Key: key, Intersect: p.options.Joining.Intersect, Joins: joins, Constants: maps.Clone(o.Constants),
		Accepted: p.Accepted(), PriorOnly: p.Checked.PriorOnly, Backend: p.Algorithm.Name,
		Transform: p.Settings.Transform.Name, Rho: p.rho(), Seed: p.options.Seed, Settings: p.Settings.All(),
		Roles: p.Algorithm.Roles(), Improper: p.improper(),
	}, err
}

// joins returns the key that joins the rows again, and what was joined.
func (p *Prepared) joins() (key string, joins []posterior.Join) {
	if p.Data == nil {
		return "", nil
	}
	key = p.options.Joining.Key
	for _, j := range p.Data.Joins {
		if key == "" && !slices.ContainsFunc(p.Data.Joins, func(k data.Join) bool { return k.Key != j.Key }) {
			key = j.Key
		}
		joins = append(joins, posterior.Join{Parties: j.Parties, Key: j.Key, Rows: j.Rows, Held: j.Held,
			Dropped: j.Dropped, Incomplete: j.Incomplete})
	}
	return key, joins
}

// improper lists the parameters with improper priors; nil: they are not known, or other statements can leave
// parameters without a posterior.
func (p *Prepared) improper() []string {
	if p.apart != nil || slices.ContainsFunc(p.Checked.Likelihoods, (*check.Likelihood).Factor) {
		return nil
	}
	return p.Checked.Improper()
}

// rho returns one number, or one per client where they differ, or nil where there are no auxiliary variables.
func (p *Prepared) rho() any {
	t, by := p.Checked.Transform, map[string]float64{}
	if p.apart != nil {
		return p.Manifest.RhoValue()
	}
	if !t.Kind.Noise() {
		return nil
	}
	same := len(t.RhoBy) == 0
	for _, c := range p.Checked.Clients {
		if v := max(p.Cuts.RhoOf(c.Name), t.RhoOf(c.Name)); v > 0 {
			by[c.Name] = v
		}
	}
	values := slices.Collect(maps.Values(by))
	switch {
	case p.Pooled() || len(by) == 0:
		return nil
	case same && slices.Min(values) == slices.Max(values):
		return values[0]
	}
	return by
}

// inputs lists the data files with their salted digests. A pipe has none, and so cannot be of a run that a
// folder should make repeatable.
func (p *Prepared) inputs(salt string) ([]posterior.InputRecord, error) {
	if p.Data == nil {
		return nil, nil
	}
	var out []posterior.InputRecord
	for _, s := range p.Data.Sources {
		for k, path := range s.Files {
			path, err := data.Absolute(path)
			if err != nil {
				return nil, err
			}
			sum, err := saltedDigest(salt, path)
			switch {
			case err != nil:
				return nil, err
			case sum == "" && p.options.Dir != "":
				return nil, usagef("%s can be read only once, but a run with a folder (-o) must be "+
					"repeatable: write the table to a file", s.Files[k])
			}
			party := s.Name
			if s.Family {
				party = fmt.Sprintf("%s[%d]", s.Name, k+1)
			}
			out = append(out, posterior.InputRecord{Party: party, Path: path, SHA256: sum})
		}
	}
	return out, nil
}

func digest(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// newSalt is a fresh salt in hexadecimal.
func newSalt() string {
	salt := make([]byte, sha256.Size)
	rand.Read(salt) // never fails
	return hex.EncodeToString(salt)
}

// saltedDigest is the digest of a table in a run's record; "" where it is a pipe. Whoever has the table and
// the record can check it; without the salt nobody can tell whether two runs read the same table, or find a
// small table by trying.
func saltedDigest(salt, path string) (string, error) {
	h := hmac.New(sha256.New, []byte(salt))
	if again, err := data.Copy(h, path); err != nil || !again {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
