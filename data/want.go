package data

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// OwnerShared is the Owner of data that every party holds, and the name under which a table for all parties
// is given.
const OwnerShared = "shared"

// A Want is one data declaration.
type Want struct {
	Name  string
	Owner string // a party, a family, or OwnerShared
	Elem  types.Elem
	// dimensions: 0 a scalar, 1 a vector (one value per row of a CSV), 2 a matrix (a row per row of a CSV)
	Rank int
	Rows Size // counts the first dimension; without a name for scalars
	// Levels is the number of categories of a level if the model sets it; 0: the data do.
	Levels int
	Level  Size // of a level: counts the categories
	// of a level: the categories that the model lists, in the order of their codes; nil: none
	Coding       []string
	coding       coding
	Lower, Upper *float64 // declared bounds, inclusive; nil: none
	Drop         bool     // leave out the rows in which a cell of it is missing
	Impute       bool     // missing cells are parameters: their places are kept
	// nil: the column with the name of the declaration, or for a matrix of a CSV all columns not otherwise
	// bound
	From []FromItem
}

// A Size is a size of the model, as an expression.
type Size struct {
	Name string
	Own  bool // every member of a family has its own, and so does every table
}

// A FromItem is one item of a `from` clause.
type FromItem struct {
	Star    bool     // `*`: all columns not otherwise bound
	Encoder string   // "" for a plain column
	Columns []string // the columns named
	Further []string // the arguments that follow the columns, as written
	Options []Option
}

// An Option is a named argument of an encoder, as drop=first.
type Option struct{ Name, Value string }

// Fitted is an encoder of one column with what it learned from the data it was fitted to.
type Fitted struct {
	Encoder string `json:"encoder"`
	Column  string `json:"column"`
	Second  string `json:"second,omitempty"` // the other column of an encoder of two
	Elem    string `json:"elem,omitempty"`   // of a column without an encoder: the type of its cells
	def.Fitted
}

// A Recipe describes how the value of a declaration is computed from a table. It holds the fitted encoders,
// which also apply to new rows. The party that owns the data keeps it with a run, as JSON.
type Recipe struct {
	Name     string   `json:"name"`
	Elem     string   `json:"elem"` // real, int, binary, count, level
	Rank     int      `json:"rank"`
	Levels   int      `json:"levels,omitempty"` // categories of a level
	Impute   bool     `json:"impute,omitempty"` // missing cells keep their places
	Lower    *float64 `json:"lower,omitempty"`
	Upper    *float64 `json:"upper,omitempty"`
	Encoders []Fitted `json:"encoders"`
}

// A BoundValue is the value of a data declaration.
type BoundValue struct {
	Recipe
	Dims        []int     // actual sizes; none for a scalar
	Values      []float64 // column-major: the first index runs fastest
	ColumnNames []string  // of a matrix made from columns: "age", "zscore(chol)", "sex=F"; of a vector, one
	// of a level made from categories: Labels[k-1] is category k; nil where the categories are integers
	Labels  []string
	ByRow   bool     // the first dimension runs over the rows that the parties share
	Holders []string // of shared data: the parties whose tables hold it
	// the missing cells that are imputed, in the order of Values, where they have the mean of their column
	Gaps []Gap
}

// A Gap is a missing cell.
type Gap struct {
	At int // in Values
	// "patient=17", "patient=17, zscore(chol)": the key of its row, or row=N, and the column of a matrix
	Name string
}

// Bindings are the values of one party's declarations by name, shared ones included.
type Bindings map[string]*BoundValue

// ColumnName is the name of the k-th column of a declaration: that of the table where there is one, else the
// declaration's with an index.
func (b *BoundValue) ColumnName(declared string, k int) string {
	switch {
	case k < len(b.ColumnNames):
		return b.ColumnNames[k]
	case len(b.Dims) == 1:
		return declared
	}
	return fmt.Sprintf("%s[:, %d]", declared, k+1)
}
