-- Records that delegate less in the last build than in the first: share of the operators' time that runs in a backend, per device.
WITH bounds AS (
  SELECT min(build) AS base, max(build) AS newer FROM fleet
),
of_build AS (
  SELECT record, device, build, sum(CASE WHEN backend IS NULL THEN 0 ELSE avg END) / sum(avg) AS delegated
  FROM fleet
  GROUP BY record, device, build
)
SELECT b.record, b.device, b.delegated AS base_share, n.delegated AS new_share
FROM of_build b
JOIN bounds ON b.build = bounds.base
JOIN of_build n ON n.record = b.record AND n.device = b.device AND n.build = bounds.newer
WHERE n.delegated < b.delegated - 0.01
ORDER BY b.delegated - n.delegated DESC, b.record, b.device
