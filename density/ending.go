package density

import "context"

// Ending is an Env with a last exchange, in which clients that are apart compare what they have received alike. What they have computed counts after it alone.
type Ending interface {
	End(ctx context.Context) error
}
