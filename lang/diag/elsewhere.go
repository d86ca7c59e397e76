package diag

import (
	"slices"
	"strings"
)

// A Namespace is one of those that names of the language live in.
type Namespace int

// The namespaces.
const (
	Functions Namespace = iota
	Distributions
	Types
	Encoders
	Initials
	Values
)

// A Foreign is a name that Stan, R, NumPy, SciPy, PyMC, BUGS or the description of this language has and this
// version has not. It is never taken for a misspelling.
type Foreign struct {
	Name  string
	From  string // whose name it is
	Write string // what to write here; "" where nothing here does the same
	Note  string // what else to know, "" for nothing
	// Write is a name that takes the same arguments and means the same, so that it can be put in its place
	Same bool
}

// Elsewhere returns a name that is known elsewhere.
func Elsewhere(space Namespace, name string) (Foreign, bool) {
	if i := strings.LastIndex(name, "_"); i > 0 && space == Functions &&
		slices.Contains([]string{"rng", "lupdf", "lupmf", "cdf", "ccdf"}, name[i+1:]) {
		return Foreign{Name: name, From: inStan, Note: "the density functions here are " + name[:i] +
			"_lpdf or _lpmf, _lcdf and _lccdf, and a prediction may be a parameter that nothing uses, " +
			"param next ~ normal(mu, sigma)"}, true
	}
	list := Foreigns(space)
	i := slices.IndexFunc(list, func(f Foreign) bool { return f.Name == name })
	if i < 0 {
		return Foreign{}, false
	}
	return list[i], true
}

// Sentence is the advice on what to write.
func (f Foreign) Sentence() string {
	text := f.Name + " is " + f.From
	switch {
	case f.Write != "":
		text += ": write " + f.Write
	case f.Note == "" && f.From != later:
		text += ", and this version has nothing like it"
	}
	switch {
	case strings.HasPrefix(f.Note, "with "):
		text += ", " + f.Note
	case f.Note != "":
		text += "; " + f.Note
	}
	return text
}

const (
	later   = "not in this version"
	inStan  = "Stan's name"
	inR     = "R's name"
	keras   = "Keras's name"
	pytorch = "PyTorch's name"
	bugs    = "a name of R and BUGS"
	python  = "a name of NumPy and SciPy"
	pymc    = "PyMC's name"
	numpro  = "a name of NumPyro and TFP"

	precision = "the second argument of BUGS is a precision, 1 / sigma ^ 2, that of R a standard deviation"
	sumOut    = "sum a discrete parameter out of the likelihood by hand"
)

// Foreigns lists the names of a namespace that are known elsewhere.
func Foreigns(space Namespace) []Foreign {
	switch space {
	case Functions:
		return foreignFunctions()
	case Distributions:
		return foreignDistributions()
	case Types:
		return foreignTypes()
	case Initials:
		return foreignInitials()
	case Values:
		return foreignValues()
	}
	return foreignEncoders()
}

func foreignValues() []Foreign {
	const truth, missing = "a truth value is 1 or 0; a condition such as x > 0 is one",
		"a missing cell stays empty in its table, and `missing` says what becomes of its row"
	return []Foreign{
		{Name: "TRUE", From: inR, Write: "1", Note: truth},
		{Name: "FALSE", From: inR, Write: "0", Note: truth}, {Name: "True", From: "Python's name", Write: "1",
			Note: truth}, {Name: "False", From: "Python's name", Write: "0", Note: truth},
		{Name: "true", From: "a name of many languages", Write: "1", Note: truth},
		{Name: "false", From: "a name of many languages", Write: "0", Note: truth},
		{Name: "NA", From: inR, Note: missing}, {Name: "NaN", From: "a name of many languages",
			Note: missing}, {Name: "nan", From: python, Note: missing},
		{Name: "None", From: "Python's name", Note: missing}, {Name: "NULL", From: inR, Note: missing},
		{Name: "Inf", From: inR, Note: "an end that is not there is left out, as in real<lower=0>"},
		{Name: "inf", From: python, Note: "an end that is not there is left out, as in real<lower=0>"},
	}
}

