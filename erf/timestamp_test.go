package erf_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/erf"
)

func TestTimestampTime(t *testing.T) {
	for _, tt := range []struct {
		name      string
		timestamp erf.Timestamp
		want      time.Time
	}{
		{"zero", 0, time.Unix(0, 0)},
		{"half", 0x5f5e1000_80000000, time.Unix(1600000000, 500000000)},
		{"one step", 0x5f5e1000_00000001, time.Unix(1600000000, 0)},
		{"rounds up", 0x5f5e1000_00000003, time.Unix(1600000000, 1)},
		{"last below the carry", 0x5f5e1000_fffffffd, time.Unix(1600000000, 999999999)},
		{"first that carries", 0x5f5e1000_fffffffe, time.Unix(1600000001, 0)},
		{"carries", 0x5f5e1000_ffffffff, time.Unix(1600000001, 0)},
		// ibdump multiplies microseconds by 4295 instead of 4294.967296.
		{"ibdump 1 us", 0x5f5e1000_00000000 + 1*4295, time.Unix(1600000000, 1000)},
		{"ibdump 500,000 us", 0x5f5e1000_00000000 + 500000*4295, time.Unix(1600000000, 500003807)},
		{"ibdump 999,999 us", 0x5f5e1000_00000000 + 999999*4295, time.Unix(1600000001, 6614)},
		{"after 2038", 0x80000000_00000000, time.Unix(1<<31, 0)},
		{"last second", 0xffffffff_80000000, time.Unix(math.MaxUint32, 500000000)},
		{"last", math.MaxUint64, time.Unix(1<<32, 0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want.UTC(), tt.timestamp.Time())
			require.Equal(t, tt.timestamp.Time(), erf.TimestampOf(tt.timestamp.Time()).Time())
		})
	}
}

func TestTimestampOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		time time.Time
		want erf.Timestamp
	}{
		{"epoch", time.Unix(0, 0), 0},
		{"half", time.Unix(1600000000, 500000000), 0x5f5e1000_80000000},
		{"1 ns", time.Unix(1600000000, 1), 0x5f5e1000_00000004},
		{"999,999,999 ns", time.Unix(1600000000, 999999999), 0x5f5e1000_fffffffc},
		{"other zone", time.Unix(1600000000, 0).In(time.FixedZone("", 3600)), 0x5f5e1000_00000000},
		{"before 1970", time.Unix(-1, 999999999), 0},
		{"zero time", time.Time{}, 0},
		{"last nanosecond", time.Unix(math.MaxUint32, 999999999), 0xffffffff_fffffffc},
		{"after the last", time.Unix(1<<32, 0), math.MaxUint64},
		{"long after the last", time.Unix(1<<40, 5), math.MaxUint64},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, erf.TimestampOf(tt.time))
		})
	}
}

func TestTimestampRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		at := time.Unix(rnd.Int64N(1<<32), rnd.Int64N(1e9)).UTC()
		if got := erf.TimestampOf(at).Time(); !got.Equal(at) {
			require.Equal(t, at, got)
		}
		ts := erf.Timestamp(rnd.Uint64())
		if got := erf.TimestampOf(ts.Time()).Time(); !got.Equal(ts.Time()) {
			require.Equal(t, ts.Time(), got)
		}
	}
}

func TestTimestampString(t *testing.T) {
	require.Equal(t, "2020-09-13T12:26:40.5Z", erf.Timestamp(0x5f5e1000_80000000).String())
}
