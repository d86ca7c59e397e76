package inline

import "github.com/vflc/vflc/lang/ast"

// recur gives the index of a recursion, and its array, names that nothing else has.
func (x *expander) recur(e *ast.Recur, sc *scope) ast.Expr {
	below := func(y ast.Expr) ast.Expr { return x.expr(y, sc) }
	out := &ast.Recur{At: sc.at, Lo: below(e.Lo), Hi: below(e.Hi)}
	x.calls[out] = sc.origin(e)
	self, t := x.fresh(e.Step.Name.Name, sc), x.fresh(e.Var.Name, sc)
	entry := func(i *ast.Entry) *ast.Entry {
		name := ast.Ident{At: sc.at, Name: self}
		c := &ast.Entry{At: sc.at, Name: name, Index: below(i.Index), Value: below(i.Value)}
		x.calls[c] = sc.origin(i)
		return c
	}
	for _, i := range e.Init {
		out.Init = append(out.Init, entry(i))
	}
	restore := sc.rename(map[string]string{e.Step.Name.Name: self, e.Var.Name: t})
	out.Step, out.Var = entry(e.Step), ast.Ident{At: sc.at, Name: t}
	restore()
	return out
}

// rename gives names other ones until the function that it returns is called.
func (sc *scope) rename(names map[string]string) (restore func()) {
	old := map[string]ast.Expr{}
	for from, to := range names {
		if v, ok := sc.values[from]; ok {
			old[from] = v
		}
		sc.values[from] = &ast.Name{At: sc.at, Name: to}
	}
	return func() {
		for from := range names {
			if delete(sc.values, from); old[from] != nil {
				sc.values[from] = old[from]
			}
		}
	}
}
