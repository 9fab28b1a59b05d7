-- The slowest types of operators on each device: milliseconds per inference, the mean over all dumps that have them.
WITH of_dump AS (
  SELECT device, record, run, graph, operator, sum(avg) AS ms
  FROM nodes
  GROUP BY device, record, run, graph, operator
),
of_device AS (
  SELECT device, operator, avg(ms) AS ms, max(ms) AS slowest_ms, count(*) AS dumps
  FROM of_dump
  GROUP BY device, operator
),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY device ORDER BY ms DESC, operator) AS place
  FROM of_device
)
SELECT device, place, operator, ms, slowest_ms, dumps
FROM ranked
WHERE place <= 10
ORDER BY device, place
