package backends

// A Holding is a kernel that holds some parameters at a mode: they are the same in all its draws, which are
// of the others given these.
type Holding interface {
	// Held says what the draws are; "": no parameter is held.
	Held() string
}
