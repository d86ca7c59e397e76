//go:build rebuild

package processors

import (
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/vflc/vflc/"

// In the code of this module for arm64 only lines that say math.FMA have an instruction that multiplies and
// adds with one rounding.
func TestNothingIsFused(t *testing.T) {
	file, err := elf.Open(command(t, "arm64"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text := file.Section(".text")
	code, err := text.Data()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := file.Section(".gopclntab").Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(lines, text.Addr))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	found, meant := map[string][]int{}, 0
	for i := 0; i+4 <= len(code); i += 4 {
		if !multipliesAndAdds(binary.LittleEndian.Uint32(code[i:])) {
			continue
		}
		name, line, _ := table.PCToLine(text.Addr + uint64(i))
		name, ok := strings.CutPrefix(name, root+"/")
		if !ok {
			name, ok = strings.CutPrefix(name, module) // as -trimpath has it
		}
		if ok && strings.HasSuffix(name, ".go") {
			found[name] = append(found[name], line)
			meant++
		}
	}
	if meant == 0 {
		t.Error("no instruction is found, not even of math.FMA")
	}
	for name, at := range found {
		source, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Split(string(source), "\n")
		slices.Sort(at)
		for _, line := range slices.Compact(at) {
			if text := all[line-1]; !strings.Contains(text, "math.FMA(") {
				t.Errorf("%s:%d adds a product without rounding it: %s", name, line, strings.TrimSpace(text))
			}
		}
	}
}

// multipliesAndAdds recognises FMADD, FMSUB, FNMADD and FNMSUB (Arm Architecture Reference Manual,
// floating-point data-processing with 3 sources).
func multipliesAndAdds(instruction uint32) bool { return instruction>>24 == 0x1f }