func foreignInitials() []Foreign {
	return []Foreign{
		{Name: "zero", From: "another word for it", Write: "zeros", Same: true},
		{Name: "constant", From: "PyTorch's and Keras's name",
			Note: "constants are zeros and ones; another one is a factor or a term where the weight is used"},
		{Name: "one", From: "another word for it", Write: "ones", Same: true},
		{Name: "random_normal", From: keras, Write: "normal", Same: true},
		{Name: "random_uniform", From: keras, Write: "uniform", Same: true},
		{Name: "truncated_normal", From: keras, Write: "normal", Note: "it is not truncated"},
		{Name: "glorot", From: "short for two kinds", Write: "glorot_uniform",
			Note: "glorot_normal is the other one"}, {Name: "he", From: "short for two kinds",
			Write: "he_normal", Note: "he_uniform is the other one"},
		{Name: "lecun", From: "short for two kinds", Write: "lecun_normal",
			Note: "lecun_uniform is the other one"},
		{Name: "xavier", From: pytorch, Write: "glorot_uniform", Note: "glorot_normal is the other one"},
		{Name: "xavier_uniform", From: pytorch, Write: "glorot_uniform", Same: true},
		{Name: "xavier_normal", From: pytorch, Write: "glorot_normal", Same: true},
		{Name: "kaiming", From: pytorch, Write: "he_normal", Note: "he_uniform is the other one"},
		{Name: "kaiming_uniform", From: pytorch, Write: "he_uniform", Same: true},
		{Name: "kaiming_normal", From: pytorch, Write: "he_normal", Same: true},
		{Name: "orthogonal", From: "PyTorch's and Keras's name",
			Note: "this version has nothing like it; glorot_normal has the same spread"},
		{Name: "variance_scaling", From: keras, Write: "he_normal",
			Note: "there are other kinds, whose variances its arguments give"},
	}
}

// solver is the message for names of solvers of differential equations.
func solver(name, from string) Foreign {
	return Foreign{Name: name, From: from,
		Note: "nothing here solves differential equations: write the solution where it has a closed form, " +
			"else steps of a fixed length as a recursion, x[t] = step(x[t - 1], …) with Runge and " +
			"Kutta's method in fn step"}
}

