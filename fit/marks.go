package fit

import (
	"sync"
	"time"
)

// Marks are the transitions after which all parties of a run save a chain. One process decides and tells the
// others, since a clock differs between them.
type Marks struct {
	// Every is the time between two of them, at the process that decides.
	Every time.Duration
	// Announce tells the other parties; nil where another process decides. What it sends must arrive before
	// what this process sends later.
	Announce func(chain, at int)

	mutex  sync.Mutex
	due    map[int]int       // by chain; 0: all chains, which warm up together
	last   map[int]time.Time // the last one, or the start
	wanted map[int]bool      // chains to be saved as soon as possible
	done   chan struct{}     // closed when all of these have been
}

// lead is how many transitions after a decision the chain is saved: messages of the transition between tell
// every party of it.
const lead = 2

// Set takes the decision of another process.
func (k *Marks) Set(chain, at int) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.start(chain)
	k.due[chain] = at
}

func (k *Marks) start(chain int) {
	if k.due == nil {
		k.due, k.last = map[int]int{}, map[int]time.Time{}
	}
	if k.last[chain].IsZero() {
		k.last[chain] = time.Now()
	}
}

// Due reports whether a chain is to be saved after the transition that it has made.
func (k *Marks) Due(chain, at int) bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.start(chain)
	if k.Announce != nil && k.due[chain] <= at && k.due[chain] != at &&
		(k.wanted[chain] || time.Since(k.last[chain]) >= k.Every) {
		k.due[chain] = at + lead
		k.Announce(chain, at+lead)
	}
	return k.due[chain] == at
}

// Saved notes that the chain has been saved.
func (k *Marks) Saved(chain int) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.start(chain)
	k.last[chain] = time.Now()
	k.got(chain)
}

// Ended notes that a chain needs no further mark.
func (k *Marks) Ended(chain int) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.start(chain)
	delete(k.last, chain)
	k.got(chain)
}

func (k *Marks) got(chain int) {
	if k.wanted[chain] {
		if delete(k.wanted, chain); len(k.wanted) == 0 {
			close(k.done)
		}
	}
}

// SaveNow asks for a mark of every chain that is under way. The channel is closed when all have been saved
// here.
func (k *Marks) SaveNow() <-chan struct{} {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.done != nil {
		return k.done
	}
	k.done, k.wanted = make(chan struct{}), map[int]bool{}
	for chain := range k.last {
		k.wanted[chain] = true
	}
	if len(k.wanted) == 0 {
		close(k.done)
	}
	return k.done
}
