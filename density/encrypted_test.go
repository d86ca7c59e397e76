package density

import "testing"

// What coalitions learn of a victim, of a server with one column and clients with two and three, by hand.
func TestOpened(t *testing.T) {
	columns := []int{1, 2, 3}
	server, all, clients, second := []bool{true, false, false}, []bool{true, true, false}, []bool{false, true, true}, []bool{false, false, true}
	for _, c := range []struct {
		of   Decryption
		want [4]int // by these coalitions
	}{
		{Decryption{}, [4]int{}},
		{Decryption{Sums: OwnGradients}, [4]int{1, 3, 5, 3}},
		{Decryption{Sums: Gradients}, [4]int{5, 3, 0, 0}},
		{Decryption{Sums: CrossProducts}, [4]int{21, 21, 0, 0}},
		{Decryption{Sums: Covariances}, [4]int{0, 0, 9, 6}},
		{Decryption{Sums: Totals, Number: 4}, [4]int{4, 4, 0, 0}},
		{Decryption{Sums: Parts, Number: 4}, [4]int{8, 4, 4, 4}},
		{Decryption{Sums: Told, Number: 4}, [4]int{0, 0, 4, 4}},
	} {
		for i, in := range [][]bool{server, all, clients, second} {
			if got := c.of.Numbers(columns, in); got != c.want[i] {
				t.Errorf("%+v: coalition %d learns %d numbers, want %d", c.of, i, got, c.want[i])
			}
		}
	}
	uses := []Use{{Openings: [2]Decryption{{Sums: CrossProducts}, {Sums: Totals, Number: 2}}, Times: 1, MostTimes: 3}, {Openings: [2]Decryption{{Sums: OwnGradients}}, Times: 5, MostTimes: 50}}
	if usual, most := Opened(uses, columns, server); usual != 23+5 || most != 3*23+50 {
		t.Errorf("%d numbers usually and %d at most", usual, most)
	}
}
