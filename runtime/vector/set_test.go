package vector

import (
	"os"
	"testing"
)

func TestChoiceOfSet(t *testing.T) {
	x86 := []InstructionSet{Portable, AVX2, AVX512}
	for _, c := range []struct {
		name string
		has  []InstructionSet
		want InstructionSet
		ok   bool
	}{
		{"", x86, AVX512, true},
		{"", x86[:1], Portable, true},
		{"go", x86, Portable, true},
		{"avx2", x86, AVX2, true},
		{"avx512", x86, AVX512, true},
		{"avx512", x86[:2], AVX2, false},
		{"avx2", x86[:1], Portable, false},
		{"sse", x86[:2], AVX2, false},
	} {
		got, err := chosen(c.name, c.has)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("chosen(%q, %v) = %v, %v", c.name, c.has, got, err)
		}
	}
}

func TestSetsEndWithTheBest(t *testing.T) {
	all := Sets()
	if all[0] != Portable {
		t.Errorf("sets %v", all)
	}
	if os.Getenv(Variable) == "" && Tier() != all[len(all)-1] {
		t.Errorf("%v is in use, the processor has %v", Tier(), all)
	}
}
