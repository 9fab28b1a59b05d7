-- Nodes that became more than 10 % slower from the first build to the last (in the order of their names) on a device: medians over the dumps.
WITH bounds AS (
  SELECT min(build) AS base, max(build) AS newer FROM fleet
),
of_build AS (
  SELECT record, device, name, target, build, median(avg) AS ms, count(*) AS dumps
  FROM fleet
  GROUP BY record, device, name, target, build
)
SELECT b.record, b.device, b.name, b.target, b.ms AS base_ms, n.ms AS new_ms, n.ms / b.ms - 1 AS change, least(b.dumps, n.dumps) AS dumps
FROM of_build b
JOIN bounds ON b.build = bounds.base
JOIN of_build n ON n.record = b.record AND n.device = b.device AND n.name = b.name AND n.target = b.target AND n.build = bounds.newer
WHERE b.ms > 0 AND n.ms > 1.1 * b.ms
ORDER BY new_ms - base_ms DESC, b.record, b.device, b.name
