package splitmodel

// A kind is a piece of a model: declarations, one a line, and a text that uses them. # stands for the number
// of the statement, or in a client's kind for the client's name. Data have values by their type, in arrays of
// the sizes of this package.
type kind struct{ needs, text string }

// likelihoods are statements. Each ETA stands for a predictor of its own, with cuts of clients, and each SUMS
// for one by groups.
func likelihoods() []kind {
	return []kind{
		{"data y# : real[N] @ shared\nparam s# ~ half_normal(1)", "y# ~ normal(ETA, s#)"},
		{"data y# : real[N] @ shared", "y# ~ normal(1, exp(ETA))"},
		{"data y# : real[N] @ shared", "y# ~ normal(ETA, exp(ETA))"},
		{"data y# : real[N] @ shared\nparam s# ~ half_normal(1)", "exp(y#) ~ lognormal(ETA, s#)"},
		{"data y# : real[N] @ shared", "y# ~ student_t(4, ETA, 2)"},
		{"data y# : real[N] @ shared", "y# ~ laplace(ETA, 1)"},
		{"data y# : real[N] @ shared\nparam s# ~ half_normal(1)", "y# ~ cauchy(ETA, s#)"},
		{"data y# : real[N] @ shared", "y# ~ logistic(ETA, 2)"},
		{"data y# : real[N] @ shared", "y# ~ gumbel(ETA, 2)"},
		{"data y# : real[N] @ shared\nparam s# ~ normal(0, 1)", "y# ~ skew_normal(ETA, 2, s#)"},
		{"data y# : real[N] @ shared", "y# ~ exp_mod_normal(ETA, 2, 1)"},
		{"data y# : real[N] @ shared", "tanh(y#) ~ von_mises(2 * atan(ETA), 2)"},
		{"data y# : binary[N] @ shared", "y# ~ bernoulli_logit(ETA)"},
		{"data y# : binary[N] @ shared", "y# ~ bernoulli(inv_logit(ETA))"},
		{"data y# : binary[N] @ shared", "y# ~ bernoulli_probit(ETA)"},
		{"data y# : count[N] @ shared", "y# ~ binomial_logit(9, ETA)"},
		{"data y# : count[N] @ shared\nparam k# ~ gamma(4, 1)", "y# ~ beta_binomial(9, exp(ETA), k#)"},
		{"data y# : count[N] @ shared", "y# ~ poisson_log(ETA)"},
		{"data y# : count[N] @ shared", "y# ~ poisson(exp(ETA))"},
		{"data y# : count[N] @ shared\nparam k# ~ gamma(4, 1)", "y# ~ neg_binomial_2_log(ETA, k#)"},
		{"data y# : count[N] @ shared\nparam k# ~ beta(2, 3)", "y# ~ zero_inflated_poisson_log(k#, ETA)"},
		{"data y# : count[N] @ shared", "y# ~ hurdle_poisson_log(inv_logit(ETA), ETA)"},
		{"data y# : count[N] @ shared", "y# ~ geometric(inv_logit(ETA))"},
		{"data y# : real<lower=0>[N] @ shared", "y# ~ exponential(exp(ETA))"},
		{"data y# : real<lower=0>[N] @ shared\nparam k# ~ gamma(4, 1)", "y# ~ gamma(k#, k# ./ exp(ETA))"},
		{"data y# : real<lower=0>[N] @ shared\nparam k# ~ gamma(4, 1)", "y# ~ weibull(k#, exp(ETA))"},
		{"data y# : real<lower=0>[N] @ shared", "y# ~ loglogistic(exp(ETA), 2)"},
		{"data y# : real<lower=0, upper=1>[N] @ shared", "y# ~ beta_proportion(inv_logit(ETA), 5)"},
		{"data y# : level(K)[N] @ shared\nparam c# : ordered[K - 1] ~ normal(0, 2)",
			"y# ~ ordered_logistic(ETA, c#)"},
		{"data y# : level(K)[N] @ shared\nparam c# : ordered[K - 1] ~ normal(0, 2)",
			"y# ~ ordered_probit(ETA, c#)"},
		{"data y# : level(K)[N] @ shared\nparam c# : real[K - 1] ~ normal(0, 2)", "y# ~ sratio_logit(ETA, c#)"},
		{"data y# : level(K)[N] @ shared\nparam c# : real[K - 1] ~ normal(0, 2)", "y# ~ acat_logit(ETA, c#)"},
		{"data y# : real[N] @ shared\nparam s# ~ half_normal(1)", "y# ~ asymmetric_laplace(ETA, s#, 0.9)"},
		{"data y# : real<lower=0>[N] @ shared\nparam k# ~ gamma(4, 1)", "y# ~ inverse_gaussian(exp(ETA), k#)"},
		{"data y# : real<lower=0>[N] @ shared", "y# ~ gen_pareto(0, exp(ETA), 0.2)"},
		{"data y# : real[N] @ shared", "y# ~ gen_extreme_value(ETA, 9, 0.1)"},
		{"data y# : count[N] @ shared\nparam k# ~ gamma(4, 1)", "y# ~ skellam(exp(ETA), k#)"},
		{"data y# : real<lower=0, upper=1>[N] @ shared\nparam k# ~ beta(2, 3)",
			"y# ~ zero_one_inflated_beta(inv_logit(ETA), 5, k#, 0.4)"},
		{"data y# : level(K)[N] @ shared\nparam a# : real[K] ~ normal(0, 1)",
			"y# ~ categorical_logit(outer(ETA, a#))"},
		{"data y# : real[N] @ shared\nparam s# ~ half_normal(1)",
			"y# ~ normal(ETA, s#) truncate(lower = -9, upper = 9 + s#)"},
		{"data y# : real<lower=0>[N] @ shared\ndata e# : binary[N] @ shared",
			"y# ~ weibull(2, exp(ETA)) censor(right = e# == 0)"},
		{"data y# : real[N] @ shared\ndata e# : binary[N] @ shared",
			"y# ~ normal(ETA, 1) censor(interval = y# + e#)"},
		{"data y# : real[N] @ shared\nparam p# ~ beta(2, 2)",
			"y# ~ mixture(p#, normal(ETA, 1), normal(ETA, 3))"},
		{"data y# : count[N] @ shared\nparam p# ~ beta(2, 2)",
			"y# ~ mixture([0.3, 0.7], poisson_log(ETA), poisson_log(1)) truncate(lower = 0)"},
		{"data y# : real[N] @ shared\ndata w# : real<lower=0>[N] @ shared", "y# ~ normal(ETA, 1) weights w#"},
		{"data y# : real[N] @ shared\nparam r# ~ uniform(-1, 1)",
			"let v# = ETA\nlet h# : real[N] = recur h#[1] = 0, h#[t] = r# * h#[t - 1] + v#[t] for t in 2..N\n" +
				"y# ~ normal(h#, 1)"},
		{"data y# : real[N] @ shared\ndata t# : real[N] @ shared\nparam l# ~ gamma(4, 4)",
			"y# ~ multi_normal(ETA, gp_exp_quad(t#, 1, l#) + diag(rep(1, N)))"},
		{"data y# : real[N] @ shared\ndata z# : real[N, 2] @ shared\nparam b# : real[2] ~ normal(0, 1)",
			"y# ~ normal(z# * b# + softplus(ETA), 1)"},
		{"data y# : real<lower=0>[N] @ shared\ndata e# : binary[N] @ shared", "y# ~ cox(ETA, e#)"},
		{"data y# : real[N] @ shared\nparam s# ~ half_normal(1)", "factor normal_lpdf(y# | ETA, s#)"},
		{"data y# : real[N]\nparam s# ~ half_normal(1)", "y# ~ normal(ETA, s#)"},
		{"data y# : real[N] @ shared", "y# ~ normal(0.5 * (ETA) + q * (ETA), 1)"},
		{"data y# : real[N] @ shared", "y# ~ normal((SUMS)[g], 1)"},
		{"data y# : count[G] @ shared", "y# ~ poisson_log(SUMS)"},
		{"data y# : real[G] @ shared\nparam s# ~ half_normal(1)", "y# ~ normal(SUMS, s#)"},
		{"data y# : real[N] @ shared\nparam s# ~ half_normal(1)", "y# ~ normal(ETA + (SUMS)[g], s#)"},
		{"data y# : real[N] @ shared\nparam r# ~ uniform(-1, 1)",
			"let v# = ETA\nlet h# : real[N] = recur h#[1] = 0.5, k#[t] = r# * h#[t - 1] + v#[t], " +
				"h#[t] = k#[t] / 2 + 0.3 * k#[t] for t in 2..N\ny# ~ normal(h#, 1)"},
		{"data y# : real[N] @ shared\nparam s# ~ half_normal(1)", "y# ~ tilted(ETA, s#, 0.3)"},
		{"data y# : real[N] @ shared", "y# ~ tilted(1, exp(ETA), inv_logit(ETA))"},
		{"data y# : real<lower=0>[N] @ shared\ndata e# : binary[N] @ shared",
			"y# ~ tilted(ETA, 2, 0.3) censor(right = e# == 0)"},
		{"data y# : real<lower=0>[N] @ shared\nparam s# ~ half_normal(1)",
			"y# ~ mixture(0.4, tilted(ETA, s#, 0.3), normal(ETA, 2)) truncate(lower = -1)"},
		{"data y# : real[N] @ shared\nparam s# ~ half_normal(1)", "factor tilted_lpdf(y# | ETA, s#, 0.3)"},
		{"data y# : count[N] @ shared", "y# ~ counted(ETA, inv_logit(ETA))"},
		{"data y# : real<lower=0, upper=1>[N] @ shared", "y# ~ share(inv_logit(ETA), exp(ETA), 0.2)"},
	}
}

