-- Dumps whose runs got slower one after the other, as on a device that gets warm: what steady runs would save, and what the finding says. Asked of `summary --by finding`.
SELECT record, device, build, etdump, method, cost AS could_save_ms, title, evidence
FROM fleet
WHERE kind = 'drift'
ORDER BY could_save_ms DESC, record, device, build, etdump
