//go:build light

package carrier

import (
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node/identity"
)

// Serve returns the error that this build has no server.
func Serve(*identity.Identity, string, Handlers) (*Carrier, error) {
	return nil, data.Coded(diag.LeftOut, "a light build has no server for other parties: run vflc of a release, "+
		"or build it without -tags light; or name NATS servers of your own (--nats)")
}
