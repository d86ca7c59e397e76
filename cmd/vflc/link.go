package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/posterior"
)

// linkFlags are those about the connection that a forecast of waiting time is for.
type linkFlags struct {
	rtt       time.Duration
	bandwidth string
}

const (
	rttFlag       = "rtt"
	bandwidthFlag = "bandwidth"
)

func (f *linkFlags) add(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.rtt, rttFlag, posterior.UsualConnection.RoundTrip,
		"`time` of a round trip between the parties, for the forecast of waiting for messages")
	cmd.Flags().StringVar(&f.bandwidth, bandwidthFlag, "100Mbit",
		"`rate` of the server's line, for the same, as 100Mbit")
}

// link is what the flags say, and whether one of them was given. The error is a usage error.
func (f *linkFlags) link(cmd *cobra.Command) (posterior.Connection, bool, error) {
	l := posterior.Connection{RoundTrip: f.rtt}
	var err error
	switch l.Bandwidth, err = posterior.ParseBandwidth(f.bandwidth); {
	case err != nil:
		return l, false, usagef("--%s: %v", bandwidthFlag, err)
	case f.rtt < 0:
		return l, false, usagef("--%s %s: a round trip takes no less than 0", rttFlag, f.rtt)
	}
	return l, cmd.Flags().Changed(rttFlag) || cmd.Flags().Changed(bandwidthFlag), nil
}
