package data

import "github.com/vflc/vflc/lang/diag"

// Bind gives the declarations of the party that owns the first of them their values from its table.
func Bind(v View, wants []Want) (Bindings, diag.List) {
	var list diag.List
	h := &Holder{View: v, Party: wants[0].Owner}
	return bind(v, codes([]*Holder{h}, wants, true, &list)[h], &list), list
}
