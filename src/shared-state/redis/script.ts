import { hash } from 'node:crypto';

/**
 * A Lua script. Every key that it touches is passed to it and is in one cluster slot; its replies contain no number
 * beyond 2^53.
 */
export class Script {
  readonly source: string;
  /** The hash by which a server identifies it. */
  readonly sha: string;

  constructor(source: string) {
    this.source = source;
    this.sha = hash('sha1', source);
  }
}

/**
 * Lua that sets `now` to Unix milliseconds by the server's clock; the first argument replaces it where tests set the
 * time.
 */
export const readClock = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;
