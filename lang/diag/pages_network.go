package diag

// networkPages explains V067x to V069x, V0825 to V0836, and V0839. An example of a policy shows the file and what the party knows of a run.
var networkPages = []Page{
	{
		Code: OtherManifest, Title: "a manifest or a program that is not the one that runs",
		Text: "All parties get the same folder of programs. Each compares its own program with the digest in the manifest, and the manifest with the server's. Compile once, and copy the folder; never edit a program.",
	},
	{
		Code: OtherVersion, Title: "another version of vflc",
		Text: "Draws may differ between versions, and messages may. Install the same version at all parties.",
	},
	{
		Code: OtherRun, Title: "a folder that holds another run",
		Text: "The folder of a run holds what its party must know to go on. Name another folder with -o for another run.",
	},
	{
		Code: OtherSettings, Title: "a setting of the run that this party does not take",
		Text: "The server chooses the backend, its settings and the key; each party checks that its program and its flags allow them.",
	},
	{
		Code: BadWiring, Title: "programs that do not fit together as the manifest lists",
		Text: "The parties tell one another which sums and shared parameters their programs have. What the manifest does not list is refused, and so is a sum without a client whom the manifest has in it.",
	},
	{
		Code: BadControl, Title: "a message that the agreement of the parties does not have",
		Text: "Parties agree on a run by signed messages of fixed forms. Another form means another version, or a party that does not follow the protocol: ask its operator, and look into its log.",
	},
	{
		Code: EndedElsewhere, Title: "another party has ended the run",
		Text: "A party that meets an error tells the others its name and one word for the cause; the text of the error stays in its own log, since it may hold data. The exit code is 4.",
	},
	{
		Code: BadPolicy, Title: "a policy that is not TOML, or has keys or values that a policy does not have",
		Text:  "policy.toml stands in the folder with the keys of its party. Every line limits what runs may do; what has no line is not limited, except that contributions must be masked and masked sums must have three clients; with policy = \"open\" these two are not limited either, and the server may record. [predict] has min_rows and min_cell of its own for rows that are predicted; without it those of fits hold. A client without the file takes part in what its owner has confirmed alone (vflc preflight --confirm). The lines: policy, manifests, signed_by, transforms, min_rho, wire, max_rounds, max_decrypted, min_rows, min_cell, unmasked, min_contributors, min_difference, max_adjoint, max_curvature, max_products, key, peers, expires, release, release_names.",
		Wrong: "-- policy.toml --\nmin_row = 100\n-- run.toml --\n\n",
		Right: "-- policy.toml --\nmin_rows = 100\n-- run.toml --\n[rows]\nrows = 569\n",
	},
	{
		Code: PolicyProgram, Title: "programs that the policy does not list, or that are not signed",
		Text:  "manifests lists the SHA-256 of the manifests that may run (sha256sum PROGRAMS/manifest.json); a manifest holds the digests of all programs. signed_by lists parties, each of which must have signed the programs: vflc provision sign PROGRAMS --identity DIR writes the signature beside the manifest. Read a program before you list or sign it.",
		Wrong: "-- policy.toml --\nsigned_by = [\"registry\"]\n-- run.toml --\n[program]\nsigners = []\n",
		Right: "-- policy.toml --\nsigned_by = [\"registry\"]\n-- run.toml --\n[program]\nsigners = [\"registry\"]\n",
	},
	{
		Code: PolicyTransform, Title: "a transform or a noise that the policy does not allow",
		Text:  "transforms lists the transforms that may run. min_rho is the smallest standard deviation of the noise on what the party sends; a transform that sends a contribution without noise has none, and is refused where min_rho is set. wire = \"encrypted\" lets nothing run in which numbers of single rows cross, no prediction by other parties' parameters either.",
		Wrong: "-- policy.toml --\nmin_rho = 0.3\n-- run.toml --\n[program]\nsends = true\nrho = \"0.2\"\ntransform = \"power\"\n",
		Right: "-- policy.toml --\nmin_rho = 0.3\n-- run.toml --\n[program]\nsends = true\nrho = \"0.35\"\ntransform = \"power\"\n",
	},
	{
		Code: PolicyRounds, Title: "more rounds, decrypted numbers or releases than the policy allows",
		Text:  "max_rounds bounds the rounds of all runs together on the same rows: what a curious party learns grows with their number, whichever run they belong to. The party counts them in the folder history beside its policy, before they begin; a process that is killed has counted up to 1,000 too many. A run that spends the last one ends at once. max_decrypted bounds how many numbers that depend on a person's rows one other party learns from all runs of encrypted rows together, a 20th of the rows where there is no line or no policy: it adds up for each person, whatever other rows a run had, and once for a run that was killed and goes on. What would exceed it is refused before it is decrypted. [budget] bounds all releases of a person's rows (transform private) together in the same way, by epsilon and delta; a run without noise on these rows voids it.",
		Wrong: "-- policy.toml --\nmax_rounds = 100000\n-- run.toml --\n[rows]\nrounds = 100000\n",
		Right: "-- policy.toml --\nmax_rounds = 100000\n-- run.toml --\n[rows]\nrounds = 20000\n",
	},
	{
		Code: PolicyRows, Title: "too few rows, or too few in a category",
		Text:  "min_rows is the number of rows that a run must have, min_cell the number that every category of a factor of this party must have, and every value of a column of two values.",
		Wrong: "-- policy.toml --\nmin_cell = 5\n-- run.toml --\n[[rows.cells]]\nfactor = \"stage\"\nrows = 2\n",
		Right: "-- policy.toml --\nmin_cell = 5\n-- run.toml --\n[[rows.cells]]\nfactor = \"stage\"\nrows = 12\n",
	},
	{
		Code: PolicyMasks, Title: "a contribution that leaves without a mask, or with too few others",
		Text:  "With masks the server receives the total of two or more clients. A mask is a fence against a glance: from a run of nuts, or of sfvi by quadrature or fixed draws, a server computes each client's contribution from such totals, row by row (vflc audit). unmasked = true lets one leave without. With two clients in a sum each learns the other's contribution from the total, so that a policy wants three unless min_contributors = 2 stands in it.",
		Wrong: "-- policy.toml --\n\n-- run.toml --\n[[sums]]\nname = \"eta\"\nclients = 2\nmasked = true\n",
		Right: "-- policy.toml --\nmin_contributors = 2\n-- run.toml --\n[[sums]]\nname = \"eta\"\nclients = 2\nmasked = true\n",
	},
	{
		Code: PolicyDifference, Title: "nearly the rows of an earlier run",
		Text:  "The results of two runs whose rows differ in a few tell, by their difference, of these few. min_difference is the number of rows by which the rows of a run must differ from those of every earlier run of this party, unless they are the same. The party remembers for each row a number that follows from its key and a secret, in the folder history beside its policy.",
		Wrong: "-- policy.toml --\nmin_difference = 10\n-- run.toml --\n[rows]\ndiffers = 1\n",
		Right: "-- policy.toml --\nmin_difference = 10\n-- run.toml --\n[rows]\ndiffers = 40\n",
	},
	{
		Code: PolicyTerms, Title: "a key, a party or a date that the policy does not allow",
		Text:  "key is the column on which rows are joined, peers lists the parties that may take part, this one included, and expires is the last day (UTC) on which a run may begin or go on.",
		Wrong: "-- policy.toml --\npeers = [\"registry\", \"a\"]\n-- run.toml --\n[program]\nparties = [\"registry\", \"a\", \"b\"]\n",
		Right: "-- policy.toml --\npeers = [\"registry\", \"a\", \"b\"]\n-- run.toml --\n[program]\nparties = [\"registry\", \"a\", \"b\"]\n",
	},
	{
		Code: PolicyValue, Title: "a number that a message cannot have",
		Text:  "max_adjoint is the largest absolute derivative of the log likelihood of one row, for one client, that this party takes: for a logistic likelihood its weight times the number of trials (times n/B in windows of B of n rows), 1 for 0 and 1 without weights; vflc preflight prints it where the form of the programs has one. An intercept that is sampled relative to the sum adds one number to all rows, so that two rows may differ by twice the bound, and none is beyond three times it. Under power what arrives is added over the clients, and the bound is as many times as large: with masks only the total can be checked. max_curvature bounds the second derivatives: a quarter of the weight times the number of trials for a logistic likelihood. max_products bounds how many vectors of the server's choice the party multiplies in a run (sfvi with theta joint): draws of the approximation plus one for each step of a linear system, mostly two steps. A number beyond a bound, or one that is not finite and that was not announced, ends the run.",
		Wrong: "-- policy.toml --\nmax_adjoint = 1.0\n-- run.toml --\n[adjoint]\nname = \"adjoint eta\"\nvalues = [0.9, -1.7]\n",
		Right: "-- policy.toml --\nmax_adjoint = 1.0\n-- run.toml --\n[adjoint]\nname = \"adjoint eta\"\nvalues = [0.9, -1.08]\n",
	},
	{
		Code: OtherTask, Title: "programs, or parties, of another task",
		Text: "Parties fit a model, predict new rows (--predict), compare their rows with replicates (--ppc), compute log densities (--log-lik) or cross-validate (--cv). Each names what it was started for, and takes part in nothing else. The programs of predictions are in the folders predict and score of that which vflc compile has written; the folder itself is named on the command line. Where a model's responses cannot be drawn so, the folders are not there.",
	},
	{
		Code: FittedByOthers, Title: "encoders that this party has not fitted",
		Text: "New rows are encoded as those of the run were: with the mean that zscore has subtracted, and the categories that there were. A party keeps the encoders of the data that it read in the run, and of no other. A run of another party, or shared data that this party did not read, has none here: name the party's own run, or hold shared data as plain numbers.",
	},
	{
		Code: PolicyRecord, Title: "a server that keeps what it receives",
		Text: "vflc serve --record keeps, in the server's folder, sums of what the clients send and some of what crosses without noise, so that vflc audit RUN --attack can show what the server could compute. The server tells all parties. A party with a policy takes no part unless the policy has the line record = true. A server that does not follow the protocol can keep what it receives without saying so.",
	},
	{
		Code: NotRecorded, Title: "a part of a run of which nothing was recorded",
		Text: "vflc audit RUN --attack repeats a run in one process from its seed. One party's part of a run across machines cannot be repeated: there the server must have been started with --record, and the argument is the server's folder, of a run that has ended. vflc audit of the folder of programs forecasts what the server can compute, and vflc run MODEL -o DIR simulates it where one machine has all tables.",
	},
	{
		Code: FreeText, Title: "a text in a message that may have codes alone",
		Text: "What parties tell one another beside the messages of a run are codes, numbers, digests, names of parties and names of the model: never the text of an error, a path, a value, or a column that the model does not name. A message that has another text does not leave, and is refused where it arrives. Names of the model, its sizes and settings have no characters but letters, digits and a few signs; the message names the field.",
	},
	{
		Code: PolicyFolds, Title: "folds that follow from what a party has alone",
		Text: "In a cross-validation across machines with --by COLUMN, or with --stratify by a response that a client has alone, one party divides the rows and tells all others in which fold each row is. The fold of a row then depends on a private value: with --by, rows in different folds have different values of the column; with --stratify, the folds have nearly the same share of each value, and the random numbers that deal rows out are the party's own, so that a fold tells next to nothing of a row. The party's policy allows it by name: folds = [\"ward\"] in policy.toml, beside its keys. What all parties have, and a response of the server, whose derivatives all clients receive in any case, need no line.",
	},
	{
		Code: FoldsUnknown, Title: "folds that follow from what no party has, or several",
		Text: "With --by COLUMN one of the parties whose rows are joined has the column in its table, and with --stratify one has a response with one value for each row. That party divides the rows, and tells the others. Where the server has it, it decides; where two clients have it with other values, nobody can say whose is meant: rename it in one table.",
	},
	{
		Code: SeveralRho, Title: "programs for several rho",
		Text: "vflc compile --split-by client MODEL --extrapolate -o DIR writes, for each of three rho, a folder with the programs and a manifest of its own, and extrapolation.json, which lists them. vflc serve DIR --extrapolate and vflc join DIR --extrapolate make the three fits one after another, and print what this party's parameters are at rho = 0; without --extrapolate, name one of the folders. The list must be as it was written: each rho is compared with that of the programs.",
	},
	{
		Code: OtherOrigin, Title: "chains that begin where another run has ended",
		Text: "With --from at vflc serve and vflc join the chains begin where those of an earlier run across machines have ended: each party names its own folder of that run, which has its own coordinates of the last positions, its part of the metric, and the step size. The parties compare the number of the run and the SHA-256 of its manifest, which say nothing of its results. The folder must be this party's, of a run that is complete, and of the same run at all of them; the programs may be others, as with another rho, as long as the parameters are the same.",
	},
	{
		Code: NotApart, Title: "what needs the data of all parties in one process",
		Text: "Some of what vflc run, predict and cv do needs numbers of several parties in one place: draws of new categories from a prior of another party, and pointwise densities where auxiliary variables must be integrated out, which the programs that score rows do not do. It is not done across machines. The message says what is instead.",
	},
	{
		Code: NeedsParties, Title: "one party's part of a run, where all parties are needed",
		Text: "The folder of a party of a run across machines has the party's own parameters, its program and no table of another. Predictions, replicates, log densities and expressions of the model need what lies at the others. All parties start the task together: vflc serve and vflc join with --predict, --ppc or --log-lik, each with its own run. Draws that other parties have published (vflc publish) do not replace them: a prediction needs the cuts of their new rows, which they compute from columns that they alone have.",
	},
	{
		Code: LedgerChanged, Title: "a line of a ledger that was changed",
		Text: "Every line of a ledger holds a hash of all lines before it. The first line whose hash does not fit is named: it, or one before it, was changed, added or taken away.",
	},
	{
		Code: LedgerCut, Title: "a ledger without its last lines, or without its signature",
		Text: "At every checkpoint a party signs how many lines its ledger has and the hash of the last, in PARTY.head.json. Copy both files together.",
	},
	{
		Code: LedgersDiffer, Title: "two ledgers that tell different things of one message",
		Text: "What a party has written down as sent must stand alike in the ledger of the receiver: chain, round, kind, channels, bytes and digest. The first message that does not is named. One of the two ledgers does not tell what happened, or the parties ran different scripts; messages that were under way when a run was broken off are not counted.",
	},
	{
		Code: LedgerOffScript, Title: "a message in a ledger that the session does not have",
		Text: "The script of a session lists every channel of every message. It follows from the programs and the manifest, and stands in the ledger at the beginning of each epoch.",
	},
	{
		Code: LedgerManifest, Title: "a manifest beside ledgers that is not the run's",
		Text: "The audit of ledgers says first what parties can compute in the run, as programs/manifest.json in its folder says. A ledger holds the SHA-256 of the manifest that all parties agreed on before the run, signed by the party: a manifest with another was changed, or is of other programs. Put back the run's own (sha256sum prints the digest), or move the file away to audit the ledgers alone. Ledgers of earlier versions name no manifest.",
	},
	{
		Code: BadProject, Title: "a project that cannot be",
		Text: "project.toml in the folder of a party names the project, its server, the address at which clients reach the server (HOST:PORT), and all parties; members of a family as lab[1], lab[2]. vflc provision init writes it. A folder that has a certificate authority keeps it: a new one would make all certificates worthless.",
	},
	{
		Code: BadIdentity, Title: "a folder of a party that lacks a file, or has one that does not fit",
		Text: "The folder that --identity names has what vflc provision request wrote (party.key, stream.key, request.csr) and the bundle that the keeper of the project sent for the request (party.crt, ca.crt, revoked.crl, project.toml). The keys are readable by their owner alone (chmod 600), and the certificate is for the key.",
	},
	{
		Code: CertificateRefused, Title: "a certificate that is refused",
		Text: "Parties know one another by certificates of their project's authority. One is refused where there is none, it is of another authority or project, has expired, was revoked, is of a party that the project does not list, or of another party than the one that must be at this place. The message names the reason. vflc provision request makes new keys, and vflc provision add certifies them.",
	},
	{
		Code: RequestRefused, Title: "a request for a certificate that is refused",
		Text: "vflc provision add certifies a request that its party has signed, for this project, and a name that the project lists; one party has one certificate at a time: revoke the old one first. Anybody can write a request for any name: compare the key that add prints with the one that vflc provision request has printed at the party. A name that the project does not list takes --new, and the server --server.",
	},
	{
		Code: NotConfirmed, Title: "a run that the owner of a party has not confirmed",
		Text: "A client without policy.toml takes part in no run but those that its owner has confirmed. vflc preflight, with the arguments of vflc join, shows the programs by their digests, the settings, who contributes, whether sums are masked, what leaves and what can be computed from it; with --confirm, or the answer yes at a terminal, it keeps this in confirmed.json beside the keys. Another program, setting, key, task, party or version of vflc is another run. A policy.toml takes the place of it; policy = \"open\" allows everything.",
	},
	{
		Code: AlreadyJoined, Title: "two processes of one party",
		Text: "A party takes part by one process: two would take turns, and each would end what the other has begun. The process locks the folder with the party's keys (the file lock), so that a second one on the same machine is refused. With a copy of the folder elsewhere the one that came last takes part, and the packets of the other are refused by name; end one of the two.",
	},
	{
		Code: BadAddress, Title: "an address that cannot be used",
		Text: "--listen takes HOST:PORT, where nothing else listens; --metrics takes the same on the loopback interface alone (127.0.0.1:9422); --nats takes nats://HOST:PORT, or tls://HOST:PORT, several with commas.",
	},
	{
		Code: OtherParty, Title: "a command, programs or a project of another party",
		Text: "The server of a model serves and all others join. The manifest lists the parties of the model, the project those with certificates: both must have the party whose folder --identity names, and the same server.",
	},
	{
		Code: BadPrograms, Title: "a folder of programs that lacks a file",
		Text: "PROGRAMS is the folder that vflc compile --split-by client MODEL -o PROGRAMS wrote: manifest.json and a program for each party. A client whose part is a private module also needs the folder private of a compilation that had the module.",
	},
	{
		Code: PacketRefused, Title: "a packet that is refused",
		Text: "Every packet is encrypted between the processes of two parties, and numbered. One that is of nobody, altered, repeated, or encrypted for others is refused and changes nothing; the run goes on. A few may be refused when a process was started again. Many mean that somebody who reaches the NATS server sends them: the log names the subject on which they came.",
	},
	{
		Code: ValueRefused, Title: "numbers that are not finite, unlike what their sender says of them",
		Text: "A number that is not finite (NaN, an infinity) is announced: the sender marks the array, as on a trajectory that leaves the range of numbers. A receiver refuses numbers that are not finite without that mark, and a mark without such numbers: the sender does not do what its program says. The run ends at all parties.",
	},
	{
		Code: PayloadTooSmall, Title: "packets that are too large for the NATS server",
		Text: "max_payload of a NATS server bounds a packet. What the parties agree on before a run must fit into one packet; long messages of the run are divided. Raise max_payload there: 1 MB, the default of NATS, is enough for models with some thousands of parameters.",
	},
	{
		Code: OffScript, Title: "a message that the run does not have at this place",
		Text: "The programs and the manifest give every message of a run: sender, round, channels, shapes. Another one, a repeated one, or one out of its round ends the run at all parties: the sender runs something else than its program. Compare versions and programs, and ask its operator.",
	},
	{
		Code: UnlikeAnswers, Title: "a server that has sent clients unlike numbers",
		Text: "What the server answers, it answers all clients alike: adjoints, slopes, directions, totals, shared parameters, steps of grids. Where it sends one client something of its own choice, the change of that client's contribution is the client's alone, however well it is masked. So each two clients keep a digest of all that both were told before the first round (settings, seed, rows, sizes, keys, sums, where the run goes on) and of all that both have received. It enters their masks: after unlike numbers a masked sum is random words. And they send it to one another, sealed with a key of the two, in every exchange and at the end; where a seal does not fit, every client ends the run. The message names the server, the other client, and the first round and channel that may be unlike. The cause is the server, whoever carries its messages inside the server's machine, or a client that seals falsely. Do not start the run again before it is found: copy the ledgers of all clients together, where vflc audit names the first message that differs. Each client remembers it in departed.json beside its keys, and takes part in no run until its owner lets it: vflc preflight with the arguments of vflc join and --confirm. The exit code is 4; vflc audit exits with 1.",
	},
	{
		Code: SubjectRefused, Title: "a subject that the NATS server does not allow",
		Text: "The server's party subscribes to vflc.PROJECT.up.* and publishes to vflc.PROJECT.down.*; any other party subscribes to vflc.PROJECT.down.PARTY and publishes to vflc.PROJECT.up.PARTY. On an organisation's own NATS servers its administrator allows these subjects to the user of each party, and no others.",
	},
	{
		Code: PolicyRelease, Title: "results that the policy does not let others see",
		Text: "vflc publish writes what the line release of policy.toml permits: nothing, which is what happens without the line, summaries, or draws. A party that has no policy publishes nothing. release_names = true adds the names of columns and categories, which come from the party's data.",
	},
	{
		Code: Unpublishable, Title: "a run of which nothing can be published",
		Text: "A party publishes its own parameters of a run across machines that is complete at all parties, with the keys of the folder in which it took part. Elements that belong to single rows, auxiliary variables among them, are left out unless they are named; auxiliary variables are never published.",
	},
	{
		Code: BadPublication, Title: "a file that is not what its party has published of this run",
		Text: "A publication is signed by its party and names the run. Put the file as it was sent into the folder published of your own part of the same run, one from each party. A file that was changed, of another run, of another project, or with results of another party is refused; remove it.",
	},
}
