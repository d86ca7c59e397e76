package diag

// functionPages explains functions and modules: V08xx.
var functionPages = []Page{
	{
		Code: BadFunction, Title: "a function that is declared wrongly",
		Text: "The names of a function's arguments and of what it defines differ from each other; its own name is none of a built-in function. Two functions may have one name if " +
			"a call shows which is meant: by the number of arguments, or by the length of an array, as in fn mlp(X, [a, b]). Inside a function nothing has an owner: the let that calls it has.",
		Wrong: `fn exp(x) = 1 + x + x^2 / 2
param b ~ normal(0, 1)
`,
		Right: `fn quadratic(x) = 1 + x + x^2 / 2
param b ~ normal(0, 1)
`,
	},
	{
		Code: FunctionScope, Title: "a function that uses a name of the model",
		Text: "A function sees its arguments, what it defines itself, and the consts of its file. So its call shows everything that it depends on, and the same function can be used " +
			"for the names of several parties.",
		Wrong: `param scale ~ half_normal(1)
fn scaled(x) = scale * x
`,
		Right: `param scale ~ half_normal(1)
fn scaled(x, scale) = scale * x
`,
	},
	{
		Code: Recursion, Title: "a function that calls itself",
		Text: "Functions are written out where they are called, so a function cannot call itself, directly or through another. What goes step by step over time or order is a let with recur.",
		Wrong: `fn power(x, k) = x * power(x, k - 1)
param b ~ normal(0, 1)
`,
		Right: `fn power(x, k) = x ^ k
param b ~ normal(0, 1)
`,
	},
	{
		Code: BadCall, Title: "a call that fits no function",
		Text: "A call has as many arguments as the function. Where the function names the elements of an array, as fn mlp(X, [n1, n2]) does, the call writes the array out, with as many elements.",
		Wrong: `fn between(x, low, high) = low + (high - low) * inv_logit(x)
param b ~ normal(0, 1)
let p = between(b, 1)
`,
		Right: `fn between(x, low, high) = low + (high - low) * inv_logit(x)
param b ~ normal(0, 1)
let p = between(b, 0, 1)
`,
	},
	{
		Code: ComponentPlace, Title: "a component outside a let of its own",
		Text: "A function with parameters inside is a component. The let that calls it names them: with let h = nn.dense(X, 8) they are h.W and h.c. So a component is called once in a let, and " +
			"not inside a sum or a statement. Their owner is that of the let, after `@`, or the one party whose names the arguments are.",
		Wrong: `fn effects(G) {
    param sd ~ half_normal(1)
    param z : real[G] ~ normal(0, 1)
    return sd * z
}
data g : level(R)[N]
data y : real[N]
y ~ normal(effects(R)[g], 1)
`,
		Right: `fn effects(G) {
    param sd ~ half_normal(1)
    param z : real[G] ~ normal(0, 1)
    return sd * z
}
data g : level(R)[N]
data y : real[N]
let u = effects(R)
y ~ normal(u[g], 1)
`,
	},
	{
		Code: UnknownModule, Title: "an unknown module, or an unknown function of a module",
		Text:  "`import nn` is a module of the standard library; a file beside the model is imported by its path, as in `import \"./priors.vfl\"`. `vflc doc` lists the modules and their functions.",
		Wrong: "import net\nparam b ~ normal(0, 1)\n",
		Right: "import nn\nparam b ~ normal(0, 1)\n",
	},
	{
		Code: BadModule, Title: "a file that cannot be imported",
		Text: "A module is a .vfl file beside the model, or in a folder there, of at most 1 MB, that holds functions, consts and imports. Modules do not import each other in a circle, and a model has at most 64. " +
			"A run keeps copies of them.",
		Wrong: "import \"../elsewhere/priors.vfl\"\nparam b ~ normal(0, 1)\n",
		Right: "import glm\nparam b ~ normal(0, 1)\n",
	},
	{
		Code: PointInName, Title: "a point in a declared name",
		Text:  "A name with points is a function of a module, nn.dense, or what a component holds, h.W. A model declares names without points.",
		Wrong: "param beta.age ~ normal(0, 1)\n",
		Right: "param beta_age ~ normal(0, 1)\n",
	},
	{
		Code: CallsTooLarge, Title: "calls that make the model too large",
		Text: "Functions are written out where they are called. One that uses an argument twice doubles it at each call inside another call. Called in a let, an argument is written out once.",
		Wrong: `fn f(x) = x + exp(x) + x^2 + x^3
param b ~ normal(0, 1)
let a = f(f(f(f(f(f(f(f(f(f(b))))))))))
`,
		Right: `fn f(x) = x + exp(x) + x^2 + x^3
param b ~ normal(0, 1)
let a1 = f(f(f(b)))
let a2 = f(f(f(a1)))
`,
	},
}
