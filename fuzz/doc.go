// Package fuzz has the fuzz targets over whole frames and files. The targets of
// single headers stand beside these.
//
//	FuzzERF FuzzLRH FuzzGRH FuzzBTH FuzzEthernet   bytes that begin with that header
//	FuzzPaths                                      any link type, behind another packet
//	FuzzSerialize                                  decode, serialize, decode
//	FuzzPlausible                                  packets made up from the input, then damaged
//	FuzzFields                                     all fields of a packet: row, JSON, tree
//	FuzzFile                                       a file, as it is or compressed
//	FuzzPlausibleFile                              files of made-up packets, then damaged
//
// What must hold: no panic, with gopacket's recovery off where a packet stays in
// this module's layers; no hang; memory bounded by the size of the input; a
// struct used again holds what a new one does; gopacket.NewPacket,
// gopacket.DecodingLayerParser and ibwire.Packet agree; all parts of a packet
// lie inside the input, one behind the other, and add up to its length; headers
// give their bytes back. The checks are in testdata/paths.
//
// All frames of testdata are seeds. The entries in testdata/fuzz are named by
// what they hold. Both run with go test, and so do some thousands of inputs from
// a generator of random numbers.
//
// The fuzz engine runs one target at a time, by count; a count tells more than a
// time, which the engine may also miss. This runs all of them for long:
//
//	for f in $(go test -list Fuzz ./fuzz | grep ^Fuzz); do
//		go test -run '^$' -fuzz "^$f\$" -fuzztime 2000000x ./fuzz || break
//	done
//
// An input that fails is written to testdata/fuzz. Make it a row of a test with
// a name that says what was wrong, as in TestPastFailures, and give the file one
// too.
package fuzz