func foreignFunctions() []Foreign {
	return []Foreign{
		solver("ode_rk45", inStan), solver("ode_rk45_tol", inStan), solver("ode_ckrk", inStan),
		solver("ode_ckrk_tol", inStan), solver("ode_adams", inStan), solver("ode_adams_tol", inStan),
		solver("ode_bdf", inStan), solver("ode_bdf_tol", inStan), solver("ode_adjoint_tol_ctl", inStan),
		solver("dae", inStan), solver("dae_tol", inStan),
		solver("integrate_ode", inStan), solver("integrate_ode_rk45", inStan),
		solver("integrate_ode_bdf", inStan), solver("integrate_ode_adams", inStan),
		solver("odeint", python), solver("solve_ivp", python), solver("DifferentialEquation", pymc),
		solver("ode", inR), solver("lsoda", inR),

		{Name: "Potential", From: pymc, Write: "factor EXPR", Note: "a statement of its own"},
		{Name: "median", From: "a name of R and NumPy", Write: "quantile(x, 0.5)"},
		{Name: "sign", From: "a name of R and NumPy", Write: "where(x > 0, 1, where(x < 0, -1, 0))",
			Note: "this is for data: a density that jumps with a parameter has no gradient"},
		{Name: "tgamma", From: inStan, Write: "exp(lgamma(x))", Note: "this is for positive x"},
		{Name: "map", From: "Python's name",
			Note: "functions and operators go element by element: write f(x)"},
		{Name: "cov", From: inR, Write: "dot(x - mean(x), y - mean(y)) / (N - 1)",
			Note: "with N rows; a covariance matrix of parameters is a cov_matrix"},
		{Name: "cor", From: inR, Write: "dot(x - mean(x), y - mean(y)) / ((N - 1) * sd(x) * sd(y))",
			Note: "with N rows; a correlation matrix of parameters is a corr_matrix"},
		{Name: "atan2", From: "a name of R, NumPy and Stan", Write: "atan(y / x)",
			Note: "this is for positive x"},
		{Name: "log_diff_exp", From: inStan, Write: "a + log1m_exp(b - a)", Note: "this is for a above b"},
		{Name: "expit", From: python, Write: "inv_logit", Same: true},
		{Name: "sigmoid", From: python, Write: "inv_logit", Same: true},
		{Name: "plogis", From: inR, Write: "inv_logit", Same: true},
		{Name: "invlogit", From: pymc, Write: "inv_logit", Same: true},
		{Name: "ilogit", From: "BUGS's name", Write: "inv_logit", Same: true},
		{Name: "logistic", From: "a name of the logistic function", Write: "inv_logit", Same: true},
		{Name: "qlogis", From: inR, Write: "logit", Same: true},
		{Name: "fabs", From: inStan, Write: "abs", Same: true},
		{Name: "log1p_exp", From: inStan, Write: "softplus", Same: true},
		{Name: "log1pexp", From: inR, Write: "softplus", Same: true},
		{Name: "log1exp", From: pymc, Write: "softplus", Same: true},
		{Name: "ln", From: "the natural logarithm", Write: "log", Same: true},
		{Name: "cumsum", From: "a name of R and NumPy", Write: "cumulative_sum(x)",
			Note: "of a matrix it goes along each row"},
		{Name: "std", From: python, Write: "sd(x)", Note: "sd divides by n - 1, NumPy's std by n"},
		{Name: "variance", From: inStan, Write: "sd(x) ^ 2"},
		{Name: "var", From: "a name of R and NumPy", Write: "sd(x) ^ 2",
			Note: "sd divides by n - 1, NumPy's var by n"},
		{Name: "colMeans", From: inR, Write: "col_means", Same: true},
		{Name: "rowSums", From: inR, Write: "row_sums", Same: true},
		{Name: "rowMeans", From: inR, Write: "row_means", Same: true},
		{Name: "colSums", From: inR, Write: "col_sums", Same: true},

		{Name: "rows_dot_product", From: inStan, Write: "rowdot", Same: true},
		{Name: "dot_product", From: inStan, Write: "dot", Same: true},
		{Name: "dot_self", From: inStan, Write: "dot(x, x)"},
		{Name: "prod", From: "a name of R, NumPy and Stan", Write: "exp(sum(log(x)))",
			Note: "this is for positive x"},
		{Name: "ifelse", From: inR, Write: "where", Same: true},
		{Name: "if_else", From: inStan, Write: "where", Same: true},
		{Name: "switch", From: pymc, Write: "where", Same: true},
		{Name: "step", From: "BUGS's name", Write: "x >= 0",
			Note: "this is for data: a density that jumps with a parameter has no gradient"},
		{Name: "equals", From: "BUGS's name", Write: "x == y", Note: "this is for data"},
		{Name: "inprod", From: "BUGS's name", Write: "dot", Same: true},
		{Name: "power", From: python, Write: "pow", Same: true},
		{Name: "inverse", From: "Stan's inverse of a matrix", Write: "solve(A, b)",
			Note: "a product with an inverse is the solution of a system; the inverse of a 2×2 matrix " +
				"itself is solve(A, diag([1, 1]))"},
		{Name: "inv_sqrt", From: inStan, Write: "1 / sqrt(x)"},
		{Name: "inv_square", From: inStan, Write: "1 / square(x)"},
		{Name: "cbrt", From: inStan, Write: "x ^ (1 / 3)", Note: "this is for positive x"},
		{Name: "exp2", From: inStan, Write: "2 ^ x"},

		{Name: "logsumexp", From: python, Write: "log_sum_exp(x)",
			Note: "of a matrix it is one number for each row"},
		{Name: "logaddexp", From: python, Write: "log_sum_exp", Same: true},

		{Name: "icloglog", From: "BUGS's name", Write: "inv_cloglog", Same: true},
		{Name: "phi", From: "BUGS's name", Write: "Phi", Same: true},
		{Name: "pnorm", From: inR, Write: "Phi", Same: true},
		{Name: "probit", From: "a name of BUGS", Write: "inv_Phi", Same: true},
		{Name: "qnorm", From: inR, Write: "inv_Phi", Same: true},
		{Name: "gammaln", From: python, Write: "lgamma", Same: true},
		{Name: "loggam", From: "BUGS's name", Write: "lgamma", Same: true},
		{Name: "segment", From: inStan, Write: "x[a:b]"}, {Name: "head", From: "a name of R and Stan",
			Write: "x[1:n]"}, {Name: "tail", From: "a name of R and Stan", Write: "x[a:N]"},
		{Name: "block", From: inStan, Write: "X[a:b, c:d]"},
		{Name: "sub_row", From: inStan, Write: "X[i, a:b]"},
		{Name: "sub_col", From: inStan, Write: "X[a:b, j]"}, {Name: "row", From: inStan, Write: "X[i]"},
		{Name: "diagonal", From: inStan,
			Note: "an element of it is S[k, k], and sums of them are sum(S[k, k] for k in 1..K)"},
		{Name: "to_matrix", From: inStan,
			Note: "declare the parameter with the shape that it has: real[N, K]"},
		{Name: "to_array_1d", From: inStan,
			Note: "arrays, vectors and matrices are one kind: write the array as it is"},
		{Name: "offset", From: inR, Note: "an offset is a term of the predictor: poisson_log(a + log(pop))"},
		{Name: "is.na", From: inR,
			Note: "missing cells are not values: `missing` says what becomes of their rows"},
		{Name: "range", From: "Python's name", Write: "1..K",
			Note: "it stands in a sum, as sum(b[k] for k in 1..K)"},
		{Name: "seq_along", From: inR, Write: "1..K", Note: "it stands in a sum, as sum(b[k] for k in 1..K)"},
		{Name: "norm1", From: inStan, Write: "sum(abs(x))"},
		{Name: "norm2", From: inStan, Write: "sqrt(dot(x, x))"},
		{Name: "lbeta", From: inStan}, {Name: "lchoose", From: inStan},

		{Name: "fmin", From: inStan, Write: "min", Same: true},
		{Name: "fmax", From: inStan, Write: "max", Same: true},
		{Name: "rep_vector", From: inStan, Write: "rep", Same: true},
		{Name: "rep_matrix", From: inStan, Write: "rep(x, n, k)",
			Note: "this is for a number: a vector broadcasts to the shape that is needed"},
		{Name: "to_vector", From: inStan,
			Note: "a distribution takes arrays of any shape: write the array as it is"},
		{Name: "c", From: inR, Write: "[1, 2, 3]",
			Note: "this is for constants, and append joins other values"},
		{Name: "append_row", From: inStan, Write: "append", Same: true},
		{Name: "append_col", From: inStan, Write: "append(A', B')'"},
		{Name: "cbind", From: inR, Note: "list the columns of a matrix in its `from` clause"},
		{Name: "num_elements", From: inStan, Note: "the size itself is a name: N in data y : real[N]"},
		{Name: "length", From: inR, Note: "the size itself is a name: N in data y : real[N]"},
		{Name: "len", From: "Python's name", Note: "the size itself is a name: N in data y : real[N]"},
		{Name: "rows", From: inStan, Note: "the size itself is a name: N in data X : real[N, P]"},
		{Name: "cols", From: inStan, Note: "the size itself is a name: P in data X : real[N, P]"},
		{Name: "scale", From: inR, Note: "standardise a column where it is bound: from zscore(age)"},
		{Name: "factor", From: inR, Note: "declare the data as level(R)"},
		{Name: "tan", From: inStan, Write: "sin(x) / cos(x)"},
		{Name: "arcsin", From: python, Write: "asin", Same: true},
		{Name: "arccos", From: python, Write: "acos", Same: true},
		{Name: "arctan", From: python, Write: "atan", Same: true},
		{Name: "sinh", From: inStan, Write: "(exp(x) - exp(-x)) / 2"},
		{Name: "cosh", From: inStan, Write: "(exp(x) + exp(-x)) / 2"},
		{Name: "floor", From: inStan,
			Note: "a density that jumps has no gradient; round data in their table"},
		{Name: "round", From: inStan,
			Note: "a density that jumps has no gradient; round data in their table"},
		{Name: "cummax", From: inR, Write: "cumulative_max(x)", Note: "of a matrix it goes along each row"},
		{Name: "which", From: later,
			Note: "its length would depend on values; give the rows that count as `weights`, or choose " +
				"between values by where(c, a, b)"},
		{Name: "cholesky_decompose", From: inStan, Write: "cholesky", Same: true},
		{Name: "chol", From: inR, Write: "cholesky(S)", Note: "R has the upper triangle, vfl the lower"},
		{Name: "mdivide_left", From: inStan, Write: "solve", Same: true},
		{Name: "mdivide_left_spd", From: inStan, Write: "solve", Same: true},
		{Name: "quad_form_diag", From: inStan, Write: "outer(s, s) .* A"},
		{Name: "multiply_lower_tri_self_transpose", From: inStan, Write: "L * L'"},
		{Name: "diag_pre_multiply", From: inStan, Write: "col(s) .* L"},
		{Name: "diag_matrix", From: inStan, Write: "diag", Same: true},
		{Name: "gp_exp_quad_cov", From: inStan, Write: "gp_exp_quad", Same: true},
		{Name: "cov_exp_quad", From: inStan, Write: "gp_exp_quad", Same: true},
		{Name: "gp_matern32_cov", From: inStan, Write: "gp_matern32", Same: true},
		{Name: "gp_matern52_cov", From: inStan, Write: "gp_matern52", Same: true},
		{Name: "log_determinant", From: inStan, Write: "2 * sum(log(L[k, k]) for k in 1..K)",
			Note: "with let L = cholesky(S), for a covariance matrix"},
		{Name: "log_determinant_spd", From: inStan, Write: "2 * sum(log(L[k, k]) for k in 1..K)",
			Note: "with let L = cholesky(S)"},
		{Name: "determinant", From: inStan, Write: "exp(2 * sum(log(L[k, k]) for k in 1..K))",
			Note: "with let L = cholesky(S), for a covariance matrix"},
		{Name: "trace", From: inStan, Write: "sum(S[k, k] for k in 1..K)"},
		{Name: "matmul", From: python, Write: "X * b"}, {Name: "transpose", From: "a name of NumPy and BUGS",
			Write: "X'"}, {Name: "t", From: inR, Write: "X'"},
		{Name: "concat", From: python, Write: "append(a, b)"},
		{Name: "concatenate", From: python, Write: "append(a, b)"}, {Name: "stack", From: python},
		{Name: "multiply_log", From: inStan, Write: "x * log(y)"},
		{Name: "lmultiply", From: inStan, Write: "x * log(y)"},
		{Name: "columns_dot_product", From: inStan, Write: "col_means(X .* Y) * N", Note: "with N rows"},
		{Name: "squared_distance", From: inStan, Write: "dot(x - y, x - y)"},
	}
}

