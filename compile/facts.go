package compile

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/lang/diag"
)

// Facts are what a party discloses of its data before a run: sizes, and digests by which parties with the
// same salt find whether they hold the same.
type Facts struct {
	Sizes map[string]lower.SizeFact `json:"sizes,omitempty"`
	Rows  int                       `json:"rows,omitempty"`
	// salted digest of the keys of the rows in their order; "": rows come in the order of the file
	Order  string            `json:"order,omitempty"`
	Shared map[string]string `json:"shared,omitempty"` // salted digests of shared data, by name
	// salted digests of the categories of levels, by size
	Levels map[string]string `json:"levels,omitempty"`
}

// Facts returns what the party tells. It is called after Bind.
func (p *OneParty) Facts(salt []byte) (Facts, diag.List) {
	own := p.Values[p.Party]
	sizes, diags := lower.SizeFacts(p.Checked, p.Party, own)
	if p.public != nil {
		maps.DeleteFunc(sizes, func(name string, _ lower.SizeFact) bool { return !p.tells(name) })
	}
	for name, n := range p.given { // of the parameters of a run, for new rows
		if _, ok := sizes[name]; !ok && p.tells(name) {
			sizes[name] = lower.SizeFact{Value: n}
		}
	}
	f := Facts{Sizes: sizes, Shared: map[string]string{}, Levels: map[string]string{}}
	for _, j := range p.Data.Joins {
		f.Rows, f.Order = j.Rows, salted(salt, "order", j.Digest)
	}
	for _, s := range p.Checked.Order {
		b := own[s.Name]
		if b == nil || s.Kind != check.Data {
			continue
		}
		if s.Owner == check.Shared {
			f.Shared[s.Name] = salted(salt, "shared", b.Digest())
		}
		if s.Type.Levels != nil && len(b.Labels) > 0 {
			for _, size := range s.Type.Levels.Names() {
				if p.tells(size) {
					f.Levels[size] = salted(salt, "levels", fmt.Sprintf("%q", b.Labels))
				}
			}
		}
	}
	return f, diags
}

// tells reports whether other parties are told a size: not one of a member alone, nor one of a module that
// they do not know.
func (p *OneParty) tells(size string) bool {
	in := p.Checked
	if p.public != nil {
		in = p.public
	}
	z := in.Sizes[size]
	return z != nil && z.Member == ""
}

func salted(salt []byte, purpose, text string) string {
	h := hmac.New(sha256.New, salt)
	fmt.Fprintf(h, "%s\n%s", purpose, text)
	return hex.EncodeToString(h.Sum(nil))
}
