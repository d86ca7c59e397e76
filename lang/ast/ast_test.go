package ast_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

const text = `server registry
client a, b[J]
data X : real<lower=0>[N, P] @ a from zscore(age, k=2), c
param beta : real[P] ~ normal(mu=0, 1) @ a
let e : real = -(X[:, 1:2])' * beta + f(1) + sum(x[j] for j in lab) + sum(k for k in 1..K) @ a
const c = 1
y ~ poisson_log(e) weights w ^ (1/2)
transform power(rho = {a: 1, b: 2})
fn f(x, [a, b]) { let u = x
 param v : real ~ normal(0, 1)
 return u + v }
fn g(x) = x
dist k(y : real | m : real<lower=0>, s) { let u = y - m
 log = -u
 generate y ~ normal(m, s) }
dist l(y | m) = -y
import nn
import "./m.vfl"
let h = recur h[1] = 0, h[t] = h[t - 1] for t in 2..T
program m for a
aux z : real ~ normal(0, 1)
receive r : real from b
send z = o to a, b
`

func parse(t *testing.T, text string) *ast.File {
	t.Helper()
	f, list := parser.Parse(source.New("test.vfl", text))
	if len(list) > 0 {
		t.Fatal(list[0].Message)
	}
	return f
}

// TestWalkVisitsEverything compares Walk with a search of the tree by reflection: it visits each node once,
// so a new field cannot be forgotten.
func TestWalkVisitsEverything(t *testing.T) {
	f := parse(t, text)
	want := map[string]int{}
	for _, s := range f.Stmts {
		reach(reflect.ValueOf(s), want)
	}
	got := map[string]int{}
	last := -1
	ast.Walk(f, func(n ast.Node) bool {
		if n == ast.Node(f) {
			return true
		}
		got[fmt.Sprintf("%T", n)]++
		if _, ok := n.(ast.Stmt); ok {
			if n.Span().Start < last {
				t.Errorf("%T is visited out of order", n)
			}
			last = n.Span().Start
		}
		return true
	})
	if !reflect.DeepEqual(want, got) {
		t.Errorf("reflection finds\n%v, Walk visits\n%v", want, got)
	}
}

var nodeType = reflect.TypeFor[ast.Node]()

// reach counts the nodes that can be reached from v, by type.
func reach(v reflect.Value, count map[string]int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			reach(v.Elem(), count)
		}
	case reflect.Slice:
		for i := range v.Len() {
			reach(v.Index(i), count)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[ast.At]() || !reflect.PointerTo(v.Type()).Implements(nodeType) {
			return
		}
		count["*"+v.Type().String()]++
		for i := range v.NumField() {
			reach(v.Field(i), count)
		}
	}
}

func TestWalkStops(t *testing.T) {
	n := 0
	ast.Walk(parse(t, text), func(ast.Node) bool { n++; return n == 1 })
	if want := 1 + strings.Count(text, "\n") - 4; n != want {
		t.Errorf("%d nodes are visited, want the file and its %d statements", n, want-1)
	}
}

func TestEqual(t *testing.T) {
	value := func(expression string) ast.Expr {
		return parse(t, "let x = "+expression).Stmts[0].(*ast.Let).Value
	}
	classes := [][]string{ // equal within a class, different between classes
		{"a", "(a)", "((a)) // same"}, {"b"}, {"a()"}, {"a(b)", "a((b))"}, {"a(b, b)"}, {"1", "(1)"},
		{"1.0", "1e0", "1.00"}, {"1_000", "1000"},
		{"-a", "-(a)"}, {"+a"}, {"a + b", "(a) + (b)", "a+b"}, {"b + a"}, {"a - b"},
		{"a + b + c", "(a + b) + c"}, {"a + (b + c)"}, {"a'", "(a)'"},
		{"a[1]", "a[(1)]"}, {"a[2]"}, {"a[1:]"}, {"a[:1]"}, {"a[:]"}, {"a[1, 2]"}, {"sum(a)"},
		{"sum(a for k in lab)", "sum((a) for k in lab)"}, {"sum(a for j in lab)"}, {"sum(a for k in lib)"},
		{"sum(a for k in 1..2)"}, {"sum(a for k in 1..3)"},
		{"recur h[1] = 0, h[t] = a for t in 2..3", "(recur h[1] = 0, h[t] = (a) for t in 2..3)"},
		{"recur h[1] = 0, h[t] = b for t in 2..3"}, {"recur h[1] = 1, h[t] = a for t in 2..3"},
		{"recur h[1] = 0, h[t] = a for t in 2..4"}, {"recur g[1] = 0, g[t] = a for t in 2..3"},
	}
	for i, class := range classes {
		for j, other := range classes {
			for _, x := range class {
				for _, y := range other {
					if got := ast.Equal(value(x), value(y)); got != (i == j) {
						t.Errorf("Equal(%s, %s) = %v", x, y, got)
					}
				}
			}
		}
	}
	if !ast.Equal(nil, nil) || ast.Equal(nil, value("a")) || ast.Equal(value("a"), nil) {
		t.Error("nil equals nil alone")
	}
}
