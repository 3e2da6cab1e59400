-- Takes several keys at once, or none of them.
-- KEYS all keys, ARGV[1] owner value, ARGV[2] lease in ms. Returns 1 when they are taken, 0 when one of them is held.
for _, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then
    return 0
  end
end
for _, key in ipairs(KEYS) do
  redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
end
return 1
