package carrier

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/vflc/vflc/node/identity"
)

// probeMost is how long a probe waits for the network.
const probeMost = 5 * time.Second

// Probe tries the address of the project's server once and says why no connection is possible; nil where one
// is.
func Probe(ctx context.Context, id *identity.Identity) error {
	ctx, cancel := context.WithTimeout(ctx, probeMost)
	defer cancel()
	address := id.Project.Address
	raw, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		var named *net.DNSError
		if errors.As(err, &named) {
			return fmt.Errorf("%s: no machine has this name", address)
		}
		var op *net.OpError // it repeats the address
		if errors.As(err, &op) {
			err = op.Err
		}
		return fmt.Errorf("%s cannot be reached: %s", address, reason(err))
	}
	conn := tls.Client(raw, id.Dial())
	defer conn.Close()
	if err := conn.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("%s: %s", address, reason(err))
	}
	deadline, _ := ctx.Deadline()
	_ = conn.SetReadDeadline(deadline)
	// the server speaks first, or says that it refuses the certificate
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		return fmt.Errorf("%s: %s", address, reason(err))
	}
	return nil
}
