-- Dumps whose runs got slower one after the other, as on a device that gets warm: what steady runs would save, and what the finding says. Asked of `summary`.
SELECT record, device, build, etdump, method, avg AS could_save_ms, note
FROM fleet
WHERE section = 'finding' AND key = 'drift'
ORDER BY could_save_ms DESC, record, device, build, etdump
