// Package encrypted computes sums over rows that stay encrypted: contributions, responses and columns are
// vectors of real numbers that their owners encrypt under a key of which every holder has a share, a circuit
// of a polynomial and products is evaluated on them by anyone, and one number of its result, a sum over all
// rows, is decrypted by all holders together, for one of them.
//
// The scheme is CKKS (Cheon, Kim, Kim and Song, Asiacrypt 2017) over the conjugate-invariant ring (Kim and
// Song, ICISC 2018), whose ciphertext of N coefficients holds N real numbers, with the multiparty keys of
// Mouchet, Troncoso-Pastoriza, Bossuat and Hubaux (PETS 2021). All of it is of
// github.com/tuneinsight/lattigo; this package chooses parameters, follows levels and scales, bounds the
// noise, and refuses inputs that the library would panic on. It knows vectors and bytes, and nothing of
// models, parties' roles or transports.
//
// The order of a run: every holder draws a Secret; the holders exchange digests of their Secret.PublicShare,
// then the shares (who sees the others' before it gives its own chooses the key), then Secret.RoundOne, then
// Secret.RoundTwo; each has the same Keys then. Owners encrypt vectors and exchange their digests. Each
// evaluates the same circuit (Circuit.Rows, Product, Weigh, Total), whose ciphertexts are the same bytes on
// every machine. For a Sum each holder gives Secret.Share to its one receiver, who adds them by Sum.Open.
//
// What protects the rows is proved for holders that follow the protocol: secrets are ternary, vectors are
// encryptions of numbers within the range that they state. A holder that departs by committing to a
// ciphertext that is no such encryption is not caught here.
package encrypted
