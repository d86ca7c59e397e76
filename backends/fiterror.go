package backends

// A FitError is the failure of one fit of several, at the same Step at every party: another, from elsewhere,
// may succeed.
type FitError struct{ Err error }

func (e *FitError) Error() string { return e.Err.Error() }

func (e *FitError) Unwrap() error { return e.Err }
