package compile

import (
	"fmt"
	"math"
	"testing"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/tests/vectors"
)

type factVector struct {
	Name    string         `json:"name"`
	Purpose string         `json:"purpose"`
	Keys    []string       `json:"keys,omitempty"` // of the rows, in their order
	Elem    string         `json:"type,omitempty"`
	Dims    []int          `json:"sizes,omitempty"`
	Labels  []string       `json:"categories,omitempty"`
	Levels  int            `json:"levels,omitempty"`
	Values  []vectors.Word `json:"values,omitempty"`
	Digest  string         `json:"digest"` // before the salt; the list of categories itself
	Told    string         `json:"told"`
}

// The digests by which parties find whether they hold the same are those of docs/protocol.
func TestVectorsOfFacts(t *testing.T) {
	salt := vectors.Count(0x60, 16)
	file := struct {
		Salt  vectors.Hex  `json:"salt"`
		Facts []factVector `json:"facts"`
	}{Salt: salt}
	add := func(v factVector) {
		v.Told = salted(salt, v.Purpose, v.Digest)
		file.Facts = append(file.Facts, v)
	}
	rows := func(name, text, key string, keys ...string) {
		table, list := data.ReadCSV("a.csv", []byte(text))
		a, more := data.Align([]*data.Table{table}, data.Joining{Key: key})
		if list.HasErrors() || more.HasErrors() {
			t.Fatal(list, more)
		}
		for _, purpose := range []string{"rows", "order"} {
			add(factVector{Name: name, Purpose: purpose, Keys: keys, Digest: a.Digest})
		}
	}
	rows("keys that are whole numbers", "id,x\n10,1\n-2,2\n9,3\n", "id", "-2", "9", "10")
	rows("keys that are texts", "id,x\nb,1\n10,2\ngrößer,3\n", "id", "10", "b", "größer")
	rows("rows in the order of the files", "x\n1\n2\n3\n", data.RowOrder)
	shared := func(name string, b data.BoundValue) {
		add(factVector{Name: name, Purpose: "shared", Elem: b.Elem, Dims: b.Dims, Labels: b.Labels,
			Levels: b.Levels, Values: vectors.Bits(b.Values), Digest: b.Digest()})
	}
	shared("a matrix", data.BoundValue{Recipe: data.Recipe{Elem: "real"}, Dims: []int{2, 3},
		Values: []float64{1, 2, 3.5, -4, math.Copysign(0, -1), math.Inf(1)}})
	shared("a number", data.BoundValue{Recipe: data.Recipe{Elem: "count"}, Values: []float64{7}})
	labels := []string{"a", "größer", "\"x\" \\ \t"}
	shared("categories", data.BoundValue{Recipe: data.Recipe{Elem: "level", Levels: 3}, Dims: []int{2},
		Labels: labels, Values: []float64{3, 1}})
	add(factVector{Name: "categories", Purpose: "levels", Labels: labels, Digest: fmt.Sprintf("%q", labels)})
	vectors.Check(t, "../docs/protocol/facts.json", file)
}
