package protocol

import "github.com/vflc/vflc/density"

// Texts of what a receiver learns.
const (
	nothing = "nothing: without the shares of the key of all parties it is random numbers"
	noRows  = "nothing of a row"
)

// bytesOf is a content of bytes that a party makes.
func bytesOf(of density.Site, what, size, learns string) []density.Carried {
	return []density.Carried{{Content: &density.Content{
		Prefix: "of ", What: what, Size: size, Masked: "no", Learns: learns, Of: of, Reach: density.NoRow,
	}}}
}

// shown is an exchange in which every party shows something to all others.
func shown(name, what, size, learns string) *density.Exchange {
	carries := bytesOf(density.OfShown, what, size, learns)
	kind := density.MessageKind{Name: name, Carries: carries}
	return &density.Exchange{Name: name, Up: kind, Down: kind}
}

// told is an exchange in which the server tells all clients the same.
func told(name, what, size, learns string) *density.Exchange {
	return &density.Exchange{Name: name,
		Down: density.MessageKind{Name: name, Carries: bytesOf(density.OfShown, what, size, learns)}}
}

// The messages of a run of encrypted rows, in their order.
var (
	sizing = shown("sizes",
		"how many columns and rows {name} has, and parameters of the likelihood's scale", "24 bytes",
		"these numbers")
	naming = told("likelihood",
		"name and constant parameters of the likelihood, whose polynomials all parties make", "1 kB",
		"the model of the response, which is in the manifest, and constants of it "+
			"that the server has as data")
	agreing = shown("limits", "how many numbers of others' rows one party may learn by {name}", "8 bytes",
		noRows)
	comparing = shown("parameters", "digest of the parameters of the encryption", "32 bytes", noRows)

	commitment = shown("commitments", "digest of what {name} shows next", "32 bytes",
		"nothing before it is shown: nobody chooses by what others show")
	drawing = shown("references",
		"random bytes of {name}, of which the common reference of the keys is made", "32 bytes", noRows)
	publicKey = shown("public keys", "share of the public key of {name}", "3.9 MB", nothing)
	roundOne  = shown("first rounds", "share of the relinearisation key of {name}, first round",
		"38.7 MB, in 5 messages", nothing)
	roundTwo = shown("second rounds", "share of the relinearisation key of {name}, second round",
		"19.3 MB, in 5 messages", nothing)
	committing = shown("columns", "columns of {name}, encrypted, with a power of two that bounds them",
		"2.1 MB for each column and 32,768 rows", nothing+"; and the bounds")

	centring = told("centre",
		"predictor of an ordinary row, by the server's own parameters, to a half, and the precision where "+
			"the scale of the likelihood is a parameter", "8 or 16 bytes",
		"about which share of the responses is 1, or their usual size")
	commitOwn = told("response commitment", "digest of what {name} shows next", "32 bytes",
		"nothing before it is shown")
	responding = told("responses", "response of {name}, encrypted, with a power of two that bounds it",
		"5.5 MB for each 32,768 rows", nothing+"; and the bound")
	challenging = shown("challenges",
		"random bytes of {name}, of which the numbers are made by which a binary response is tested",
		"32 bytes", noRows)
	proving = shown("proof shares",
		"share of {name} of the decryption of two sums that are 0 if the response is of zeros and ones",
		"at most 24 bytes for each", "that it is")
	bounding = shown("bounds",
		"bound of what {name} contributes to any row, to four binary digits; of the server also the "+
			"precision, where the scale of the likelihood is a parameter",
		"8 bytes, and 8 for each precision", "one number of all rows, which is counted")
	contribute = shown("contributions",
		"contributions of {name} at its parameters, encrypted, with a digest of its polynomials",
		"6.7 MB for each 32,768 rows", nothing)
	adding = shown("priors", "log densities of the priors of {name}, encrypted, one a draw",
		"2.1 MB for each 32,768 rows of all draws", nothing)
	gradients = given("gradient shares",
		"decryption of the gradient by the receiver's own coefficients, sealed for it where "+
			"the server passes it on", density.Each)
	curvatures = given("curvature shares",
		"decryption of the cross products of all parties' columns, weighed by the curvature", 0)
	likelihoods = given("likelihood shares", "decryption of log p at draws, or at states of a chain", 0)

	consulting = &density.Exchange{Name: "questions", Up: density.MessageKind{Name: "questions",
		Carries: bytesOf(
			density.OfGiven,
			"gradients by the parameters of {name} near the mode, and curvatures of its priors",
			"8 bytes for each number",
			"the course of {name}'s coefficients near the mode: sums over all rows, which are counted")}}
	answering = &density.Exchange{Name: "answers", Down: density.MessageKind{Name: "answers",
		Carries: bytesOf(
			density.OfGiven, "steps or deviations of the parameters of {client}", "8 bytes for each number",
			"the covariance of its own parameters, which is counted, and the course of the fit")}}
	advising = told("advice", "{answers}", "8 bytes for each number",
		"the course of the fit, in numbers that are counted")
)

// given is an exchange in which a party receives shares of sums, which it alone can decrypt.
func given(name, what string, to int) *density.Exchange {
	carries := bytesOf(density.OfGiven, "share of {name} of the "+what, "at most 24 bytes for each number",
		"with the shares of all others the sums over rows, which are counted")
	carries[0].Content.Reach = density.Weighted
	x := &density.Exchange{Name: name, Up: density.MessageKind{Name: name, Carries: carries}}
	if to != 0 {
		x.Down = x.Up
	}
	return x
}

// Uses are the uses of messages that a run makes whose algorithm has those of density.Encrypting: what a
// session sends.
func Uses(algorithm []density.Use) []density.Use {
	var out []density.Use
	often := func(text string, all ...*density.Exchange) {
		for _, x := range all {
			out = append(out, density.Use{Exchange: x, Often: text})
		}
	}
	opened := func(u density.Use, x *density.Exchange) {
		out = append(out, density.Use{Exchange: density.Closing, Often: "before sums are decrypted"})
		u.Exchange = x
		out = append(out, u)
	}
	often("once", sizing, naming, agreing, comparing)
	often("before keys and columns", commitment)
	often("once", drawing, publicKey, roundOne, roundTwo, committing)
	often("after keys and columns", density.Closing)
	for _, u := range algorithm {
		switch u.Exchange {
		case density.EncryptedSlopes:
			often("once, at the first evaluation", centring, commitOwn, responding)
			often("once, where the response is binary", challenging, proving)
			often(u.Often, bounding, contribute)
			opened(u, gradients)
		case density.EncryptedCurvatures:
			opened(u, curvatures)
		case density.EncryptedLogLik:
			often(u.Often, bounding, contribute, adding)
			opened(u, likelihoods)
		case density.Consulting:
			often(u.Often, consulting)
			u.Exchange = answering
			out = append(out, u)
			u.Exchange, u.Openings = advising, [3]density.Decryption{}
			if u.Answers != "" {
				out = append(out, u)
			}
		default:
			out = append(out, u)
		}
	}
	return out
}
