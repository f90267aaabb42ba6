import { maxHeaderSize, type RequestListener } from 'node:http';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { HeadgateError } from '../core/errors.ts';
import { createGenerationId } from '../core/ids.ts';
import type { AppServices } from '../edge/app-services.ts';
import { BodyBudget } from '../edge/body-budget.ts';
import { applyCors } from '../edge/cors.ts';
import { createHttpServer } from '../edge/create-http-server.ts';
import { describeFailure } from '../edge/describe-failure.ts';
import { createInferenceEndpoint } from '../edge/inference-endpoint.ts';
import { callerOf, createKeyHooks, forInference } from '../edge/key-hooks.ts';
import { limitStall } from '../edge/limit-stall.ts';
import { parseJson } from '../edge/parse-json.ts';
import { apiBase, pathOf } from '../edge/paths.ts';
import { RequestCutOff, readBody } from '../edge/read-body.ts';
import { refuseEncoded } from '../edge/refuse-encoded.ts';
import { refuseHostless, refuseUnreadable } from '../edge/refuse-unreadable.ts';
import { refuseWhileDraining } from '../edge/refuse-while-draining.ts';
import type { JsonObject } from '../util/json.ts';
import { wellFormedJson } from '../util/well-formed-json.ts';
import { createDocsRoute } from './docs/docs-route.ts';
import { reportHealth } from './health-route.ts';
import { describeKey } from './key-route.ts';
import { landingPage } from './landing-page.ts';
import { addManagementRoutes } from './management/management-routes.ts';
import { sendMetrics } from './metrics-route.ts';
import { addModelRoutes } from './models/models-routes.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { explainPlan } from './plan/plan-route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Asks for room for a piece of its body; set before that is read. */
    hold: (bytes: number) => void;
  }
}

/** Every route of the server in one table. It listens to nothing yet. */
export function createApp(services: AppServices): FastifyInstance {
  const { server } = services.config;
  // One that is allowed by itself has room when it is alone.
  const bodies = new BodyBudget(Math.max(server.bodiesLimit, server.bodyLimit));
  const inference = new Map(
    services.dialects.map((dialect) => [
      apiBase + dialect.path,
      createInferenceEndpoint(dialect, services, bodies),
    ]),
  );
  const hostless: RequestListener = (request, response) => refuseHostless(request, response, services);
  const app = Fastify({
    serverFactory: (otherwise) => createHttpServer(inference, otherwise, hostless),
    clientErrorHandler: (failure, socket) => refuseUnreadable(failure, socket, services),
    genReqId: () => createGenerationId(services.clock.now()),
    requestIdHeader: false,
    // What is in a path is looked for, and not there, however long it is; the runtime takes no more than this.
    routerOptions: { maxParamLength: maxHeaderSize },
    // The shutdown sequence is the lifecycle's: running answers finish first.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (thrown, request, reply) => {
      reply.header('x-generation-id', request.id).header('x-request-id', request.id);
      sendProblem(thrown, request, reply, services);
    },
  });
  app.decorateRequest('caller', undefined);
  app.decorateRequest('hold', () => undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest) => readJson(request, server.bodyLimit));
  // Hooks that call back instead of returning promises: every request passes them.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-generation-id', request.id).header('x-request-id', request.id);
    // First, for a page reads only answers that name its origin, also that it is to come back later.
    if (applyCors(request, reply, server.corsOrigins)) return;
    if (!isAlwaysAnswered(request.url)) refuseWhileDraining(services.lifecycle);
    // Here and not in its handler, before which the framework would read and parse a body of anybody's.
    if (request.is404) throw nothingAt(request);
    done();
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    request.hold = bodies.open(reply.raw);
    done(null, payload);
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // The framework sends the answer as soon as it is called back.
    setImmediate(() => limitStall(reply.raw, server.sendTimeout));
    done();
  });
  app.setReplySerializer((body) => wellFormedJson(JSON.stringify(body)));
  app.setErrorHandler((thrown, request, reply) => sendProblem(thrown, request, reply, services));
  addRoutes(app, services);
  return app;
}

function addRoutes(app: FastifyInstance, services: AppServices): void {
  const withKey = createKeyHooks(services);
  const withInferenceKey = { ...withKey, onRequest: [withKey.onRequest, forInference] };
  app.post(`${apiBase}/responses/plan`, withInferenceKey, (request) =>
    explainPlan(request, callerOf(request), services),
  );
  app.get(`${apiBase}/key`, withKey, (request) => describeKey(callerOf(request), services));
  addManagementRoutes(app, services, withKey);
  addModelRoutes(app, services, withKey);
  app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(landingPage));
  app.get('/health/live', () => ({ status: 'ok' }));
  app.get('/health/ready', (_request, reply) => reportHealth(reply, services));
  if (services.config.server.metricsPort === undefined) {
    app.get('/metrics', (request, reply) => sendMetrics(request, reply, services));
  }
  app.get('/openapi.json', () => openApiDocument());
  app.get('/docs', createDocsRoute());
}

/** What a body holds. @throws HeadgateError or RequestCutOff. */
async function readJson(request: FastifyRequest, limit: number): Promise<unknown> {
  const body = await readBody(request.raw, limit, request.hold);
  // Many clients name a content type with every request, also where there is no content.
  if (request.method === 'DELETE' && body.length === 0) return undefined;
  refuseEncoded(request.headers);
  return parseJson(body);
}

function nothingAt({ method, url }: FastifyRequest): HeadgateError {
  return new HeadgateError('not_found', `There is nothing at ${method} ${pathOf(url)}.`);
}

function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply, services: AppServices) {
  const error = fromFastify(thrown) ?? thrown;
  const { id, method, url, caller, raw: arrival } = request;
  const problem = describeFailure(error, { id, method, url, caller, arrival }, services);
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .send(problem.body satisfies JsonObject);
}

/** What is answered to the end, while the server stops as well: what operators watch, and what errors refer to. */
function isAlwaysAnswered(url: string): boolean {
  const path = pathOf(url);
  return path.startsWith('/health/') || ['/metrics', '/openapi.json', '/docs'].includes(path);
}

/** The framework's own refusals in the gateway's words. */
function fromFastify(thrown: unknown): HeadgateError | undefined {
  if (thrown instanceof RequestCutOff) {
    return new HeadgateError('invalid_request', 'The request did not arrive whole.');
  }
  const error = thrown as Partial<FastifyError> | undefined;
  const status = error?.code?.startsWith('FST_ERR_') === true ? error.statusCode : undefined;
  if (status === undefined || status >= 500) return undefined;
  if (error?.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const remedy = 'The header Content-Type is no media type: send application/json, or leave it out.';
    return new HeadgateError('invalid_request', remedy, { cause: thrown });
  }
  return new HeadgateError('invalid_request', 'The request cannot be read.', { cause: thrown });
}
