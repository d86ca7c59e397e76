package compile

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
)

// With returns the model with other values of its data, of the same sizes. b is unchanged. Diagnostics and
// error are those of Bind.
func (b *BoundModel) With(values map[string]data.Bindings) (*BoundModel, diag.List, error) {
	fresh := &BoundModel{Model: b.Model, Data: b.Data, Values: values, Sizes: b.Sizes}
	diags := fresh.lower()
	if diags.HasErrors() {
		return fresh, diags, nil
	}
	return fresh, diags, fresh.link()
}

// WithEncryptedRows returns the model, with its data, for a run whose rows stay encrypted. b is unchanged.
// The diagnostics say why there is none.
func (b *BoundModel) WithEncryptedRows() (*BoundModel, diag.List, error) {
	m, diags := b.Model.WithEncryptedRows()
	if diags.HasErrors() {
		return nil, diags, nil
	}
	return b.as(m)
}

// WithRows is Model.WithRows, with its data. b is unchanged.
func (b *BoundModel) WithRows() (*BoundModel, diag.List, error) {
	m := b.Model.WithRows()
	if m == b.Model {
		return b, nil, nil
	}
	return b.as(m)
}

// WithoutParties returns the model with its data in one program, without a transform's noise and without
// generated quantities: its density, at many points. b is unchanged.
func (b *BoundModel) WithoutParties() (*BoundModel, diag.List, error) {
	m, diags := b.Model.Pool()
	if diags.HasErrors() {
		return nil, diags, nil
	}
	m.Checked.Order = slices.DeleteFunc(slices.Clone(m.Checked.Order), func(s *check.Symbol) bool {
		return s.Kind == check.Generated
	})
	return b.as(m)
}

// as is another model of the same data.
func (b *BoundModel) as(m *Model) (*BoundModel, diag.List, error) {
	fresh := *b
	fresh.Model, fresh.Lowered = m, nil
	if diags := fresh.lower(); diags.HasErrors() {
		return nil, diags, nil
	}
	return &fresh, nil, fresh.link()
}
