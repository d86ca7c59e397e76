package diag

// dataPages explains V0501 to V0559. The examples are the command, the declarations that matter and the tables, as one would lay them out
// in files; the right one differs from the wrong one in as little as possible.
var dataPages = []Page{
	{
		Code: Unreadable, Title: "a table cannot be read",
		Text:  "The file is not there, may not be read, or is of a kind that this version does not read. CSV with a header row and Stan-JSON are read; Parquet, SQLite and Postgres are not yet.",
		Wrong: "vflc run m.vfl --data trial.parquet\n-- m.vfl --\ndata y : real[N]\n",
		Right: "vflc run m.vfl --data trial.csv\n-- m.vfl --\ndata y : real[N]\n-- trial.csv --\ny\n1.5\n",
	},
	{
		Code: BadCSV, Title: "the file is not a proper CSV",
		Text:  "Every row has as many cells as the header, separated by commas. A cell with a comma, a quote or a line break is quoted, and a quote in it is written twice. The text is UTF-8.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\nname,y\nSmith, Jane,1.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\nname,y\n\"Smith, Jane\",1.5\n",
	},
	{
		Code: BadJSON, Title: "the file is not a proper Stan-JSON document",
		Text:  "A document is one object of named numbers and arrays of numbers. Every part of an array has the same shape. JSON has no NaN and no Infinity: Stan writes them as strings.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P]\n-- m/data.json --\n{\"X\": [[1, 2], [3]]}\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P]\n-- m/data.json --\n{\"X\": [[1, 2], [3, 4]]}\n",
	},
	{
		Code: EmptyTable, Title: "a table without rows",
		Text:  "A table has a header row and at least one row of data; an array of a document has at least one value.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\n",
	},
	{
		Code: DuplicateColumn, Title: "a column name that is not a name",
		Text:  "Every column has a name in the header, and no two the same. A nameless first column is usually the row number that pandas or R wrote: leave it out there (index=False, row.names = FALSE).",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\n,y\n0,1.5\n1,2.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\n2.5\n",
	},
	{
		Code: NoColumn, Title: "a column that the table does not have",
		Text:  "Without a `from` clause a vector takes the column of its own name. The message lists the columns that there are. Upper and lower case differ.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\noutcome\n1.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N] from outcome\n-- m/data.csv --\noutcome\n1.5\n",
	},
	{
		Code: NotNumber, Title: "a cell that is not a number",
		Text:  "Numbers are written with a decimal point and without marks for thousands. A column of words enters a matrix by onehot, or a model as a level.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, sex\n-- m/data.csv --\nage,sex\n30,F\n41,M\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, onehot(sex)\n-- m/data.csv --\nage,sex\n30,F\n41,M\n",
	},
	{
		Code: MissingCell, Title: "a missing value",
		Text:  "An empty cell and NA are missing values. The language has `missing drop` and `missing impute`, and this version does not: fill the cell in, or leave the row out, at every party. A category that is really called NA needs another name.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, chol\n-- m/data.csv --\nage,chol\n30,5.1\n41,\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, chol\n-- m/data.csv --\nage,chol\n30,5.1\n41,4.8\n",
	},
	{
		Code: NonFinite, Title: "a number that is not finite",
		Text:  "NaN and Inf, and numbers too large for a float64, make every density they enter meaningless, so no data declaration takes them.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\nNaN\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\n2.5\n",
	},
	{
		Code: NotWhole, Title: "a fraction where whole numbers are declared",
		Text:  "int, count and level take whole numbers. If fractions are meant, declare real.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : count[N]\n-- m/data.csv --\ny\n1\n2.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1\n2.5\n",
	},
	{
		Code: OutOfRange, Title: "a value outside its range",
		Text:  "A count is 0 or more; integer levels count from 1; a declaration with bounds keeps to them. Whole numbers go to 2^53, where float64 stops telling neighbours apart.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata pop : real<lower=0>[N]\n-- m/data.csv --\npop\n310\n-1\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata pop : real<lower=0>[N]\n-- m/data.csv --\npop\n310\n280\n",
	},
	{
		Code: NotBinary, Title: "a cell that is neither 0 nor 1",
		Text:  "binary takes 0 and 1, and true and false in any case. Categories coded 1 and 2, or yes and no, are recoded in the table, or declared as level(2).",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : binary[N]\n-- m/data.csv --\ny\n1\n2\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : binary[N]\n-- m/data.csv --\ny\n0\n1\n",
	},
	{
		Code: ConstantColumn, Title: "an encoder of a column that does not vary",
		Text:  "zscore divides by the standard deviation, which is 0 for a column of equal values; onehot with drop=first leaves nothing of a single category. The column tells nothing that the intercept does not: leave it out. If new rows will differ from it, center(column) keeps it.",
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
		Text:  "Encoders are fitted once, to the data that the model is fitted to, and used as they are for new rows. A new category has no column and no parameter.",
		Wrong: "new rows: new.csv\n-- m.vfl --\ndata X : real[N, P] from onehot(ward)\n-- m/data.csv --\nward\neast\nwest\n-- new.csv --\nward\nnorth\n",
		Right: "new rows: new.csv\n-- m.vfl --\ndata X : real[N, P] from onehot(ward)\n-- m/data.csv --\nward\neast\nwest\n-- new.csv --\nward\nwest\n",
	},
	{
		Code: BadEncoder, Title: "an encoder that cannot be used so",
		Text:  "The encoders are center, log, onehot and zscore, each of one column; onehot takes drop=first. poly, spline and interact are of the language, but not of this version. Encoders give numbers: the declaration is real, or for onehot also binary, int or count.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from poly(age, 2)\n-- m/data.csv --\nage,age2\n30,900\n41,1681\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P] from age, age2\n-- m/data.csv --\nage,age2\n30,900\n41,1681\n",
	},
	{
		Code: DataShape, Title: "the table does not have the declared shape",
		Text:  "A CSV gives vectors (a column) and matrices (columns side by side), always with one element per row. Scalars, and arrays of other shapes, come from a Stan-JSON document, or are written as const. A vector takes exactly one column.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata scale : real\n-- m/data.csv --\ny\n1.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata scale : real\n-- m/data.json --\n{\"scale\": 2, \"y\": [1.5]}\n",
	},
	{
		Code: BadStar, Title: "`*` has no columns, or two declarations want them",
		Text:  "A matrix without a `from` clause, or with `*` in it, takes all columns that no other declaration names, never the key. At most one declaration of a table can do so, and something must be left for it.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P]\ndata Z : real[N, Q]\n-- m/data.csv --\na,b,c\n1,2,3\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata X : real[N, P]\ndata Z : real[N, Q] from c\n-- m/data.csv --\na,b,c\n1,2,3\n",
	},
	{
		Code: BadKey, Title: "a key that does not name rows",
		Text:  "The rows of the parties' tables are joined on a key column: --key, or id if every table has it. Every row has a key, and no two rows of a table have the same. Whole numbers are compared by value, other keys byte by byte.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n1,2.5\n-- m/a.csv --\nid,x\n1,0.1\n2,0.2\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n2,2.5\n-- m/a.csv --\nid,x\n1,0.1\n2,0.2\n",
	},
	{
		Code: DifferentRows, Title: "the parties do not hold the same rows",
		Text:  "Every party's table holds the same rows: the same keys, or without a key the same number of rows in the same order. The message says how many are only at one side, with examples. Keep the rows that all have.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n2,2.5\n-- m/a.csv --\nid,x\n2,0.1\n3,0.2\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n2,2.5\n-- m/a.csv --\nid,x\n2,0.1\n",
	},
	{
		Code: NoTable, Title: "a party without a table",
		Text:  "Tables are named by --data PARTY=FILE or by vfl.toml; else m.vfl reads m/PARTY.csv, for a family m/FAMILY/*.csv, and without clients m/data.csv or m/data.json.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n",
		Right: "vflc run m.vfl\n-- m.vfl --\ndata y : real[N]\n-- m/data.csv --\ny\n1.5\n",
	},
	{
		Code: BadDataFlag, Title: "--data that names no party or no file",
		Text:  "Write --data PARTY=FILE; for a family --data FAMILY=FILE,FILE,… or a pattern; for data of all parties --data shared=FILE. A model without clients takes --data FILE. A party reads one table, a member of a family one each.",
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
		Code: SharedData, Title: "shared data that nobody has, or that differ",
		Text:  "Data @ shared are read from every table that has their columns, or from --data shared=FILE. Where several tables have them, they must be equal row by row.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : binary[N] @ shared\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,0\n-- m/a.csv --\nid,y,x\n1,1,0.5\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : binary[N] @ shared\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,0\n-- m/a.csv --\nid,x\n1,0.5\n",
	},
	{
		Code: SomeKeys, Title: "some tables have a key and some have none",
		Text:  "Rows are joined on id only if every table has it. Otherwise they are taken in the order of the files, which is right only if that order is the same everywhere.",
		Wrong: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n-- m/a.csv --\nx\n0.1\n",
		Right: "vflc run m.vfl\n-- m.vfl --\nclient a\ndata y : real[N]\ndata X : real[N, P] @ a\n-- m/server.csv --\nid,y\n1,1.5\n-- m/a.csv --\nid,x\n1,0.1\n",
	},
}
