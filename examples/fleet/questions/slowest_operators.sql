-- The slowest types of operators on each device: milliseconds per inference, the mean over all dumps that have them.
WITH of_dump AS (
  SELECT device, record, etdump, graph, target, sum(avg) AS ms
  FROM fleet
  GROUP BY device, record, etdump, graph, target
),
of_device AS (
  SELECT device, target, avg(ms) AS ms, max(ms) AS slowest_ms, count(*) AS dumps
  FROM of_dump
  GROUP BY device, target
),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY device ORDER BY ms DESC, target) AS place
  FROM of_device
)
SELECT device, place, target, ms, slowest_ms, dumps
FROM ranked
WHERE place <= 10
ORDER BY device, place
