package erf_test

import (
	"testing"

	"github.com/ibwire/ibwire/erf"
	"github.com/ibwire/ibwire/testdata/layertest"
)

func TestSerializeWithoutRoom(t *testing.T) {
	layertest.CheckFull(t, &erf.Record{Trailer: []byte{1}}, true)
}
