package diag

// The codes of runs across processes: V0674 to V0679 and V0695 what does not fit between parties, V068x a party's policy, V069x ledgers.
const (
	OtherManifest  Code = "V0678" // a manifest or program that is not the server's
	OtherVersion   Code = "V0679"
	OtherRun       Code = "V0695" // the folder holds another run
	OtherSettings  Code = "V0674" // settings or a key that the party does not take
	BadWiring      Code = "V0675" // outlines or a wiring that are not those of the programs
	BadControl     Code = "V0676" // a message that the agreement of the parties does not have
	EndedElsewhere Code = "V0677" // another party has ended the run

	BadPolicy        Code = "V0681" // no TOML, or a key or value that a policy does not have
	PolicyProgram    Code = "V0682" // programs that are not listed, or not signed
	PolicyTransform  Code = "V0683" // transform or noise
	PolicyRounds     Code = "V0684"
	PolicyRows       Code = "V0685" // too few rows, or too few in a category
	PolicyMasks      Code = "V0686" // contributions without masks, or with too few others
	PolicyDifference Code = "V0687" // nearly the rows of an earlier run
	PolicyTerms      Code = "V0688" // key, peers, expiry
	PolicyValue      Code = "V0689" // a number beyond its bound

	LedgerChanged   Code = "V0691"
	LedgerCut       Code = "V0692"
	LedgersDiffer   Code = "V0693"
	LedgerOffScript Code = "V0694" // a message that the session's script does not have
)
