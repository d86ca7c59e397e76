// Package session evaluates the joint density of a plan for inference algorithms: it is their density.Env.
// What parties do and send in an exchange is written once, as turns (turn.go), which an executor carries out:
// that of NewLocal all turns of all parties in a loop, in one goroutine or with helpers (Chains.Spread); that
// of NewRemote those of one party that meets the others over a transport. Both do the same arithmetic in the
// same order, so an algorithm gets the same bits from either.
//
// One evaluation. Server and clients exchange, client by client, the messages of a script that follows from
// the plan (script.go) and the table of kinds (kinds.go):
//
//	early    ↓ shared parameters that cuts depend on
//	aux      ↑ z of each cut, or the cuts themselves, and scalars to be added up first
//	reply    ↓ the other shared parameters; power: the sums, else their adjoints; totals of the scalars
//	partial  ↑ power: adjoints of the received sums, gradients of shared parameters
//	whole    ↓ power: adjoints of the sums, added over all receivers
//	trailing ↑ gradients of shared parameters that were not sent yet
//
// A draw that is kept takes two: values ↓ the shared parameters, drawn ↑ what generated quantities of the
// server read.
//
// Where it follows from the totals of the scalars that the evaluation is not wanted, it ends with the reply,
// which then has these totals and no numbers of an evaluation.
//
// Where the plan's wire is fixed, what is added up travels as words (coding.go), and with masks as masked
// ones (masks.go).
//
// A sum s = Σ z (z is the cut itself where that crosses) and the adjoints of its receivers are added in party
// order; a receiver that is a member subtracts its own share, in one process as in many. A message that the
// script does not expect ends the run with an error at both ends: every round has each kind of message once,
// so that round and kind say which is due.
package session

import (
	"crypto/sha256"
	"fmt"

	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
	"github.com/vflc/vflc/runtime/vector"
)

// Keys are the sources of the random streams. A party of a deployment holds its own private key and no other.
type Keys struct {
	Shared  vector.Key
	Private map[string]vector.Key // by party name
	// ID is that of the run and its epoch, the same at all parties. Masks are made for it: no two sessions of
	// these parties may have the same.
	ID transport.ChainID
	// Agreed is the digest of all that a client was told before the session, which the others were told too.
	// Clients compare it as what they receive later, and their masks follow from it.
	Agreed [sha256.Size]byte
	// nil where there are fewer than two clients, or where they are not apart and nothing is masked
	Masks *MaskKeys
}

// SimulatedKeys derives the keys of all named parties from a seed, for runs where one process plays every
// party. Two runs with one seed have one ID, and so the same masks: what passes inside a process is hidden
// from nobody.
func SimulatedKeys(seed uint64, names []string) Keys {
	k := Keys{Shared: vector.SharedKey(seed), Private: map[string]vector.Key{}}
	run := sha256.Sum256(append([]byte("vflc simulated run "), k.Shared[:]...))
	copy(k.ID.Run[:], run[:])
	for _, name := range names {
		k.Private[name] = vector.SimulatedKey(seed, name)
	}
	return k
}

// WithMasks returns the keys with those for masks and seals, derived from the private ones of all parties,
// where the plan has two clients or more and there are none.
func (k Keys) WithMasks(plan *model.Plan) (Keys, error) {
	if len(plan.Names) <= 2 || k.Masks != nil {
		return k, nil
	}
	var err error
	k.Masks, err = simulatedMaskKeys(plan.Names, k.Private)
	return k, err
}

// Only returns the keys as one party holds them.
func (k Keys) Only(name string) Keys {
	return Keys{Shared: k.Shared, Private: map[string]vector.Key{name: k.Private[name]}, ID: k.ID,
		Agreed: k.Agreed, Masks: k.Masks.only(name)}
}

// A KeyError is the error where a party of this process has no private key.
type KeyError struct{ Party string }

func (e *KeyError) Error() string { return fmt.Sprintf("session: no private key for %q", e.Party) }
