//go:build !amd64

package kernel

func best() Set { return Portable }
