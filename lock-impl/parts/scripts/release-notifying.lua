-- Deletes the lock if the caller still holds it, and tells those who wait.
-- KEYS[1] lock, ARGV[1] owner value, ARGV[2] channel. Returns 1 when deleted, 0 when it is gone or another's.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  redis.call('PUBLISH', ARGV[2], 'free')
  return 1
end
return 0
