import { hash } from 'node:crypto';
import type { RequestTrace, TracedCaller } from '../ports/request-trace.ts';

/** The header by which a client has nothing kept of a request, and its word. */
export const keepingHeader = 'x-service-content-logging';
/** The word of `keepingHeader`. */
export const keepingDisabled = 'disabled';

/**
 * The number by which a workspace lists a key in `io_logging_api_key_ids`: the first 48 bits of its hash.
 * @param keyHash Lowercase hex.
 */
export function keyNumber(keyHash: string): number {
  return Number.parseInt(keyHash.slice(0, 12), 16);
}

/** Whether what a caller says may be kept: only if its account, its workspace and its key all let it be. */
export function mayKeep({ key, account, defaults }: TracedCaller): boolean {
  const logging = defaults?.contentLogging;
  if (logging === undefined || !account.contentLogging || key.contentLogging === 'off') return false;
  return logging.keyNumbers === null || logging.keyNumbers.includes(keyNumber(key.hash));
}

/**
 * Whether what is said in a request is kept (docs/spec/content.md#which-requests): its client must let it be too, and it must
 * be among the part that its workspace has kept. What asks for zero retention forbids it besides, as it is answered.
 */
export function keepsContent({ caller, exchange }: RequestTrace): boolean {
  if (caller === undefined || exchange.forbidsKeeping === true || !mayKeep(caller)) return false;
  const { rate = 0 } = caller.defaults?.contentLogging ?? {};
  return rate >= 1 || part(exchange.id) < rate;
}

/** Where a request lies between 0 and 1: always the same. */
function part(id: string): number {
  return Number.parseInt(hash('sha256', id).slice(0, 13), 16) / 16 ** 13;
}
