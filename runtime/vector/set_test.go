package vector

import "testing"

func TestChoiceOfSet(t *testing.T) {
	for _, c := range []struct {
		name string
		most Set
		want Set
		ok   bool
	}{
		{"", AVX512, AVX512, true},
		{"", Portable, Portable, true},
		{"go", AVX512, Portable, true},
		{"avx2", AVX512, AVX2, true},
		{"avx512", AVX512, AVX512, true},
		{"avx512", AVX2, AVX2, false},
		{"avx2", Portable, Portable, false},
		{"sse", AVX2, AVX2, false},
	} {
		got, err := chosen(c.name, c.most)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("chosen(%q, %v) = %v, %v", c.name, c.most, got, err)
		}
	}
}

func TestSetsEndWithTheBest(t *testing.T) {
	all := Sets()
	if all[0] != Portable || all[len(all)-1] != best() {
		t.Errorf("sets %v, best %v", all, best())
	}
	if Tier() > best() {
		t.Errorf("%v is in use, the processor has %v", Tier(), best())
	}
}
