package analysis

import (
	"slices"
	"strings"
)

// aggregateNames are the functions that make one value of several rows, in order (dev.mysql.com/doc/refman, Aggregate
// Functions; mariadb.com/kb/en/aggregate-functions; sqlite.org/lang_aggfunc.html and percentile.html;
// postgresql.org/docs, Aggregate Functions; docs.pingcap.com/tidb, GROUP BY aggregate functions).
var aggregateNames = func() []string {
	names := strings.Fields(`any_value approx_count_distinct approx_percentile array_agg avg bit_and bit_or bit_xor bool_and bool_or corr
		count covar_pop covar_samp every group_concat json_agg json_array_agg json_arrayagg json_group_array json_group_object
		json_object_agg json_object_agg_strict json_object_agg_unique json_objectagg jsonb_agg jsonb_agg_strict jsonb_group_array
		jsonb_group_object jsonb_object_agg max median min mode percentile percentile_cont percentile_disc range_agg
		range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy std
		stddev stddev_pop stddev_samp string_agg sum total var_pop var_samp variance xmlagg`)
	slices.Sort(names)
	return names
}()
