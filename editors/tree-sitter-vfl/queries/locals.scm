[
  (source_file)
  (fn_statement)
  (dist_statement)
  (comprehension)
  (call)
  (recursion)
] @local.scope

(data_statement name: (identifier) @local.definition.var)
(param_statement name: (identifier) @local.definition.var)
(weight_statement name: (identifier) @local.definition.var)
(contribution_statement name: (identifier) @local.definition.var)
(let_statement name: (identifier) @local.definition.var)
(generate_statement name: (identifier) @local.definition.var)
(const_statement name: (identifier) @local.definition.var)
(levels_statement name: (identifier) @local.definition.var)
(aux_statement name: (identifier) @local.definition.var)
(receive_statement name: (identifier) @local.definition.var)
(fn_statement name: (identifier) @local.definition.function)
(dist_statement name: (identifier) @local.definition.function)
(argument_name (identifier) @local.definition.parameter)
(typed_argument name: (identifier) @local.definition.parameter)
(comprehension variable: (identifier) @local.definition.var)
(call variable: (identifier) @local.definition.var)
(recursion variable: (identifier) @local.definition.var)

(name) @local.reference
