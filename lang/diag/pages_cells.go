package diag

// cellsPages explains V0602 to V0606, about commands with --nats and their workers.
var cellsPages = []Page{
	{
		Code: OtherWorker, Title: "a worker of another version of vflc",
		Text: "A result depends on the version of vflc. A worker makes cells of its own version alone and leaves others in the queue, where a worker of their version takes them; both sides say so. Where all workers have another version the cells wait: install the same version on both sides (vflc version).",
	},
	{
		Code: NoCell, Title: "what is no cell that vflc hands out",
		Text: "A worker makes fits and cross-validations of a study, folds of vflc cv and replicates of vflc calibrate, on files that come with the cell. The name of a cell follows from its contents. What has another name, names files that do not come with it, or sets a flag that says where a result goes, is taken from the queue and not made. It did not come from vflc: find out who else may publish at this server.",
	},
	{
		Code: NoQueue, Title: "a server of work that does not answer, or refuses",
		Text: "vflc worker, and vflc study, cv and calibrate with --nats, meet at a NATS server with JetStream. Where it cannot be reached at the beginning, they end. Where it goes away later, they say so and wait; workers go on with the cells that they are at, and what the server has lost is offered again. A refusal ends them: a user without permission, a full disk of the server, a message above the server's limit.",
	},
	{
		Code: BadResult, Title: "a result that is none of its cell",
		Text: "The server has an object under the name of the cell, which is not what a worker writes for it. It is removed. The same command takes all other results and has this cell made anew. Where it comes again, somebody else writes to the server's object store vflc_results.",
	},
	{
		Code: NotSpread, Title: "tables that cannot go to a worker",
		Text: "A worker gets the files of a cell by their contents. The rows of a database, or of a pipe, are not a file: who reads them again may find others. Write them to a file first.",
	},
}
