package protocol

import "github.com/vflc/vflc/density"

// The messages of a release, in their order.
var (
	releaseSizes = shown("release sizes",
		"how many rows {name} has, and how long the names of its columns are", "16 bytes", "these numbers")
	releaseNames = shown("release names", "names of the columns of {name} that are released", "1 kB",
		"these names")
	releaseTerms = shown("release terms",
		"digest of columns, bounds, norms, rows, budget and parameters of the encryption", "32 bytes", noRows)
	releaseKeys = keyMessages{
		commitment: shown("release commitments", "digest of what {name} shows next", "32 bytes",
			"nothing before it is shown: nobody chooses by what others show"),
		drawing: shown("release references",
			"random bytes of {name}, of which the common reference of the keys is made", "32 bytes", noRows),
		publicKey: shown("release public keys", "share of the public key of {name}", "660 kB", nothing),
		roundOne: shown("release first rounds", "share of the relinearisation key of {name}, first round",
			"5.2 MB", nothing),
		roundTwo: shown("release second rounds", "share of the relinearisation key of {name}, second round",
			"2.6 MB", nothing),
	}
	releaseColumns = shown("release columns", "columns of {name}, encrypted",
		"1 MB for each column and 16,384 rows", nothing)
	releaseShares = shown("release shares",
		"share of {name} of the decryption of all sums, with its noise in it", "32 bytes for each sum",
		"with the shares of all others the sums with the noise of all parties")
	scoreKeys = keyMessages{
		commitment: releaseKeys.commitment,
		drawing: shown("score references",
			"random bytes of {name}, of which the common reference of the scores' keys is made", "32 bytes",
			noRows),
		publicKey: shown("score public keys", "share of the public key of {name}, for scores", "3.9 MB",
			nothing),
		roundOne: shown("score first rounds",
			"share of the relinearisation key of {name}, for scores, first round",
			"38.7 MB, in 5 messages", nothing),
		roundTwo: shown("score second rounds",
			"share of the relinearisation key of {name}, for scores, second round",
			"19.3 MB, in 5 messages", nothing),
	}
	scoreColumns = shown("score columns",
		"columns of {name} as the moments have them scaled, squares of its part of rows, and a binary response, "+
			"encrypted", "2.1 MB for each column and 32,768 rows, 6.6 MB for squares", nothing)
	scoreArguments = shown("score arguments",
		"what {name} has of the predictor or the residual at the point of the next score, encrypted",
		"6.6 MB for 32,768 rows", nothing)
	scoreShares = shown("score shares",
		"share of {name} of the decryption of all sums of a score, with its noise in it", "12 bytes for each sum",
		"with the shares of all others the sums with the noise of all parties")
	releaseSignatures = shown("release signatures",
		"signature of {name} of the release, with its certificate", "4 kB", noRows)
)

// ReleaseUses are the uses of messages of a release: what a session sends.
func ReleaseUses() (out []density.Use) {
	often := func(text string, all ...*density.Exchange) {
		for _, x := range all {
			out = append(out, density.Use{Exchange: x, Often: text})
		}
	}
	often("once", releaseSizes, releaseNames, releaseTerms)
	often("before keys, columns and shares", releaseKeys.commitment)
	often("once", releaseKeys.drawing, releaseKeys.publicKey, releaseKeys.roundOne, releaseKeys.roundTwo,
		releaseColumns)
	often("before and after the shares, and at the end", density.Closing)
	often("once", releaseShares)
	often("before keys, columns, arguments and shares of scores", scoreKeys.commitment)
	often("once, where there are scores", scoreKeys.drawing, scoreKeys.publicKey, scoreKeys.roundOne,
		scoreKeys.roundTwo, scoreColumns)
	often("once for each score", scoreArguments, scoreShares)
	often("once", releaseSignatures)
	return out
}
