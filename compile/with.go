package compile

import (
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

// With returns the model with other values of its data, of the same sizes. b is unchanged. Diagnostics and error are those of Bind.
func (b *Bound) With(values map[string]data.Bindings) (*Bound, diag.List, error) {
	fresh := &Bound{Model: b.Model, Data: b.Data, Values: values, Sizes: b.Sizes}
	diags := fresh.lower()
	if diags.HasErrors() {
		return fresh, diags, nil
	}
	return fresh, diags, fresh.link()
}
