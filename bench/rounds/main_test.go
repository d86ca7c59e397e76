package main

import (
	"testing"
	"time"
)

// A round takes one round trip of the network, and no less.
func TestARoundIsOneRoundTrip(t *testing.T) {
	const delay = 20 * time.Millisecond
	h, err := newHall(t.TempDir(), 500, 2, delay)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	ours, _, err := h.both(20, "")
	if err != nil {
		t.Fatal(err)
	}
	if ours[0] < 2*delay || middle(ours) > 4*delay {
		t.Errorf("rounds take %v at least and %v in the middle, where a round trip takes %v", ours[0],
			middle(ours), 2*delay)
	}
}
