package diag

// The codes of densities that are not finite where a fit begins, or comes to.
const (
	NoStart   Code = "V0665" // no point with a finite density to begin at
	NotFinite Code = "V0666" // the density or its gradient was not finite for many iterations in a row
)
