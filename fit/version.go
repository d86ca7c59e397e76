package fit

import (
	"runtime/debug"
	"slices"
)

// module is the path of this module.
const module = "github.com/vflc/vflc"

// Version returns the version of this module as the Go toolchain recorded it in the program: a release, or a commit.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknownVersion
	}
	version := info.Main.Version
	if at := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == module }); at >= 0 {
		version = info.Deps[at].Version
	}
	if version == "" {
		return unknownVersion
	}
	return version
}

const unknownVersion = "(unknown)"
