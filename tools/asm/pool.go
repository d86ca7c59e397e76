package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// A pool holds the constants of one file.
type pool struct {
	names map[string]operand.Mem
	ctx   *build.Context
}

func newPool(ctx *build.Context) *pool { return &pool{names: map[string]operand.Mem{}, ctx: ctx} }

// at returns the address of a constant, stored once for AVX-512, which broadcasts it, and four times for
// AVX2.
func (p *pool) at(k konst, wide bool) operand.Mem {
	n := 4
	if wide {
		n = 1
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = uint64(k)
	}
	return p.table(fmt.Sprintf("c%016x", uint64(k)), words)
}

// table returns the address of words. They are written as bits, since a constant printed as a number may be
// assembled as an integer.
func (p *pool) table(name string, words []uint64) operand.Mem {
	if m, ok := p.names[name]; ok {
		return m
	}
	m := p.ctx.StaticGlobal(name)
	p.ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, w := range words {
		p.ctx.AddDatum(8*i, operand.U64(w))
	}
	p.names[name] = m
	return m
}
