package main

import (
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/node/carrier"
)

// addNATS adds the flags of an organisation's own NATS servers.
func addNATS(fs *pflag.FlagSet, cl *carrier.Cluster) {
	fs.StringVar(&cl.URL, "nats", "",
		"`URL` of NATS servers of your own to which all parties connect, the server of the model too: "+
			"tls://HOST:PORT, several with commas")
	fs.StringVar(&cl.CA, "nats-ca", "",
		"`file` with the certificates by which those servers are known (default: the system's)")
	fs.StringVar(&cl.Credentials, "nats-credentials", "",
		"`file` with the credentials of a NATS user (.creds)")
	fs.StringVar(&cl.Cert, "nats-cert", "",
		"`file` with a certificate for those servers; --nats-key has its key")
	fs.StringVar(&cl.Key, "nats-key", "", "`file` with the key of --nats-cert")
}

// wholeNATS refuses flags of NATS servers that lack others.
func wholeNATS(cl carrier.Cluster, listen string) error {
	switch {
	case cl.URL == "" && cl != (carrier.Cluster{}):
		return usagef("--nats-… without --nats: name the servers")
	case (cl.Cert == "") != (cl.Key == ""):
		return usagef("--nats-cert and --nats-key belong together")
	case cl.URL != "" && listen != "":
		return usagef("--listen is of the server that vflc serve starts, and --nats of others: leave out one")
	}
	return nil
}
