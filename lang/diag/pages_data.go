package diag

// dataPages explains V0501 to V0559. An example shows the command, the relevant declarations and the tables, one file each. The right
// example differs from the wrong one as little as possible.
var dataPages = []Page{
	{
		Code: Unreadable, Title: "a table cannot be read",
		Text:  "The file does not exist, cannot be opened, or has a format that this version does not read. vflc reads CSV with a header row, Parquet, Stan-JSON, and the results of queries to SQLite files and PostgreSQL servers. An address has no password: PGPASSWORD or ~/.pgpass has it.",
		Wrong: "vflc run m.vfl --data trial.parquet\n-- m.vfl --\ndata y : real[N]\n",
		Right: "vflc run m.vfl --data trial.csv\n-- m.vfl --\ndata y : real[N]\n-- trial.csv --\ny\n1.5\n",
	},
	{
		Code: BadCSV, Title: "the file is not valid CSV",
		Text:  "Every row has as many cells as the header, separated by commas. A cell that contains a comma, a quote or a line break is quoted, and a quote in it is written twice. The text is UTF-8.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\nname,y\nSmith, Jane,1.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\nname,y\n\"Smith, Jane\",1.5\n",
	},
	{
		Code: BadJSON, Title: "the file is not a valid Stan-JSON document",
		Text:  "A document is one JSON object whose values are numbers and arrays of numbers. All rows of an array have the same length. JSON has no NaN and no Infinity: Stan writes them as strings.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P]\n-- m/data.json --\n{\"X\": [[1, 2], [3]]}\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P]\n-- m/data.json --\n{\"X\": [[1, 2], [3, 4]]}\n",
	},
	{
		Code: EmptyTable, Title: "a table without rows",
		Text:  "A table has a header row and at least one row of data; an array in a document has at least one value.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\n",
	},
	{
		Code: DuplicateColumn, Title: "a missing or repeated column name",
		Text:  "Every column has a name in the header, and all names differ. A first column without a name usually holds the row numbers that pandas or R wrote: write the file without them (index=False, row.names = FALSE).",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\n,y\n0,1.5\n1,2.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\n2.5\n",
	},
	{
		Code: NoColumn, Title: "a column that the table does not have",
		Text:  "Without a `from` clause a vector takes the column of its own name. The message lists the columns of the table. Names are case-sensitive.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\noutcome\n1.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N] from outcome\n-- m/data.csv --\noutcome\n1.5\n",
	},
	{
		Code: NotNumber, Title: "a cell that is not a number",
		Text:  "Numbers have a decimal point and no thousands separators. A column of words enters a matrix through onehot, or a model as a level.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, sex\n-- m/data.csv --\nage,sex\n30,F\n41,M\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, onehot(sex)\n-- m/data.csv --\nage,sex\n30,F\n41,M\n",
	},
	{
		Code: MissingCell, Title: "a missing value",
		Text:  "An empty cell and NA are missing values. Fill in the cell, or declare the data with `missing drop`: rows in which a party has a missing cell of such data are then left out at every party. Which rows these are shows in which rows cells are missing, to every party that joins them; their number at each party is printed and recorded. Numbers that are missing in a covariate can be inferred, with `missing impute ~ DIST`: they become parameters of the party. Rename a category that is called NA.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, chol\n-- m/data.csv --\nage,chol\n30,5.1\n41,\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, chol missing drop\n-- m/data.csv --\nage,chol\n30,5.1\n41,\n",
	},
	{
		Code: NonFinite, Title: "a number that is not finite",
		Text:  "NaN, Inf and numbers too large for a float64 make every density that uses them meaningless, so data must be finite.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\nNaN\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\n2.5\n",
	},
	{
		Code: NotWhole, Title: "a fraction where whole numbers are declared",
		Text:  "int, count and level hold whole numbers. For fractions, declare real.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : count[N]\n-- m/data.csv --\ny\n1\n2.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1\n2.5\n",
	},
	{
		Code: OutOfRange, Title: "a value outside its range",
		Text:  "A count is at least 0, integer levels start at 1, and values lie within the declared bounds. Whole numbers are at most 2^53: a float64 cannot represent all larger ones.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata pop : real<lower=0>[N]\n-- m/data.csv --\npop\n310\n-1\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata pop : real<lower=0>[N]\n-- m/data.csv --\npop\n310\n280\n",
	},
	{
		Code: NotBinary, Title: "a cell that is neither 0 nor 1",
		Text:  "binary accepts 0 and 1, and true and false in upper or lower case. Of two categories, such as 1 and 2 or yes and no, `from is(y, \"yes\")` makes 1 and 0; or declare level(2).",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : binary[N]\n-- m/data.csv --\ny\n1\n2\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : binary[N]\n-- m/data.csv --\ny\n0\n1\n",
	},
	{
		Code: ConstantColumn, Title: "an encoder of a column that does not vary",
		Text:  "zscore divides by the standard deviation, which is 0 for a column of equal values; onehot with drop=first leaves no column for a single category, and poly and spline need more different values than they give columns. A constant column adds nothing to the intercept: leave it out. If it varies in new rows, center(column) keeps it.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from zscore(age)\n-- m/data.csv --\nage\n30\n30\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from center(age)\n-- m/data.csv --\nage\n30\n30\n",
	},
	{
		Code: NoVariation, Title: "warning: data that determine nothing",
		Text:  "A column that is the same in every row adds to the intercept, one that is a linear combination of others of its matrix adds to their coefficients, and a response that never varies says of a regression only that probabilities are near 0 or 1, or that a residual standard deviation is near 0. The posterior of such parameters is their prior in some direction, and under a flat prior there is none. A binary response is separated where a column, or a combination of columns, is at least some number in all rows with a 1 and at most that in all rows with a 0: the likelihood rises for ever in that direction, and only a prior bounds the coefficients. Combinations are looked for where the rows times the square of the number of columns are at most 40 million. Leave the column out, or give the coefficients a prior that says how large they can be. In a simulation all columns of a linear predictor are compared; across machines each party compares its own, of which it knows neither another's intercept nor what depends on columns of two parties.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\ndata X : real[N, P] from age, months\nparam b : real[P] ~ normal(0, 1)\ny ~ normal(X * b, 1)\n-- m/data.csv --\ny,age,months\n1,1,12\n2,3,36\n4,2,24\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\ndata X : real[N, P] from age\nparam b : real[P] ~ normal(0, 1)\ny ~ normal(X * b, 1)\n-- m/data.csv --\ny,age,months\n1,1,12\n2,3,36\n4,2,24\n",
	},
	{
		Code: UnscaledColumn, Title: "warning: a column on another scale than its prior",
		Text: "The scale of a coefficient's prior times the standard deviation of its column is the size of the effects that the prior allows. The response has a scale of its own: its standard deviation, or 1 where the predictor is a logarithm, log odds or the like. " +
			"Effects of more than a thousand times that scale are no prior knowledge: sfvi may not find the posterior, and a default transform has so little noise that it is lost beside the cut (V0702). With effects below a hundredth of it, at the value of the column that is farthest from its mean, the prior removes the effect, and no diagnosis of the draws can say so. " +
			"Both come from columns in units like euros or years as they are. Standardise them, `from zscore(income)`, or write priors in their units. Only priors with constant scales are compared, and across machines nobody has both a client's column and the response's scale.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : binary[N]\ndata X : real[N, P] from income\nparam m ~ normal(0, 1)\nparam b : real[P] ~ normal(0, 1)\ny ~ bernoulli_logit(m + X * b)\n-- m/data.csv --\ny,income\n1,21000\n0,33000\n1,34000\n0,27000\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : binary[N]\ndata X : real[N, P] from zscore(income)\nparam m ~ normal(0, 1)\nparam b : real[P] ~ normal(0, 1)\ny ~ bernoulli_logit(m + X * b)\n-- m/data.csv --\ny,income\n1,21000\n0,33000\n1,34000\n0,27000\n",
	},
	{
		Code: LogDomain, Title: "a logarithm of a number that is not positive",
		Text:  "log(column) needs every value above 0. Zeros often stand for something else, such as not measured.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from log(dose)\n-- m/data.csv --\ndose\n1\n0\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from dose\n-- m/data.csv --\ndose\n1\n0\n",
	},
	{
		Code: NewCategory, Title: "a category that the model has not seen",
		Text:  "Encoders are fitted once, to the same data as the model, and applied unchanged to new rows. A new category has no column and no parameter. is(column, category) needs a category that some cell has when it is fitted; new rows may have any.",
		Wrong: "new rows: new.csv\n-- m.vfl --\ndata X : real[N, P] from onehot(ward)\n-- m/data.csv --\nward\neast\nwest\n-- new.csv --\nward\nnorth\n",
		Right: "new rows: new.csv\n-- m.vfl --\ndata X : real[N, P] from onehot(ward)\n-- m/data.csv --\nward\neast\nwest\n-- new.csv --\nward\nwest\n",
	},
	{
		Code: BadEncoder, Title: "an encoder that cannot be used here",
		Text:  "`vflc doc poly` and the like describe each encoder and its arguments. Encoders return numbers: declare real, or for onehot and is also binary, int or count.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from poly(age)\n-- m/data.csv --\nage\n30\n41\n57\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from poly(age, 2)\n-- m/data.csv --\nage\n30\n41\n57\n",
	},
	{
		Code: DataShape, Title: "the table does not have the declared shape",
		Text:  "A CSV file holds vectors (one column) and matrices (several columns), with one element or one matrix row per row of the file. Scalars and arrays of other shapes come from a Stan-JSON document; a scalar can also be a const. A vector uses exactly one column.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata scale : real\n-- m/data.csv --\ny\n1.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata scale : real\n-- m/data.json --\n{\"scale\": 2, \"y\": [1.5]}\n",
	},
	{
		Code: BadStar, Title: "`*` matches no column, or two declarations use it",
		Text:  "A matrix without a `from` clause, or with `*` in it, uses all columns that no other declaration names, except the key. At most one declaration per table can do so, and at least one column must remain for it.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P]\ndata Z : real[N, Q]\n-- m/data.csv --\na,b,c\n1,2,3\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P]\ndata Z : real[N, Q] from c\n-- m/data.csv --\na,b,c\n1,2,3\n",
	},
	{
		Code: BadKey, Title: "a key that does not identify rows",
		Text:  "vflc joins the rows of the parties' tables on a key column: the one that --key names, else id. Every row has a key, and all keys of a table differ. Whole numbers are compared by value, other keys byte by byte.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n1,2.5\n-- m/a.csv --\nid,x\n1,0.1\n2,0.2\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n2,2.5\n-- m/a.csv --\nid,x\n1,0.1\n2,0.2\n",
	},
	{
		Code: DifferentRows, Title: "the parties do not hold the same rows",
		Text:  "Every party's table holds the same rows: the same keys, or with --key none the same number of rows in the same order. The message counts the rows that only one side has. Keep the rows that all tables share; --rows intersect does so in a simulation.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n2,2.5\n-- m/a.csv --\nid,x\n2,0.1\n3,0.2\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n2,2.5\n-- m/a.csv --\nid,x\n2,0.1\n",
	},
	{
		Code: NoTable, Title: "a party without a table",
		Text:  "--data PARTY=FILE or vfl.toml names the table of a party. Otherwise m.vfl reads m/PARTY.csv, or m/FAMILY/*.csv for a family. A model without clients reads m/data.csv or m/data.json.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\n",
	},
	{
		Code: BadDataFlag, Title: "--data that names no party or no file",
		Text:  "Write --data PARTY=FILE; for a family --data FAMILY=FILE,FILE,… or a pattern; for data of all parties --data shared=FILE. A model without clients takes --data FILE. A party reads one table; each member of a family reads its own.",
		Wrong: "vflc run m.vfl --data clinic=clinic.csv\n-- m.vfl --\ndata y : real[N]\n-- clinic.csv --\ny\n1.5\n",
		Right: "vflc run m.vfl --data clinic.csv\n-- m.vfl --\ndata y : real[N]\n-- clinic.csv --\ny\n1.5\n",
	},
	{
		Code: BadSettings, Title: "vfl.toml names no party or no file",
		Text:  "The section [data] of a vfl.toml beside the model has a line PARTY = \"FILE\" for each party, or FAMILY = [\"FILE\", \"FILE\"]. Paths are relative to the folder of vfl.toml.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- vfl.toml --\n[data]\nserver = clinic.csv\n-- clinic.csv --\ny\n1.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- vfl.toml --\n[data]\nserver = \"clinic.csv\"\n-- clinic.csv --\ny\n1.5\n",
	},
	{
		Code: SharedData, Title: "shared data that no table has, or that differ",
		Text:  "Data @ shared are read from every table that has their columns, or from --data shared=FILE. Where several tables have them, they must be equal row by row.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : binary[N] @ shared\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,0\n-- m/a.csv --\nid,y,x\n1,1,0.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : binary[N] @ shared\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,0\n-- m/a.csv --\nid,x\n1,0.5\n",
	},
	{
		Code: SomeKeys, Title: "some tables have a key and some have none",
		Text:  "Tables whose data have a size of rows in common hold the same rows, and are joined on id, which every one of them needs. Another column is named with --key. --key none takes the rows in the order of the files, which is correct only if all files have the same order; the record of the run says so.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n-- m/a.csv --\nx\n0.1\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n-- m/a.csv --\nid,x\n1,0.1\n",
	},
	{
		Code: NoKey, Title: "rows of several tables, and nothing to join them on",
		Text:  "Tables whose data have a size of rows in common hold the same rows. They are joined on a column: the one that --key names, else id. The message proposes a column that is unique in each table. --key none takes the rows in the order of the files, which is correct only if all files have the same order. Tables of other sizes, such as one with a row per group, and those of a family whose members have rows of their own, are not joined.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\npatient,y\n1,1.5\n2,2.5\n-- m/a.csv --\npatient,x\n2,0.1\n1,0.2\n",
		Right: "vflc run m.vfl --key patient\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\npatient,y\n1,1.5\n2,2.5\n-- m/a.csv --\npatient,x\n2,0.1\n1,0.2\n",
	},
	{
		Code: NoCoding, Title: "words at several parties, and no coding that they share",
		Text:  "The categories of all data that are level(R) have one coding, since a parameter of size R is indexed by any of them. Words in the tables of one party are coded in byte order. Several parties do not tell each other their categories: the model lists them, `levels R = \"A\", \"B\"`, or one of the columns is @ shared and has every category, or each column has a size of its own.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata g : level(R)[N]\ndata h : level(R)[N] @ a\n-- m/server.csv --\nid,g\n1,east\n2,west\n-- m/a.csv --\nid,h\n1,east\n2,west\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\nlevels R = \"east\", \"west\"\ndata g : level(R)[N]\ndata h : level(R)[N] @ a\n-- m/server.csv --\nid,g\n1,east\n2,west\n-- m/a.csv --\nid,h\n1,east\n2,west\n",
	},
	{
		Code: MixedLevels, Title: "words and whole numbers as categories of one size",
		Text:  "A column of whole numbers is its own code, any other column holds words. Columns of one size are of one kind. A list in the model that has a whole number, `levels R = 2019, \"unknown\"`, codes both.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata g : level(R)[N]\ndata h : level(R)[N]\n-- m/data.csv --\ng,h\n1,east\n2,west\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata g : level(R)[N]\ndata h : level(S)[N]\n-- m/data.csv --\ng,h\n1,east\n2,west\n",
	},
	{
		Code: NumbersAsWords, Meaning: true, Title: "cells that look like numbers in a column of words",
		Text:  "A level whose cells are not all whole numbers holds words, and each distinct word is a category: 1.5 and 1.50 are two. Check that the column is meant as categories, and that a missing value is left blank.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata g : level(R)[N]\n-- m/data.csv --\ng\n1\n2\nunknown\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata g : level(R)[N]\n-- m/data.csv --\ng\n1\n2\n3\n",
	},
	{
		Code: WordsInOrder, Meaning: true, Title: "words in the order of the alphabet, where their order counts",
		Text:  "ordered_logistic and ordered_probit put cutpoints between categories in the order of their codes. Words without a list in the model have codes in the order of the alphabet: fair, good, poor. The fit is then of that order, and its coefficients mean nothing where another is meant. List the categories from the lowest to the highest. A list in the order of the alphabet says that it is meant. Whole numbers are codes themselves.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : level(K)[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\nparam c : ordered[K - 1] ~ normal(0, 3)\ny ~ ordered_logistic(b * x, c)\n-- m/data.csv --\ny,x\npoor,-1\nfair,0\ngood,1\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nlevels K = \"poor\", \"fair\", \"good\"\ndata y : level(K)[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\nparam c : ordered[K - 1] ~ normal(0, 3)\ny ~ ordered_logistic(b * x, c)\n-- m/data.csv --\ny,x\npoor,-1\nfair,0\ngood,1\n",
	},
	{
		Code: KeyAsCovariate, Meaning: true, Title: "a column that numbers the rows is a covariate",
		Text:  "Where no key joins the rows, as with --key none, `*` takes every column that no declaration names, also one that only numbers the rows. A column called id is left out. The warning is given for whole numbers that are consecutive and different in all rows. Name the columns, or the key.",
		Wrong: "vflc run m.vfl --key none\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\ny\n1.5\n2.5\n0.5\n-- m/a.csv --\npatient,x\n12,0.1\n10,0.4\n11,0.2\n",
		Right: "vflc run m.vfl --key none\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a from x\n-- m/server.csv --\ny\n1.5\n2.5\n0.5\n-- m/a.csv --\npatient,x\n12,0.1\n10,0.4\n11,0.2\n",
	},
	{
		Code: FileTrouble, Title: "a file or folder that cannot be read or written",
		Text:  "A command was given a file or folder that is not there, that is the one where the other is needed, that this user may not open, or that does not fit on the disk. A model is a file that ends in .vfl; the folder of the same name holds its tables. What vflc writes appears under its name only when it is whole, so a full disk leaves no half of a file.",
		Wrong: "vflc run logistic\n",
		Right: "vflc run logistic.vfl\n",
	},
}
