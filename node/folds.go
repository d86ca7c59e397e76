package node

// Folds of a cross-validation that follow from what one party has: it tells them once, before the first fit,
// and every party keeps them for the others.

import (
	"fmt"
	"math/bits"
	"path/filepath"

	"github.com/vflc/vflc/fit/crossvalidate"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/posterior"
)

// foldsFile keeps the folds that were told, in the session's folder of the first fit.
const foldsFile = "folds.json"

// awaitsFolds reports whether one party tells the folds in this session.
func (p *participant) awaitsFolds() bool {
	t := p.Task
	return t.Told() && t.Kind == Fitting && t.Fold.Fold == 1
}

// packed is the folds in as many bits each as the largest needs. The error is that of those which unpacked
// refuses.
func packed(folds []int, count int) (*dealt, error) {
	width := bits.Len(uint(count - 1))
	d := &dealt{Rows: len(folds), Folds: make([]byte, (len(folds)*width+7)/8)}
	for i, fold := range folds {
		for b := range width {
			if fold>>b&1 == 1 {
				at := i*width + b
				d.Folds[at/8] |= 1 << (at % 8)
			}
		}
	}
	_, err := d.unpacked(count)
	return d, err
}

// unpacked is the opposite of packed; the error is that of folds which cannot be. Each has a row.
func (d dealt) unpacked(count int) ([]int, error) {
	width := bits.Len(uint(count - 1))
	if d.Rows < count || len(d.Folds) != (d.Rows*width+7)/8 {
		return nil, refuse(CodeProtocol, "the list of folds has not the length of %d rows", d.Rows)
	}
	folds, rows := make([]int, d.Rows), make([]int, count)
	for i := range folds {
		for b := range width {
			at := i*width + b
			folds[i] |= int(d.Folds[at/8]>>(at%8)&1) << b
		}
		if folds[i] >= count {
			return nil, refuse(CodeProtocol, "row %d is told to be in fold %d of %d", i+1, folds[i]+1, count)
		}
		rows[folds[i]]++
	}
	for k, n := range rows {
		if n == 0 {
			return nil, refuse(CodeProtocol, "no row is told to be in fold %d of %d", k+1, count)
		}
	}
	return folds, nil
}

// deal divides the rows by what this party has; nil where it has not what the folds follow from. The party
// has read all of its rows.
func (p *participant) deal(run string) (*crossvalidate.Deal, error) {
	deal, err := p.Task.Deal(p.part, p.ownKey(run))
	return deal, refused(CodeData, nil, err)
}

// offers is how this party divides the rows, where it is the one that tells and its policy allows that; nil
// where it is not.
func (p *participant) offers(server bool, run string) (*dealt, error) {
	here := p.id.Party == p.id.Project.Server
	if server != here && server {
		return nil, nil
	}
	deal, err := p.deal(run)
	if err != nil || deal == nil {
		return nil, err
	}
	if err := refused(CodePolicy, p.mayDeal(deal), nil); err != nil {
		return nil, err
	}
	out, err := packed(deal.Folds, p.Task.Folds)
	if err != nil {
		return nil, err
	}
	p.note("%s tells every party in which of %d folds each of its %d rows is, which follows from %s: %s",
		p.id.Party, p.Task.Folds, out.Rows, deal.Name, learns(p.Task.Fold))
	if here {
		return out, nil // its clients are told when the stage of the folds begins
	}
	return out, p.book.Tell(ledger.Told{To: p.id.Project.Server, What: ledger.Folds, Rows: out.Rows,
		Digest: digest(out.Folds)})
}

// learns says what others can compute from the folds that one party tells.
func learns(f crossvalidate.Fold) string {
	if f.Stratify {
		return "each fold has nearly the same share of each value, and which row has which is not told"
	}
	return "rows in different folds have different values"
}

// mayDeal lists why the party does not tell folds. What all have, and the response of the server, whose
// derivatives all clients receive, need no line in a policy.
func (p *participant) mayDeal(deal *crossvalidate.Deal) diag.List {
	if !deal.Private || p.Task.Stratify && p.id.Party == p.id.Project.Server {
		return nil
	}
	return p.policy.Divides(filepath.Join(p.Identity, policy.FileName), deal.Name)
}

// divide takes the folds that were told, keeps them, and answers what the party has of the rows of the fit.
func (p *participant) divide(d dealt, run string) (facts, error) {
	folds, err := d.unpacked(p.Task.Folds)
	if err != nil {
		return facts{}, err
	}
	if p.id.Party == p.id.Project.Server {
		if err := p.book.Tell(ledger.Told{To: everyClient, What: ledger.Folds, Rows: d.Rows,
			Digest: digest(d.Folds)}); err != nil {
			return facts{}, err
		}
	}
	if err := writeJSON(p.Dir, foldsFile, d, safefile.Write); err != nil {
		return facts{}, err
	}
	if err := p.reread(p.left, folds); err != nil {
		return facts{}, err
	}
	return p.disclose(run)
}

// known are the folds that were told before the first fit of the cross-validation; nil where none are told.
func (p *participant) known() ([]int, error) {
	if !p.Task.Told() {
		return nil, nil
	}
	var d dealt
	path := filepath.Join(p.Divided, posterior.SessionDir, foldsFile)
	there, err := safefile.ReadJSON(path, &d)
	if err == nil && !there {
		err = fmt.Errorf("%s is not there", path)
	}
	if err != nil {
		return nil, refused(CodeData, nil, fmt.Errorf("the folds that were told before the first fit: %w",
			err))
	}
	return d.unpacked(p.Task.Folds)
}
