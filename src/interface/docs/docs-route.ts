import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { headerText } from '../../edge/header-text.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { docsPage } from './docs-page.ts';
import { docsStyle } from './docs-style.ts';
import type { InterfaceDocument } from './interface-document.ts';

/** Nothing is loaded, run or sent from the page; its own style sheet alone is let. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${digest(docsStyle)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers `GET /docs`. The page is made when it is first asked for, and is the same until the process ends. */
export function createDocsRoute(): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  let made: { readonly page: string; readonly etag: string } | undefined;
  return (request, reply) => {
    made ??= makePage();
    reply.headers({
      'cache-control': 'public, max-age=300',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      etag: made.etag,
    });
    if (headerText(request, 'if-none-match') === made.etag) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(made.page);
  };
}

function makePage() {
  const page = docsPage(openApiDocument() as unknown as InterfaceDocument);
  return { page, etag: `"${digest(page)}"` };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
