package vector

import "testing"

// TestAtOnce checks for how many members a pass is made, by how many share a core.
func TestAtOnce(t *testing.T) {
	for _, test := range []struct{ members, cores, want int }{{4, 1, 4}, {4, 2, 2}, {3, 2, 2}, {5, 4, 1},
		{6, 4, 2}, {9, 8, 1}, {8, 3, 3}, {1, 1, 1}, {1, 3, 0}} {
		if got := (&Convoy{members: test.members, cores: test.cores}).atOnce(); got != test.want {
			t.Errorf("%d members on %d cores: %d, not %d", test.members, test.cores, got, test.want)
		}
	}
}

// TestPassesFillCores walks through the passes of four members on two cores.
func TestPassesFillCores(t *testing.T) {
	c := NewConvoy(4, 2)
	for k := range 4 {
		c.Begin(k)
	}
	data := 0
	come := func(k int) {
		if !c.wait(c.Group(k), pass{data: &data}) {
			t.Fatalf("member %d does not wait", k)
		}
	}
	state := func(when string, busy, waiting int) {
		t.Helper()
		if c.busy != busy || len(c.waiting) != waiting {
			t.Errorf("%s: %d compute and %d wait, not %d and %d", when, c.busy, len(c.waiting), busy, waiting)
		}
	}
	come(0)
	come(1)
	state("two others compute", 2, 2)
	come(2)
	state("a core would be idle", 2, 1)
	if len(c.all[0].makes) != 2 || c.all[0].makes[1] != c.all[1] || len(c.all[0].wake) != 1 ||
		len(c.all[1].wake) != 0 {
		t.Error("the first does not pass for both that waited first")
	}
	come(3)
	state("all are in passes", 2, 0)
	if len(c.all[3].makes) != 2 || len(c.all[3].wake) != 1 || len(c.all[2].wake) != 0 {
		t.Error("the last, which computes already, does not pass for both that wait")
	}
	<-c.all[0].wake
	<-c.all[3].wake
	c.arrive(c.all[0])
	<-c.all[1].wake
	state("the first two go on", 3, 0)
	c.End(0)
	come(1)
	state("one ended, and one waits for the other core", 1+1, 0)
	if len(c.all[1].makes) != 1 {
		t.Error("a core is idle")
	}
	<-c.all[1].wake
	c.arrive(c.all[3])
	<-c.all[2].wake
	c.Pause(2)
	state("one pauses", 2, 0)
	come(3)
	state("a core would be idle again", 2, 0)
}
