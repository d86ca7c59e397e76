(fn_statement name: (identifier) @name) @definition.function
(dist_statement name: (identifier) @name) @definition.function
(data_statement name: (identifier) @name) @definition.variable
(param_statement name: (identifier) @name) @definition.variable
(weight_statement name: (identifier) @name) @definition.variable
(contribution_statement name: (identifier) @name) @definition.variable
(let_statement name: (identifier) @name) @definition.variable
(generate_statement name: (identifier) @name) @definition.variable
(const_statement name: (identifier) @name) @definition.constant

(call function: (name) @name) @reference.call
(distribution name: (distribution_name) @name) @reference.call
