package main

import (
	"fmt"
	"slices"
	"strings"
)

// A function is one function of package vector that has assembly: its Go name in lower case, its parameters,
// the type of its result or "", and emit, which writes its body for either instruction set. The portable
// function in Go has the same name followed by Go.
type function struct {
	name   string
	params string
	result string
	body   weight
	emit   func(g *gen)
}

// A weight says how much a function computes for an element: how often its body is to be written follows from
// that.
type weight int

const (
	usual weight = iota
	light        // a few instructions
	heavy        // many
)

// A param is "name int", "name float64", "name *[16]float64", "name [LENGTH]" (a slice of float64) or "name
// [LENGTH]uint64"; a question mark behind a slice lets it be nil. LENGTH is a Go expression for the number of
// elements that are used.
type param struct {
	name, typ, length string
	optional          bool
}

func (k *function) list() []param {
	var out []param
	for _, text := range strings.Split(k.params, ", ") {
		name, typ, ok := strings.Cut(text, " ")
		if !ok {
			panic(k.name + ": parameter " + text)
		}
		p := param{name: name, typ: typ}
		if strings.HasPrefix(typ, "[") {
			length, elem, _ := strings.Cut(typ[1:], "]")
			elem, p.optional = strings.CutSuffix(elem, "?")
			if elem == "" {
				elem = "float64"
			}
			p.length, p.typ = length, elem
		}
		out = append(out, p)
	}
	return out
}

// asmSignature is the signature of the assembly function, with pointers for slices.
func (k *function) asmSignature() string {
	var in []string
	for _, p := range k.list() {
		typ := p.typ
		if p.length != "" {
			typ = "*" + typ
		}
		in = append(in, p.name+" "+typ)
	}
	return "func(" + strings.Join(in, ", ") + ")" + k.results(" (r ", ")")
}

func (k *function) results(before, after string) string {
	if k.result == "" {
		return ""
	}
	return before + k.result + after
}

// imported is the declaration of the function as one of the module of WebAssembly.
func (k *function) imported() string {
	var in []string
	for _, p := range k.list() {
		in = append(in, p.name+" "+wasmType(p))
	}
	result := strings.Replace(k.results(" ", ""), "int", "int32", 1)
	return fmt.Sprintf("//go:wasmimport vflc %s\n//go:noescape\nfunc %sWasm(%s)%s\n\n", k.name, k.name,
		strings.Join(in, ", "), result)
}

// wasmType is the type of a parameter of such a function, which has no int.
func wasmType(p param) string {
	switch {
	case p.length != "":
		return "*" + p.typ
	case p.typ == "int":
		return "int32"
	}
	return p.typ
}

// dispatcher is the Go function that runs one of the tiers that have assembly, or else Go.
func (k *function) dispatcher(tiers ...string) string {
	var b strings.Builder
	var in, names, pointers []string
	for _, p := range k.list() {
		typ := p.typ
		pointer := p.name
		if p.length != "" {
			typ = "[]" + typ
			pointer = "unsafe.SliceData(" + p.name + ")"
		}
		in, names, pointers = append(in, p.name+" "+typ), append(names, p.name), append(pointers, pointer)
	}
	tier := "on"
	if len(tiers) == 0 {
		tier = "_"
	}
	fmt.Fprintf(&b, "func %s(%s InstructionSet, %s)%s {\n", k.name, tier, strings.Join(in, ", "), k.results(" ", ""))
	give := ""
	if k.result != "" {
		give = "return "
	}
	zero := map[string]string{"": "", "float64": " 0", "int": " 0"}[k.result]
	fmt.Fprintf(&b, "\tif n <= 0 {\n\t\treturn%s\n\t}\n", zero)
	for _, p := range k.list() {
		switch {
		case p.optional:
			fmt.Fprintf(&b, "\tif %s != nil {\n\t\t%s = %s[:%s]\n\t}\n", p.name, p.name, p.name, p.length)
		case p.length != "":
			fmt.Fprintf(&b, "\t%s = %s[:%s]\n", p.name, p.name, p.length)
		}
	}
	if len(tiers) == 0 {
		fmt.Fprintf(&b, "\t%s%sGo(%s)\n}\n\n", give, k.name, strings.Join(names, ", "))
		return b.String()
	}
	fmt.Fprintf(&b, "\tswitch on {\n")
	for _, t := range tiers {
		given, from, to := slices.Clone(pointers), "", ""
		if t == "Wasm" {
			for i, p := range k.list() {
				if wasmType(p) == "int32" {
					given[i] = "int32(" + p.name + ")"
				}
			}
			if k.result == "int" {
				from, to = "int(", ")"
			}
		}
		fmt.Fprintf(&b, "\tcase %s:\n\t\t%s%s%s%s(%s)%s\n", t, give, from, k.name, t, strings.Join(given, ", "), to)
	}
	if k.result == "" {
		fmt.Fprintf(&b, "\tdefault:\n\t\t%sGo(%s)\n\t}\n}\n\n", k.name, strings.Join(names, ", "))
	} else {
		fmt.Fprintf(&b, "\t}\n\treturn %sGo(%s)\n}\n\n", k.name, strings.Join(names, ", "))
	}
	return b.String()
}