func foreignDistributions() []Foreign {
	return []Foreign{
		{Name: "gaussian", From: "R's family", Write: "normal", Same: true},
		{Name: "norm", From: python, Write: "normal", Same: true},
		{Name: "Normal", From: pymc, Write: "normal", Same: true},
		{Name: "HalfNormal", From: pymc, Write: "half_normal", Same: true},
		{Name: "halfnormal", From: python, Write: "half_normal(sigma)"},
		{Name: "StudentT", From: pymc, Write: "student_t", Same: true},
		{Name: "student", From: "brms's family", Write: "student_t(nu, mu, sigma)"},
		{Name: "t", From: python, Write: "student_t(nu, mu, sigma)"},
		{Name: "HalfStudentT", From: pymc, Write: "half_student_t", Same: true},
		{Name: "half_t", From: "a short name", Write: "half_student_t(nu, sigma)"},
		{Name: "Cauchy", From: pymc, Write: "cauchy", Same: true},
		{Name: "HalfCauchy", From: pymc, Write: "half_cauchy", Same: true},
		{Name: "halfcauchy", From: python, Write: "half_cauchy(sigma)"},
		{Name: "Laplace", From: pymc, Write: "laplace", Same: true},
		{Name: "double_exponential", From: inStan, Write: "laplace", Same: true},
		{Name: "ddexp", From: "BUGS's name", Write: "laplace(mu, 1 / tau)"},
		{Name: "LogNormal", From: pymc, Write: "lognormal", Same: true},
		{Name: "Lognormal", From: pymc, Write: "lognormal", Same: true},
		{Name: "log_normal", From: "another spelling", Write: "lognormal", Same: true},
		{Name: "Exponential", From: pymc, Write: "exponential", Same: true},
		{Name: "expon", From: python, Write: "exponential(1 / scale)", Note: "ours takes a rate"},
		{Name: "Gamma", From: pymc, Write: "gamma", Same: true},
		{Name: "InverseGamma", From: pymc, Write: "inv_gamma", Same: true},
		{Name: "inverse_gamma", From: "another spelling", Write: "inv_gamma", Same: true},
		{Name: "invgamma", From: python, Write: "inv_gamma(alpha, scale)"},
		{Name: "Beta", From: pymc, Write: "beta", Same: true}, {Name: "Uniform", From: pymc, Write: "uniform",
			Same: true}, {Name: "unif", From: inR, Write: "uniform", Same: true},
		{Name: "Bernoulli", From: pymc, Write: "bernoulli", Same: true},
		{Name: "bern", From: "a short name", Write: "bernoulli", Same: true},
		{Name: "Poisson", From: pymc, Write: "poisson", Same: true},
		{Name: "BernoulliLogits", From: numpro, Write: "bernoulli_logit", Same: true},
		{Name: "BernoulliLogit", From: numpro, Write: "bernoulli_logit", Same: true},
		{Name: "Binomial", From: pymc, Write: "binomial", Same: true},
		{Name: "BinomialLogits", From: numpro, Write: "binomial_logit(N, eta)"},
		{Name: "NegativeBinomial", From: pymc, Write: "neg_binomial_2(mu, alpha)"},
		{Name: "NegativeBinomial2", From: numpro, Write: "neg_binomial_2", Same: true},
		{Name: "Flat", From: pymc, Write: "flat", Same: true},
		{Name: "HalfFlat", From: pymc, Write: "half_flat", Same: true},
		{Name: "dflat", From: "BUGS's name", Write: "flat", Same: true},
		{Name: "improper_uniform", From: numpro, Write: "flat()"},
		{Name: "car", From: "brms's name",
			Note: "nothing here has its parameter of spatial dependence; icar(node1, node2) is the " +
				"intrinsic one, without it"},
		{Name: "hurdle_poisson", From: "brms's family", Write: "hurdle_poisson_log(theta, log(lambda))",
			Note: "theta is the probability of 0, and the second argument the logarithm of the rate"},
		{Name: "zero_inflated_poisson", From: "brms's family",
			Write: "zero_inflated_poisson_log(theta, log(lambda))",
			Note: "theta is the probability of a zero beside the Poisson's, and the second argument " +
				"the logarithm of the rate"},
		{Name: "hurdle_negbinomial", From: "brms's family",
			Write: "hurdle_neg_binomial_2_log(theta, log(mu), phi)"},
		{Name: "hurdle_neg_binomial_2", From: "a short name",
			Write: "hurdle_neg_binomial_2_log(theta, log(mu), phi)"},
		{Name: "hurdle_neg_binomial", From: "a short name",
			Write: "hurdle_neg_binomial_2_log(theta, log(mu), phi)"},
		{Name: "zero_inflated_negbinomial", From: "brms's family",
			Write: "zero_inflated_neg_binomial_2_log(theta, log(mu), phi)"},
		{Name: "zero_inflated_neg_binomial_2", From: "a short name",
			Write: "zero_inflated_neg_binomial_2_log(theta, log(mu), phi)"},
		{Name: "zero_inflated_neg_binomial", From: "a short name",
			Write: "zero_inflated_neg_binomial_2_log(theta, log(mu), phi)"},
		{Name: "std_normal", From: inStan, Write: "normal(0, 1)"},
		{Name: "Logistic", From: pymc, Write: "logistic", Same: true},
		{Name: "dlogis", From: bugs, Write: "logistic(mu, sigma)",
			Note: "the second argument of BUGS is 1 / sigma, that of R sigma"},
		{Name: "ChiSquared", From: pymc, Write: "chi_square", Same: true},
		{Name: "chi2", From: python, Write: "chi_square", Same: true},
		{Name: "dchisq", From: inR, Write: "chi_square", Same: true},
		{Name: "dchisqr", From: "BUGS's name", Write: "chi_square", Same: true},

		{Name: "Weibull", From: pymc, Write: "weibull(alpha, sigma)",
			Note: "the shape stands first; NumPyro has the scale first"},
		{Name: "dweib", From: "BUGS's name", Write: "weibull(alpha, sigma)",
			Note: "BUGS has the shape and lambda = sigma ^ -alpha"},
		{Name: "dweibull", From: inR, Write: "weibull", Same: true},
		{Name: "Gumbel", From: pymc, Write: "gumbel", Same: true},
		{Name: "SkewNormal", From: pymc, Write: "skew_normal(mu, sigma, alpha)"},
		{Name: "VonMises", From: pymc, Write: "von_mises", Same: true}, {Name: "Wald", From: pymc},
		{Name: "rayleigh", From: inStan}, {Name: "skew_double_exponential", From: inStan},
		{Name: "LogitNormal", From: pymc, Write: "logit_normal(mu, sigma)"},
		{Name: "Pareto", From: pymc, Write: "pareto(m, alpha)", Note: "PyMC has alpha first"},
		{Name: "dpar", From: "BUGS's name", Write: "pareto(c, alpha)", Note: "BUGS has alpha first"},
		{Name: "BetaProportion", From: numpro, Write: "beta_proportion", Same: true},
		{Name: "bernoulli_logit_glm", From: inStan, Write: "bernoulli_logit(a + X * b)"},
		{Name: "poisson_log_glm", From: inStan, Write: "poisson_log(a + X * b)"},
		{Name: "normal_id_glm", From: inStan, Write: "normal(a + X * b, sigma)"},
		{Name: "neg_binomial_2_log_glm", From: inStan, Write: "neg_binomial_2_log(a + X * b, phi)"},
		{Name: "dbin", From: "BUGS's name", Write: "binomial(N, p)", Note: "BUGS has the probability first"},
		{Name: "dbinom", From: inR, Write: "binomial", Same: true},
		{Name: "binom", From: python, Write: "binomial", Same: true},
		{Name: "negbinomial", From: "brms's family", Write: "neg_binomial_2_log(eta, shape)"},
		{Name: "nbinom", From: python, Write: "neg_binomial(n, p / (1 - p))"},
		{Name: "dnbinom", From: inR, Write: "neg_binomial_2(mu, size)",
			Note: "with mu = size * (1 - prob) / prob"},
		{Name: "dnegbin", From: "BUGS's name", Write: "neg_binomial(r, p / (1 - p))"},
		{Name: "Geometric", From: pymc, Write: "geometric(p)",
			Note: "it counts the failures before the first success; PyMC counts the trials"},
		{Name: "dgeom", From: inR, Write: "geometric", Same: true},
		{Name: "BetaBinomial", From: pymc, Write: "beta_binomial(n, alpha, beta)", Note: "PyMC has n last"},
		{Name: "DiscreteUniform", From: pymc, Note: sumOut},
		{Name: "Categorical", From: pymc, Write: "categorical(p)", Note: "categories are counted from 1"},
		{Name: "dcat", From: "BUGS's name", Write: "categorical", Same: true},
		{Name: "OrderedLogistic", From: pymc, Write: "ordered_logistic(eta, cutpoints)",
			Note: "categories are counted from 1"}, {Name: "cumulative", From: "brms's family",
			Write: "ordered_logistic(eta, cutpoints)"},
		{Name: "ZeroInflatedPoisson", From: pymc, Write: "zero_inflated_poisson_log(1 - psi, log(mu))"},
		{Name: "Mixture", From: pymc, Write: "mixture(w, normal(m1, s1), normal(m2, s2))"},
		{Name: "NormalMixture", From: pymc, Write: "mixture(w, normal(m1, s1), normal(m2, s2))"},
		{Name: "dnormmix", From: "a name of JAGS", Write: "mixture(w, normal(m1, s1), normal(m2, s2))"},
		{Name: "TruncatedNormal", From: pymc, Write: "y ~ normal(mu, sigma) truncate(lower=a, upper=b)"},
		{Name: "Truncated", From: pymc, Write: "y ~ normal(mu, sigma) truncate(lower=a, upper=b)"},
		{Name: "Censored", From: pymc, Write: "y ~ normal(mu, sigma) censor(right=C)"},
		{Name: "dinterval", From: "a name of JAGS", Write: "t ~ weibull(a, s) censor(right=C)"},
		{Name: "Potential", From: pymc, Write: "factor EXPR"},
		{Name: "Multinomial", From: pymc, Write: "multinomial(p)",
			Note: "the number of trials is the sum of the counts"},
		{Name: "dmulti", From: "BUGS's name", Write: "multinomial(p)",
			Note: "the number of trials is the sum of the counts"},
		{Name: "Dirichlet", From: pymc, Write: "dirichlet", Same: true},
		{Name: "ddirch", From: "BUGS's name", Write: "dirichlet", Same: true},
		{Name: "MvNormal", From: pymc, Write: "multi_normal(mu, Sigma)",
			Note: "a Cholesky factor stands in multi_normal_cholesky, a precision " +
				"matrix in multi_normal_prec"},
		{Name: "dmnorm", From: "BUGS's name", Write: "multi_normal_prec", Same: true},
		{Name: "mvnorm", From: inR, Write: "multi_normal(mu, Sigma)"},
		{Name: "LKJCholeskyCov", From: pymc, Write: "lkj_corr_cholesky(eta)",
			Note: "with param L : corr_cholesky[K] ~ lkj_corr_cholesky(eta) and standard deviations tau, " +
				"the factor of the covariance is col(tau) .* L"},
		{Name: "LKJCholesky", From: numpro, Write: "lkj_corr_cholesky(eta)"},
		{Name: "LKJ", From: numpro, Write: "lkj_corr(eta)"}, {Name: "MultivariateNormal", From: numpro,
			Write: "multi_normal(mu, Sigma)"}, {Name: "dwish", From: "BUGS's name", Write: "wishart(k, S)",
			Note: "BUGS has the inverse of S first"},
		{Name: "GaussianRandomWalk", From: pymc, Write: "gaussian_random_walk(mu, sigma)",
			Note: "the first value here is a step from 0; PyMC's has a distribution of its own"},
		{Name: "dnorm", From: bugs, Write: "normal(mu, sigma)", Note: precision},
		{Name: "dlnorm", From: bugs, Write: "lognormal(mu, sigma)", Note: precision},
		{Name: "dt", From: bugs, Write: "student_t(nu, mu, sigma)",
			Note: "BUGS has the order mu, tau, nu, and tau is 1 / sigma ^ 2"},
		{Name: "dbern", From: bugs, Write: "bernoulli", Same: true},
		{Name: "dpois", From: bugs, Write: "poisson", Same: true},
		{Name: "dgamma", From: bugs, Write: "gamma", Same: true}, {Name: "dbeta", From: bugs, Write: "beta",
			Same: true}, {Name: "dunif", From: bugs, Write: "uniform", Same: true},
		{Name: "dexp", From: bugs, Write: "exponential", Same: true},
		{Name: "dcauchy", From: inR, Write: "cauchy", Same: true},
		{Name: "poisson_lpmf", From: inStan, Write: "y ~ poisson(lambda)"},
		{Name: "normal_lpdf", From: inStan, Write: "y ~ normal(mu, sigma)"},
		{Name: "ImproperUniform", From: numpro, Write: "flat()"},
		{Name: "Deterministic", From: pymc, Note: "write let NAME = EXPRESSION"},
		{Name: "student_t_lpdf", From: inStan, Write: "y ~ student_t(nu, mu, sigma)"},
	}
}

