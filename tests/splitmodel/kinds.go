package splitmodel

// A kind is a piece of a model: declarations, one a line, and a text that uses them. # stands for the number
// of the statement, or in a client's kind for the client's name. Data have values by their type, in arrays of
// the sizes of this package.
type kind struct{ needs, text string }

// likelihoods are statements. Each ETA stands for a predictor of its own, with cuts of clients.
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
	}
}

// terms are what a client may add to a predictor. GROUP is a shared grouping of the rows.
func terms() []kind {
	return []kind{
		{"data x_# : real[N] @ #\nparam b_# ~ normal(0, 1) @ #", "x_# * b_#"},
		{"data X_# : real[N, P_#] @ #\nparam w_# : real[P_#] ~ normal(0, 1) @ #", "X_# * w_#"},
		{"data X_# : real[N, P_#] @ #\nparam n_# : real[P_#] ~ normal(0, k) @ #", "X_# * n_#"},
		{"data X_# : real[N, P_#] @ #\nparam i_# : real[P_#] ~ normal(0, k) noncentered @ #",
			"q * (X_# * i_#)"},
		{"param u_# : real[G] ~ normal(0, 1) @ #", "u_#[g]"},
		{"data gg : level(G)[N] @ shared\nparam u_# : real[G] ~ normal(0, 1) @ #", "u_#[gg]"}, // beside u_#[g]
		{"param v2_# : real[G, 2] ~ normal(0, 1) @ #\nparam y_# ~ normal(0, 1) @ #",
			"y_# + tanh(v2_#[g, 2]) - v2_#[g, 1] ^ 2"},
		{"param t_# ~ half_normal(1) @ #\nparam v_# : real[G] ~ normal(0, t_#) noncentered @ #", "v_#[g]"},
		{"param u_# : real[G] ~ normal(0, 1) @ #\nparam f_# : real[H] ~ normal(0, 1) @ #",
			"u_#[g] + f_#[h]"},
		{"param U_# : real[G, H] ~ normal(0, 1) @ #", "U_#[g, h]"},
		{"data Z_# : real[G, 2] @ #\nparam c_# : real[2] ~ normal(0, 1) @ #", "(Z_# * c_#)[g]"},
		{"data Z_# : real[G, 2] @ #\nparam c_# : real[2] ~ normal(0, 1) @ #", "(Z_# * c_#)[g] * q"},
		{"data r_# : level(R_#)[N] @ #\nparam e_# : real[R_#] ~ normal(0, 1) @ #", "e_#[r_#]"},
		{"data r_# : level(R_#)[N] @ #\nparam d_# : real[R_#, G] ~ normal(0, 1) @ #", "d_#[r_#, g]"},
		{"data X_# : real[N, P_#] @ #\nparam W_# : real[P_#, 2] ~ normal(0, 1) @ #\n" +
			"param o_# : real[2] ~ normal(0, 1) @ #", "tanh(X_# * W_#) * o_#"},
		{"data X_# : real[N, P_#] @ #\nparam S_# : real[G, P_#] ~ normal(0, 1) @ #",
			"rowdot(X_#, S_#[g])"},
		{"data x_# : real[N] @ #\nparam l_# ~ normal(0, 1) @ #", "exp(l_#) * x_#"},
		{"data m_# : real[N] @ # missing impute ~ normal(0, 1)\nparam j_# ~ normal(0, 1) @ #", "m_# * j_#"},
		{"data x_# : real[N] @ #\nparam a_# ~ uniform(-1, 1) @ #\nparam b_# ~ normal(0, 1) @ #\n" +
			"let z_# : real[N] = recur z_#[1] = b_#, z_#[t] = a_# * z_#[t - 1] + x_#[t] for t in 2..N @ #",
			"z_#"},
		{"data x_# : real[N] @ #\nparam A_# ~ half_normal(1) @ #\nparam E_# : real[N] ~ normal(0, 1) @ #",
			"cholesky(gp_matern32(x_#, A_#, 1) + diag(rep(0.1, N))) * E_#"},
		{"data Q_# : real<lower=0>[N, 3] @ #\nparam p_# : simplex[3] ~ dirichlet(1) @ #", "log(Q_# * p_#)"},
		{"data x_# : real[N] @ #\nparam L_# : corr_cholesky[2] ~ lkj_corr_cholesky(2) @ #\n" +
			"param V_# : real[G, 2] ~ multi_normal_cholesky(0, L_#) @ #", "V_#[g, 1] + V_#[g, 2] .* x_#"},
		{"data r_# : level(R_#)[N] @ #\nparam O_# : simplex[R_#] ~ dirichlet(2) @ #\n" +
			"param b_# ~ normal(0, 1) @ #", "b_# * cumulative_sum(O_#)[r_#]"},
		{"param y_# ~ normal(0, 1) @ #", "y_#"},
		{"data x_# : real[N] @ #\nparam D_# : positive_ordered[2] ~ normal(0, 1) @ #",
			"D_#[1] * relu(x_#) - D_#[2] * relu(-x_#)"},
		{"import nn\ndata X_# : real[N, P_#] @ #\nlet nn_# = nn.linear(X_#) @ #", "nn_#"},
		{"fn twice(x) = 2 * x\ndata X_# : real[N, P_#] @ #\nparam w_# : real[P_#] ~ normal(0, 1) @ #",
			"twice(tanh(X_# * w_#))"},
		{"data z : real[N] @ shared\nparam B_# : real[C, 2 * C] ~ laplace(0, 1) @ #", "B_#[2, C + 1] * z"},
		{"data r_# : level(R_#)[N] @ #\nparam e_# : real[R_#] ~ normal(0, 1) @ #\n" +
			"param s_# : real[C] ~ normal(0, 1) @ #", "e_#[r_#] * sum(s_#[i] for i in 1..C)"},
		{"param T_# ~ half_normal(1) @ #\nparam M_# ~ normal(0, 1) @ #\n" +
			"data M1_# : real[N] @ # missing impute ~ normal(M_#, T_#)", "T_# * M1_#"},
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
