# SPDX-License-Identifier: BSD-3-Clause
"""A profile with pandas: times by operator and by backend, the longest events, a CSV."""

import sys

import pandas
from executorch.devtools import Inspector

inspector = Inspector(sys.argv[1], etrecord=sys.argv[2])
frame = inspector.to_dataframe(include_units=False, include_delegate_debug_data=True)
frame = frame[(frame.event_block_name == "Execute") & ~frame.event_name.isin(["Method::execute", "OPERATOR_CALL"])]
frame["op"] = frame.op_types.map(lambda types: types[0] if isinstance(types, list) and types else str(types))
for key in ("op", "is_delegated_op", "delegate_backend_name"):
    for name, row in frame.groupby(key, dropna=False).avg.agg(["sum", "count", "max"]).sort_values(["sum", "count"], ascending=False).iterrows():
        print(key, name, float(row["sum"]), int(row["count"]), float(row["max"]))
for _, row in frame.sort_values(["avg", "event_name"], ascending=False).head(5).iterrows():
    print(row.event_name, row.p50, row.p90, row["min"], row["max"], row.delegate_debug_identifier, len(row.raw))
print(pandas.Series(frame.avg).describe(percentiles=[0.5]).to_dict())
inspector.save_data_to_tsv("output")
