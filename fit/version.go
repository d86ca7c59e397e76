package fit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// module is the path of this module.
const module = "github.com/vflc/vflc"

// sources is a digest of the sources, which the linker sets in a release (see tools/release); "" elsewhere.
var sources = ""

// Tag is the release that these sources are, or become.
const Tag = "v0.1.0"

// Names of versions that do not tell which sources a program was built from.
const (
	unknownVersion = "(unknown)"
	changedClone   = "(devel)" // as the Go toolchain says where it has no state of a repository
	changedCommit  = "+dirty"  // as it ends the version of a commit with changes
)

// Version returns the version of this module: a release or a commit, as the Go toolchain recorded it in the
// program, or else the digest of the sources that was set when it was built. Programs of the same version
// that were built for other systems take part in one run.
func Version() string {
	version := recorded()
	if sources != "" && !fixed(version) {
		return Tag + "+sources-" + sources
	}
	return version
}

// recorded is the version that the Go toolchain recorded in the program.
func recorded() string {
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

// fixed reports whether programs of a version have the same sources.
func fixed(version string) bool {
	return version != unknownVersion && version != changedClone && !strings.HasSuffix(version, changedCommit)
}

// Build tells this program from others that may compute other numbers: it is the version, followed by a
// digest of the executable where the version does not tell which sources it was built from. A reproducible
// build has the same everywhere.
func Build() string { return build() }

var build = sync.OnceValue(func() string {
	version := Version()
	if fixed(version) {
		return version
	}
	digest, err := ownDigest()
	if err != nil {
		return version + "-" + rand.Text()[:12] // it shares results with no other process
	}
	return version + "-" + hex.EncodeToString(digest[:6])
})

// ownDigest is the digest of the executable of this process.
func ownDigest() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), err
}