func foreignTypes() []Foreign {
	return []Foreign{
		{Name: "vector", From: inStan, Write: "real[N]"}, {Name: "row_vector", From: inStan, Write: "real[N]",
			Note: "vectors are columns"}, {Name: "matrix", From: inStan, Write: "real[N, K]"},
		{Name: "array", From: inStan, Write: "real[N]"},
		{Name: "float", From: "Python's name", Write: "real", Same: true},
		{Name: "double", From: "C's name", Write: "real", Same: true},
		{Name: "numeric", From: inR, Write: "real", Same: true}, {Name: "number", From: "another word for it",
			Write: "real", Same: true},
		{Name: "integer", From: inR, Write: "int", Same: true},
		{Name: "bool", From: "Python's name", Write: "binary", Same: true},
		{Name: "boolean", From: "another word for it", Write: "binary", Same: true},
		{Name: "logical", From: inR, Write: "binary", Same: true},
		{Name: "natural", From: "another word for it", Write: "count", Same: true},
		{Name: "nat", From: "another word for it", Write: "count", Same: true},
		{Name: "factor", From: inR, Write: "level(R)"}, {Name: "categorical", From: "pandas's name",
			Write: "level(R)"}, {Name: "category", From: "pandas's name", Write: "level(R)"},
		{Name: "string", From: "another word for it", Write: "level(R)"},
		{Name: "str", From: "Python's name", Write: "level(R)"},
		{Name: "character", From: inR, Write: "level(R)"},
		{Name: "positive", From: "another word for it", Write: "real<lower=0>"},
		{Name: "prob", From: "another word for it", Write: "real<lower=0, upper=1>"},
		{Name: "cholesky_factor_corr", From: inStan, Write: "corr_cholesky", Same: true},
		{Name: "cholesky_factor_cov", From: inStan,
			Note: "it is col(tau) .* L, with standard deviations tau and param L : " +
				"corr_cholesky[K] ~ lkj_corr_cholesky(2)"}, {Name: "complex", From: inStan},
		{Name: "tuple", From: inStan},
		{Name: "sum_to_zero_vector", From: inStan}, {Name: "date", From: "another word for it",
			Note: "give the days since the first as real"},
	}
}

