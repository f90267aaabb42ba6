import { HeadgateError } from '../core/errors.ts';

/** Why nothing was fetched. */
export type EgressReason = 'refused' | 'unreachable' | 'timeout' | 'too_large' | 'unsupported';

/** A request to a foreign address that failed. Its message is public: it never contains resolved addresses. */
export class EgressFailure extends HeadgateError {
  readonly reason: EgressReason;

  constructor(reason: EgressReason, message: string, cause?: unknown) {
    super('invalid_request', message, { cause });
    this.reason = reason;
  }
}
