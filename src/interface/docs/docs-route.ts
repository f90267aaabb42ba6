import { createHash } from 'node:crypto';
import { headerText } from '../../edge/header-text.ts';
import type { OpenRoute, RouteAnswer, RouteCall } from '../../edge/route.ts';
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

/** `GET /docs`. The page is made when it is first asked for, and is the same until the process ends. */
export function docsRoute(): OpenRoute {
  let made: Page | undefined;
  return {
    method: 'GET',
    path: '/docs',
    access: 'open',
    alwaysAnswered: true,
    handle: (call) => {
      made ??= makePage();
      return answerPage(made, call);
    },
  };
}

interface Page {
  readonly text: string;
  readonly etag: string;
}

function answerPage({ text, etag }: Page, call: RouteCall): RouteAnswer {
  const headers = {
    'cache-control': 'public, max-age=300',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    etag,
  };
  if (headerText(call, 'if-none-match') === etag) return { status: 304, headers, empty: true };
  return { headers, type: 'text/html; charset=utf-8', text };
}

function makePage(): Page {
  const text = docsPage(openApiDocument() as unknown as InterfaceDocument);
  return { text, etag: `"${digest(text)}"` };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
