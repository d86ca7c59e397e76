package main

import (
	"encoding/binary"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The module of functions for WebAssembly is translated from assembly for AVX2, as that for arm64 is: a
// register of four doubles is a pair of variables of two, and each instruction becomes the same operation on
// both. A product that is added is f64x2.relaxed_madd, which rounds once where the processor can: whoever
// loads the module tries whether it does, by the function fused, and takes portable Go where it does not.
// Opcodes are those of the WebAssembly Core Specification 3.0, chapter 5. A function with an instruction that
// has no translation is left to portable Go.

// Opcodes.
const (
	opBlock, opLoop, opIf, opEnd        = 0x02, 0x03, 0x04, 0x0b
	opBr, opBrIf, opReturn, opSelect    = 0x0c, 0x0d, 0x0f, 0x1b
	opGet, opSet                        = 0x20, 0x21
	opLoad, opLoad32S, opStore          = 0x29, 0x34, 0x37 // of 64 bits
	opStoreDouble                       = 0x39
	opWord, opLong                      = 0x41, 0x42 // constants
	opEqual, opUnequal, opLess          = 0x51, 0x52, 0x53
	opGreater, opAtMost, opAtLeast      = 0x55, 0x57, 0x59
	opAdd, opSub, opMul, opShl, opShrU  = 0x7c, 0x7d, 0x7e, 0x86, 0x88
	opWrap, opExtendS, opExtendU        = 0xa7, 0xac, 0xad
	opBits                              = 0xbd // of a double, as an integer
	nothing, typeWord, typeLong         = 0x40, 0x7f, 0x7e
	typeDouble, typeVector, typeOfCalls = 0x7c, 0x7b, 0x60
)

// Opcodes behind the prefix of vectors.
const (
	vLoad, vStore, vConst, vShuffle      = 0x00, 0x0b, 0x0c, 0x0d
	vLoadSplat, vLoadLow, vLoadWord      = 0x0a, 0x5d, 0x5c
	vLoadLane, vStoreLane                = 0x57, 0x5b
	vSplat, vSplatLong, vLane, vLaneLong = 0x14, 0x12, 0x21, 0x1d
	vEq, vNe, vLt, vGt, vLe, vGe         = 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c
	vGtLong                              = 0xd9
	vNot, vAnd, vOr, vXor, vSelect       = 0x4d, 0x4e, 0x50, 0x51, 0x52
	vWiden8, vWiden16                    = 0x87, 0xa7
	vWidenLow, vWidenHigh, vConvert      = 0xc7, 0xc8, 0xfe
	vShrWord, vAddWord, vSubWord         = 0xac, 0xae, 0xb1
	vShlLong, vSarLong, vShrLong         = 0xcb, 0xcc, 0xcd
	vAddLong, vSubLong                   = 0xce, 0xd1
	vNeg, vSqrt, vAdd, vSub, vMul, vDiv  = 0xed, 0xef, 0xf0, 0xf1, 0xf2, 0xf3
	vLeast, vMost                        = 0xf6, 0xf7 // the first where the comparison is false
	vFMA, vFNMA                          = 0x107, 0x108
)

// A coded is a sequence of bytes of the binary format.
type coded []byte

func (c *coded) op(codes ...byte) { *c = append(*c, codes...) }

func (c *coded) number(n int) { *c = binary.AppendUvarint(*c, uint64(n)) }

// signed appends a constant.
func (c *coded) signed(n int64) {
	for {
		low := byte(n & 0x7f)
		if n >>= 7; n == 0 && low&0x40 == 0 || n == -1 && low&0x40 != 0 {
			c.op(low)
			return
		}
		c.op(low | 0x80)
	}
}

func (c *coded) vector(op int) {
	c.op(0xfd)
	c.number(op)
}

// list appends elements with their number before them.
func (c *coded) list(elements []coded) {
	c.number(len(elements))
	for _, e := range elements {
		c.op(e...)
	}
}

// sized appends bytes with their number before them.
func (c *coded) sized(b coded) {
	c.number(len(b))
	c.op(b...)
}

func (c *coded) section(id byte, content coded) {
	c.op(id)
	c.sized(content)
}

// A wasmModule collects functions.
type wasmModule struct {
	names            []string
	types, functions []coded
	data             map[string][]uint64 // the words of a symbol, of the current family
}

var (
	datum   = regexp.MustCompile(`^DATA (\w+)<>\+(\d+)\(SB\)/8, \$(0x[0-9a-f]+)`)
	onStack = regexp.MustCompile(`^(\d*)\(SP\)$`)
	framed  = regexp.MustCompile(`^(\w+)\+\d+\(FP\)$`)
)

// add translates the functions of a family that can be, and reports which these are.
func (m *wasmModule) add(fam family, text []byte) map[string]bool {
	m.data = map[string][]uint64{}
	lines := strings.Split(string(text), "\n")
	for _, line := range lines {
		if d := datum.FindStringSubmatch(line); d != nil {
			word, _ := strconv.ParseUint(d[3], 0, 64)
			m.data[d[1]] = append(m.data[d[1]], word)
		}
	}
	has := map[string]bool{}
	for i := range fam.functions {
		k := &fam.functions[i]
		start := slices.IndexFunc(lines, func(line string) bool {
			t := textLine.FindStringSubmatch(line)
			return t != nil && t[1] == k.name
		})
		end := start + 1
		for end < len(lines) && !strings.HasPrefix(lines[end], "// func") && !strings.HasPrefix(lines[end],
			"DATA ") {
			end++
		}
		if body, ok := m.translate(k, lines[start+1:end]); ok {
			m.names, m.types = append(m.names, k.name), append(m.types, k.wasmType())
			m.functions = append(m.functions, body)
			has[k.name] = true
		}
	}
	return has
}

// wasmType is the type of a function: pointers and integers have 32 bits.
func (k *function) wasmType() coded {
	c := coded{typeOfCalls}
	c.number(len(k.list()))
	for _, p := range k.list() {
		c.op(wasmParam(p))
	}
	switch k.result {
	case "":
		c.op(0)
	case "float64":
		c.op(1, typeDouble)
	default:
		c.op(1, typeWord)
	}
	return c
}

func wasmParam(p param) byte {
	if p.typ == "float64" && p.length == "" {
		return typeDouble
	}
	return typeWord
}

// fused is the name of a function that adds a product to a number, as all others of the module do.
const fused = "fused"

// binary is the module: it imports the memory go.mem, and exports its functions and fused, which adds a
// product.
func (m *wasmModule) binary() []byte {
	added := coded{0}
	for v := range 3 {
		added.op(opGet, byte(v))
		added.vector(vSplat)
	}
	added.vector(vFMA)
	added.vector(vLane)
	added.op(0, opEnd)
	names := append(slices.Clone(m.names), fused)
	types := append(slices.Clone(m.types), coded{typeOfCalls, 3, typeDouble, typeDouble, typeDouble, 1,
		typeDouble})
	functions := append(slices.Clone(m.functions), added)
	var kinds, exports, codes []coded
	for i, name := range names {
		var kind, export, code coded
		kind.number(i)
		export.sized(coded(name))
		export.op(0)
		export.number(i)
		code.sized(functions[i])
		kinds, exports, codes = append(kinds, kind), append(exports, export), append(codes, code)
	}
	out := coded("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id       byte
		elements []coded
	}{{1, types}, {2, []coded{coded("\x02go\x03mem\x02\x00\x01")}}, {3, kinds}, {7, exports}, {10, codes}} {
		var content coded
		content.list(s.elements)
		out.section(s.id, content)
	}
	return out
}

// A wasmFunction is one that is translated.
type wasmFunction struct {
	coded
	*wasmModule
	params map[string]int // variables of parameters
	kinds  []byte         // of all variables, those of parameters first
	slots  map[int]int    // variables in place of the frame, by its bytes
	open   []*scope
	scopes []*scope
	at     int // the line
	result bool
	of     *function
}

// Variables behind those of the parameters: 15 registers, the operands of the last comparison, what is in
// between, the result, and 32 halves of vectors with two in between.
const (
	leftOperand  = 15
	rightOperand = 16
	inBetween    = 17
	resultOf     = 18
	vectors      = 19
	between      = vectors + 32
	locals       = between + 4
)

var numbers = map[string]int{"AX": 0, "CX": 1, "DX": 2, "BX": 3, "SI": 4, "DI": 5, "BP": 6, "R8": 7, "R9": 8,
	"R10": 9, "R11": 10, "R12": 11, "R13": 12, "R14": 13, "R15": 14}

func (m *wasmModule) translate(k *function, lines []string) (body coded, ok bool) {
	f := &wasmFunction{wasmModule: m, params: map[string]int{}, slots: map[int]int{}, result: k.result != "",
		of: k}
	for i, p := range k.list() {
		f.params[p.name], f.kinds = i, append(f.kinds, wasmParam(p))
	}
	for v := range locals {
		switch {
		case v >= vectors:
			f.kinds = append(f.kinds, typeVector)
		case v == resultOf && k.result == "float64":
			f.kinds = append(f.kinds, typeDouble)
		default:
			f.kinds = append(f.kinds, typeLong)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			if _, known := p.(untranslated); !known {
				panic(p)
			}
			ok = false
		}
	}()
	parsed := instructions(lines)
	f.scopes = nested(parsed)
	for i, in := range parsed {
		f.at = i
		f.enter()
		f.instruction(in)
	}
	f.at = len(parsed)
	f.enter()
	var all []coded
	for _, kind := range f.kinds[len(k.list()):] {
		all = append(all, coded{1, kind})
	}
	body.list(all)
	body.op(f.coded...)
	if f.result {
		f.coded = nil
		f.leave()
		body.op(f.coded...)
	}
	body.op(opEnd)
	return body, true
}

// An instruction is a line of assembly: op is "" for a label.
type asmLine struct {
	line, op string
	args     []string
}

func instructions(lines []string) (out []asmLine) {
	for _, line := range lines {
		line = strings.TrimRight(line, " ")
		label, isLabel := strings.CutSuffix(line, ":")
		op, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case isLabel:
			out = append(out, asmLine{line: label})
		default:
			var args []string
			if rest = strings.TrimSpace(rest); rest != "" {
				args = strings.Split(rest, ", ")
			}
			out = append(out, asmLine{line, op, args})
		}
	}
	return out
}

