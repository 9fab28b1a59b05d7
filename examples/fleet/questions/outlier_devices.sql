-- Which devices are much slower with a model than the middle one of all devices?
WITH totals AS (
    SELECT record, device, build, etdump, sum(avg) AS ms FROM fleet GROUP BY record, device, build, etdump
), devices AS (
    SELECT record, build, device, median(ms) AS ms, count(*) AS dumps FROM totals GROUP BY record, build, device
), middles AS (
    SELECT record, build, median(ms) AS middle_ms FROM devices GROUP BY record, build
)
SELECT devices.record, devices.build, device, ms, ms / middle_ms AS ratio, dumps
FROM devices JOIN middles ON devices.record = middles.record AND devices.build = middles.build
WHERE ms > 1.3 * middle_ms
ORDER BY ratio DESC, devices.record, devices.build, device
