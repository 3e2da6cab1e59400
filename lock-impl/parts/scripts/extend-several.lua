-- Sets the lease of several keys anew if the caller still holds all of them. KEYS all keys, ARGV[1] owner value, ARGV[2]
-- lease in ms, ARGV[3] 'at-least' to leave a lease that lasts longer as it is.
-- Returns 1 when the leases last that long, 0 when one of the keys is gone or another's.
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= ARGV[1] then
    return 0
  end
end
for _, key in ipairs(KEYS) do
  if ARGV[3] ~= 'at-least' or redis.call('PTTL', key) < tonumber(ARGV[2]) then
    redis.call('PEXPIRE', key, ARGV[2])
  end
end
return 1
