package diag

// alignPages explains those of codes_align.go. An example shows the command and the files.
var alignPages = []Page{
	{
		Code: RepeatedIdentifier, Title: "two rows of a table have the same identifier",
		Text:  "vflc align matches rows by identifier, so that each must name one row. Blanks at both ends are left out, blanks inside count as one, characters are compared in Unicode's form NFKC, and upper and lower case are the same unless all parties give --case exact. Correct the table, or leave out all but one of the rows.",
		Wrong: "vflc align --simulate --data a=a.csv --data b=b.csv -o aligned\n-- a.csv --\nid,x\np1,1\n P1,2\n-- b.csv --\nid,y\np1,3\n",
		Right: "vflc align --simulate --data a=a.csv --data b=b.csv -o aligned\n-- a.csv --\nid,x\np1,1\np2,2\n-- b.csv --\nid,y\nP1,3\n",
	},
	{
		Code: NoCommonRows, Title: "no identifier is in the tables of all parties",
		Text:  "Nothing is written. Compare how the parties write identifiers: leading zeros and punctuation make a difference, blanks at both ends do not, and upper and lower case do not unless --case exact is given. Ask whether all parties name the same column with --key.",
		Wrong: "vflc align --simulate --data a=a.csv --data b=b.csv -o aligned\n-- a.csv --\nid,x\n07,1\n-- b.csv --\nid,y\n7,3\n",
		Right: "vflc align --simulate --data a=a.csv --data b=b.csv -o aligned\n-- a.csv --\nid,x\n07,1\n-- b.csv --\nid,y\n07,3\n",
	},
	{
		Code: StaleAlignment, Title: "a table is not as its alignment left it",
		Text:  "Beside an aligned table stands its alignment, FILE.align.json, with a salted digest of its identifiers in their order. vflc join, vflc serve and vflc preflight compare the table with it. Rows were added, left out, changed or sorted since. Align the tables again, or remove the alignment to use the table without it.",
		Wrong: "vflc align --verify a.csv\n-- a.csv --\nid,x\np2,2\np1,1\n-- a.csv.align.json --\n{\"schema\":1,\"project\":\"heart\",\"alignment\":\"00\",\"key\":\"id\",\"case\":\"fold\",\"parties\":[\"a\",\"b\"],\"sizes\":[2,2],\"rows\":2,\"salt\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"digest\":\"c435dcc809ad9728f2632b6c11814037db687c7c0f6405a3b1cf66801354ba4f\"}\n",
		Right: "vflc align --verify a.csv\n-- a.csv --\nid,x\np1,1\np2,2\n-- a.csv.align.json --\n{\"schema\":1,\"project\":\"heart\",\"alignment\":\"00\",\"key\":\"id\",\"case\":\"fold\",\"parties\":[\"a\",\"b\"],\"sizes\":[2,2],\"rows\":2,\"salt\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"digest\":\"c435dcc809ad9728f2632b6c11814037db687c7c0f6405a3b1cf66801354ba4f\"}\n",
	},
}
