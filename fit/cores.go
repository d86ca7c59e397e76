package fit

import (
	"context"
	"runtime"
)

type jobsKey struct{}

// Sharing returns a context under which a run takes its share of the cores alone, since so many runs are made
// at the same time. Cores beyond those of its chains help with long evaluations; draws do not depend on how
// many they are.
func Sharing(ctx context.Context, jobs int) context.Context {
	return context.WithValue(ctx, jobsKey{}, jobs)
}

// coresOf is on how many cores a run may compute.
func coresOf(ctx context.Context) int {
	jobs, _ := ctx.Value(jobsKey{}).(int)
	return max(1, runtime.GOMAXPROCS(0)/max(1, jobs))
}
