import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGenerationId } from '../core/ids.ts';
import type { PublicDialect } from '../dialects/public-dialect.ts';
import type { Caller } from '../settlement/caller.ts';
import { largestBatch, MicroBatch } from '../util/micro-batch.ts';
import type { AppServices } from './app-services.ts';
import { authenticate, authenticateAgain, requireInferenceKey } from './authenticate.ts';
import type { BodyBudget } from './body-budget.ts';
import { corsHeaders } from './cors.ts';
import { describeFailure } from './describe-failure.ts';
import { HttpReply } from './http-reply.ts';
import { answerInference } from './inference-route.ts';
import { parseJson } from './parse-json.ts';
import { RequestCutOff, readBody } from './read-body.ts';
import { refuseEncoded } from './refuse-encoded.ts';
import { refuseWhileDraining } from './refuse-while-draining.ts';

/**
 * Answers the requests of a public dialect straight from the server's socket, without the framework, which would cost a tenth of
 * such a request. Requests that come close to each other are begun together (`MicroBatch`).
 */
export function createInferenceEndpoint(
  dialect: PublicDialect,
  services: AppServices,
  bodies: BodyBudget,
): (request: IncomingMessage, response: ServerResponse) => void {
  const arrivals = new MicroBatch(largestBatch);
  const read = new MicroBatch();
  return (request, response) =>
    arrivals.add(() => void answer(request, response, { dialect, services, bodies, read }));
}

interface EndpointParts {
  readonly dialect: PublicDialect;
  readonly services: AppServices;
  readonly bodies: BodyBudget;
  /** Where requests wait for each other whose bodies are read. */
  readonly read: MicroBatch;
}

/** Never rejects. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { dialect, services, bodies, read }: EndpointParts,
): Promise<void> {
  const { server } = services.config;
  const id = createGenerationId(services.clock.now());
  const reply = new HttpReply(response, { 'x-generation-id': id, 'x-request-id': id }, server.sendTimeout);
  let caller: Caller | undefined;
  try {
    const cors = corsHeaders(request, server.corsOrigins);
    if (cors !== undefined) reply.addHeaders(cors);
    refuseWhileDraining(services.lifecycle);
    const known = authenticate(request.headers.authorization, services.callers, services.clock);
    caller = known instanceof Promise ? await known : known;
    requireInferenceKey(caller);
    const bytes = await readBody(request, server.bodyLimit, bodies.open(response));
    // The bodies of a batch come one after the other; from here on they are together again.
    await read.join();
    const still = authenticateAgain(caller, services.callers, services.clock);
    caller = still instanceof Promise ? await still : still;
    // From here on the call itself notices when its client goes.
    if (response.destroyed) return;
    refuseEncoded(request.headers);
    const body = parseJson(bytes);
    await answerInference({ id, headers: request.headers, body }, reply, caller, dialect, services);
  } catch (thrown) {
    if (thrown instanceof RequestCutOff) return;
    const { method = '', url = '' } = request;
    const failed = { id, method, url, caller, arrival: request, dialect };
    const { status, headers, body } = describeFailure(thrown, failed, services);
    if (reply.committed) {
      // Half an answer must not look whole.
      response.destroy();
      return;
    }
    reply.addHeaders(headers);
    // What has not come of the body yet is read and dropped: many clients see no answer before they have sent it.
    reply.sendJson(status, JSON.stringify(body));
  }
}
