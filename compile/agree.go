package compile

import (
	"fmt"
	"maps"
	"slices"
)

// A Disagreement is what the data of two parties of a run contradict. It tells no value of the data but
// sizes.
type Disagreement struct {
	Kind      string // of the fact: see the constants
	What      string // the size or the shared data; "" for the order of rows
	Party     string
	Other     string
	Here, Who int // sizes, where they differ
}

// Kinds of disagreement.
const (
	DifferentSize   = "size"
	DifferentOrder  = "order"
	DifferentShared = "shared"
	DifferentLevels = "levels"
	NoList          = "list"    // of rows that are left out
	NoFolds         = "nofolds" // nobody has what the folds of a cross-validation follow from
	SeveralFolds    = "folds"   // two parties have
)

// DisagreementKinds lists them.
func DisagreementKinds() []string {
	return []string{DifferentSize, DifferentOrder, DifferentShared, DifferentLevels, NoList, NoFolds,
		SeveralFolds}
}

func (d *Disagreement) Error() string {
	switch d.Kind {
	case DifferentSize:
		return fmt.Sprintf("the size %s is %d at %s, but %d at %s: give both the same rows and categories",
			d.What, d.Here, d.Party, d.Who, d.Other)
	case NoList:
		return fmt.Sprintf("%s has %d rows of size %s, and lists %d that are left out or not: "+
			"this is no list of its rows", d.Party, d.Here, d.What, d.Who)
	case NoFolds:
		return "no party whose rows are divided has what the folds follow from: with --stratify a response " +
			"that has one value for each row, with --by the column"
	case SeveralFolds:
		return fmt.Sprintf("%s and %s both have what the folds follow from, and it is not the same: rename "+
			"the column in the table of one of them", d.Party, d.Other)
	case DifferentOrder:
		return fmt.Sprintf("%s and %s hold other rows, or in another order: keep at both the rows that "+
			"both hold, with equal keys", d.Party, d.Other)
	case DifferentShared:
		return fmt.Sprintf("the shared data %s of %s and %s differ: they must be equal in every row", d.What,
			d.Party, d.Other)
	case DifferentLevels:
		return fmt.Sprintf("the categories of %s differ between %s and %s: list them in the "+
			"model, levels NAME = …", d.What, d.Party, d.Other)
	}
	return fmt.Sprintf("%s and %s disagree about %s", d.Party, d.Other, d.What)
}

// Agree compares the facts of all parties, which stand in the order of names, and returns the sizes of the
// run. The error is the first *Disagreement.
func Agree(names []string, facts map[string]Facts) (map[string]int, error) {
	a := agreement{facts: facts, sizes: map[string]int{}, from: map[string]string{}, fixed: map[string]bool{}}
	for _, compare := range []func(string) error{a.size, a.rows, a.digests} {
		for _, name := range names {
			if err := compare(name); err != nil {
				return nil, err
			}
		}
	}
	return a.sizes, nil
}

type agreement struct {
	facts map[string]Facts
	sizes map[string]int
	from  map[string]string // the party that a size or a digest is of
	fixed map[string]bool   // sizes that are not only numbers of categories

	order, first   string
	shared, levels map[string]string
}

func (a *agreement) size(party string) error {
	for _, name := range slices.Sorted(maps.Keys(a.facts[party].Sizes)) {
		f := a.facts[party].Sizes[name]
		old, known := a.sizes[name]
		switch {
		case !known, !a.fixed[name] && f.Value >= old:
			a.sizes[name], a.from[name], a.fixed[name] = f.Value, party, a.fixed[name] || !f.AtLeast
		case f.Value == old, f.AtLeast && f.Value < old:
			a.fixed[name] = a.fixed[name] || !f.AtLeast
		default:
			return &Disagreement{Kind: DifferentSize, What: name, Party: a.from[name], Other: party,
				Here: old, Who: f.Value}
		}
	}
	return nil
}

func (a *agreement) rows(party string) error {
	f := a.facts[party]
	switch {
	case f.Order == "":
	case a.order == "":
		a.order, a.first = f.Order, party
	case a.order != f.Order:
		return &Disagreement{Kind: DifferentOrder, Party: a.first, Other: party}
	}
	return nil
}

func (a *agreement) digests(party string) error {
	if a.shared == nil {
		a.shared, a.levels = map[string]string{}, map[string]string{}
	}
	f := a.facts[party]
	for _, kind := range []struct {
		name     string
		all, own map[string]string
	}{
		{DifferentShared, a.shared, f.Shared},
		{DifferentLevels, a.levels, f.Levels},
	} {
		for _, name := range slices.Sorted(maps.Keys(kind.own)) {
			key := kind.name + " " + name
			if old, known := kind.all[name]; known && old != kind.own[name] {
				return &Disagreement{Kind: kind.name, What: name, Party: a.from[key], Other: party}
			}
			if _, known := kind.all[name]; !known {
				kind.all[name], a.from[key] = kind.own[name], party
			}
		}
	}
	return nil
}
