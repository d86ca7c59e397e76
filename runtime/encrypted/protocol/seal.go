package protocol

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
)

// Shares of one client for another pass through the server, which would have the sum if it could read them
// all. They are sealed by AES-256 in Galois/counter mode under a key that follows from the secret of the two
// and the keys of the run. The nonce is the number of the opening in the run with the sender, so that each
// seals one text, and what is sealed is bound to sender, receiver and number.

// overhead is how many bytes a seal adds.
const overhead = 16

// sealedSizes is how many bytes parties have for one, by sender, where a share has so many.
func (e *EncryptedEnv) sealedSizes(bytes, to int) []int {
	out := e.alike(bytes)
	for from := range out {
		if relayed(from, to) {
			out[from] += overhead
		}
	}
	return out
}

// relayed reports whether what one party has for another passes through the server.
func relayed(from, to int) bool { return from > 0 && to > 0 && from != to }

// sealing is what one client seals for another with, at either.
func (e *EncryptedEnv) sealing(own, peer, from, to int) (aead cipher.AEAD, nonce, bound []byte, err error) {
	secret, err := e.options.Pair(own, peer)
	if err != nil {
		return nil, nil, nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, e.keys[:], "vflc shares of decryptions 1", 32)
	if err != nil {
		return nil, nil, nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, nil, err
	}
	aead, err = cipher.NewGCM(block)
	nonce = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, uint32(from)), e.openings)
	return aead, nonce, binary.BigEndian.AppendUint32(slices.Clone(nonce), uint32(to)), err
}

// seal seals what a party has for another where it passes through the server.
func (e *EncryptedEnv) seal(from, to int, data []byte) ([]byte, error) {
	if !relayed(from, to) {
		return data, nil
	}
	aead, nonce, bound, err := e.sealing(from, to, from, to)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nonce, data, bound), nil
}

// unseal is the inverse of seal at the receiver.
func (e *EncryptedEnv) unseal(from, to int, data []byte) ([]byte, error) {
	if !relayed(from, to) {
		return data, nil
	}
	aead, nonce, bound, err := e.sealing(to, from, from, to)
	if err != nil {
		return nil, err
	}
	if data, err = aead.Open(nil, nonce, data, bound); err != nil {
		return nil, errors.New("share that was not sealed for its receiver here: " +
			"it was altered on its way, or is of another opening")
	}
	return data, nil
}
