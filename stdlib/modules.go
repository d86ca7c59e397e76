package stdlib

import (
	_ "embed" // for the texts of the modules
	"maps"
	"slices"
)

//go:embed nn.vfl
var nn string

//go:embed glm.vfl
var glm string

// modules lists the modules of functions that a model can import by name.
func modules() map[string]string { return map[string]string{"nn": nn, "glm": glm} }

// Module returns the text of the module with the given name.
func (u *Universe) Module(name string) (string, bool) {
	text, ok := u.modules[name]
	return text, ok
}

// Modules returns the names of the modules, sorted.
func (u *Universe) Modules() []string { return slices.Sorted(maps.Keys(u.modules)) }
