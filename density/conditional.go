package density

// ConditionalBlock is a Block whose density, given a few hyperparameters, can be a normal one of the other
// elements of θ, times likelihoods of rows each of which has one predictor a row.
type ConditionalBlock interface {
	Block
	// Conditional returns the density in that form. The error says what has another form, and where.
	Conditional() (*Conditional, error)
}

// A Conditional is a block's density in terms of latent elements x of θ given the others, its
// hyperparameters, and what the block receives of the server's parameters: everything is linear or quadratic
// in x. Nothing here may be sent as it is.
type Conditional struct {
	Index []int // the elements of θ that are latent, ascending
	Hyper []int // the others
	// Names are those of the parameters that the others are, in their order.
	Names []string
	// Members, Sums and Clients are those of Linear.
	Members []Member
	Sums    []int
	Clients int
	// Received is how many elements of shared parameters the block receives, and Sources names the parameter
	// of each; at the server of each that is sent. Sends returns those that it sends, where the latent
	// elements are 0, To lists which of these each client receives, by party, and Latent which of them depend
	// on latent elements: ConditionalForm.Sends has these.
	Received int
	Sources  []string
	To       [][]int
	Sends    func(hyper []float64) []float64
	Latent   []int
	// Accept declares which elements of those that the block receives are latent elsewhere: outputs and
	// gradients must be affine in them too. The error says what is not.
	Accept func(latent []bool) error
	// Along returns the cuts and the gradient of everything but the likelihoods by the latent elements, where
	// these are 0, at the hyperparameters of the last At and what is received.
	Along func(received []float64) (cuts, gradient []float64)
	// Rows are the likelihoods, without their maps; Evaluate takes the hyperparameters.
	Rows []RowLikelihood
	// At sets form at hyperparameters, and at what is received. The form and its slices are made once.
	At func(hyper, received []float64, form *ConditionalForm)
}

// A ConditionalForm is a Conditional at one point: linear maps of the latent elements, and the logarithm of
// everything but the likelihoods as a function of these.
type ConditionalForm struct {
	Cuts  Affine
	Rows  []Affine // the predictors of the likelihoods, without what the clients contribute
	Prior Quadratic
	Sends Affine // the elements that are sent and depend on latent ones
}
