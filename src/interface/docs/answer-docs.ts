import { createHash } from 'node:crypto';
import { headerText } from '../../edge/header-text.ts';
import type { RouteAnswer, RouteCall } from '../../edge/route.ts';
import type { InterfaceServices } from '../interface-services.ts';
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

interface Page {
  readonly text: string;
  readonly etag: string;
}

type DocsServices = Pick<InterfaceServices, 'document'>;

const pages = new WeakMap<DocsServices, Page>();

/** Answers `GET /docs`. The page is made when it is first asked for, and is the same until the process ends. */
export function answerDocs(call: RouteCall, services: DocsServices): RouteAnswer {
  const { text, etag } = pages.get(services) ?? makePage(services);
  const headers = {
    'cache-control': 'public, max-age=300',
    'content-security-policy': policy,
    etag,
  };
  if (headerText(call, 'if-none-match') === etag) return { status: 304, headers, empty: true };
  return { headers, type: 'text/html; charset=utf-8', text };
}

function makePage(services: DocsServices): Page {
  const text = docsPage(services.document() as unknown as InterfaceDocument);
  const page = { text, etag: `"${digest(text)}"` };
  pages.set(services, page);
  return page;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
