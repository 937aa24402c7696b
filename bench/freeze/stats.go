package main

import (
	"math"
	"slices"
)

// interval is between what a ratio, the new side's to the old one's, lies.
type interval struct{ at, low, high float64 }

// same is the ratio of what is the same without doubt.
var same = interval{1, 1, 1}

// ofMeans is the ratio of two means over pairs, with its interval by linearization. ok is false where it cannot be told.
func ofMeans(pairs [][2]float64, doubt float64) (v interval, ok bool) {
	var sum [2]float64
	for _, p := range pairs {
		sum[0], sum[1] = sum[0]+p[0], sum[1]+p[1]
	}
	n := float64(len(pairs))
	switch {
	case !slices.ContainsFunc(pairs, func(p [2]float64) bool { return p[0] != p[1] }):
		return same, true
	case len(pairs) < 2 || sum[0] == 0:
		return v, false
	}
	v.at = sum[1] / sum[0]
	var squares float64
	for _, p := range pairs {
		off := p[1] - v.at*p[0]
		squares += off * off
	}
	half := studentT(n-1, doubt) * math.Sqrt(squares/(n-1)/n) / (sum[0] / n)
	v.low, v.high = max(v.at-half, 0), v.at+half
	return v, true
}

// ofPairs is the median ratio of pairs, with the interval of the mean of their logarithms.
func ofPairs(pairs [][2]float64, doubt float64) (v interval, ok bool) {
	var logs []float64
	var sum float64
	for _, p := range pairs {
		if p[0] <= 0 || p[1] <= 0 {
			continue
		}
		logs = append(logs, math.Log(p[1]/p[0]))
		sum += logs[len(logs)-1]
	}
	n := float64(len(logs))
	if len(logs) < 2 {
		return v, false
	}
	mean, squares := sum/n, 0.0
	for _, l := range logs {
		squares += (l - mean) * (l - mean)
	}
	half := studentT(n-1, doubt) * math.Sqrt(squares/(n-1)/n)
	slices.Sort(logs)
	median := (logs[(len(logs)-1)/2] + logs[len(logs)/2]) / 2
	return interval{math.Exp(median), math.Exp(mean - half), math.Exp(mean + half)}, true
}

// ofCounts is the ratio of two counts that have some in common: what only one of them has could as well have been the
// other's, which is the sign test where pairs are compared, and that of two rare events where nothing is in common.
func ofCounts(common, onlyOld, onlyNew int, doubt float64) (v interval, ok bool) {
	differ := onlyOld + onlyNew
	if differ == 0 {
		return same, true
	}
	ratio := func(share float64) float64 {
		return (float64(common) + float64(differ)*share) / (float64(common) + float64(differ)*(1-share))
	}
	low, high := 0.0, 1.0
	if onlyNew > 0 {
		low = bisect(func(x float64) bool { return betaBelow(float64(onlyNew), float64(onlyOld+1), x) < doubt/2 })
	}
	if onlyOld > 0 {
		high = bisect(func(x float64) bool { return betaBelow(float64(onlyNew+1), float64(onlyOld), x) < 1-doubt/2 })
	}
	return interval{ratio(float64(onlyNew) / float64(differ)), ratio(low), ratio(high)}, true
}

// studentT is what Student's t of so many degrees of freedom exceeds, either way, with the given probability.
func studentT(freedom, doubt float64) float64 {
	x := bisect(func(x float64) bool { return betaBelow(freedom/2, 0.5, x) < doubt })
	return math.Sqrt(freedom * (1 - x) / x)
}

// bisect returns where in (0, 1) a condition that holds from 0 on ceases to hold.
func bisect(holds func(float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 100 {
		if mid := (low + high) / 2; holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// betaBelow is the regularized incomplete beta function, by its continued fraction.
func betaBelow(a, b, x float64) float64 {
	if x <= 0 || x >= 1 {
		return math.Max(0, math.Min(1, x))
	}
	if x > (a+1)/(a+b+2) {
		return 1 - betaBelow(b, a, 1-x)
	}
	lg := func(v float64) float64 { l, _ := math.Lgamma(v); return l }
	front := math.Exp(lg(a+b)-lg(a)-lg(b)+a*math.Log(x)+b*math.Log(1-x)) / a
	const tiny = 1e-300
	f, c, d := 1.0, 1.0, 0.0
	for i := range 500 {
		m := float64(i / 2)
		var step float64
		switch {
		case i == 0:
			step = 1
		case i%2 == 0:
			step = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		default:
			step = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		if d = 1 + step*d; math.Abs(d) < tiny {
			d = tiny
		}
		d = 1 / d
		if c = 1 + step/c; math.Abs(c) < tiny {
			c = tiny
		}
		f *= c * d
		if math.Abs(1-c*d) < 1e-12 {
			break
		}
	}
	return front * (f - 1)
}
