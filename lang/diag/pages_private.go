package diag

var privatePages = []Page{
	{
		Code: BadContribution, Title: "a contribution that is not real, or not of a client",
		Text:  "`contribution eta : real[N] @ CLIENT` stands for real numbers that one client computes in a module of its own. The server and families have none: what the server computes stands in the model, and the members of a family run the same code.",
		Wrong: "client a\ndata y : real[N]\ncontribution eta : real[N]\ny ~ normal(eta, 1)\n",
		Right: "client a\ndata y : real[N]\ncontribution eta : real[N] @ a\ny ~ normal(eta, 1)\nmodule a implements model\ndata x : real[N]\nparam b ~ normal(0, 1)\neta = x * b\n",
	},
	{
		Code: NoModule, Title: "a run without the module of a contribution",
		Text:  "A run needs what a client computes for its contribution. In a simulation the module is a file in the folder of the model's name, logistic/hospital_a.vfl for the client hospital_a of logistic.vfl, or is given by --module hospital_a=FILE. Without it a model can be checked, split and audited.",
		Wrong: "client a\ndata y : real[N]\ncontribution eta : real[N] @ a\ny ~ normal(eta, 1)\n",
		Right: "client a\ndata y : real[N]\ncontribution eta : real[N] @ a\ny ~ normal(eta, 1)\nmodule a implements model\ndata x : real[N]\nparam b ~ normal(0, 1)\neta = x * b\n",
	},
	{
		Code: BadPrivate, Title: "a module that does not implement its contributions",
		Text:  "A client's module begins with `module CLIENT implements MODEL`. It declares data (vectors and matrices of the client's table), param, weight, let and const, imports modules of the standard library, and gives every contribution of the client a value. Nothing in it has an owner. A name that the model has too means the module's own there.",
		Wrong: "client a\ndata y : real[N]\ncontribution eta : real[N] @ a\ny ~ normal(eta, 1)\nmodule a implements model\ndata x : real[N]\nparam b ~ normal(0, 1) @ a\neta = x * b\n",
		Right: "client a\ndata y : real[N]\ncontribution eta : real[N] @ a\ny ~ normal(eta, 1)\nmodule a implements model\ndata x : real[N]\nparam b ~ normal(0, 1)\neta = x * b\n",
	},
	{
		Code: PrivateScope, Title: "a name of the model that a module does not see",
		Text:  "A module uses its own names, and of the model the sizes, the consts and what is declared @ its client. Other names would have to cross for its sake, so that the manifest would show what the module does. What the client should use of others belongs in the public model.",
		Wrong: "client a\ndata y : real[N]\nparam k ~ normal(0, 1) @ shared\ncontribution eta : real[N] @ a\ny ~ normal(k + eta, 1)\nmodule a implements model\ndata x : real[N]\nparam b ~ normal(0, 1)\neta = k * (x * b)\n",
		Right: "client a\ndata y : real[N]\nparam k ~ normal(0, 1) @ shared\ncontribution eta : real[N] @ a\ny ~ normal(k * eta, 1)\nmodule a implements model\ndata x : real[N]\nparam b ~ normal(0, 1)\neta = x * b\n",
	},
	{
		Code: PrivateShows, Title: "a module that changes what other parties run",
		Text:  "Everything but a client's own program follows from the public model. A module whose value has an additive term of data alone, for example, has a data offset, which the manifest must list: then the module is not private. Write such a part into the public model, or leave it out.",
		Wrong: "client a\ndata y : real[N]\ncontribution eta : real[N] @ a\ny ~ normal(eta, 1)\nmodule a implements model\ndata x : real[N]\ndata o : real[N]\nparam b ~ normal(0, 1)\neta = x * b + o\n",
		Right: "client a\ndata y : real[N]\ndata o : real[N] @ a\ncontribution eta : real[N] @ a\ny ~ normal(eta + o, 1)\nmodule a implements model\ndata x : real[N]\nparam b ~ normal(0, 1)\neta = x * b\n",
	},
}
