-- Enters a reentrant lock. Layout as Redisson's: a hash with one field, the owner, whose value counts the entries; so
-- either sees the other's lock.
-- KEYS[1] lock, ARGV[1] owner, ARGV[2] lease in ms, ARGV[3] 'outer' for a first entry, 'inner' for a further one.
-- Returns nil when entered; -1 when an inner entry finds its outer hold gone; else the holder's remaining lease in ms.
local ours = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1
if ARGV[3] == 'inner' then
  -- The generation check: each outermost hold has a field of its own, so a field that is gone is a hold that is lost.
  if not ours then
    return -1
  end
elseif redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.call('PTTL', KEYS[1])
end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
-- An inner entry with a shorter lease must not shorten what the outer one was promised.
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return nil
