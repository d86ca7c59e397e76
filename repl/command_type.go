package repl

import (
	"context"
	"fmt"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

func typeCommand() command {
	return command{name: "type", args: "EXPR", doc: "say the type, the shape and the owners of an expression",
		values: (*Session).scope,
		run: func(s *Session, _ context.Context, args string) error {
			if args == "" {
				return usagef(":type needs an expression")
			}
			sym, err := s.symbolOf(args)
			if err != nil {
				return err
			}
			depends := "data only"
			if sym.Random {
				depends = "depends on parameters"
			}
			if q, err := s.inquirePresent(args); err == nil {
				return s.say("type", "%s%s @ %s; %s", sym.Type, shapeText(q.model.Quantities[0]),
					ownersText(sym.Owners), depends)
			}
			return s.say("type", "%s @ %s; %s", sym.Type, ownersText(sym.Owners), depends)
		}}
}

// symbolOf checks an expression over the present model.
func (s *Session) symbolOf(text string) (*check.Symbol, error) {
	head := s.now.text()
	m, diags := compile.Compile(source.New(s.now.name(), head+"generate "+asked+" = "+text+"\n"),
		check.Options{Transform: stdlib.NoTransform, Import: s.now.modules()})
	if err := refused(inInput(diags, text, len(head)+len("generate "+asked+" = "))); err != nil {
		return nil, err
	}
	return m.Checked.Symbols[asked], nil
}

// shapeText is a shape in numbers, where there is one.
func shapeText(q model.Quantity) string {
	if len(q.Shape) == 0 {
		return ""
	}
	dims := make([]string, len(q.Shape))
	for i, d := range q.Shape {
		dims[i] = fmt.Sprint(d)
	}
	return " = [" + strings.Join(dims, ", ") + "]"
}

// scope lists the names of the present model that have values.
func (s *Session) scope([]string) []string {
	if s.now.built == nil {
		return nil
	}
	var out []string
	for _, sym := range s.now.built.Checked.Order {
		out = append(out, sym.Name)
	}
	return out
}
