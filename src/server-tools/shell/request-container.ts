import { HeadgateError } from '../../core/errors.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { KeptContainer, Sandbox } from '../../sandbox/sandbox.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { OfferContext } from '../server-tool.ts';

const usualSleep = 900;
const longestSleep = 2_592_000;

/** Milliseconds, and characters of each output. */
const usual = { timeout: 60_000, output: 30_000 };
const most = { timeout: 300_000, output: 200_000 };

/** The container that the calls of one request run in: one that the request names, or one of its own. */
export class RequestContainer {
  readonly #sandbox: Sandbox;
  readonly #owner: Pick<OfferContext, 'accountId' | 'workspaceId'>;
  readonly #session: string | undefined;
  readonly #sleepAfter: number;
  #one: KeptContainer | undefined;

  /** @throws HeadgateError `invalid_request` without a driver, or for a container that is not there. */
  constructor(
    sandbox: Sandbox,
    spelled: string,
    { environment, sleep_after_seconds: seconds }: JsonObject,
    { sessionId }: InferenceRequest,
    owner: Pick<OfferContext, 'accountId' | 'workspaceId'>,
  ) {
    if (!sandbox.isOn) {
      const problem = `tools: "${spelled}" needs a sandbox, which this server has none of; leave it out (operators: set tools.sandbox.driver)`;
      throw new HeadgateError('invalid_request', problem);
    }
    this.#sandbox = sandbox;
    this.#owner = owner;
    this.#session = sessionId;
    this.#sleepAfter = Math.min(typeof seconds === 'number' ? seconds : usualSleep, longestSleep) * 1000;
    if (!isObject(environment) || environment.type !== 'container_reference') return;
    const id = String(environment.container_id);
    this.#one = sandbox.find(owner, id);
    if (this.#one === undefined) {
      const problem = `tools: there is no container ${JSON.stringify(id)}; it may have ended, use {"type": "container_auto"}`;
      throw new HeadgateError('invalid_request', problem);
    }
  }

  /** The container; made at the first call. @throws SandboxRefusal when none can be had. */
  get(): KeptContainer {
    this.#one ??= this.#sandbox.open({
      owner: this.#owner,
      session: this.#session,
      sleepAfter: this.#sleepAfter,
    });
    return this.#one;
  }

  /** Ends the container; the next call makes another. */
  restart(): void {
    const one = this.#one ?? this.#sandbox.ofSession(this.#owner, this.#session);
    if (one !== undefined) this.#sandbox.end(one);
    this.#one = undefined;
  }

  /** Runs a command. @throws SandboxRefusal. */
  exec(command: string, { timeout, output }: typeof usual, signal: AbortSignal) {
    return this.#sandbox.exec(this.get(), command, { timeout, maxOutput: output * 4, signal });
  }
}

/** The bounds of a call: those that the model wants, within ours. */
export function boundsOf(
  timeout: number | null | undefined,
  output: number | null | undefined,
): typeof usual {
  return {
    timeout: Math.min(Math.max(timeout ?? usual.timeout, 1), most.timeout),
    output: Math.min(Math.max(output ?? usual.output, 0), most.output),
  };
}
