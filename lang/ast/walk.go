package ast

// Walk calls visit for n and, if visit returns true, walks the children of n in source order. It skips nil
// children.
func Walk(n Node, visit func(Node) bool) {
	var room [32]Node
	walk(n, visit, room[:0])
}

// walk is Walk with a stack, which holds the children that are yet to visit; it returns the stack as it was,
// with the room that it has grown to.
func walk(n Node, visit func(Node) bool, stack []Node) []Node {
	if !visit(n) {
		return stack
	}
	from := len(stack)
	stack = children(stack, n)
	for i, to := from, len(stack); i < to; i++ {
		stack = walk(stack[i], visit, stack)
	}
	return stack[:from]
}

// Children returns the direct children of n in source order. It returns pointers to nodes that n holds by
// value.
func Children(n Node) []Node { return children(nil, n) }

// children appends the children of n to out.
func children(out []Node, n Node) []Node {
	switch n := n.(type) {
	case *File:
		return appendAll(out, n.Stmts)
	case Stmt:
		return ofStmt(out, n)
	case Expr:
		return ofExpr(out, n)
	}
	return ofPart(out, n)
}

func ofStmt(out []Node, s Stmt) []Node {
	switch s := s.(type) {
	case *Server:
		return append(out, &s.Name)
	case *Client:
		return appendAll(out, s.Clients)
	case *Data:
		return list(appendAll(list(out, &s.Name, s.Type, s.Owner), s.From), s.Missing, s.Impute)
	case *Param:
		return list(appendAll(list(out, &s.Name, s.Type, s.Dist), s.Truncate), s.Owner)
	case *Weight:
		return list(out, &s.Name, s.Type, s.Init, s.Owner)
	case *Contribution:
		return list(out, &s.Name, s.Type, s.Owner)
	case *Private:
		return append(out, &s.Client, &s.Model)
	case *Body:
		return list(out, &s.Name, s.Value)
	case *Let:
		return list(out, &s.Name, s.Type, s.Value, s.Owner)
	case *Generate:
		return list(appendAll(list(out, &s.Name, s.Type, s.Value, s.Dist), s.Truncate), s.Owner)
	case *Const:
		return list(out, &s.Name, s.Value)
	case *Levels:
		return appendAll(list(out, &s.Name), s.Categories)
	case *Likelihood:
		return list(appendAll(appendAll(list(out, s.Left, s.Dist), s.Truncate), s.Censor), s.Weights, s.Power)
	case *Factor:
		return list(out, s.Value)
	case *Transform:
		return appendAll(appendAll(list(out, &s.Kind, s.Rho), s.RhoBy), s.Terms)
	case *Program:
		return list(out, &s.Name, &s.For)
	case *Aux:
		return list(out, &s.Name, s.Type, s.Dist)
	case *Receive:
		return list(out, &s.Name, s.Type, &s.From)
	case *Send:
		out = list(out, &s.Name, s.Value)
		for i := range s.To {
			out = append(out, &s.To[i])
		}
		return out
	case *Fn:
		return list(appendAll(appendAll(list(out, &s.Name), s.Args), s.Body), s.Value, s.Plain)
	case *Distribution:
		out = appendAll(list(out, &s.Name, s.Value), s.Args)
		return list(appendAll(out, s.Body), s.Plain)
	case *Import:
		return list(out, s.Name)
	}
	return out
}

func ofExpr(out []Node, e Expr) []Node {
	switch e := e.(type) {
	case *Paren:
		return list(out, e.X)
	case *Unary:
		return list(out, e.X)
	case *Binary:
		return list(out, e.X, e.Y)
	case *Transpose:
		return list(out, e.X)
	case *Index:
		return appendAll(list(out, e.X), e.Args)
	case *Call:
		return appendAll(appendAll(list(out, &e.Name), e.Args), e.Named)
	case *Array:
		return appendAll(out, e.Elems)
	case *Recur:
		out = append(appendAll(appendAll(out, e.Init), e.Steps()), &e.Var)
		if o := e.Ode; o != nil {
			out = appendAll(list(out, o.Member), o.Settings)
		}
		return append(out, e.outside()...)
	case *Sum:
		return list(out, e.Body, &e.Var, e.Family, e.Lo, e.Hi)
	}
	return out
}

func ofPart(out []Node, n Node) []Node {
	switch n := n.(type) {
	case *Family:
		return list(out, &n.Name, n.Count)
	case *Rho:
		return list(out, &n.Client, n.Value)
	case *Type:
		return appendAll(appendAll(list(out, &n.Elem, n.Levels), n.Bounds), n.Dims)
	case *Bound:
		return list(out, &n.Which, n.Value)
	case *Dist:
		return appendAll(list(out, &n.Name), n.Args)
	case *Arg:
		return list(out, n.Name, n.Value)
	case *Column:
		return appendAll(list(out, n.Name, n.Encoder), n.Args)
	case *ColumnArg:
		return list(out, n.Key, n.Column, n.Number)
	case *Subscript:
		return list(out, n.Lo, n.Hi)
	case *Entry:
		return list(out, &n.Name, n.Index, n.Value)
	case *DistArg:
		return list(out, &n.Name, n.Type)
	case *FnArg:
		return appendAll(list(out, n.Name), n.Elems)
	}
	return out
}

// list appends the nodes that are not absent to out.
func list(out []Node, nodes ...Node) []Node {
	for _, n := range nodes {
		if !absent(n) {
			out = append(out, n)
		}
	}
	return out
}

// absent reports whether n is nil, or a nil pointer of one of the optional parts.
func absent(n Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case *Type:
		return n == nil
	case *Ident:
		return n == nil
	case *ColumnName:
		return n == nil
	case *Number:
		return n == nil
	case *Dist:
		return n == nil
	}
	return false
}

func appendAll[N Node](out []Node, nodes []N) []Node {
	for _, n := range nodes {
		out = append(out, n)
	}
	return out
}
