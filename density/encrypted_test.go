package density

import (
	"math/rand/v2"
	"testing"
)

// What coalitions learn of others' rows, of a server with one column and clients with two and three, by hand.
func TestOpened(t *testing.T) {
	columns := []int{1, 2, 3}
	server, all, clients, second := []bool{true, false, false}, []bool{true, true, false},
		[]bool{false, true, true}, []bool{false, false, true}
	for _, c := range []struct {
		of   Decryption
		want [4]int // by these coalitions
	}{
		{Decryption{}, [4]int{}},
		{Decryption{Sums: OwnGradients}, [4]int{1, 3, 5, 3}},
		{Decryption{Sums: Gradients}, [4]int{5, 3, 0, 0}},
		{Decryption{Sums: Deviations}, [4]int{5, 3, 0, 0}},
		{Decryption{Sums: Declared}, [4]int{}},
		{Decryption{Sums: CrossProducts}, [4]int{21, 21, 0, 0}},
		{Decryption{Sums: Steps}, [4]int{0, 0, 5, 3}},
		{Decryption{Sums: Covariances}, [4]int{0, 0, 15, 6}},
		{Decryption{Sums: Totals, Number: 4}, [4]int{4, 4, 0, 0}},
		{Decryption{Sums: Parts, Number: 4}, [4]int{8, 8, 4, 4}},
		{Decryption{Sums: Told, Number: 4}, [4]int{0, 0, 4, 4}},
		{Decryption{Sums: Announced, Number: 4}, [4]int{8, 12, 12, 8}},
		{Decryption{Sums: Outlined, Number: 2}, [4]int{10, 12, 12, 6}},
	} {
		for i, in := range [][]bool{server, all, clients, second} {
			if got := c.of.Numbers(columns, in); got != c.want[i] {
				t.Errorf("%+v: coalition %d learns %d numbers, want %d", c.of, i, got, c.want[i])
			}
		}
	}
	uses := []Use{
		{Openings: [3]Decryption{{Sums: CrossProducts}, {Sums: Totals, Number: 2},
			{Sums: Parts, Number: 9, Usual: 3}}, Times: 1, MostTimes: 3},
		{Openings: [3]Decryption{{Sums: OwnGradients}}, Times: 5, MostTimes: 50},
	}
	if usual, most := Opened(uses, columns, server); usual != 23+6+5 || most != 3*(23+18)+50 {
		t.Errorf("%d numbers usually and %d at most", usual, most)
	}
	// What the server tells is nothing new to it, but a coalition does not know less for its help.
	told := map[Decryption]int{{Sums: Told, Number: 7}: 2, {Sums: OwnGradients}: 1}
	if alone, joined := Learned(told, columns, []bool{false, true, false}),
		Learned(told, columns, all); alone != 16 || joined != 16 {
		t.Errorf("a client knows %d numbers, and %d with the server, want 16 and 16", alone, joined)
	}
}

// A coalition that contains another knows as many numbers or more, whatever was opened and however often; the
// server is told gradients that parties have decrypted, and draws that follow from such.
func TestLargerCoalitionsKnowMore(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 2000 {
		columns := make([]int, 2+r.IntN(5))
		for b := range columns {
			columns[b] = r.IntN(4)
		}
		opened := map[Decryption]int{}
		for range 1 + r.IntN(6) {
			opened[Decryption{Sums: Sums(1 + r.IntN(int(Declared))), Number: r.IntN(5)}] += r.IntN(4)
		}
		for o, times := range opened {
			if o.Sums == Gradients || o.Sums == Deviations {
				opened[Decryption{Sums: OwnGradients}] += times
			}
		}
		in, more := make([]bool, len(columns)), make([]bool, len(columns))
		in[r.IntN(len(in))] = true
		for b := range in {
			in[b] = in[b] || r.IntN(3) == 0
			more[b] = in[b] || r.IntN(3) == 0
		}
		if few, many := Learned(opened, columns, in), Learned(opened, columns, more); few > many {
			t.Fatalf("of columns %v and openings %v, %v knows %d numbers, and %v knows %d", columns, opened,
				in, few, more, many)
		}
	}
}
