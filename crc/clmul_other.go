//go:build !amd64 || purego

package crc

// hasCLMUL says that updateCLMUL is not there.
const hasCLMUL = false

func updateCLMUL(crc uint16, p []byte) uint16 { return updateGeneric(crc, p) }
