package tape

// A Combination is Constant + Σ Of[k]·input k, where Constant and Of depend on none of these inputs; None
// stands for 0.
type Combination struct {
	Constant Register
	Of       []Register
}

// Affine writes a register as a combination of inputs. It is not ok where the register is another function of
// them.
func (t *Tape) Affine(y Register, inputs []Register) (c Combination, ok bool) {
	marked := make([]bool, len(t.start))
	known := map[Register]*Combination{}
	for k, r := range inputs {
		marked[r] = true
		unit := &Combination{Constant: None, Of: make([]Register, len(inputs))}
		for i := range unit.Of {
			unit.Of[i] = None
		}
		unit.Of[k] = t.Const(1)
		known[r] = unit
	}
	depends := t.Dependent(marked)
	var of func(Register) *Combination
	of = func(r Register) *Combination {
		if c, ok := known[r]; ok {
			return c
		}
		var c *Combination
		if !depends[r] {
			c = &Combination{Constant: r, Of: make([]Register, len(inputs))}
			for i := range c.Of {
				c.Of[i] = None
			}
		} else {
			c = t.combine(*t.At(r), depends, of)
		}
		known[r] = c
		return c
	}
	if found := of(y); found != nil {
		return *found, true
	}
	return Combination{}, false
}

// combine is Affine for the result of an instruction that depends on the inputs; nil where it is curved.
func (t *Tape) combine(i Instruction, depends []bool, of func(Register) *Combination) *Combination {
	with := func(op Op, by Register) *Combination {
		a := of(i.A)
		if by == i.A {
			a = of(i.B)
		}
		return a.each(func(r Register) Register {
			if op == Mul {
				return t.times(r, by)
			}
			return t.Apply(op, r, by)
		})
	}
	switch i.Op {
	case Add, Sub:
		return t.join(i.Op, of(i.A), of(i.B))
	case Neg:
		return of(i.A).each(func(r Register) Register { return t.Apply(Neg, r) })
	case Mul:
		if !depends[i.B] {
			return with(Mul, i.B)
		}
		if !depends[i.A] {
			return with(Mul, i.A)
		}
	case Div:
		if !depends[i.B] {
			return with(Div, i.B)
		}
	case Where:
		if !depends[i.A] {
			return t.choose(i.A, of(i.B), of(i.C))
		}
	}
	return nil
}

// each applies a linear function that maps 0 to 0.
func (c *Combination) each(f func(Register) Register) *Combination {
	if c == nil {
		return nil
	}
	out := &Combination{Constant: c.Constant, Of: append([]Register(nil), c.Of...)}
	for _, r := range out.registers() {
		if *r != None {
			*r = f(*r)
		}
	}
	return out
}

func (c *Combination) registers() []*Register {
	all := []*Register{&c.Constant}
	for k := range c.Of {
		all = append(all, &c.Of[k])
	}
	return all
}

// join is a + b or a - b.
func (t *Tape) join(op Op, a, b *Combination) *Combination {
	if a == nil || b == nil {
		return nil
	}
	out := a.each(func(r Register) Register { return r })
	other := b.registers()
	for k, r := range out.registers() {
		switch s := *other[k]; {
		case s == None:
		case *r != None:
			*r = t.Apply(op, *r, s)
		case op == Sub:
			*r = t.Apply(Neg, s)
		default:
			*r = s
		}
	}
	return out
}

// choose is a where a condition holds, else b.
func (t *Tape) choose(condition Register, a, b *Combination) *Combination {
	if a == nil || b == nil {
		return nil
	}
	out := a.each(func(r Register) Register { return r })
	other := b.registers()
	for k, r := range out.registers() {
		s := *other[k]
		if *r == None && s == None {
			continue
		}
		for _, p := range []*Register{r, &s} {
			if *p == None {
				*p = t.Const(0)
			}
		}
		*r = t.Apply(Where, condition, *r, s)
	}
	return out
}
