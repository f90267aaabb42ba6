import type { FastifyReply } from 'fastify';
import type { AppServices } from './app-services.ts';

/** `GET /health/ready`: 200 while requests are welcome, 503 naming what is not right (operations.md 4). */
export async function reportHealth(reply: FastifyReply, services: AppServices): Promise<FastifyReply> {
  const database = await services.storage.ping().then(
    () => 'ok' as const,
    () => 'unreachable' as const,
  );
  const { draining } = services.lifecycle;
  const ready = database === 'ok' && services.lifecycle.ready;
  return reply
    .code(ready ? 200 : 503)
    .send({ status: ready ? 'ok' : 'unavailable', draining, dependencies: { database } });
}
