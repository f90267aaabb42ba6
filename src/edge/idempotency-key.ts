import { hash } from 'node:crypto';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { PublicDialect } from '../dialects/public-dialect.ts';
import { malformed } from '../schema/fault.ts';
import { refuseDeep } from '../schema/refuse-deep.ts';
import type { Caller } from '../settlement/caller.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { headerText } from './header-text.ts';
import type { ReceivedRequest } from './received-request.ts';

const longestKey = 255;

/** A key that a caller gave a request, so that sending it again costs and answers the same. */
export interface IdempotencyKey {
  /** Tells API keys apart: another one of the account may be somebody else's, of another workspace and limit. */
  readonly key: string;
  /** Equal for equal requests: the order in which a body lists the members of an object does not count. */
  readonly fingerprint: string;
  /** The account, whose share of the memory the answer takes. */
  readonly account: string;
}

/**
 * The `Idempotency-Key` of a request; undefined without one. An account with zero retention has none: its answers
 * are stored nowhere, not even for minutes.
 * @throws HeadgateError `invalid_request` when it is no key, or the body too deep to be compared.
 */
export function idempotencyKeyOf(
  request: ReceivedRequest,
  inference: InferenceRequest,
  { account, key }: Caller,
  { name: dialect }: PublicDialect,
): IdempotencyKey | undefined {
  const given = headerText(request, 'idempotency-key');
  if (given === undefined || account.zeroRetention) return undefined;
  if (given.length > longestKey) {
    throw malformed('Idempotency-Key', `is longer than ${longestKey} characters`);
  }
  const { wantsMetadata, strict = false, sessionId = '' } = inference;
  const { betas } = inference.canonical;
  // Members that nobody reads may be nested however deep.
  refuseDeep(request.body, '');
  const facts = [request.body, wantsMetadata, strict, sessionId, ...(betas ? [betas] : [])];
  // Versions that knew one dialect did not name it, and may run beside this one.
  if (dialect !== 'responses') facts.push(dialect);
  const fingerprint = hash('sha256', canonicalJson(facts), 'hex');
  return { key: `${key.hash} ${given}`, fingerprint, account: account.id };
}
