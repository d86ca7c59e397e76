package compile

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
)

// RowDisclosure are what a party discloses of its rows before incomplete ones are left out.
type RowDisclosure struct {
	Rows int `json:"rows"`
	// salted digest of the keys in their order; "": rows come in the order of the file
	Order string `json:"order,omitempty"`
	// a bit for each row, the lowest first: `missing drop` leaves it out; empty: none is
	Left []byte `json:"left,omitempty"`
}

// held are the rows of a party's table before incomplete ones are left out, in the order that the parties
// agree on.
type held struct {
	order      string // digest; "": the order of the file
	incomplete []bool
}

// A Selection is some rows of a party's tables.
type Selection struct {
	Tables []string // as data.Join names them
	Key    string   // the column that joins them; "": their order does
	Keep   func(row int, key string) bool
}

// Keep has Bind and BindNew take some rows alone; nil takes all. It is called after one of them, whose rows
// it chooses from: those that all parties left out there must not be among them.
func (p *OneParty) Keep(s *Selection) { p.selected = s }

// leaving adds the rows that are left out to a joining, and keeps what the party discloses of its rows. Where
// rows were selected, those that remain are complete at all parties.
func (p *OneParty) leaving(j data.Joining, wants []data.Want, leave map[string]RowDisclosure) data.Joining {
	if p.selected != nil {
		return j
	}
	joined := joinedSizes(p.Manifest, wants)
	p.rows = map[string]*held{}
	j.Leave = func(sizes []string, order string, incomplete []bool) []bool {
		out := slices.Clone(incomplete)
		drop := func(size string) {
			for row := range out {
				out[row] = out[row] || bit(leave[size].Left, row)
			}
		}
		for _, size := range sizes {
			if slices.Contains(joined, size) {
				p.rows[size] = &held{order, incomplete}
				drop(size)
			}
		}
		if len(sizes) == 0 && order != "" { // a table of keys alone, which name the rows of other parties
			for size, r := range leave {
				if r.Rows == len(incomplete) {
					drop(size)
				}
			}
		}
		return out
	}
	return j
}

// Joins reports whether rows of the party's table correspond to those of other parties.
func (p *OneParty) Joins() bool { return len(p.joined()) > 0 }

// joined lists the sizes of rows of the party's table that correspond to those of other parties: sizes of
// what crosses, or of shared data.
func (p *OneParty) joined() []string { return joinedSizes(p.Manifest, p.wants()) }

func joinedSizes(m *split.Manifest, wants []data.Want) (out []string) {
	var crossing []string
	for _, c := range m.Cuts {
		crossing = append(crossing, c.Shape...)
	}
	for _, d := range m.SharedData {
		crossing = append(crossing, d.Shape...)
	}
	for _, w := range wants {
		if name := w.Rows.Name; w.Rank > 0 && !w.Rows.Own && slices.Contains(crossing, name) &&
			!slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Rows returns what the party discloses of its rows, by size. It is called after Bind.
func (p *OneParty) Rows(salt []byte) map[string]RowDisclosure {
	out := map[string]RowDisclosure{}
	for size, h := range p.rows {
		r := RowDisclosure{Rows: len(h.incomplete)}
		if h.order != "" {
			r.Order = salted(salt, "rows", h.order)
		}
		for row, left := range h.incomplete {
			if left {
				if r.Left == nil {
					r.Left = make([]byte, (len(h.incomplete)+7)/8)
				}
				r.Left[row/8] |= 1 << (row % 8)
			}
		}
		out[size] = r
	}
	return out
}

func bit(bits []byte, k int) bool { return k/8 < len(bits) && bits[k/8]>>(k%8)&1 == 1 }

// LeaveOut finds the rows that `missing drop` leaves out: those that are incomplete at any party, by size.
// The error is the first *Disagreement.
func LeaveOut(names []string, all map[string]map[string]RowDisclosure) (map[string]RowDisclosure, error) {
	out, first, ordered := map[string]RowDisclosure{}, map[string]string{}, map[string]string{}
	for _, party := range names {
		for _, size := range slices.Sorted(maps.Keys(all[party])) {
			r := all[party][size]
			if r.Left != nil && len(r.Left) != (r.Rows+7)/8 {
				return nil, &Disagreement{Kind: NoList, What: size, Party: party, Other: party, Here: r.Rows,
					Who: 8 * len(r.Left)}
			}
			if first[size] == "" {
				first[size] = party
			} else if n := all[first[size]][size].Rows; n != r.Rows {
				return nil, &Disagreement{Kind: DifferentSize, What: size, Party: first[size], Other: party,
					Here: n, Who: r.Rows}
			}
			if o := ordered[size]; o == "" && r.Order != "" {
				ordered[size] = party
			} else if r.Order != "" && all[o][size].Order != r.Order {
				return nil, &Disagreement{Kind: DifferentOrder, Party: o, Other: party}
			}
			if r.Left == nil {
				continue
			}
			if out[size].Left == nil {
				out[size] = RowDisclosure{Rows: r.Rows, Left: make([]byte, len(r.Left))}
			}
			for k, b := range r.Left {
				out[size].Left[k] |= b
			}
		}
	}
	return out, nil
}
