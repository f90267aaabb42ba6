import { hash } from 'node:crypto';

/**
 * A Lua script. Every key it touches is passed to it and lies in one slot of a cluster; its replies hold no number
 * beyond 2^53.
 */
export class Script {
  readonly source: string;
  /** How a server that has seen it knows it. */
  readonly sha: string;

  constructor(source: string) {
    this.source = source;
    this.sha = hash('sha1', source);
  }
}

/**
 * Lua that sets `now` to Unix milliseconds by the server's clock; the first argument takes its place where tests set
 * the time.
 */
export const readClock = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;
