package fit

import "fmt"

// A UsageError reports a setting, an option or a combination of them that does not fit. Model and data may be
// correct.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

func usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// An InitError is the failure to find a starting point with a finite density. Err holds a diagnostic
// (data.Errors) with the statement that is not finite.
type InitError struct{ Err error }

func (e *InitError) Error() string { return e.Err.Error() }

func (e *InitError) Unwrap() error { return e.Err }

// An InterruptedError is the end of a run that was stopped before its first draw.
type InterruptedError struct {
	Advice string // how to continue
}

func (e *InterruptedError) Error() string { return "interrupted before the first draw; " + e.Advice }

// A CompleteError is the failure to resume a run that has nothing left to do.
type CompleteError struct {
	Dir  string // its folder
	Warm bool   // another run can start where it ended
}

func (e *CompleteError) Error() string {
	advice := ""
	if e.Warm {
		advice = "; vflc run --from " + e.Dir + " starts another where it ended"
	}
	return e.Dir + ": this run is complete" + advice
}
