// Package garbage makes tests that import it collect garbage less often. What they keep is small, so that a collection for every few megabytes would take up to half of their time.
package garbage

import "runtime/debug"

func init() { debug.SetGCPercent(400) }
