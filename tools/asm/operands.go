package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var registers = map[string]string{"AX": "R0", "CX": "R1", "DX": "R2", "BX": "R3", "SI": "R4", "DI": "R5",
	"BP": "R6", "R8": "R8", "R9": "R9", "R10": "R10", "R11": "R11", "R12": "R12",
	"R13": "R13", "R14": "R14", "R15": "R15"}

var (
	memory   = regexp.MustCompile(`^(-?\d*)\((\w+)\)(?:\((\w+)\*(\d)\))?$`)
	constant = regexp.MustCompile(`^c([0-9a-f]{16})<>\+0\(SB\)$`) // in every lane: see pool
	symbol   = regexp.MustCompile(`^(\w+)<>\+(\d+)\(SB\)$`)
	frame    = regexp.MustCompile(`^\w+\+\d+\(FP\)$`)
	vector   = regexp.MustCompile(`^([XY])(\d+)$`)
)

// pair returns the number of a vector's first register, and how many it has.
func pair(arg string) (first, count int, ok bool) {
	m := vector.FindStringSubmatch(arg)
	if m == nil {
		return 0, 0, false
	}
	n, _ := strconv.Atoi(m[2])
	if n >= scratch/2 {
		panic(untranslated{arg})
	}
	return 2 * n, map[string]int{"X": 1, "Y": 2}[m[1]], true
}

func register(arg string) string {
	r, ok := registers[arg]
	if !ok {
		panic(untranslated{arg})
	}
	return r
}

// address returns an operand in memory with a displacement that an instruction for two vectors takes.
func (t *translation) address(arg string) string {
	if frame.MatchString(arg) {
		return arg
	}
	base, disp := t.place(arg)
	if disp%16 != 0 || disp < -1024 || disp > 1008 {
		t.emit("ADD $%d, %s, R20", disp, base)
		base, disp = "R20", 0
	}
	return fmt.Sprintf("%d(%s)", disp, base)
}

// place returns the register and the displacement of an operand in memory.
func (t *translation) place(arg string) (base string, disp int) {
	if m := symbol.FindStringSubmatch(arg); m != nil {
		t.emit("MOVD $%s<>+%s(SB), R19", m[1], m[2])
		return "R19", 0
	}
	m := memory.FindStringSubmatch(arg)
	if m == nil {
		panic(untranslated{arg})
	}
	disp, _ = strconv.Atoi(m[1])
	if m[2] == "SP" {
		return "RSP", disp + 8 // the return address is below
	}
	base = register(m[2])
	if m[3] != "" {
		shift := map[string]int{"1": 0, "2": 1, "4": 2, "8": 3}[m[4]]
		t.emit("ADD %s<<%d, %s, R19", register(m[3]), shift, base)
		base = "R19"
	}
	return base, disp
}

func isMemory(arg string) bool {
	return frame.MatchString(arg) || symbol.MatchString(arg) || memory.MatchString(arg)
}

// source returns the registers of an operand, which it loads to the given ones where it is in memory.
func (t *translation) source(arg string, to, count int) int {
	if first, _, ok := pair(arg); ok {
		return first
	}
	if !isMemory(arg) {
		panic(untranslated{arg})
	}
	t.load(arg, to, count)
	return to
}

func (t *translation) load(arg string, to, count int) {
	if count == 1 {
		t.emit("FMOVQ %s, F%d", t.address(arg), to)
		return
	}
	if m := constant.FindStringSubmatch(arg); m != nil {
		for h := range 2 {
			t.emit("VMOVQ $0x%s, $0x%s, V%d", m[1], m[1], to+h)
		}
		return
	}
	t.emit("FLDPQ %s, (F%d, F%d)", t.address(arg), to, to+1)
}

func (t *translation) move(to, from, count int) {
	for h := range count {
		if to != from {
			t.word(orr, to+h, from+h, from+h)
		}
	}
}

// immediate returns the number of an operand.
func immediate(arg string) int {
	text, ok := strings.CutPrefix(arg, "$")
	n, err := strconv.ParseInt(text, 0, 64)
	if !ok || err != nil {
		panic(untranslated{arg})
	}
	return int(n)
}