// A scope is a block, which is left to its end, or a loop, which is gone back to the beginning of.
type scope struct {
	label    string
	loop     bool
	from, to int // lines
}

// nested returns a block for each label that is jumped forward to, and a loop for each that is jumped back
// to, which lie in one another or apart. A jump into a loop has none.
func nested(lines []asmLine) (all []*scope) {
	place := map[string]int{}
	for i, in := range lines {
		if in.op == "" {
			place[in.line] = i
		}
	}
	find := func(label string, loop bool, at int) *scope {
		for _, s := range all {
			if s.label == label && s.loop == loop {
				return s
			}
		}
		all = append(all, &scope{label, loop, at, at})
		return all[len(all)-1]
	}
	for i, in := range lines {
		if _, jump := jumps[in.op]; jump {
			to := place[in.args[0]]
			if s := find(in.args[0], to <= i, min(to, i)); to > i {
				s.to = to
			} else {
				s.to = i + 1
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, a := range all {
			for _, b := range all {
				if !(a.from < b.from && b.from < a.to && a.to < b.to) {
					continue
				}
				switch {
				case !b.loop:
					b.from = a.from
				case a.loop:
					a.to = b.to
				default:
					panic(untranslated{"a jump into a loop, to " + a.label})
				}
				changed = true
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *scope) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	return all
}

// enter ends the scopes that end at this line, and begins those that begin.
func (f *wasmFunction) enter() {
	for n := len(f.open); n > 0 && f.open[n-1].to == f.at; n = len(f.open) {
		f.op(opEnd)
		f.open = f.open[:n-1]
	}
	for _, s := range f.scopes {
		if s.from == f.at && s.to > f.at {
			f.op(map[bool]byte{false: opBlock, true: opLoop}[s.loop], nothing)
			f.open = append(f.open, s)
		}
	}
}

// jump appends the opcode of a branch and how many scopes it leaves.
func (f *wasmFunction) jump(op byte, label string) {
	for n := len(f.open) - 1; n >= 0; n-- {
		if s := f.open[n]; s.label == label && (s.loop || s.to > f.at) {
			f.op(op)
			f.number(len(f.open) - 1 - n)
			return
		}
	}
	panic("asm: no scope for " + label)
}

// variable is the index of one behind the parameters.
func (f *wasmFunction) variable(v int) int { return len(f.params) + v }

func (f *wasmFunction) get(v int) {
	f.op(opGet)
	f.number(f.variable(v))
}

func (f *wasmFunction) set(v int) {
	f.op(opSet)
	f.number(f.variable(v))
}

// leave returns from the function.
func (f *wasmFunction) leave() {
	if f.result {
		f.get(resultOf)
		if f.of.result != "float64" {
			f.op(opWrap)
		}
	}
	f.op(opReturn)
}

// general is the variable of a general register.
func general(arg string) int {
	r, ok := numbers[arg]
	if !ok {
		panic(untranslated{arg})
	}
	return r
}

// value pushes a register, a constant, a parameter or a word of memory.
func (f *wasmFunction) value(arg string) {
	if strings.HasPrefix(arg, "$") {
		n, err := strconv.ParseInt(arg[1:], 0, 64)
		if u, wrong := strconv.ParseUint(arg[1:], 0, 64); err != nil {
			if n = int64(u); wrong != nil {
				panic(untranslated{arg})
			}
		}
		f.op(opLong)
		f.signed(n)
		return
	}
	if p := framed.FindStringSubmatch(arg); p != nil {
		at := f.param(p[1])
		f.op(opGet)
		f.number(at)
		switch {
		case f.kinds[at] == typeDouble:
			f.op(opBits)
		case f.of.list()[at].typ == "int":
			f.op(opExtendS)
		default:
			f.op(opExtendU)
		}
		return
	}
	if v, ok := f.slot(arg, 0, typeLong); ok {
		f.get(v)
		return
	}
	if isMemory(arg) {
		f.address(arg, 0, opLoad)
		return
	}
	f.get(general(arg))
}

func (f *wasmFunction) param(name string) int {
	at, ok := f.params[name]
	if !ok {
		panic(untranslated{name})
	}
	return at
}

// slot is a variable in place of a word of the frame, or of half a vector there, a number of bytes behind an
// address.
func (f *wasmFunction) slot(arg string, plus int, kind byte) (int, bool) {
	s := onStack.FindStringSubmatch(arg)
	if s == nil {
		return 0, false
	}
	at, _ := strconv.Atoi(s[1])
	if _, ok := f.slots[at+plus]; !ok {
		f.slots[at+plus], f.kinds = len(f.kinds)-len(f.params), append(f.kinds, kind)
	}
	v := f.slots[at+plus]
	if f.kinds[f.variable(v)] != kind {
		panic(untranslated{arg})
	}
	return v, true
}

// sum pushes base and index of an operand in memory, as they are in the registers, and returns its
// displacement.
func (f *wasmFunction) sum(arg string) (disp int) {
	m := memory.FindStringSubmatch(arg)
	if m == nil || m[2] == "SP" {
		panic(untranslated{arg})
	}
	disp, _ = strconv.Atoi(m[1])
	f.get(general(m[2]))
	if m[3] != "" {
		f.get(general(m[3]))
		f.op(opLong)
		f.signed(map[string]int64{"1": 0, "2": 1, "4": 2, "8": 3}[m[4]])
		f.op(opShl, opAdd)
	}
	return disp
}

// place pushes the address of an operand and returns its displacement, with a number of bytes added.
func (f *wasmFunction) place(arg string, plus int) (disp int) {
	disp = f.sum(arg) + plus
	if disp < 0 {
		f.op(opLong)
		f.signed(int64(disp))
		f.op(opAdd)
		disp = 0
	}
	f.op(opWrap)
	return disp
}

// address reads a word of memory with an opcode.
func (f *wasmFunction) address(arg string, plus int, op byte) {
	disp := f.place(arg, plus)
	f.op(op, 0)
	f.number(disp)
}

// memoryVector appends an instruction on vectors in memory; the address is pushed.
func (f *wasmFunction) memoryVector(op, disp int) {
	f.vector(op)
	f.op(0)
	f.number(disp)
}

// push pushes half h of an operand of count halves.
func (f *wasmFunction) push(arg string, h int) {
	if first, _, ok := pair(arg); ok {
		f.get(vectors + first + h)
		return
	}
	if s := symbol.FindStringSubmatch(arg); s != nil {
		offset, _ := strconv.Atoi(s[2])
		words := f.data[s[1]]
		if at := offset/8 + 2*h; at+2 <= len(words) {
			f.constantVector(words[at], words[at+1])
			return
		}
	}
	if v, ok := f.slot(arg, 16*h, typeVector); ok {
		f.get(v)
		return
	}
	f.memoryVector(vLoad, f.place(arg, 16*h))
}

func (f *wasmFunction) constantVector(low, high uint64) {
	f.vector(vConst)
	f.op(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high)...)
}

// destination is the first half of a vector register and how many it has.
func destination(arg string) (int, int) {
	d, count, ok := pair(arg)
	if !ok {
		panic(untranslated{arg})
	}
	return vectors + d, count
}

// binaryVectors are operations on two vectors: d = b op a for op a, b, d.
var binaryVectors = map[string]int{"VADDPD": vAdd, "VSUBPD": vSub, "VMULPD": vMul, "VDIVPD": vDiv,
	"VANDPD": vAnd,
	"VORPD":  vOr, "VXORPD": vXor, "VPXOR": vXor, "VPADDQ": vAddLong, "VPSUBQ": vSubLong, "VPADDD": vAddWord,
	"VPSUBD": vSubWord, "VPCMPGTQ": vGtLong}

var comparisons = map[string]byte{"JLE": opAtMost, "JLT": opLess, "JGE": opAtLeast, "JGT": opGreater,
	"JG":  opGreater,
	"JEQ": opEqual, "JNE": opUnequal}

var vectorShifts = map[string]int{"VPSLLQ": vShlLong, "VPSRLQ": vShrLong, "VPSRAD": vShrWord}

var predicates = map[int]int{equal: vEq, unequal: vNe, less: vLt, lessEqual: vLe, greaterEqual: vGe,
	greater: vGt}

func (f *wasmFunction) instruction(in asmLine) {
	args := in.args
	if in.op == "" {
		return
	}
	if code, ok := comparisons[in.op]; ok {
		f.get(leftOperand)
		f.get(rightOperand)
		f.op(code)
		f.jump(opBrIf, args[0])
		return
	}
	if code, ok := binaryVectors[in.op]; ok {
		f.each(args[2], func(h int) {
			f.push(args[1], h)
			f.push(args[0], h)
			f.vector(code)
		})
		return
	}
	if code, ok := vectorShifts[in.op]; ok {
		f.each(args[2], func(h int) {
			f.push(args[1], h)
			f.op(opWord)
			f.signed(int64(immediate(args[0])))
			f.vector(code)
		})
		return
	}
	if !f.integer(in) && !f.product(in) && !f.moved(in) {
		f.rest(in)
	}
}

// each sets the halves of a vector register to what half pushes. Halves are set when all are computed, as
// operands may be the register itself.
func (f *wasmFunction) each(arg string, half func(h int)) {
	d, count := destination(arg)
	for h := range count {
		half(h)
	}
	for h := count - 1; h >= 0; h-- {
		f.set(d + h)
	}
}

// integer translates instructions on general registers, and jumps.
func (f *wasmFunction) integer(in asmLine) bool {
	args := in.args
	binary := map[string]byte{"ADDQ": opAdd, "SUBQ": opSub, "SHLQ": opShl, "SHRQ": opShrU, "IMULQ": opMul}
	switch in.op {
	case "JMP":
		f.jump(opBr, args[0])
	case "RET":
		f.leave()
	case "VZEROUPPER", "PREFETCHT0":
	case "MOVQ":
		f.move(args)
	case "MOVLQSX":
		f.address(args[0], 0, opLoad32S)
		f.set(general(args[1]))
	case "LEAQ":
		disp := f.sum(args[0])
		f.op(opLong)
		f.signed(int64(disp))
		f.op(opAdd)
		f.set(general(args[1]))
	case "ADDQ", "SUBQ", "SHLQ", "SHRQ", "IMULQ":
		d := general(args[1])
		f.get(d)
		f.value(args[0])
		f.op(binary[in.op])
		f.set(d)
		f.compare(func() { f.get(d) }, func() { f.op(opLong, 0) })
	case "DECQ":
		d := general(args[0])
		f.get(d)
		f.op(opLong, 1, opSub)
		f.set(d)
		f.compare(func() { f.get(d) }, func() { f.op(opLong, 0) })
	case "NEGQ":
		f.op(opLong, 0)
		f.value(args[0])
		f.op(opSub)
		f.set(general(args[0]))
	case "XORQ":
		if args[0] != args[1] {
			panic(untranslated{in.line})
		}
		f.op(opLong, 0)
		f.set(general(args[0]))
	case "IMUL3Q":
		f.value(args[1])
		f.value(args[0])
		f.op(opMul)
		f.set(general(args[2]))
	case "CMPQ":
		f.compare(func() { f.value(args[0]) }, func() { f.value(args[1]) })
	case "TESTQ":
		if args[0] != args[1] {
			panic(untranslated{in.line})
		}
		f.compare(func() { f.value(args[0]) }, func() { f.op(opLong, 0) })
	case "CMOVQGT":
		f.value(args[0])
		f.value(args[1])
		f.get(leftOperand)
		f.get(rightOperand)
		f.op(opGreater, opSelect)
		f.set(general(args[1]))
	default:
		return false
	}
	return true
}

// compare keeps the operands of a comparison for the jump that follows.
func (f *wasmFunction) compare(left, right func()) {
	left()
	f.set(leftOperand)
	right()
	f.set(rightOperand)
}

// move translates MOVQ.
func (f *wasmFunction) move(args []string) {
	if v, ok := f.slot(args[1], 0, typeLong); ok {
		f.value(args[0])
		f.set(v)
		return
	}
	if p := framed.FindStringSubmatch(args[1]); p != nil {
		f.value(args[0])
		f.set(resultOf)
		return
	}
	if isMemory(args[1]) {
		disp := f.place(args[1], 0)
		f.value(args[0])
		f.op(opStore, 0)
		f.number(disp)
		return
	}
	f.value(args[0])
	f.set(general(args[1]))
}

// product translates products that are added.
func (f *wasmFunction) product(in asmLine) bool {
	args := in.args
	switch in.op {
	case "VFMADD231PD", "VFNMADD231PD", "VFMSUB231PD": // d ± a·b, or a·b - d
		code := vFMA
		if in.op == "VFNMADD231PD" {
			code = vFNMA
		}
		f.each(args[2], func(h int) {
			f.push(args[1], h)
			f.push(args[0], h)
			f.push(args[2], h)
			if in.op == "VFMSUB231PD" {
				f.vector(vNeg)
			}
			f.vector(code)
		})
	case "VFMADD213PD": // a·d + c
		f.each(args[2], func(h int) {
			f.push(args[1], h)
			f.push(args[2], h)
			f.push(args[0], h)
			f.vector(vFMA)
		})
	default:
		return false
	}
	return true
}

// moved translates what moves vectors or their lanes.
func (f *wasmFunction) moved(in asmLine) bool {
	args := in.args
	switch in.op {
	case "VMOVUPD", "VMOVAPD":
		if _, _, ok := pair(args[1]); ok {
			f.each(args[1], func(h int) { f.push(args[0], h) })
			return true
		}
		_, count := destination(args[0])
		for h := range count {
			if v, ok := f.slot(args[1], 16*h, typeVector); ok {
				f.push(args[0], h)
				f.set(v)
				continue
			}
			disp := f.place(args[1], 16*h)
			f.push(args[0], h)
			f.memoryVector(vStore, disp)
		}
	case "VMOVSD":
		f.single(args)
	case "VMOVQ": // of a register, to be broadcast
		f.each(args[1], func(int) {
			f.value(args[0])
			f.vector(vSplatLong)
		})
	case "VPBROADCASTQ":
		f.each(args[1], func(int) { f.push(args[0], 0) })
	case "VBROADCASTSD":
		f.each(args[1], func(int) { f.broadcast(args[0]) })
	case "VMASKMOVPD":
		f.some(args)
	case "VEXTRACTF128":
		f.each(args[2], func(int) { f.push(args[1], immediate(args[0])) })
	case "VUNPCKHPD", "VUNPCKLPD": // the high or low doubles of both, by halves
		from := map[string]byte{"VUNPCKHPD": 8, "VUNPCKLPD": 0}[in.op]
		f.each(args[2], func(h int) {
			f.push(args[1], h)
			f.push(args[0], h)
			f.shuffle(from, 16+from)
		})
	case "VPERM2F128": // the low halves of both, or the high ones
		half, ok := map[int]int{0x20: 0, 0x31: 1}[immediate(args[0])]
		if !ok {
			panic(untranslated{in.line})
		}
		f.each(args[3], func(h int) { f.push(args[2-h], half) })
	default:
		return false
	}
	return true
}

// shuffle takes two doubles of two vectors, by the bytes at which they begin.
func (f *wasmFunction) shuffle(low, high byte) {
	f.vector(vShuffle)
	for _, from := range []byte{low, high} {
		for b := range byte(8) {
			f.op(from + b)
		}
	}
}

// broadcast pushes a double in both lanes.
func (f *wasmFunction) broadcast(arg string) {
	if p := framed.FindStringSubmatch(arg); p != nil {
		at := f.param(p[1])
		f.op(opGet)
		f.number(at)
		if f.kinds[at] != typeDouble {
			panic(untranslated{arg})
		}
		f.vector(vSplat)
		return
	}
	if _, _, ok := pair(arg); ok {
		f.push(arg, 0)
		f.vector(vLane)
		f.op(0)
		f.vector(vSplat)
		return
	}
	f.memoryVector(vLoadSplat, f.place(arg, 0))
}

// single moves one double.
func (f *wasmFunction) single(args []string) {
	if _, _, ok := pair(args[1]); ok {
		if framed.MatchString(args[0]) {
			f.each(args[1], func(int) { f.broadcast(args[0]) })
			return
		}
		f.each(args[1], func(int) { f.low(args[0]) })
		return
	}
	lane := func() {
		f.push(args[0], 0)
		f.vector(vLane)
		f.op(0)
	}
	if framed.MatchString(args[1]) {
		lane()
		f.set(resultOf)
		return
	}
	disp := f.place(args[1], 0)
	lane()
	f.op(opStoreDouble, 0)
	f.number(disp)
}

// low pushes a double of memory, or one of a vector in the frame, in the low lane.
func (f *wasmFunction) low(arg string) {
	s := onStack.FindStringSubmatch(arg)
	if s == nil {
		f.memoryVector(vLoadLow, f.place(arg, 0))
		return
	}
	at, _ := strconv.Atoi(s[1])
	v, _ := f.slot(arg, -(at % 16), typeVector)
	f.get(v)
	f.vector(vLane)
	f.op(byte(at % 16 / 8))
	f.vector(vSplat)
}

// some loads or stores the lanes of a mask: as many as there are from the first on.
func (f *wasmFunction) some(args []string) {
	place, op, data := args[0], vLoadLane, between
	loading := isMemory(args[0])
	if loading {
		for h := range 2 {
			f.constantVector(0, 0)
			f.set(between + h)
		}
	} else {
		place, op = args[2], vStoreLane
		data, _ = destination(args[0])
	}
	f.op(opBlock, nothing)
	for l := range 4 {
		f.push(args[1], l/2)
		f.vector(vLaneLong)
		f.op(byte(l%2), 0x50, opBrIf, 0) // of a lane that is 0
		disp := f.place(place, 8*l)
		f.get(data + l/2)
		f.memoryVector(op, disp)
		f.op(byte(l % 2))
		if loading {
			f.set(data + l/2)
		}
	}
	f.op(opEnd)
	if loading {
		d, _ := destination(args[2])
		for h := range 2 {
			f.get(between + h)
			f.set(d + h)
		}
	}
}

// rest translates all else on vectors.
func (f *wasmFunction) rest(in asmLine) {
	args := in.args
	switch in.op {
	case "VSQRTPD":
		f.each(args[1], func(h int) {
			f.push(args[0], h)
			f.vector(vSqrt)
		})
	case "VMINPD", "VMAXPD": // the second where the comparison is false
		code := map[string]int{"VMINPD": vLeast, "VMAXPD": vMost}[in.op]
		f.each(args[2], func(h int) {
			f.push(args[0], h)
			f.push(args[1], h)
			f.vector(code)
		})
	case "VCMPPD":
		code, ok := predicates[immediate(args[0])]
		if !ok {
			panic(untranslated{in.line})
		}
		f.each(args[3], func(h int) {
			f.push(args[2], h)
			f.push(args[1], h)
			f.vector(code)
		})
	case "VBLENDVPD": // by the sign of the mask
		f.each(args[3], func(h int) {
			f.push(args[1], h)
			f.push(args[2], h)
			f.push(args[0], h)
			f.op(opWord, 63)
			f.vector(vSarLong)
			f.vector(vSelect)
		})
	case "VADDSD":
		f.each(args[2], func(int) {
			f.push(args[1], 0)
			if _, _, ok := pair(args[0]); ok {
				f.push(args[0], 0)
			} else {
				f.low(args[0])
			}
			f.vector(vAdd)
		})
	case "VCVTDQ2PD": // four words of memory
		f.widen(in, vLoad, vConvert)
	case "VPMOVSXBQ": // four bytes
		f.widen(in, vLoadWord, -1, vWiden8, vWiden16)
	default:
		panic(untranslated{in.line})
	}
}

// widen loads integers, widens them to 32 bits by some operations and then to two vectors, which an operation
// converts to doubles unless it is negative.
func (f *wasmFunction) widen(in asmLine, load, convert int, by ...int) {
	d, count := destination(in.args[1])
	if count != 2 || !isMemory(in.args[0]) || onStack.MatchString(in.args[0]) {
		panic(untranslated{in.line})
	}
	f.memoryVector(load, f.place(in.args[0], 0))
	for _, op := range by {
		f.vector(op)
	}
	f.set(between)
	for h, op := range []int{vWidenLow, vWidenHigh} {
		f.get(between)
		if convert >= 0 && h == 0 {
			f.vector(convert)
		} else if convert >= 0 {
			f.get(between)
			f.shuffle(8, 16)
			f.vector(convert)
		} else {
			f.vector(op)
		}
		f.set(d + h)
	}
}
