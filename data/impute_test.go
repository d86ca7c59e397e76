package data

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/lang/types"
)

func imputing(t *testing.T, csv string, from ...FromItem) (*BoundValue, string) {
	t.Helper()
	bound, list := Bind(View{Table: mustCSV(t, csv), Key: "id"},
		[]Want{{Name: "X", Owner: "server", Elem: types.Real, Rank: 2, Impute: true, From: from}})
	if len(list) > 0 {
		return nil, Errors(list).Error()
	}
	return bound["X"], ""
}

func encoded(name, column string) FromItem { return FromItem{Encoder: name, Columns: []string{column}} }

const gappy = "id,a,b,w\nk1,1,,u\nk2,NA,4,\nk3,4,1,v\nk4,7,,u\n"

// Encoders are fitted to the observed cells; the missing ones keep their places, with the mean of the column,
// and are named by row and column.
func TestImputedCells(t *testing.T) {
	x, failed := imputing(t, gappy, encoded("zscore", "a"), encoded("log", "b"),
		FromItem{Columns: []string{"a"}})
	if failed != "" {
		t.Fatal(failed)
	}
	half := math.Log(4) / 2
	want := []float64{-1, 0, 0, 1, half, math.Log(4), 0, half, 1, 4, 4, 7}
	for i, v := range x.Values {
		if math.Abs(v-want[i]) > 1e-15 {
			t.Errorf("element %d is %v, want %v", i, v, want[i])
		}
	}
	gaps := []Gap{{1, "id=k2, zscore(a)"}, {4, "id=k1, log(b)"}, {7, "id=k4, log(b)"}, {9, "id=k2, a"}}
	if !slices.Equal(x.Gaps, gaps) {
		t.Errorf("the missing cells are %v, want %v", x.Gaps, gaps)
	}
}

// New rows are encoded as the old ones were, and may have missing cells too.
func TestImputedNewRows(t *testing.T) {
	x, failed := imputing(t, gappy, encoded("zscore", "a"))
	if failed != "" {
		t.Fatal(failed)
	}
	fresh, list := x.Recipe.Apply(View{Table: mustCSV(t, "id,a\nn1,\nn2,10\n"), Key: "id"})
	if len(list) > 0 || !slices.Equal(fresh.Values, []float64{2, 2}) ||
		!slices.Equal(fresh.Gaps, []Gap{{0, "id=n1, zscore(a)"}}) {
		t.Errorf("new rows are %v with the gaps %v: %v", fresh.Values, fresh.Gaps, list)
	}
}

// What makes no one number of a number, and columns without any value, are refused.
func TestNotImputed(t *testing.T) {
	for _, x := range []struct {
		csv  string
		from FromItem
		want string
	}{
		{gappy, encoded("onehot", "w"), `column w: "" is a missing value`},
		{gappy, encoded("onehot", "w"), "onehot makes something else of it (id k2)"},
		{gappy, FromItem{Encoder: "poly", Columns: []string{"b"}, Further: []string{"2"}},
			"poly makes something else of it"},
		{"id,a\n1,\n2,NA\n", encoded("zscore", "a"), "nothing to impute from"},
		{"id,a\n1,\n2,NA\n", FromItem{Columns: []string{"a"}}, "nothing to impute from"},
		{"id,a\n1,\n2,x\n3,4\n", FromItem{Columns: []string{"a"}}, `"x" is not a number`},
	} {
		if _, failed := imputing(t, x.csv, x.from); !strings.Contains(failed, x.want) {
			t.Errorf("%v: %q, want %q", x.from, failed, x.want)
		}
	}
}
