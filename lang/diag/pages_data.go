package diag

// dataPages explains V0501 to V0559. An example shows the command, the relevant declarations and the tables, one file each. The right
// example differs from the wrong one as little as possible.
var dataPages = []Page{
	{
		Code: Unreadable, Title: "a table cannot be read",
		Text:  "The file does not exist, cannot be opened, or has a format that this version does not read. vflc reads CSV with a header row and Stan-JSON. It does not read Parquet, SQLite or Postgres yet.",
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
		Text:  "An empty cell and NA are missing values. This version does not support `missing drop` and `missing impute`: fill in the cell, or remove the row at every party. Rename a category that is called NA.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, chol\n-- m/data.csv --\nage,chol\n30,5.1\n41,\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, chol\n-- m/data.csv --\nage,chol\n30,5.1\n41,4.8\n",
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
		Text:  "binary accepts 0 and 1, and true and false in upper or lower case. Recode categories such as 1 and 2 or yes and no in the table, or declare level(2).",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : binary[N]\n-- m/data.csv --\ny\n1\n2\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : binary[N]\n-- m/data.csv --\ny\n0\n1\n",
	},
	{
		Code: ConstantColumn, Title: "an encoder of a column that does not vary",
		Text:  "zscore divides by the standard deviation, which is 0 for a column of equal values; onehot with drop=first leaves no column for a single category. A constant column adds nothing to the intercept: leave it out. If it varies in new rows, center(column) keeps it.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from zscore(age)\n-- m/data.csv --\nage\n30\n30\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from center(age)\n-- m/data.csv --\nage\n30\n30\n",
	},
	{
		Code: LogDomain, Title: "a logarithm of a number that is not positive",
		Text:  "log(column) needs every value above 0. Zeros often stand for something else, such as not measured.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from log(dose)\n-- m/data.csv --\ndose\n1\n0\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from dose\n-- m/data.csv --\ndose\n1\n0\n",
	},
	{
		Code: NewCategory, Title: "a category that the model has not seen",
		Text:  "Encoders are fitted once, to the same data as the model, and applied unchanged to new rows. A new category has no column and no parameter.",
		Wrong: "new rows: new.csv\n-- m.vfl --\ndata X : real[N, P] from onehot(ward)\n-- m/data.csv --\nward\neast\nwest\n-- new.csv --\nward\nnorth\n",
		Right: "new rows: new.csv\n-- m.vfl --\ndata X : real[N, P] from onehot(ward)\n-- m/data.csv --\nward\neast\nwest\n-- new.csv --\nward\nwest\n",
	},
	{
		Code: BadEncoder, Title: "an encoder that cannot be used here",
		Text:  "The encoders are center, log, onehot and zscore, each of one column; onehot accepts drop=first. The language also defines poly, spline and interact, which this version does not support. Encoders return numbers: declare real, or for onehot also binary, int or count.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from poly(age, 2)\n-- m/data.csv --\nage,age2\n30,900\n41,1681\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, age2\n-- m/data.csv --\nage,age2\n30,900\n41,1681\n",
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
		Text:  "vflc joins the rows of the parties' tables on a key column: the one that --key names, or id if every table has it. Every row has a key, and all keys of a table differ. Whole numbers are compared by value, other keys byte by byte.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n1,2.5\n-- m/a.csv --\nid,x\n1,0.1\n2,0.2\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n2,2.5\n-- m/a.csv --\nid,x\n1,0.1\n2,0.2\n",
	},
	{
		Code: DifferentRows, Title: "the parties do not hold the same rows",
		Text:  "Every party's table holds the same rows: the same keys, or without a key the same number of rows in the same order. The message counts the rows that only one side has, with examples. Keep the rows that all tables share.",
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
		Text:  "Rows are joined on id only if every table has it. Otherwise vflc matches rows by their order in the files, which is correct only if all files have the same order.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n-- m/a.csv --\nx\n0.1\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n-- m/a.csv --\nid,x\n1,0.1\n",
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
		Code: NumbersAsWords, Title: "cells that look like numbers in a column of words",
		Text:  "A level whose cells are not all whole numbers holds words, and each distinct word is a category: 1.5 and 1.50 are two. Check that the column is meant as categories, and that a missing value is left blank.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata g : level(R)[N]\n-- m/data.csv --\ng\n1\n2\nunknown\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata g : level(R)[N]\n-- m/data.csv --\ng\n1\n2\n3\n",
	},
}
