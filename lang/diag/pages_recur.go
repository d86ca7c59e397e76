package diag

// recurPages explains recursions: V028x, and V0321.
var recurPages = []Page{
	{
		Code: RecurForm, Title: "a recursion that is not written as one",
		Text: "A recursion gives its first entries, and then every other one from those before: recur h[1] = A, h[t] = B for t in 2..T. All entries have the name of the let and one shape. " +
			"The number of entries is the end of the range.",
		Wrong: `data y : real[T]
param phi ~ uniform(-1, 1)
let h : real[T] = recur h[t] = phi * h[t - 1] for t in 2..T
y ~ normal(h, 1)
`,
		Right: `data y : real[T]
param phi ~ uniform(-1, 1)
let h : real[T] = recur h[1] = 0, h[t] = phi * h[t - 1] + y[t - 1] for t in 2..T
y ~ normal(h, 1)
`,
	},
	{
		Code: RecurIndex, Title: "a recursion that is read at another place than a fixed distance",
		Text: "A step of a recursion reads entries at fixed distances: h[t - 1], h[t - 2]; or h[t + 1], where the range runs down. The distance is a whole number, or the index of a sum over a range. " +
			"Arrays of other names are indexed by t, or by t plus or minus a constant.",
		Wrong: `data y : real[T]
param phi ~ uniform(-1, 1)
let h : real[T] = recur h[1] = 0, h[t] = phi * h[1] + y[t - 1] for t in 2..T
y ~ normal(h, 1)
`,
		Right: `data y : real[T]
param phi ~ uniform(-1, 1)
let h : real[T] = recur h[1] = 0, h[t] = phi * h[t - 1] + y[t - 1] for t in 2..T
y ~ normal(h, 1)
`,
	},
	{
		Code: RecurRange, Title: "initial entries and a range that do not meet",
		Text: "Each entry is given once: the initial ones from 1 on, and the range from the next one to the last, or, for a recursion that reads entries ahead, the last ones first and a range down to 1. " +
			"A step that reads two entries back needs two initial entries.",
		Wrong: `data y : real[T]
param a ~ normal(0, 1)
let h : real[T] = recur h[1] = 0, h[t] = a * h[t - 1] - h[t - 2] for t in 2..T
y ~ normal(h, 1)
`,
		Right: `data y : real[T]
param a ~ normal(0, 1)
let h : real[T] = recur h[1] = 0, h[2] = 1, h[t] = a * h[t - 1] - h[t - 2] for t in 3..T
y ~ normal(h, 1)
`,
	},
	{
		Code: RecurCut, Title: "a client's computation in the step of a recursion of another party",
		Text: "A recursion is computed by one party. What a client contributes to its steps crosses once, as an array: a let of its own outside the recursion, whose entries the steps take.",
		Wrong: `client a
data y : real[T] @ shared
data x : real[T] @ a
param b ~ normal(0, 1) @ a
param phi ~ uniform(-1, 1)
let h : real[T] = recur h[1] = 0, h[t] = phi * h[t - 1] + b * x[t] for t in 2..T
y ~ normal(h, 1)
transform exact
`,
		Right: `client a
data y : real[T] @ shared
data x : real[T] @ a
param b ~ normal(0, 1) @ a
param phi ~ uniform(-1, 1)
let m = b * x
let h : real[T] = recur h[1] = 0, h[t] = phi * h[t - 1] + m[t] for t in 2..T
y ~ normal(h, 1)
transform exact
`,
	},
}
