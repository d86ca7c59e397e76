package diag

import "strings"

// syntaxPages explains V01xx. The parser alone reports the codes of the wrong examples.
var syntaxPages = []Page{
	{
		Code: NotUTF8, Title: "the file is not UTF-8",
		Text:  "Programs are UTF-8 text. An invalid byte comes from another encoding, such as Latin-1, or from a binary file. Save the file as UTF-8.",
		Wrong: "param b ~ normal(0, 1) // caf\xe9\n",
		Right: "param b ~ normal(0, 1) // café\n",
	},
	{
		Code: BadCharacter, Title: "a character that the language does not use",
		Text:  "Names use the letters a-z and A-Z, digits and the underscore. Other letters are allowed in comments and in quoted column names. Replace the typographic quotes, dashes and operators of word processors by their ASCII characters.",
		Wrong: "param β ~ normal(0, 1)\n",
		Right: "param beta ~ normal(0, 1)\n",
	},
	{
		Code: ControlCharacter, Title: "a control character",
		Text:  "Control characters of terminals and of text direction could make a program look different from what it does. People read party programs to see what leaves a party, so these characters are refused everywhere, comments included.",
		Wrong: "param b ~ normal(0, 1) // \x1b[2K nothing to see\n",
		Right: "param b ~ normal(0, 1) // nothing to see\n",
	},
	{
		Code: OpenString, Title: "a string that is not closed",
		Text:  "A string begins and ends with a double quote on the same line.",
		Wrong: "data x : real[N] from \"blood pressure\nparam b ~ normal(0, 1)\n",
		Right: "data x : real[N] from \"blood pressure\"\nparam b ~ normal(0, 1)\n",
	},
	{
		Code: BadEscape, Title: "a backslash that escapes nothing",
		Text:  "In a string, a backslash comes before a double quote or another backslash, to make it part of the text.",
		Wrong: "data x : real[N] from \"dose\\day\"\n",
		Right: "data x : real[N] from \"dose\\\\day\"\n",
	},
	{
		Code: OpenComment, Title: "a comment that is not closed",
		Text:  "A comment that begins with /* extends to the next */, over any number of lines. Such comments do not nest.",
		Wrong: "param b ~ normal(0, 1)\n/* the slopes\nparam c ~ normal(0, 1)\n",
		Right: "param b ~ normal(0, 1)\n/* the slopes */\nparam c ~ normal(0, 1)\n",
	},
	{
		Code: BadNumber, Title: "a malformed number",
		Text:  "Numbers are written 1, 1.5, .5, 1e-3 or 1_000. A digit follows the point, because .* and ./ are operators and 1..K is a range. A product needs its *, as in 2 * b. Whole numbers are at most 2^53: a float64 cannot represent all larger ones.",
		Wrong: "param b ~ normal(0., .5)\n",
		Right: "param b ~ normal(0.0, 0.5)\n",
	},
	{
		Code: EmptyFile, Title: "a file without statements",
		Text:  "A file holds at least one statement. This file is empty, or holds only comments.",
		Wrong: "// param b ~ normal(0, 1)\n",
		Right: "param b ~ normal(0, 1)\n",
	},
	{
		Code: UnknownStatement, Title: "no statement begins like this",
		Text:  "A statement begins with its keyword (server, client, data, param, weight, let, const, contribution, transform; in party programs program, aux, receive, send), or, for a likelihood, with the name of data or of a function of it.",
		Wrong: "parm b ~ normal(0, 1)\n",
		Right: "param b ~ normal(0, 1)\n",
	},
	{
		Code: Unexpected, Title: "something else was expected here",
		Text:  "The statement is correct up to this place. Here the grammar allows only what the message names.",
		Wrong: "param b ~ normal(0 1)\n",
		Right: "param b ~ normal(0, 1)\n",
	},
	{
		Code: ExpectedExpr, Title: "an expression was expected here",
		Text:  "An expression follows an operator, a comma or an opening bracket: a number, a name, a call, a sign or an opening parenthesis. A power is written ^.",
		Wrong: "param b ~ normal(0, 2 ** 3)\n",
		Right: "param b ~ normal(0, 2^3)\n",
	},
	{
		Code: Unclosed, Title: "a bracket that is not closed",
		Text:  "Every (, [ and { is closed in the same statement.",
		Wrong: "param b ~ normal(0, 1\nparam c ~ normal(0, 1)\n",
		Right: "param b ~ normal(0, 1)\nparam c ~ normal(0, 1)\n",
	},
	{
		Code: WrongBracket, Title: "a closing bracket that does not match",
		Text:  "A closing bracket closes the bracket that was opened last, and has the same kind.",
		Wrong: "data x : real[N)\n",
		Right: "data x : real[N]\n",
	},
	{
		Code: KeywordAsName, Title: "a keyword used as a name",
		Text:  "Reserved words cannot be names: server, client, data, param, let, const, fn, import, transform, factor, generate, contribution, return, shared, for, in, from, missing, init, truncate, censor, noncentered, weights. A column with such a name is written in double quotes.",
		Wrong: "param in ~ normal(0, 1)\n",
		Right: "param inside ~ normal(0, 1)\n",
	},
	{
		Code: MissingColon, Title: "no colon before the type",
		Text:  "The type of a declaration follows a colon.",
		Wrong: "param b real ~ normal(0, 1)\n",
		Right: "param b : real ~ normal(0, 1)\n",
	},
	{
		Code: TildeOrEquals, Title: "= and ~ confused",
		Text:  "A distribution follows ~: in a param, and in a likelihood, which is a statement of its own. A value follows =: in a let and in a const.",
		Wrong: "param b = normal(0, 1)\n",
		Right: "param b ~ normal(0, 1)\n",
	},
	{
		Code: ClauseOrder, Title: "a clause in the wrong place",
		Text:  "The clauses of a statement have a fixed order: data NAME : TYPE @ OWNER from COLUMNS; param NAME : TYPE ~ DIST(…) noncentered @ OWNER; y ~ DIST(…) weights EXPRESSION. A likelihood has no owner: the compiler finds who evaluates it.",
		Wrong: "client a\ndata x : real[N] from dose @ a\n",
		Right: "client a\ndata x : real[N] @ a from dose\n",
	},
	{
		Code: MissingOperator, Title: "two expressions without an operator between them",
		Text:  "A product needs its *. Statements need no separator, so text that follows a complete statement on the same line must begin another statement.",
		Wrong: "param b ~ normal(0, 1)\nlet twice = 2 b\n",
		Right: "param b ~ normal(0, 1)\nlet twice = 2 * b\n",
	},
	{
		Code: NotCallable, Title: "a call of something that is not a function",
		Text:  "Only a name can come before an argument list. If you mean a product, write its *.",
		Wrong: "param b ~ normal(0, 1)\nlet c = 2(b + 1)\n",
		Right: "param b ~ normal(0, 1)\nlet c = 2 * (b + 1)\n",
	},
	{
		Code: Comprehension, Title: "a malformed comprehension",
		Text:  "A sum over the members of a family, or over a range of whole numbers, is written sum(EXPRESSION for NAME in FAMILY) or sum(EXPRESSION for NAME in LOW..HIGH). No other function takes this form.",
		Wrong: "client lab[3]\nparam beta ~ normal(0, 1) @ lab\nlet m = mean(beta[j] for j in lab)\n",
		Right: "client lab[3]\nparam beta ~ normal(0, 1) @ lab\nlet m = sum(beta[j] for j in lab) / 3\n",
	},
	{
		Code: ChainedComparison, Title: "a chain of comparisons",
		Text:  "a < b < c would compare the truth value of a < b with c. Comparisons do not chain; write two of them, or parentheses if the truth value is meant.",
		Wrong: "data x : real[N]\nlet inside = 0 < x < 1\n",
		Right: "data x : real[N]\nlet inside = 0 < x && x < 1\n",
	},
	{
		Code: TooLarge, Title: "an expression that is too large",
		Text:  "Expressions are nested at most 256 levels deep and have at most 50 000 parts. The limits keep a malicious program from exhausting the memory of its reader. Name parts of a large expression with let.",
		Wrong: "let x = " + strings.Repeat("-", 257) + "1\n",
		Right: "let x = -1\n",
	},
	{
		Code: FamilyCount, Title: "a malformed number of members",
		Text:  "client NAME[J] declares a family. J is a whole number of at least 1, or a name, whose value is then the number of tables that are bound to the family.",
		Wrong: "client lab[0]\n",
		Right: "client lab[2]\n",
	},
	{
		Code: TypeForm, Title: "a malformed type",
		Text:  "Only level(R) has parentheses, around its number of categories. Bounds are written <lower=VALUE>, <upper=VALUE> or <lower=VALUE, upper=VALUE>. Shapes are written in square brackets.",
		Wrong: "data region : level[N]\n",
		Right: "data region : level(R)[N]\n",
	},
	{
		Code: EncoderForm, Title: "an encoder without a column",
		Text:  "The first argument of an encoder is the column that it encodes. Settings follow it, as in poly(age, 2) or onehot(sex, drop=first).",
		Wrong: "data X : real[N, P] from poly(2, age)\n",
		Right: "data X : real[N, P] from poly(age, 2)\n",
	},
	{
		Code: ForeignHabit, Title: "the syntax of another language",
		Text:  "Stan, BUGS, R and Python write some things in ways of their own. The message names what stands for it here; docs/language.md has the whole syntax.",
		Wrong: "data y : real[N]\nparam mu ~ normal(0, 1)\nfor (i in 1:N) {\n  y[i] ~ normal(mu, 1)\n}\n",
		Right: "data y : real[N]\nparam mu ~ normal(0, 1)\ny ~ normal(mu, 1)\n",
	},
}
