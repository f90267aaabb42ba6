"""Reads /metrics with the parser of the Prometheus client library and checks what no parser checks by itself."""

import json
import math
import os
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

with urllib.request.urlopen(os.environ["HEADGATE_METRICS_URL"]) as response:
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4"), response.headers
    text = response.read().decode("utf-8")

families = list(text_string_to_metric_families(text))
names = [family.name for family in families]
assert len(names) == len(set(names)), "each family is told once"

seen = set()
values = {}
for family in families:
    assert family.type in ("counter", "gauge", "histogram"), family
    assert family.documentation, family.name
    buckets = {}
    for sample in family.samples:
        key = (sample.name, tuple(sorted(sample.labels.items())))
        assert key not in seen, key
        seen.add(key)
        assert math.isfinite(sample.value) and sample.value >= 0, sample
        if sample.name.endswith("_bucket"):
            others = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
            buckets.setdefault(others, []).append((float(sample.labels["le"]), sample.value))
        elif family.type != "histogram":
            labels = ",".join(f"{k}={v}" for k, v in sorted(sample.labels.items()))
            values[f"{sample.name}{{{labels}}}"] = sample.value
    for series in buckets.values():
        assert series == sorted(series), "bounds ascend, and so do counts"
        assert [count for _, count in series] == sorted(count for _, count in series), series
        assert series[-1][0] == math.inf
    for sample in family.samples:
        if family.type == "histogram" and sample.name.endswith("_count"):
            key = tuple(sorted(sample.labels.items()))
            assert buckets[key][-1][1] == sample.value, "the last bucket holds everything"

print(json.dumps({"families": names, "values": values}))
