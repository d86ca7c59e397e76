package protocol_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// What one client has for another is none of the shares that it made: neither these nor parts of them pass
// through the server, which has all others. What is for the server, or of it, are the shares.
func TestServerCannotReadShares(t *testing.T) {
	type gift struct {
		to  int
		own [][]byte
	}
	var gifts []gift
	via := &recorder{tamper: func(to int, own [][]byte) [][]byte {
		gifts = append(gifts, gift{to, own})
		return own
	}}
	_, steps := journalled(t, newTrial(), via)
	shares := make([][][]byte, 3) // by party, in the order of openings
	for _, s := range steps {
		if s.Name == "shares" {
			shares[s.Party] = append(shares[s.Party], s.Bytes)
		}
	}
	for party, list := range shares { // the first are of the response's proof, which all receive
		shares[party] = list[1:]
	}
	const window = 16
	sealed := 0
	for n, g := range gifts[:len(shares[0])] {
		for from, data := range g.own {
			made := shares[from][n]
			if between := from > 0 && g.to > 0 && from != g.to; !between {
				if !bytes.Equal(data, made) {
					t.Errorf("opening %d: what party %d has for party %d is not its share", n, from, g.to)
				}
				continue
			}
			sealed++
			for i := 0; i+window <= len(made); i++ {
				if bytes.Contains(data, made[i:i+window]) {
					t.Fatalf("opening %d: part of what party %d has for party %d can be read", n, from, g.to)
				}
			}
		}
	}
	if sealed != 2 {
		t.Errorf("%d of 2 shares of one client for another were sealed", sealed)
	}
}

// A share that the server alters, exchanges for that of another receiver or opening, or that another secret
// sealed, ends the run at its receiver.
func TestSealedShareOfAnotherPlace(t *testing.T) {
	var before [][]byte // of the opening to the client before
	for what, c := range map[string]struct {
		slopes int
		tamper func(opening, to int, own [][]byte)
	}{
		"a bit": {1, func(_, to int, own [][]byte) {
			if to == 1 {
				own[2] = slices.Clone(own[2])
				own[2][5] ^= 1
			}
		}},
		"that for its sender": {1, func(_, to int, own [][]byte) {
			if to == 1 {
				before = own
			} else if to == 2 {
				own[1] = before[2]
			}
		}},
		"that of an evaluation before": {2, func(opening, to int, own [][]byte) {
			if to == 1 && opening == 1 {
				before = slices.Clone(own)
			} else if to == 1 {
				own[2] = before[2]
			}
		}},
	} {
		opening := 0
		via := &recorder{}
		via.tamper = func(to int, own [][]byte) [][]byte {
			c.tamper(opening, to, own)
			opening++
			return own
		}
		r := newTrial()
		via.Env = r.clearing(t).Env(0, 1, 2)
		e, err := r.begin(t.Context(), nil, via)
		for i := 0; i < c.slopes && err == nil; i++ {
			if _, err = r.slopes(t.Context(), e); err == nil && i == c.slopes-1 {
				t.Errorf("%s: the share was taken", what)
			}
		}
		if err == nil || !strings.Contains(err.Error(), "was not sealed for its receiver") {
			t.Errorf("%s: %v", what, err)
		}
	}
	r, other := newTrial(), pair
	r.pair = func(own, peer int) ([]byte, error) {
		secret, err := other(own, peer)
		secret[9] = byte(own)
		return secret, err
	}
	e, err := r.begin(t.Context(), nil, &recorder{Env: r.clearing(t).Env(0, 1, 2)})
	if err == nil {
		_, err = r.slopes(t.Context(), e)
	}
	if err == nil || !strings.Contains(err.Error(), "was not sealed for its receiver") {
		t.Errorf("another secret: %v", err)
	}
}
