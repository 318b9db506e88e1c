import { createHash } from 'node:crypto';

/**
 * Counts in one atomic Redis step, so that any number of nodes count exactly. KEYS: the counters. ARGV: the limit of each, the
 * window length in milliseconds, then 1 to count or 0 to read only.
 * Returns the position of the first exhausted counter (0: none), then the count and remaining milliseconds of each. Redis
 * measures the windows, because the nodes' clocks may differ.
 */
export const TAKE = `
local window_ms = ARGV[#KEYS + 1]
local counting = ARGV[#KEYS + 2] == '1'
local counts = redis.call('mget', unpack(KEYS))
local tripped = 0
for i = 1, #KEYS do
  counts[i] = tonumber(counts[i] or '0')
  if counting and tripped == 0 and counts[i] >= tonumber(ARGV[i]) then tripped = i end
end
local answer = { tripped }
for i, key in ipairs(KEYS) do
  if counting and tripped == 0 then counts[i] = redis.call('incr', key) end
  local left_ms = redis.call('pttl', key)
  if left_ms == -1 then
    redis.call('pexpire', key, window_ms)
    left_ms = window_ms
  end
  answer[2 * i] = counts[i]
  answer[2 * i + 1] = tonumber(left_ms)
end
return answer`;

/** Digest by which Redis runs the script after it has been loaded. */
export const TAKE_SHA1 = createHash('sha1').update(TAKE).digest('hex');
