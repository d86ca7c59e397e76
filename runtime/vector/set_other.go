//go:build !amd64

package vector

func best() Set { return Portable }
