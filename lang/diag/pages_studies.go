package diag

// studiesPages explains V066x. An example shows the command and the files.
var studiesPages = []Page{
	{
		Code: BadStudy, Title: "a study that is not TOML, or has keys or values that a study does not have",
		Text:  "A study has title, text, folder, [flags], [data.NAME], [[cells]], [[table]], [[figure]] and [reference]. Cells have command, model, data, predict, label, flags and vary; a value in vary is that of a flag, or a table with a name (is) and flags. Each cell differs from every other in a label or in what is varied. Models are relative to the file.",
		Wrong: "vflc study s.toml --list\n-- s.toml --\n[[cells]]\nmodel = \"m.vfl\"\nvari = { seed = [1, 2] }\n-- m.vfl --\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n-- m/data.csv --\ny\n1.5\n",
		Right: "vflc study s.toml --list\n-- s.toml --\n[[cells]]\nmodel = \"m.vfl\"\nvary = { seed = [1, 2] }\n-- m.vfl --\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n-- m/data.csv --\ny\n1.5\n",
	},
	{
		Code: BadCell, Title: "a cell whose command would refuse to run",
		Text:  "A cell is a command line of vflc: the flags that it has for the model are those of that command, by name and without the dashes. A study checks all cells before it runs the first. It sets --data, --output and --json itself, and a result must not depend on files beside the model and its tables, so that these and --from and --inits are refused.",
		Wrong: "vflc study s.toml --list\n-- s.toml --\n[[cells]]\nmodel = \"m.vfl\"\nflags = { drows = 100 }\n-- m.vfl --\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n-- m/data.csv --\ny\n1.5\n",
		Right: "vflc study s.toml --list\n-- s.toml --\n[[cells]]\nmodel = \"m.vfl\"\nflags = { draws = 100 }\n-- m.vfl --\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n-- m/data.csv --\ny\n1.5\n",
	},
	{
		Code: BadSelection, Title: "a table or figure of what no cell has",
		Text:  "Tables and figures choose cells by the values on their axes: the labels of the cells and what they vary. The cells of one line of a table must differ in nothing but the axes in rows and over. A column is a quantity, which vflc names in this message, with a parameter behind it where the quantity is that of one: \"elbo.value\", \"mean b\".",
		Wrong: "vflc study s.toml --list\n-- s.toml --\n[[cells]]\nmodel = \"m.vfl\"\nvary = { seed = [1, 2] }\n[[table]]\nname = \"b\"\nrows = [\"sed\"]\ncolumns = [\"mean b\"]\n-- m.vfl --\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n-- m/data.csv --\ny\n1.5\n",
		Right: "vflc study s.toml --list\n-- s.toml --\n[[cells]]\nmodel = \"m.vfl\"\nvary = { seed = [1, 2] }\n[[table]]\nname = \"b\"\nrows = [\"seed\"]\ncolumns = [\"mean b\"]\n-- m.vfl --\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n-- m/data.csv --\ny\n1.5\n",
	},
	{
		Code: NoStudyData, Title: "tables of a study that are not there",
		Text:  "[data.NAME] lists a file for each party, relative to the folder that --data or the key folder names. Without either they are looked for beside the study; where one is not there, the cells use the tables that their models find, and the report says so.",
		Wrong: "vflc study s.toml --list\n-- s.toml --\nfolder = \"tables\"\n[data.one]\nserver = \"first.csv\"\n[[cells]]\nmodel = \"m.vfl\"\ndata = \"one\"\n-- m.vfl --\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n-- m/data.csv --\ny\n1.5\n",
		Right: "vflc study s.toml --list\n-- s.toml --\nfolder = \"tables\"\n[data.one]\nserver = \"first.csv\"\n[[cells]]\nmodel = \"m.vfl\"\ndata = \"one\"\n-- tables/first.csv --\ny\n1.5\n-- m.vfl --\ndata y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n",
	},
}
