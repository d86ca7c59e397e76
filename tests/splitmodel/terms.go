package splitmodel

// terms are what a client may add to a predictor. GROUP is a shared grouping of the rows.
func terms() []kind {
	const columnwise = "data Q4_# : real[N, 4] @ #\nparam α_# : real[4] ~ normal(0, 1) @ #"
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
		{columnwise, "Q4_#[:, [2 * i - 1 for i in 1..2]] * α_#[[2 * i - 1 for i in 1..2]]"},
		{columnwise, "[dot(Q4_#[i, :], α_#) for i in 1..N]"},
		{columnwise, "col_sums([Q4_#[:, i] * α_#[i] for i in 1..4])"},
		{columnwise, "(Q4_# * α_#)[[N + 1 - i for i in 1..N]]"},
		{columnwise, "Q4_#[:, 1..3] * α_#[2..4]"},
		{columnwise, "sum([α_#[i] * i for i in 1..4]) * Q4_#[:, 1]"},
		{"data X1_# : real[N, P1_#] @ #\nparam w1_# : real[P1_#] ~ normal(0, 1) @ #",
			"X1_#[:, 1..P1_# - 1] * w1_#[1..P1_# - 1]"},
		{`data sex_# : level("M", "F")[N] @ #` + "\nparam γ_# : real[2] ~ normal(0, 1) @ #",
			`(sex_# == "F") * γ_#[1] + γ_#[sex_#]`},
		{`data sex : level("M", "F")[N] @ shared` + "\nparam γ_# : real[2] ~ normal(0, 1) @ #",
			`(sex == "F") * γ_#[1] + γ_#[sex]`},
	}
}

// sums are what a client may add to a predictor by groups. The names of its rows' groups are its own, or all
// know them.
func sums() []kind {
	const own = "data og_# : level(G)[NA_#] @ #\ndata XA_# : real[NA_#, P_#] @ #\ndata xa_# : real[NA_#] @ #\n" +
		"param ua_# : real[P_#] ~ normal(0, 1) @ #\nparam va_# : real[G] ~ normal(0, 1) @ #"
	out := []kind{
		{"param u_# : real[G] ~ normal(0, 1) @ #", "u_#"},
		{"data Z_# : real[G, 2] @ #\nparam c_# : real[2] ~ normal(0, 1) @ #", "Z_# * c_#"},
		{own + "\ndata oh_# : level(H)[NA_#] @ #", "row_max(sum(va_#[og_#] .* xa_# by og_#, oh_#))"},
	}
	for _, text := range []string{"sum(XA_# * ua_# by og_#)", "mean(XA_# * ua_# by og_#)", "max(XA_# * ua_# by og_#)",
		"log_sum_exp(XA_# * ua_# by og_#)", "tanh(min(XA_# * ua_# by og_#))", "sum(va_#[og_#] .* xa_# by og_#)",
		"row_sums(sum(col(va_#[og_#]) .* XA_# by og_#))", "row_max(sum(col(va_#[og_#]) .* XA_# by og_#))",
		"q * sum(XA_# * ua_# by og_#)"} {
		out = append(out, kind{own, text})
	}
	out[2].needs = own + "\n" + out[2].needs
	return out
}

// pairs are what two clients, # and $, may add together, by rows.
func pairs() []kind {
	const columns = "data Q4_# : real[N, 4] @ #\nparam α_# : real[4] ~ normal(0, 1) @ #\n" +
		"data Q4_$ : real[N, 4] @ $\nparam α_$ : real[4] ~ normal(0, 1) @ $"
	return []kind{
		{columns + "\nparam ws : real[3] ~ normal(0, 1)",
			"sum(Q4_#[:, i] * α_#[i] - Q4_$[:, i] * α_$[i] + ws[i] for i in 1..3)"},
		{columns, "[Q4_#[i, 1] * α_#[1] - 2 * dot(Q4_$[i, :], α_$) for i in 1..N]"},
	}
}

// sumPairs are what two clients may add together, by groups.
func sumPairs() []kind {
	const grouped = "data tt : level(G)[M] @ shared\ndata XM_# : real[M, P_#] @ #\ndata XM_$ : real[M, P_$] @ $\n" +
		"param um_# : real[P_#] ~ normal(0, 1) @ #\nparam um_$ : real[P_$] ~ normal(0, 1) @ $"
	return []kind{
		{grouped, "sum(XM_# * um_# - XM_$ * um_$ by tt)"},
		{grouped, "mean(XM_# * um_# + XM_$ * um_$ by tt)"},
	}
}
