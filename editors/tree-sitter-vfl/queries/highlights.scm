(name) @variable
(comment) @comment
((comment) @comment.documentation
  (#match? @comment.documentation "^///([^/]|$)"))
(string) @string
(number) @number

; The keywords of statements and clauses.
[
    "censor" "client" "const" "contribution" "data" "factor" "fn" "from" "generate" "import"
    "init" "let" "missing" "noncentered" "param" "server" "transform" "truncate" "weights"
    "implements" "to" "recur" "ode" "weight" "module" "dist" "levels" "program" "aux" "receive"
    "send"
] @keyword
[
  "by"
  "for"
  "in"
  "return"
] @keyword.control

; What is declared.
(fn_statement name: (identifier) @function)
(dist_statement name: (identifier) @function)
(argument_name (identifier) @variable.parameter)
(typed_argument name: (identifier) @variable.parameter)
(import_statement module: (identifier) @module)
(module_statement client: (identifier) @module model: (identifier) @module)
(program_statement name: (identifier) @module)
(server_statement name: (identifier) @module)
(family name: (identifier) @module)
(party) @module
(by_client client: (identifier) @module)
(argument name: (identifier) @variable.parameter)
(encoder_argument name: (identifier) @variable.parameter)
(bound name: (identifier) @variable.parameter)
(setting name: (identifier) @variable.parameter)

; Names of the standard library, and others in their places.
(type_name) @type
((type_name) @type.builtin
  (#any-of? @type.builtin
    "corr_cholesky" "corr_matrix" "cov_matrix" "ordered" "positive_ordered" "simplex"
    "sum_to_zero" "unit_vector" "real" "int" "binary" "count" "level"))
(distribution_name) @function
((distribution_name) @function.builtin
  (#any-of? @function.builtin
    "acat_logit" "asymmetric_laplace" "bernoulli" "bernoulli_logit" "bernoulli_probit" "beta"
    "beta_binomial" "beta_proportion" "binomial" "binomial_logit" "categorical"
    "categorical_logit" "cauchy" "chi_square" "cox" "dirichlet" "dirichlet_multinomial"
    "discrete_range" "exp_mod_normal" "exponential" "flat" "frechet" "gamma"
    "gaussian_random_walk" "gen_extreme_value" "gen_pareto" "geometric" "gumbel" "half_cauchy"
    "half_flat" "half_normal" "half_student_t" "hurdle_neg_binomial_2_log" "hurdle_poisson_log"
    "hypergeometric" "icar" "inv_chi_square" "inv_gamma" "inv_wishart" "inverse_gaussian"
    "laplace" "lkj_corr" "lkj_corr_cholesky" "logistic" "logit_normal" "loglogistic" "lognormal"
    "multi_normal" "multi_normal_cholesky" "multi_normal_prec" "multi_student_t" "multinomial"
    "neg_binomial" "neg_binomial_2" "neg_binomial_2_log" "normal" "ordered_logistic"
    "ordered_probit" "pareto" "poisson" "poisson_log" "scaled_inv_chi_square" "skellam"
    "skew_normal" "sratio_logit" "student_t" "uniform" "von_mises" "weibull" "wishart"
    "zero_inflated_neg_binomial_2_log" "zero_inflated_poisson_log" "zero_one_inflated_beta"
    "zero_sum_normal" "mixture"))
(call function: (name) @function)
((call function: (name) @function.builtin)
  (#any-of? @function.builtin
    "Phi" "Phi_approx" "abs" "acos" "append" "asin" "atan" "cholesky" "cloglog" "col" "col_max"
    "col_means" "col_min" "col_sums" "cos" "cumulative_max" "cumulative_sum" "diag" "digamma"
    "dot" "erf" "exp" "expm1" "gelu" "gp_exp_quad" "gp_matern32" "gp_matern52"
    "hmm_hidden_state_prob" "hmm_marginal" "inv" "inv_Phi" "inv_cloglog" "inv_logit" "lgamma"
    "log" "log10" "log1m" "log1m_exp" "log1m_inv_logit" "log1p" "log2" "log_Phi" "log_inv_logit"
    "log_mix" "log_softmax" "log_sum_exp" "logit" "max" "mean" "min" "neg" "outer" "pi" "pow"
    "quad_form" "quantile" "rank" "relu" "rep" "row" "row_max" "row_means" "row_min" "row_sums"
    "rowdot" "sd" "sin" "softmax" "softplus" "solve" "sort" "sqrt" "square" "sum" "tanh"
    "trigamma" "where" "size" "acat_logit_lpdf" "acat_logit_lpmf" "acat_logit_lcdf"
    "acat_logit_lccdf" "acat_logit" "asymmetric_laplace_lpdf" "asymmetric_laplace_lpmf"
    "asymmetric_laplace_lcdf" "asymmetric_laplace_lccdf" "asymmetric_laplace" "bernoulli_lpdf"
    "bernoulli_lpmf" "bernoulli_lcdf" "bernoulli_lccdf" "bernoulli" "bernoulli_logit_lpdf"
    "bernoulli_logit_lpmf" "bernoulli_logit_lcdf" "bernoulli_logit_lccdf" "bernoulli_logit"
    "bernoulli_probit_lpdf" "bernoulli_probit_lpmf" "bernoulli_probit_lcdf"
    "bernoulli_probit_lccdf" "bernoulli_probit" "beta_lpdf" "beta_lpmf" "beta_lcdf" "beta_lccdf"
    "beta" "beta_binomial_lpdf" "beta_binomial_lpmf" "beta_binomial_lcdf" "beta_binomial_lccdf"
    "beta_binomial" "beta_proportion_lpdf" "beta_proportion_lpmf" "beta_proportion_lcdf"
    "beta_proportion_lccdf" "beta_proportion" "binomial_lpdf" "binomial_lpmf" "binomial_lcdf"
    "binomial_lccdf" "binomial" "binomial_logit_lpdf" "binomial_logit_lpmf" "binomial_logit_lcdf"
    "binomial_logit_lccdf" "binomial_logit" "categorical_lpdf" "categorical_lpmf"
    "categorical_lcdf" "categorical_lccdf" "categorical" "categorical_logit_lpdf"
    "categorical_logit_lpmf" "categorical_logit_lcdf" "categorical_logit_lccdf"
    "categorical_logit" "cauchy_lpdf" "cauchy_lpmf" "cauchy_lcdf" "cauchy_lccdf" "cauchy"
    "chi_square_lpdf" "chi_square_lpmf" "chi_square_lcdf" "chi_square_lccdf" "chi_square"
    "cox_lpdf" "cox_lpmf" "cox_lcdf" "cox_lccdf" "cox" "dirichlet_lpdf" "dirichlet_lpmf"
    "dirichlet_lcdf" "dirichlet_lccdf" "dirichlet" "dirichlet_multinomial_lpdf"
    "dirichlet_multinomial_lpmf" "dirichlet_multinomial_lcdf" "dirichlet_multinomial_lccdf"
    "dirichlet_multinomial" "discrete_range_lpdf" "discrete_range_lpmf" "discrete_range_lcdf"
    "discrete_range_lccdf" "discrete_range" "exp_mod_normal_lpdf" "exp_mod_normal_lpmf"
    "exp_mod_normal_lcdf" "exp_mod_normal_lccdf" "exp_mod_normal" "exponential_lpdf"
    "exponential_lpmf" "exponential_lcdf" "exponential_lccdf" "exponential" "flat_lpdf"
    "flat_lpmf" "flat_lcdf" "flat_lccdf" "flat" "frechet_lpdf" "frechet_lpmf" "frechet_lcdf"
    "frechet_lccdf" "frechet" "gamma_lpdf" "gamma_lpmf" "gamma_lcdf" "gamma_lccdf" "gamma"
    "gaussian_random_walk_lpdf" "gaussian_random_walk_lpmf" "gaussian_random_walk_lcdf"
    "gaussian_random_walk_lccdf" "gaussian_random_walk" "gen_extreme_value_lpdf"
    "gen_extreme_value_lpmf" "gen_extreme_value_lcdf" "gen_extreme_value_lccdf"
    "gen_extreme_value" "gen_pareto_lpdf" "gen_pareto_lpmf" "gen_pareto_lcdf" "gen_pareto_lccdf"
    "gen_pareto" "geometric_lpdf" "geometric_lpmf" "geometric_lcdf" "geometric_lccdf" "geometric"
    "gumbel_lpdf" "gumbel_lpmf" "gumbel_lcdf" "gumbel_lccdf" "gumbel" "half_cauchy_lpdf"
    "half_cauchy_lpmf" "half_cauchy_lcdf" "half_cauchy_lccdf" "half_cauchy" "half_flat_lpdf"
    "half_flat_lpmf" "half_flat_lcdf" "half_flat_lccdf" "half_flat" "half_normal_lpdf"
    "half_normal_lpmf" "half_normal_lcdf" "half_normal_lccdf" "half_normal" "half_student_t_lpdf"
    "half_student_t_lpmf" "half_student_t_lcdf" "half_student_t_lccdf" "half_student_t"
    "hurdle_neg_binomial_2_log_lpdf" "hurdle_neg_binomial_2_log_lpmf"
    "hurdle_neg_binomial_2_log_lcdf" "hurdle_neg_binomial_2_log_lccdf"
    "hurdle_neg_binomial_2_log" "hurdle_poisson_log_lpdf" "hurdle_poisson_log_lpmf"
    "hurdle_poisson_log_lcdf" "hurdle_poisson_log_lccdf" "hurdle_poisson_log"
    "hypergeometric_lpdf" "hypergeometric_lpmf" "hypergeometric_lcdf" "hypergeometric_lccdf"
    "hypergeometric" "icar_lpdf" "icar_lpmf" "icar_lcdf" "icar_lccdf" "icar"
    "inv_chi_square_lpdf" "inv_chi_square_lpmf" "inv_chi_square_lcdf" "inv_chi_square_lccdf"
    "inv_chi_square" "inv_gamma_lpdf" "inv_gamma_lpmf" "inv_gamma_lcdf" "inv_gamma_lccdf"
    "inv_gamma" "inv_wishart_lpdf" "inv_wishart_lpmf" "inv_wishart_lcdf" "inv_wishart_lccdf"
    "inv_wishart" "inverse_gaussian_lpdf" "inverse_gaussian_lpmf" "inverse_gaussian_lcdf"
    "inverse_gaussian_lccdf" "inverse_gaussian" "laplace_lpdf" "laplace_lpmf" "laplace_lcdf"
    "laplace_lccdf" "laplace" "lkj_corr_lpdf" "lkj_corr_lpmf" "lkj_corr_lcdf" "lkj_corr_lccdf"
    "lkj_corr" "lkj_corr_cholesky_lpdf" "lkj_corr_cholesky_lpmf" "lkj_corr_cholesky_lcdf"
    "lkj_corr_cholesky_lccdf" "lkj_corr_cholesky" "logistic_lpdf" "logistic_lpmf" "logistic_lcdf"
    "logistic_lccdf" "logistic" "logit_normal_lpdf" "logit_normal_lpmf" "logit_normal_lcdf"
    "logit_normal_lccdf" "logit_normal" "loglogistic_lpdf" "loglogistic_lpmf" "loglogistic_lcdf"
    "loglogistic_lccdf" "loglogistic" "lognormal_lpdf" "lognormal_lpmf" "lognormal_lcdf"
    "lognormal_lccdf" "lognormal" "multi_normal_lpdf" "multi_normal_lpmf" "multi_normal_lcdf"
    "multi_normal_lccdf" "multi_normal" "multi_normal_cholesky_lpdf" "multi_normal_cholesky_lpmf"
    "multi_normal_cholesky_lcdf" "multi_normal_cholesky_lccdf" "multi_normal_cholesky"
    "multi_normal_prec_lpdf" "multi_normal_prec_lpmf" "multi_normal_prec_lcdf"
    "multi_normal_prec_lccdf" "multi_normal_prec" "multi_student_t_lpdf" "multi_student_t_lpmf"
    "multi_student_t_lcdf" "multi_student_t_lccdf" "multi_student_t" "multinomial_lpdf"
    "multinomial_lpmf" "multinomial_lcdf" "multinomial_lccdf" "multinomial" "neg_binomial_lpdf"
    "neg_binomial_lpmf" "neg_binomial_lcdf" "neg_binomial_lccdf" "neg_binomial"
    "neg_binomial_2_lpdf" "neg_binomial_2_lpmf" "neg_binomial_2_lcdf" "neg_binomial_2_lccdf"
    "neg_binomial_2" "neg_binomial_2_log_lpdf" "neg_binomial_2_log_lpmf"
    "neg_binomial_2_log_lcdf" "neg_binomial_2_log_lccdf" "neg_binomial_2_log" "normal_lpdf"
    "normal_lpmf" "normal_lcdf" "normal_lccdf" "normal" "ordered_logistic_lpdf"
    "ordered_logistic_lpmf" "ordered_logistic_lcdf" "ordered_logistic_lccdf" "ordered_logistic"
    "ordered_probit_lpdf" "ordered_probit_lpmf" "ordered_probit_lcdf" "ordered_probit_lccdf"
    "ordered_probit" "pareto_lpdf" "pareto_lpmf" "pareto_lcdf" "pareto_lccdf" "pareto"
    "poisson_lpdf" "poisson_lpmf" "poisson_lcdf" "poisson_lccdf" "poisson" "poisson_log_lpdf"
    "poisson_log_lpmf" "poisson_log_lcdf" "poisson_log_lccdf" "poisson_log"
    "scaled_inv_chi_square_lpdf" "scaled_inv_chi_square_lpmf" "scaled_inv_chi_square_lcdf"
    "scaled_inv_chi_square_lccdf" "scaled_inv_chi_square" "skellam_lpdf" "skellam_lpmf"
    "skellam_lcdf" "skellam_lccdf" "skellam" "skew_normal_lpdf" "skew_normal_lpmf"
    "skew_normal_lcdf" "skew_normal_lccdf" "skew_normal" "sratio_logit_lpdf" "sratio_logit_lpmf"
    "sratio_logit_lcdf" "sratio_logit_lccdf" "sratio_logit" "student_t_lpdf" "student_t_lpmf"
    "student_t_lcdf" "student_t_lccdf" "student_t" "uniform_lpdf" "uniform_lpmf" "uniform_lcdf"
    "uniform_lccdf" "uniform" "von_mises_lpdf" "von_mises_lpmf" "von_mises_lcdf"
    "von_mises_lccdf" "von_mises" "weibull_lpdf" "weibull_lpmf" "weibull_lcdf" "weibull_lccdf"
    "weibull" "wishart_lpdf" "wishart_lpmf" "wishart_lcdf" "wishart_lccdf" "wishart"
    "zero_inflated_neg_binomial_2_log_lpdf" "zero_inflated_neg_binomial_2_log_lpmf"
    "zero_inflated_neg_binomial_2_log_lcdf" "zero_inflated_neg_binomial_2_log_lccdf"
    "zero_inflated_neg_binomial_2_log" "zero_inflated_poisson_log_lpdf"
    "zero_inflated_poisson_log_lpmf" "zero_inflated_poisson_log_lcdf"
    "zero_inflated_poisson_log_lccdf" "zero_inflated_poisson_log" "zero_one_inflated_beta_lpdf"
    "zero_one_inflated_beta_lpmf" "zero_one_inflated_beta_lcdf" "zero_one_inflated_beta_lccdf"
    "zero_one_inflated_beta" "zero_sum_normal_lpdf" "zero_sum_normal_lpmf" "zero_sum_normal_lcdf"
    "zero_sum_normal_lccdf" "zero_sum_normal" "mixture_lpdf" "mixture_lpmf" "mixture_lcdf"
    "mixture_lccdf" "mixture"))
(encoder name: (identifier) @function.builtin)
(missing policy: (identifier) @constant.builtin)
(weight_statement init: (identifier) @constant.builtin)
(transform_statement kind: (identifier) @constant.builtin)

[
  "~" "=" "+" "-" "*" "/" ".*" "./" "^" "'" "==" "!=" "<" "<=" ">" ">=" "&&" "||" "!" ".." "|"
] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" ";" "@"] @punctuation.delimiter
