package node

import (
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
)

// tells writes down that a party is told which rows of a size are incomplete, or left out.
func (p *participant) tells(to, what, size string, rows int, left []byte) error {
	n := 0
	for _, b := range left {
		n += bits.OnesCount8(b)
	}
	if n == 0 {
		return nil
	}
	return p.book.Tell(ledger.Told{To: to, What: what, Size: size, Rows: rows, Left: n, Digest: digest(left)})
}

// everyClient is whom the server tells which rows are left out.
const everyClient = "every client"

// leave answers which rows are left out: the party reads its data without them, unless it has, and tells what
// it has.
func (p *participant) leave(l leaving, run string) (facts, error) {
	rows := p.part.Rows(nil)
	for _, size := range slices.Sorted(maps.Keys(l.Rows)) {
		left := l.Rows[size]
		if own, ok := rows[size]; ok && left.Rows != own.Rows || len(left.Left) != (left.Rows+7)/8 {
			return facts{},
				refuse(CodeProtocol,
					"the list of rows that are left out has another length than the rows of %s", size)
		}
		if p.id.Party == p.id.Project.Server {
			if err := p.tells(everyClient, ledger.LeftOut, size, left.Rows, left.Left); err != nil {
				return facts{}, err
			}
		}
	}
	if p.awaitsFolds() {
		if err := p.reread(l.Rows, nil); err != nil {
			return facts{}, err
		}
		own, err := p.offers(l.Deals, run)
		return facts{Dealt: own}, err
	}
	folds, err := p.known()
	if err != nil {
		return facts{}, err
	}
	if err := p.reread(l.Rows, folds); err != nil {
		return facts{}, err
	}
	return p.disclose(run)
}

// reread reads the party's data without some rows, and of a cross-validation with those of the folds; nil:
// all. It does so unless it has.
func (p *participant) reread(left map[string]compile.RowDisclosure, folds []int) error {
	if reflect.DeepEqual(left, p.left) && slices.Equal(folds, p.folds) {
		return nil
	}
	return p.read(p.announce, left, folds)
}

// disclose answers with what the party discloses about the rows that it takes part with.
func (p *participant) disclose(run string) (facts, error) {
	if p.policy != nil || p.encrypts() || p.releases() {
		lines, err := p.rowLines(policy.DecryptionCounts{})
		if err != nil {
			return facts{}, err
		}
		if err := forbidden(lines); err != nil {
			return facts{}, err
		}
	}
	for _, text := range p.part.Data.Joined() {
		p.note("%s", text)
	}
	p.facts.Saved = fit.Checkpoints(p.Dir)
	if _, err := os.Stat(filepath.Join(p.Dir, posterior.RecordFile)); err != nil {
		p.facts.Saved = nil
	}
	p.secret, p.facts.Key = newKey(p.id, run, p.epoch)
	return p.facts, nil
}

// whole is what the party tells in a preflight, after open: of its rows without saying which are incomplete,
// and of its data where none is.
func (p *participant) whole(h held) (map[string]compile.RowDisclosure, *compile.Facts) {
	known := p.facts.Facts
	complete := p.left == nil
	rows := map[string]compile.RowDisclosure{}
	for size, r := range h.Rows {
		complete = complete && r.Left == nil
		r.Left = nil
		rows[size] = r
	}
	if !complete {
		return rows, nil
	}
	return rows, &known
}
