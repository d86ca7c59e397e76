package study

import (
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A node is a value of a TOML document with its place, so that messages can point at it. Of fields, list and
// text one is used, by kind.
type node struct {
	kind   kind
	span   source.Span // of a scalar, or of the key of anything else
	text   string      // of a scalar: a string without its quotes, a number or true as written
	list   []*node
	fields []*field
}

// A field is a key of a table with its value, in the order of the document.
type field struct {
	name  string
	span  source.Span // of the key
	value *node
}

type kind int

const (
	table kind = iota
	array
	text
	number
	truth
	other // dates and times, for which a study has no use
)

func (k kind) String() string {
	return [...]string{"a table", "a list", "a text in quotes", "a number", "true or false",
		"a date or time"}[k]
}

// field returns the value of a key, nil if there is none.
func (n *node) field(name string) *node {
	for _, f := range n.fields {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// parse reads a TOML document. The decoder of the library finds what is no TOML; a second pass keeps the
// places, which the decoder does not give.
func parse(file *source.File, list *diag.List) *node {
	var any map[string]any
	if err := toml.Unmarshal([]byte(file.Text), &any); err != nil {
		span := source.Span{}
		var bad *toml.DecodeError
		if errors.As(err, &bad) {
			line, column := bad.Position()
			span = place(file, line, column)
		}
		list.Errorf(diag.BadStudy, file, span, "the study is not TOML: %s",
			strings.TrimPrefix(err.Error(), "toml: "))
		return nil
	}
	root := &node{}
	at := root
	p := unstable.Parser{}
	p.Reset([]byte(file.Text))
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			at = descend(root, e.Key(), false)
		case unstable.ArrayTable:
			at = descend(root, e.Key(), true)
		case unstable.KeyValue:
			set(at, e)
		}
	}
	return root
}

// place is the rest of a line from a column, counted in bytes from 1.
func place(file *source.File, line, column int) source.Span {
	start := 0
	for range line - 1 {
		start += strings.IndexByte(file.Text[start:], '\n') + 1
	}
	end := len(file.Text)
	if n := strings.IndexByte(file.Text[start:], '\n'); n >= 0 {
		end = start + n
	}
	start = min(start+column-1, end)
	return source.Span{Start: start, End: max(end, start)}
}

func spanOf(n *unstable.Node) source.Span {
	return source.Span{Start: int(n.Raw.Offset), End: int(n.Raw.Offset + n.Raw.Length)}
}

// child returns the table at a key, made where it is not there; of an array of tables the last.
func (n *node) child(name string, span source.Span) *node {
	v := n.field(name)
	if v == nil {
		v = &node{span: span}
		n.fields = append(n.fields, &field{name, span, v})
	}
	if v.kind == array && len(v.list) > 0 {
		return v.list[len(v.list)-1]
	}
	return v
}

// descend is the table that a header opens.
func descend(at *node, key unstable.Iterator, another bool) *node {
	for key.Next() {
		k := key.Node()
		name, span := string(k.Data), spanOf(k)
		if !key.IsLast() || !another {
			at = at.child(name, span)
			continue
		}
		v := at.field(name)
		if v == nil {
			v = &node{kind: array, span: span}
			at.fields = append(at.fields, &field{name, span, v})
		}
		v.list = append(v.list, &node{span: span})
		at = v.list[len(v.list)-1]
	}
	return at
}

// set adds a key with its value to a table.
func set(at *node, e *unstable.Node) {
	key := e.Key()
	for key.Next() {
		k := key.Node()
		if key.IsLast() {
			at.fields = append(at.fields, &field{string(k.Data), spanOf(k), valueOf(e.Value(), spanOf(k))})
			return
		}
		at = at.child(string(k.Data), spanOf(k))
	}
}

// valueOf converts a value that belongs to a key.
func valueOf(v *unstable.Node, key source.Span) *node {
	out := &node{span: key}
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			set(out, it.Node())
		}
		return out
	case unstable.Array:
		out.kind = array
		for it := v.Children(); it.Next(); {
			out.list = append(out.list, valueOf(it.Node(), key))
		}
		return out
	case unstable.String:
		out.kind = text
	case unstable.Integer, unstable.Float:
		out.kind = number
	case unstable.Bool:
		out.kind = truth
	default:
		out.kind = other
	}
	out.text, out.span = string(v.Data), spanOf(v)
	if out.kind == number {
		out.text = strings.ReplaceAll(out.text, "_", "")
	}
	return out
}

// names lists the keys of a table.
func (n *node) names() []string {
	var out []string
	for _, f := range n.fields {
		out = append(out, f.name)
	}
	return out
}

// texts lists the texts of a list, or the one text; ok is false for anything else.
func (n *node) texts() (out []string, ok bool) {
	items := []*node{n}
	if n.kind == array {
		items = n.list
	}
	for _, item := range items {
		if item.kind == table || item.kind == array || item.kind == other {
			return nil, false
		}
		out = append(out, item.text)
	}
	return out, !slices.Contains(out, "")
}
