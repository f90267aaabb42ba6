import { HeadgateError } from '../core/errors.ts';

/** A command that was not run; the message is for the model and the client. */
export class SandboxRefusal extends HeadgateError {
  constructor(message: string, cause?: unknown) {
    super('invalid_request', message, { cause });
  }
}
