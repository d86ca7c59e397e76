package diag

// The codes of cells that workers make: V0602 to V0606.
const (
	OtherWorker Code = "V0602" // a worker of another version of vflc than the cells
	NoCell      Code = "V0603" // what is no cell that vflc hands out
	NoQueue     Code = "V0604" // a server of work that does not answer, or refuses
	BadResult   Code = "V0605" // a result that is none of its cell
	NotSpread   Code = "V0606" // tables that cannot go to a worker
)
