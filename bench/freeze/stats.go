package main

import (
	"math"
	"slices"
)

// interval is between what a ratio, the new side's to the old one's, lies.
type interval struct{ at, low, high float64 }

// same is the ratio of what is the same without doubt.
var same = interval{1, 1, 1}

// sums adds up both sides of pairs.
func sums(pairs [][2]float64) (sum [2]float64) {
	for _, p := range pairs {
		sum[0], sum[1] = sum[0]+p[0], sum[1]+p[1]
	}
	return sum
}

// ofMeans is the ratio of two means over pairs, with its interval by linearization. ok is false where it cannot be
// told.
func ofMeans(pairs [][2]float64, doubt float64) (v interval, ok bool) {
	sum := sums(pairs)
	n := float64(len(pairs))
	switch {
	case len(pairs) == 0:
		return v, false
	case !slices.ContainsFunc(pairs, func(p [2]float64) bool { return p[0] != p[1] }):
		return same, true
	case len(pairs) < 2 || sum[0] == 0:
		return v, false
	}
	v.at = sum[1] / sum[0]
	var off []float64
	for _, p := range pairs {
		off = append(off, p[1]-v.at*p[0])
	}
	half := spread(off, doubt) / (sum[0] / n)
	v.low, v.high = max(v.at-half, 0), v.at+half
	return v, true
}

// spread is half of the interval of a mean.
func spread(values []float64, doubt float64) float64 {
	n, sum, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		sum, squares = sum+v, squares+v*v
	}
	return studentT(n-1, doubt) * math.Sqrt(max(squares-sum*sum/n, 0)/(n-1)/n)
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
	mean, half := sum/n, spread(logs, doubt)
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
		low = bisect(func(x float64) bool { return atMost(onlyNew-1, differ, x) > 1-doubt/2 })
	}
	if onlyOld > 0 {
		high = bisect(func(x float64) bool { return atMost(onlyNew, differ, x) > doubt/2 })
	}
	return interval{ratio(float64(onlyNew) / float64(differ)), ratio(low), ratio(high)}, true
}

// atMost is the probability of at most k in n where each comes with probability p.
func atMost(k, n int, p float64) (sum float64) {
	lg := func(v int) float64 { l, _ := math.Lgamma(float64(v) + 1); return l }
	for i := range k + 1 {
		sum += math.Exp(lg(n) - lg(i) - lg(n-i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// studentT is what Student's t of so many degrees of freedom exceeds, either way, with the given probability. With t as
// the root of the freedom times a tangent its density is a power of the cosine.
func studentT(freedom, doubt float64) float64 {
	below := func(angle float64) (sum float64) { // Simpson's rule
		const steps = 100
		for i := range steps + 1 {
			weight := []float64{2, 4}[i%2]
			if i == 0 || i == steps {
				weight = 1
			}
			sum += weight * math.Pow(math.Cos(angle*float64(i)/steps), freedom-1)
		}
		return sum * angle
	}
	all := below(math.Pi / 2)
	x := bisect(func(x float64) bool { return below(x*math.Pi/2) < (1-doubt)*all })
	return math.Sqrt(freedom) * math.Tan(x*math.Pi/2)
}

// bisect returns where in (0, 1) a condition that holds from 0 on ceases to hold.
func bisect(holds func(float64) bool) float64 {
	low, high := 0.0, 1.0
	for range 40 {
		if mid := (low + high) / 2; holds(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
