package fit

import (
	"slices"
	"sync"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/nuts"
	"github.com/vflc/vflc/backends/sfvi"
	"github.com/vflc/vflc/backends/soul"
)

// Backends lists the inference algorithms of this version; the first is the default. Open also accepts any
// other algorithm that satisfies the contract of package backends.
func Backends() []backends.Algorithm { return slices.Clone(algorithms()) }

// algorithms makes them once: a command line asks for them for each of its flags.
var algorithms = sync.OnceValue(func() []backends.Algorithm {
	return []backends.Algorithm{nuts.Algorithm(), sfvi.Algorithm(), soul.Algorithm()}
})

// Backend finds a listed algorithm by name, or that which makes a release.
func Backend(name string) (backends.Algorithm, bool) {
	all := append(Backends(), Releasing())
	at := slices.IndexFunc(all, func(a backends.Algorithm) bool { return a.Name == name })
	if at < 0 {
		return backends.Algorithm{}, false
	}
	return all[at], true
}
