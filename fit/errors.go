package fit

import "fmt"

// A UsageError says that what was asked for does not fit: a setting, an option, or a combination of them. Model and data may be right.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

func usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// An InitError says that no starting point with a finite density was found.
type InitError struct {
	Why string // the variable or the term whose density was not finite in the last attempt
	Err error
}

func (e *InitError) Error() string { return e.Err.Error() }

func (e *InitError) Unwrap() error { return e.Err }

// An InterruptedError says that a run was stopped before its first draw.
type InterruptedError struct {
	Advice string // how to go on
}

func (e *InterruptedError) Error() string { return "interrupted before the first draw; " + e.Advice }

// A CompleteError says that a run that was to be resumed has nothing left to do.
type CompleteError struct {
	Dir  string // its folder
	Warm bool   // another run can begin where it ended
}

func (e *CompleteError) Error() string {
	advice := ""
	if e.Warm {
		advice = "; vflc run with --from " + e.Dir + " begins another where it ended"
	}
	return e.Dir + ": this run is complete" + advice
}
