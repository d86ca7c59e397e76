//go:build !light

package export

import (
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
)

// The other methods of parquet.Node are those of any group.

func (schema) ID() int                     { return 0 }
func (schema) String() string              { return "draws" }
func (schema) Type() parquet.Type          { return parquet.Group{}.Type() }
func (schema) Optional() bool              { return false }
func (schema) Repeated() bool              { return false }
func (schema) Required() bool              { return true }
func (schema) Leaf() bool                  { return false }
func (schema) Encoding() encoding.Encoding { return nil }
func (schema) Compression() compress.Codec { return nil }
func (schema) GoType() reflect.Type        { return reflect.TypeFor[struct{}]() }
