package node

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/tests/diagtest"
)

// controlTypes are those of all control messages, with what the stages tell and answer.
func controlTypes() (out []reflect.Type) {
	for _, m := range []any{beat{}, status{}, announced{}, call{}, answer{}} {
		out = append(out, reflect.TypeOf(m))
	}
	for _, list := range [][stages]func() any{tells, replies} {
		for _, make := range list {
			out = append(out, reflect.TypeOf(make()).Elem())
		}
	}
	return out
}

// texts calls visit for every text that a type can have: the field, and how many forms it needs.
func texts(typ reflect.Type, field string, depth int, visit func(field string, needs int)) {
	switch typ.Kind() {
	case reflect.Pointer:
		texts(typ.Elem(), field, depth, visit)
	case reflect.String:
		visit(field, depth+1)
	case reflect.Slice, reflect.Array:
		if typ.Elem().Kind() == reflect.Uint8 {
			visit(field, depth+1)
			return
		}
		texts(typ.Elem(), field, depth, visit)
	case reflect.Map:
		if typ.Key().Kind() == reflect.String {
			visit(field, depth+1)
			depth++
		}
		texts(typ.Elem(), field, depth, visit)
	case reflect.Struct:
		for k := range typ.NumField() {
			texts(typ.Field(k).Type, typ.String()+"."+typ.Field(k).Name, 0, visit)
		}
	case reflect.Interface, reflect.Chan, reflect.Func:
		visit(field, 1<<10)
	}
}

// Every text of every control message has a form, and every form is of a text.
func TestEveryControlTextHasAForm(t *testing.T) {
	known := map[string]int{}
	for _, typ := range controlTypes() {
		texts(typ, typ.String(), 0, func(field string, needs int) { known[field] = max(known[field], needs) })
	}
	for _, field := range slices.Sorted(maps.Keys(known)) {
		if len(forms[field]) != known[field] {
			t.Errorf("%s has %d texts and %d forms", field, known[field], len(forms[field]))
		}
	}
	for field := range forms {
		if known[field] == 0 {
			t.Errorf("%s has a form and is no text of a control message", field)
		}
	}
	if len(known) < 40 {
		t.Errorf("%d fields were found", len(known))
	}
}

// filled is a value of a type with a text in each place where there can be one, but that in one place is
// another.
func filled(typ reflect.Type, field string, depth int, at *int, text string) reflect.Value {
	v := reflect.New(typ).Elem()
	fill := func() string {
		if *at--; *at == 0 {
			return text
		}
		if f := forms[field]; depth < len(f) && f[depth].allows != nil {
			for _, fine := range []string{"", "a", "size", string(CodeData), string(absentNew), "0",
				"0123456789abcdef0123456789abcdef"} {
				if f[depth].allows(fine) {
					return fine
				}
			}
		}
		return ""
	}
	switch typ.Kind() {
	case reflect.Pointer:
		v.Set(filled(typ.Elem(), field, depth, at, text).Addr())
	case reflect.String:
		v.SetString(fill())
	case reflect.Slice:
		switch {
		case typ == reflect.TypeFor[json.RawMessage]():
		case typ.Elem().Kind() == reflect.Uint8:
			v.SetBytes([]byte{})
		default:
			v.Set(reflect.Append(v, filled(typ.Elem(), field, depth, at, text)))
		}
	case reflect.Map:
		key := reflect.New(typ.Key()).Elem()
		if key.Kind() == reflect.String {
			key.SetString(fill())
			depth++
		}
		v.Set(reflect.MakeMap(typ))
		v.SetMapIndex(key, filled(typ.Elem(), field, depth, at, text))
	case reflect.Struct:
		for k := range typ.NumField() {
			if f := v.Field(k); f.CanSet() {
				f.Set(filled(typ.Field(k).Type, typ.String()+"."+typ.Field(k).Name, 0, at, text))
			}
		}
	}
	return v
}

// A diagnostic or a path is refused in every place where a control message has a text, alone and as what a
// stage tells; the same message without it is not.
func TestControlMessagesHaveNoTexts(t *testing.T) {
	const text = "/data/ana/patients.csv:17: \"Müller\" is no number"
	places := 0
	for _, typ := range controlTypes() {
		none := -1
		if err := wellFormed(filled(typ, "", 0, &none, "").Interface()); err != nil {
			t.Errorf("%v: %v", typ, err)
		}
		for place := 1; ; place++ {
			left := place
			message := filled(typ, "", 0, &left, text).Interface()
			if left > 0 {
				break // there are fewer
			}
			err := wellFormed(message)
			if name, _ := json.Marshal(message); (strings.Contains(string(name), `"key":"/data`) ||
				strings.Contains(string(name), `"by":"/data`)) && typ == reflect.TypeFor[announcement]() {
				// the server names the column that joins rows, and the one whose groups stay whole, whatever
				// they are called: all parties were started with the name
				continue
			}
			var list data.Errors
			if !errors.As(err, &list) || list[0].Code != diag.FreeText ||
				strings.Contains(err.Error(), "Müller") {
				t.Errorf("%v, place %d: %v", typ, place, err)
			}
			places++
		}
	}
	if places < 60 {
		t.Errorf("%d places were tried", places)
	}
	body := asText(leaving{Rows: map[string]compile.RowDisclosure{text: {}}})
	if wellFormed(beat{Stage: stageRows, Body: json.RawMessage(body)}) == nil ||
		wellFormed(status{Stage: stages, Reply: json.RawMessage(`{}`)}) == nil {
		t.Error("what a stage tells is not looked at")
	}
	err := wellFormed(facts{Program: text})
	var list data.Errors
	if !errors.As(err, &list) {
		t.Fatal(err)
	}
	diagtest.Want(t, "testdata/V0814.txtar", diag.List(list), func(s string) string { return s })
}
