-- Leaves a reentrant lock once.
-- KEYS[1] lock, ARGV[1] owner. Returns nil when it is not the owner's, 0 when it is still held, 1 when it is free.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return nil
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  return 0
end
redis.call('DEL', KEYS[1])
return 1
