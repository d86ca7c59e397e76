(name) @variable
(comment) @comment
((comment) @comment.documentation
  (#match? @comment.documentation "^///([^/]|$)"))
(string) @string
(number) @number

; The keywords of statements and clauses.
[
    {{quoted .Words}}
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
    {{quoted .Types}}))
(distribution_name) @function
((distribution_name) @function.builtin
  (#any-of? @function.builtin
    {{quoted .Dists}}))
(call function: (name) @function)
((call function: (name) @function.builtin)
  (#any-of? @function.builtin
    {{quoted .Calls}}))
(encoder name: (identifier) @function.builtin)
(missing policy: (identifier) @constant.builtin)
(weight_statement init: (identifier) @constant.builtin)
(transform_statement kind: (identifier) @constant.builtin)

[
  "~" "=" "+" "-" "*" "/" ".*" "./" "^" "'" "==" "!=" "<" "<=" ">" ">=" "&&" "||" "!" ".." "|"
] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" ";" "@"] @punctuation.delimiter
