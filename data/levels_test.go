package data

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/lang/types"
)

// Over all columns of a size two cells have one code if and only if they hold one word, the codes are in byte
// order, and each has a cell.
func TestOneCodingPerSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "B", "ab", "é", "z1", "~", "01", "1", "1.0"})
		n := rapid.IntRange(1, 9).Draw(t, "n")
		first, second := rapid.SliceOfN(word, n, n).Draw(t, "first"),
			rapid.SliceOfN(word, n, n).Draw(t, "second")
		first[0], second[n-1] = "B", "~" // so that both columns hold words
		var text strings.Builder
		text.WriteString("g,h\n")
		for i := range n {
			fmt.Fprintf(&text, "%s,%s\n", first[i], second[i])
		}
		table, list := ReadCSV("t.csv", []byte(text.String()))
		if table == nil {
			t.Fatal(Errors(list))
		}
		level := Want{Name: "g", Elem: types.Level, Rank: 1, Level: Size{Name: "R"}}
		other := level
		other.Name = "h"
		bound, list := Bind(View{Table: table}, []Want{level, other})
		if list.HasErrors() {
			t.Fatal(Errors(list))
		}
		words := append(slices.Clone(first), second...)
		codes := append(slices.Clone(bound["g"].Values), bound["h"].Values...)
		labels := slices.Compact(slices.Sorted(slices.Values(words)))
		if !slices.Equal(bound["g"].Labels, labels) || !slices.Equal(bound["h"].Labels, labels) {
			t.Fatalf("labels %q and %q of %q", bound["g"].Labels, bound["h"].Labels, words)
		}
		for i, w := range words {
			if labels[int(codes[i])-1] != w {
				t.Fatalf("%q has the code %v among %q", w, codes[i], labels)
			}
		}
	})
}

// The rows that are kept are those of the keys that all tables have, in one order, whatever other rows each
// has.
func TestIntersectKeepsTheCommonRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"1", "2", "10", "9", "03", "x", "y"})
		var all [][]string
		sources := Sources{}
		var wants []Want
		for k := range 3 {
			keys := append(rapid.SliceOfDistinct(key, func(k string) string {
				return k
			}).Draw(t, "keys"), "7")
			id, v := Values{Name: "id", Words: keys}, Values{Name: "v", Words: keys}
			name := fmt.Sprint("p", k)
			sources = append(sources,
				Source{PartyRef: PartyRef{Name: name}, Tables: []Reader{Columns(name, id, v)}})
			wants = append(wants, Want{Name: "v" + name, Owner: name, Elem: types.Level, Rank: 1,
				Rows: Size{Name: "N"}, Level: Size{Name: name},
				Coding: []string{"1", "2", "10", "9", "03", "x", "y", "7"},
				From:   []FromItem{{Columns: []string{"v"}}}})
			all = append(all, keys)
		}
		set, list := Load(sources, wants, Joining{Intersect: true})
		if set == nil {
			t.Fatal(Errors(list))
		}
		bound, list := set.Bind(wants)
		if list.HasErrors() {
			t.Fatal(Errors(list))
		}
		want := 0
		for _, k := range all[0] {
			if slices.Contains(all[1], k) && slices.Contains(all[2], k) {
				want++
			}
		}
		first := bound["p0"]["vp0"].Values
		if len(first) != want || set.Joins[0].Rows != want {
			t.Fatalf("%d rows, want %d: %q", len(first), want, all)
		}
		for k, name := range []string{"p1", "p2"} {
			if !slices.Equal(bound[name]["v"+name].Values, first) {
				t.Fatalf("table %d is in another order: %q", k+2, all)
			}
		}
	})
}
