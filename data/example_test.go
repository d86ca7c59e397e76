package data_test

import (
	"fmt"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/types"
)

// Data in memory are bound as those of a file.
func ExampleColumns() {
	table := data.Columns("patients", data.Values{Name: "age", Numbers: []float64{30, 40, 50}},
		data.Values{Name: "ward", Words: []string{"west", "east", "west"}})
	set, problems := data.Load(data.Sources{{PartyRef: data.PartyRef{Name: "registry"},
		Tables: []data.Reader{table}}}, nil, data.Joining{})
	if problems.HasErrors() {
		panic(data.Errors(problems))
	}
	values, problems := set.Bind([]data.Want{
		{Name: "age", Owner: "registry", Rank: 1,
			From: []data.FromItem{{Encoder: "zscore", Columns: []string{"age"}}}},
		{Name: "ward", Owner: "registry", Rank: 1, Elem: types.Level},
	})
	if problems.HasErrors() {
		panic(data.Errors(problems))
	}
	fmt.Println(values["registry"]["age"].Values, values["registry"]["ward"].Values,
		values["registry"]["ward"].Labels)
	// Output: [-1 0 1] [2 1 2] [east west]
}