func foreignEncoders() []Foreign {
	return []Foreign{
		{Name: "scale", From: inR, Write: "zscore", Same: true},
		{Name: "standardize", From: "another word for it", Write: "zscore", Same: true},
		{Name: "standardise", From: "another word for it", Write: "zscore", Same: true},
		{Name: "z", From: "a short name", Write: "zscore", Same: true},
		{Name: "StandardScaler", From: "scikit-learn's name", Write: "zscore(age)"},
		{Name: "centre", From: "another spelling", Write: "center", Same: true},
		{Name: "demean", From: "another word for it", Write: "center", Same: true},
		{Name: "dummy", From: "another word for it", Write: "onehot(c, drop=first)"},
		{Name: "get_dummies", From: "pandas's name", Write: "onehot(c)"},
		{Name: "OneHotEncoder", From: "scikit-learn's name", Write: "onehot(c)"},
		{Name: "one_hot", From: "another spelling", Write: "onehot", Same: true},
		{Name: "factor", From: inR, Write: "onehot(c, drop=first)"},
		{Name: "C", From: "a name of formulas in Python", Write: "onehot(c, drop=first)"},
		{Name: "s", From: "a name of mgcv", Write: "spline(c, df=4)",
			Note: "its prior is that of its coefficients"},
		{Name: "I", From: inR, Note: "compute the column into the table"},
		{Name: "sqrt", From: inR, Note: "compute the column into the table, or write sqrt(x) in the model"},
		{Name: "log10", From: inR, Write: "log", Note: "log10 is 0.434 times that"},
		{Name: "log1p", From: inR, Note: "compute the column into the table, or write log1p(x) in the model"},
		{Name: "ns", From: inR, Write: "spline(c, df=4)"}, {Name: "bs", From: inR, Write: "spline(c, df=4)",
			Note: "this is a natural spline, linear beyond the data"},
		{Name: "cr", From: "a name of mgcv and patsy", Write: "spline(c, df=4)"},
		{Name: "SplineTransformer", From: "scikit-learn's name", Write: "spline(c, df=4)"},
		{Name: "polynomial", From: "another word for it", Write: "poly", Same: true},
		{Name: "PolynomialFeatures", From: "scikit-learn's name", Write: "poly(c, 2)",
			Note: "for products of two columns write interact(a, b)"},
		{Name: "interaction", From: "another word for it", Write: "interact", Same: true},
		{Name: "equals", From: "another word for it", Write: "is", Same: true},
	}
}
