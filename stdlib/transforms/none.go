package transforms

import "github.com/vflc/vflc/stdlib/def"

// None pools the data. With clients it exists in simulation only.
var None = def.Transform{
	Name:   "none",
	Doc:    "the true model, with all data in one place",
	Pooled: true,
}