// exact are likelihoods that need exact: noise would leave the support of an argument.
func exact() []kind {
	return []kind{
		{"data y# : real[N]\nparam s# ~ half_normal(1)\nparam s#_a ~ half_normal(1) @ a",
			"y# ~ normal(ETA, s# + s#_a)"},
		{"data y# : real[N] @ shared\nparam o#_a ~ half_normal(1) @ a", "y# ~ student_t(1 + o#_a, ETA, 2)"},
		{"data y# : real[N] @ shared\nparam f#_a ~ half_normal(1) @ a",
			"y# ~ normal(ETA, 1) truncate(lower = -9, upper = 9 + f#_a)"},
		{"data y# : real[N] @ shared", "y# ~ normal(square(ETA), 1)"},
	}
}

// own are likelihoods that a client evaluates alone.
func own() []kind {
	return []kind{
		{"", ""},
		{"", ""},
		{"data c1_# : count[N] @ #\nparam c2_# ~ normal(0, 1) @ #", "c1_# ~ poisson_log(c2_#)"},
		{"data n1_# : real[N] @ #\nparam n2_# ~ half_normal(1) @ #", "n1_# ~ normal(q, n2_#)"},
		{"data X_# : real[N, P_#] @ #\ndata l1_# : binary[N] @ #\nparam l2_# : real[P_#] ~ normal(0, 1) @ #",
			"l1_# ~ bernoulli_logit(X_# * l2_#)"},
		{"data t1_# : real<lower=0>[N] @ #\nparam t2_# ~ gamma(4, 4) @ #",
			"t1_# ~ gamma(2, t2_#) truncate(upper = 20)"},
		{"data d1_# : real<lower=0>[N] @ #\ndata d2_# : binary[N] @ #\nparam d3_# ~ gamma(4, 4) @ #",
			"d1_# ~ weibull(d3_#, 2) censor(right = d2_# == 1)"},
	}
}
