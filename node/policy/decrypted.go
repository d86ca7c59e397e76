package policy

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
)

// DecryptionCounts is how many numbers that depend on the party's rows become known to one other party: D.
type DecryptionCounts struct {
	Spent int64 // on some person of the run, in earlier runs
	Asked int64 // in this one, as it usually is; 0: that is not known
	Most  int64 // in this one
}

// decrypts is how many numbers of a person one other party may learn over all runs, given the rows of this
// one.
func (p *Policy) decrypts(rows int) int64 {
	if p.MaxDecrypted == 0 {
		return int64(rows / density.RowsPerNumber)
	}
	return p.MaxDecrypted
}

// Decrypts is how many numbers another party may still learn in a run with so many rows after so many in
// earlier ones.
func (p *Policy) Decrypts(rows int, spent int64) int64 { return max(0, p.decrypts(rows)-spent) }

// decrypted adds the line on D.
func (l *lines) decrypted(d DecryptionCounts, p *Policy, rows int) {
	may, set := p.decrypts(rows), p.MaxDecrypted > 0
	left := max(0, may-d.Spent)
	found := fmt.Sprintf("of %s numbers that one other party may learn of these rows %s are known",
		digits(may), digits(d.Spent))
	if d.Asked > 0 {
		found += fmt.Sprintf(", and about %s more will be, at most %s", digits(d.Asked), digits(d.Most))
	}
	if d.Most > left {
		found += "; the run ends before more than " + digits(left) + " are decrypted"
	}
	asks := "none is left for another run"
	if d.Asked > 0 {
		asks = fmt.Sprintf("about %s more are asked for: what takes at most %s fits, "+
			"a run with fewer columns", digits(d.Asked), digits(left))
	}
	l.add("max_decrypted", max(1, d.Asked) <= left, diag.PolicyRounds, found,
		"one other party knows %s numbers that depend on these rows, of %s that it may learn in all, and %s",
		digits(d.Spent), digits(may), asks)
	if last := l.out[len(l.out)-1].Refused; last != nil && !set {
		last.Notes = nil
		last.Note("a %dth of the rows holds where %s has no max_decrypted", density.RowsPerNumber, l.path)
	}
}

func digits(n int64) string { return grouped.Digits(int(n)) }

// Decrypted is how many numbers runs have told one other party of a person among the rows, at most, but for
// the run with some keys, if any. Sets of which a few rows have changed have most persons in common, so that
// what was decrypted adds up for these.
func (h PastRuns) Decrypted(rows RowSet, but string) (most int64, err error) {
	n, err := h.most(rows, func(u *used) float64 { return float64(u.Decrypted - u.Keys[but]) })
	return int64(n), err
}

// most is the largest sum over all sets of what each has, of a person among the rows.
func (h PastRuns) most(rows RowSet, of func(*used) float64) (float64, error) {
	list, err := h.read()
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	each := make([]float64, len(rows))
	for _, u := range list {
		if of(u) == 0 {
			continue
		}
		set, err := h.set(u)
		if err != nil {
			return 0, err
		}
		for k, at := 0, 0; k < len(rows) && at < len(set); {
			switch {
			case rows[k] < set[at]:
				k++
			case rows[k] > set[at]:
				at++
			default:
				each[k] += of(u)
				k, at = k+1, at+1
			}
		}
	}
	return slices.Max(each), nil
}

// Decrypt notes how many numbers another party knows, once it has learned what comes next, of a run whose
// keys have a digest. A run that was stopped decrypts the same again with its keys, which is counted once.
// What may be is first written down elsewhere. The list says why it may not: then they are not counted, and
// the party gives no share of its key.
func (m *Meter) Decrypt(keys string, numbers int64, write func() error) (diags diag.List, err error) {
	err = m.history.Locked(func() error {
		spent, err := m.history.Decrypted(m.rows, keys)
		if err != nil {
			return err
		}
		l := &lines{path: m.policy.path}
		if l.decrypted(DecryptionCounts{spent, numbers, numbers}, m.policy,
			len(m.rows)); l.out[0].Refused != nil {
			diags = Refused(l.out)
			return nil
		}
		if err := write(); err != nil {
			return err
		}
		return m.history.changed(m.rows, m.digest, func(u *used) {
			if u.Keys == nil {
				u.Keys = map[string]int64{}
			}
			u.Decrypted += max(0, numbers-u.Keys[keys])
			u.Keys[keys] = max(numbers, u.Keys[keys])
		})
	})
	return diags, err
}
