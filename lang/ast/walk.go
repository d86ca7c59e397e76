package ast

// Walk calls visit for n and, if visit returns true, walks the children of n in source order. It skips nil children.
func Walk(n Node, visit func(Node) bool) {
	if !visit(n) {
		return
	}
	for _, child := range Children(n) {
		Walk(child, visit)
	}
}

// Children returns the direct children of n in source order. It returns pointers to nodes that n holds by value.
func Children(n Node) []Node {
	switch n := n.(type) {
	case *File:
		return appendAll(nil, n.Stmts)
	case Stmt:
		return ofStmt(n)
	case Expr:
		return ofExpr(n)
	}
	return ofPart(n)
}

func ofStmt(s Stmt) []Node {
	switch s := s.(type) {
	case *Server:
		return []Node{&s.Name}
	case *Client:
		return appendAll(nil, s.Clients)
	case *Data:
		return append(appendAll(list(&s.Name, s.Type, s.Owner), s.From), list(s.Missing, s.Impute)...)
	case *Param:
		return append(appendAll(list(&s.Name, s.Type, s.Dist), s.Truncate), list(s.Owner)...)
	case *Weight:
		return list(&s.Name, s.Type, s.Init, s.Owner)
	case *Contribution:
		return list(&s.Name, s.Type, s.Owner)
	case *Private:
		return []Node{&s.Client, &s.Model}
	case *Body:
		return list(&s.Name, s.Value)
	case *Let:
		return list(&s.Name, s.Type, s.Value, s.Owner)
	case *Generate:
		return list(&s.Name, s.Type, s.Value, s.Dist)
	case *Const:
		return list(&s.Name, s.Value)
	case *Levels:
		return appendAll(list(&s.Name), s.Categories)
	case *Likelihood:
		return append(appendAll(appendAll(list(s.Left, s.Dist), s.Truncate), s.Censor), list(s.Weights, s.Power)...)
	case *Factor:
		return list(s.Value)
	case *Transform:
		return appendAll(list(&s.Kind, s.Rho), s.RhoBy)
	case *Program:
		return list(&s.Name, &s.For)
	case *Aux:
		return list(&s.Name, s.Type, s.Dist)
	case *Receive:
		return list(&s.Name, s.Type, &s.From)
	case *Send:
		out := list(&s.Name, s.Value)
		for i := range s.To {
			out = append(out, &s.To[i])
		}
		return out
	case *Fn:
		return append(appendAll(appendAll(list(&s.Name), s.Args), s.Body), list(s.Value, s.Plain)...)
	case *Import:
		return list(s.Name)
	}
	return nil
}

func ofExpr(e Expr) []Node {
	switch e := e.(type) {
	case *Paren:
		return list(e.X)
	case *Unary:
		return list(e.X)
	case *Binary:
		return list(e.X, e.Y)
	case *Transpose:
		return list(e.X)
	case *Index:
		return appendAll(list(e.X), e.Args)
	case *Call:
		return appendAll(list(&e.Name), e.Args)
	case *Array:
		return appendAll(nil, e.Elems)
	case *Recur:
		return append(appendAll(nil, e.Init), e.Step, &e.Var, e.Lo, e.Hi)
	case *Sum:
		return list(e.Body, &e.Var, e.Family, e.Lo, e.Hi)
	}
	return nil
}

func ofPart(n Node) []Node {
	switch n := n.(type) {
	case *Family:
		return list(&n.Name, n.Count)
	case *Rho:
		return list(&n.Client, n.Value)
	case *Type:
		return appendAll(appendAll(list(&n.Elem, n.Levels), n.Bounds), n.Dims)
	case *Bound:
		return list(&n.Which, n.Value)
	case *Dist:
		return appendAll(list(&n.Name), n.Args)
	case *Arg:
		return list(n.Name, n.Value)
	case *Column:
		return appendAll(list(n.Name, n.Encoder), n.Args)
	case *ColumnArg:
		return list(n.Key, n.Column, n.Number)
	case *Subscript:
		return list(n.Lo, n.Hi)
	case *Entry:
		return list(&n.Name, n.Index, n.Value)
	case *FnArg:
		return appendAll(list(n.Name), n.Elems)
	}
	return nil
}

// list returns the nodes that are not absent.
func list(nodes ...Node) []Node {
	out := nodes[:0]
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
