package diag

import "strings"

// The files of the examples of V0668 and V067x.
const (
	estimatorsData  = "-- m/server.csv --\nid,y\n1,0.5\n2,-0.3\n3,1.2\n-- m/a.csv --\nid,u\n1,1\n2,2\n3,-1\n-- m/b.csv --\nid,v\n1,0.5\n2,-1\n3,2\n"
	estimatorsModel = "-- m.vfl --\nclient a, b\ndata y : real[N] @ shared\ndata u : real[N] @ a\ndata v : real[N] @ b\nparam p ~ normal(0, 1) @ a\nparam q ~ normal(0, 1) @ b\ny ~ normal(p * u + q * v, 1)\n" + estimatorsData
	gammaModel      = "-- m.vfl --\nclient a, b\ndata y : real[N] @ shared\ndata u : real[N] @ a\ndata v : real[N] @ b\nparam p ~ normal(0, 1) @ a\nparam q ~ gamma(2, 2) @ b\ny ~ normal(p * u + q * v, 1)\n" + estimatorsData
)

// estimatorsPages explains V0667 to V0673, V0858 and V0859. An example shows the command and the files.
var estimatorsPages = []Page{
	{
		Code: NotCorrected, Title: "draws that weights cannot correct",
		Text:  "With --correct the draws of an approximation are weighted by the posterior's density over the approximation's. That takes the density of the parameters alone, with auxiliary variables integrated out: a fit by quadrature has it, and so has every fit without auxiliary variables. In a fit that draws them each row and client adds its own error to the logarithm of a weight, so that one draw has all the weight; and the density without them takes the clients' contributions without noise, which such a fit never sends. Under transform power a likelihood that three clients or more evaluate is integrated where these have one rho. Without --correct, or with --correct auto, such a fit gives the draws of the approximation and says that they are not corrected.",
		Wrong: "vflc run m.vfl --backend sfvi --estimator sampled --correct --iterations 20 --elbo-draws 20 --draws 20 --transform augmented\n" + estimatorsModel,
		Right: "vflc run m.vfl --backend sfvi --correct --draws 20 --transform augmented\n" + estimatorsModel,
	},
	{
		Code: NotEncrypted, Title: "not with encrypted rows",
		Text:  "With --wire encrypted the likelihood is evaluated by polynomials of encrypted numbers. The server has one likelihood, with one predictor a row that every client adds an affine contribution to; its log density is linear in one number of the response, or a function of response minus predictor; other parameters of it are numbers in the model, the same in all rows, but for the standard deviation of a normal or lognormal one, which may be a parameter of the server. A polynomial stands for it on an interval around the predictor of an ordinary row, and noise that covers decrypted sums grows with the interval: where it would be more than a fiftieth of a posterior standard deviation, or no polynomial reaches, nothing is decrypted. Scaled columns, exposures of like sizes and narrower priors keep the interval short. Everything else needs another wire.",
		Wrong: "vflc run m.vfl --backend sfvi --wire encrypted --accept few-rows --transform exact\n" + strings.ReplaceAll(estimatorsModel, "y ~ normal(p * u + q * v, 1)", "param s ~ half_normal(1)\ny ~ student_t(4, p * u + q * v, s)"),
		Right: "vflc run m.vfl --backend sfvi --transform exact --draws 200\n" + strings.ReplaceAll(estimatorsModel, "y ~ normal(p * u + q * v, 1)", "param s ~ half_normal(1)\ny ~ student_t(4, p * u + q * v, s)"),
	},
	{
		Code: TooFewRows, Title: "too few rows to be encrypted",
		Text:  "With --wire encrypted nobody can decrypt a number of a row, but sums over rows are decrypted, and sums tell rows when there are as many of them as rows. D is how many numbers that depend on the others' rows one party learns in a run. vflc run ends before that is more than a twentieth of the rows n. Across processes the least limit of all parties holds: max_decrypted of a policy, else a twentieth of the rows, less what earlier runs have told of any of these. It takes more rows, fewer columns, --correct false, or of NUTS fewer chains and transitions, or --backend sfvi; --accept few-rows goes on nevertheless, in a simulation.",
		Wrong: "vflc run m.vfl --backend sfvi --wire encrypted --transform exact\n" + estimatorsModel,
		Right: "vflc run m.vfl --backend sfvi --transform exact --draws 20\n" + estimatorsModel,
	},
	{
		Code: AloneRows, Title: "rows that stand alone in encrypted columns",
		Text: "With --wire encrypted sums over rows are decrypted, and a party chooses the columns that rows are multiplied with. Where a combination of a party's columns is zero in all rows but few, as of two columns that differ in one row, of a category with one row, or of a number that is far beyond all others, the sums tell what these rows have at the other parties. So no row of a party's columns may have a leverage above 1/5, that is as much weight as a row of a category of five, or above one over the min_cell of its policy where that is more. Each party looks before its columns are encrypted. The report names the parameter of the column with which a row comes above, and how many do; --accept few-rows goes on, in a simulation.",
	},
	{
		Code: NoFixedDraws, Title: "fixed draws do not suit the model",
		Text:  "With --estimator fixed the ELBO is the mean over draws that stay the same, so it has no noise of its own. Every party must be able to evaluate its density at all draws by itself, and nothing but parameters may be drawn: the server has the likelihood, parties share no parameters, and there are no auxiliary variables, whose noise would stay the same too. So the transform is exact, or none. A full covariance needs two draws for each parameter of a party at least. --estimator auto takes fixed draws where they suit.",
		Wrong: "vflc run m.vfl --backend sfvi --estimator fixed --draws 20\n" + estimatorsModel,
		Right: "vflc run m.vfl --backend sfvi --estimator fixed --draws 20 --transform exact\n" + estimatorsModel,
	},
	{
		Code: NotNested, Title: "a model that is not normal given few hyperparameters",
		Text:  "With --estimator nested the parties put a grid over at most four hyperparameters, such as scales and correlations of effects and the scale of the likelihood, and a Gaussian at each of its points. Given these every other parameter must have a proper normal prior and enter the predictors linearly, the prior covariance must be a combination of few matrices (the length scale of a process is a number in the model), and the server has the likelihood, with one predictor a row. The transform is exact, augmented (auxiliary variables are integrated out, and cannot be saved) or none. Local scales of a horseshoe are as many as its coefficients, and weights of a network have no priors. Everything else is for another estimator, or for NUTS.",
		Wrong: "vflc run m.vfl --backend sfvi --estimator nested --draws 20 --transform exact\n" + strings.ReplaceAll(estimatorsModel, "param q ~ normal(0, 1) @ b", "param s ~ half_cauchy(1) @ b\nparam q ~ student_t(4, 0, s) @ b"),
		Right: "vflc run m.vfl --backend sfvi --estimator nested --draws 20 --transform exact\n" + strings.ReplaceAll(estimatorsModel, "param q ~ normal(0, 1) @ b", "param s ~ half_cauchy(1) @ b\nparam q ~ normal(0, s) @ b"),
	},
	{
		Code: NoLastLayer, Title: "a model without hidden layers that can be held at a mode",
		Text:  "With --estimator last-layer the parties find the mode of all parameters, hold hidden layers of networks there, and fit everything else given the features that these make of the data. A client with a network contributes h(x)·w: w and intercepts behind it enter linearly and have normal priors whose scales are numbers, and every parameter before them has a proper prior, so that there is a mode (nn.mlp has such priors; weights of nn.features and nn.last_layer have none). Other clients contribute as generalised linear models do, parties share no parameters, and the server has the likelihood, with normal priors of what enters its predictors. The transform is exact. A model without hidden layers is fitted as a whole by --estimator quadrature.",
		Wrong: "vflc run m.vfl --backend sfvi --estimator last-layer --draws 20 --transform exact\n" + estimatorsModel,
		Right: "vflc run m.vfl --backend sfvi --estimator last-layer --draws 20 --transform exact\n" + strings.ReplaceAll(estimatorsModel, "y ~ normal(p * u", "param r ~ normal(0, 1) @ a\ny ~ normal(p * tanh(r * u)"),
	},
	{
		Code: NoLocalSteps, Title: "local steps do not suit the model",
		Text:  "With --local-steps every party moves several times between two round trips, by adjoint and curvature of the likelihood as of the last message. The likelihood must be at the server (transform exact or augmented), parties must share no parameters, all rows must be used in every round, and a step must follow every draw: not with --minibatch, --mc-samples or a guide that sees the sum of all contributions.",
		Wrong: "vflc run m.vfl --backend sfvi --estimator sampled --local-steps 3 --iterations 20 --elbo-draws 20 --draws 20 --transform power\n" + estimatorsModel,
		Right: "vflc run m.vfl --backend sfvi --estimator sampled --local-steps 3 --iterations 20 --elbo-draws 20 --draws 20 --transform augmented\n" + estimatorsModel,
	},
	{
		Code: NoCoupling, Title: "noise of different clients that cannot be correlated",
		Text:  "Under --guide coupled the noise of the clients' auxiliary variables is correlated within a row. It is integrated by quadrature, and no party draws it by itself. So the model must be one that is fitted by quadrature, with normal priors of the clients' parameters and contributions that are affine in them; no generated quantity may read what crosses; and under transform power all clients must have the same rho. --guide structured has none of these limits.",
		Wrong: "vflc run m.vfl --backend sfvi --guide coupled --draws 20 --elbo-draws 20 --iterations 20\n" + gammaModel,
		Right: "vflc run m.vfl --backend sfvi --guide coupled --draws 20\n" + estimatorsModel,
	},
}
