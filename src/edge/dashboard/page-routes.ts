import { HeadgateError } from '../../core/errors.ts';
import { headerText } from '../../http/request.ts';
import type { EdgeServices } from '../edge-services.ts';
import type { Route, RouteAnswer, RouteCall } from '../route.ts';
import { buildInBackground } from './build-in-background.ts';
import { type BuiltFile, type BuiltPages, readBuiltPages } from './built-pages.ts';
import { basePath } from './session-device.ts';

/** The base that assets and pages are relative to, as it stands in the built shell. */
const builtBase = '<base href="/ui/" />';

/** The files of the dashboard: one shell for every page, and its assets (docs/spec/dashboard.md#pages). */
export function pageRoutes(services: Pick<EdgeServices, 'config' | 'log'>): readonly Route[] {
  let pages: BuiltPages | undefined;
  const found = () => (pages ??= readBuiltPages());
  const route = (path: string, handle: (call: RouteCall) => RouteAnswer): Route => ({
    method: 'GET',
    path,
    access: 'open',
    alwaysAnswered: true,
    handle,
  });
  const shell = (call: RouteCall) => {
    const built = found();
    return built === undefined ? answerUnbuilt(services) : answerShell(call, built, services);
  };
  return [
    route('/', shell),
    route('/ui/assets/{name}', (call) => answerAsset(call, found())),
    route('/ui/{page}', shell),
    route('/ui/{page}/{id}', shell),
  ];
}

function answerShell(
  { headers: asked, arrival }: RouteCall,
  { shell, shellTag }: BuiltPages,
  { config }: Pick<EdgeServices, 'config'>,
): RouteAnswer {
  const prefix = basePath(arrival, config.server);
  // The prefix decides what is sent, so it is part of the tag.
  const tag = prefix === '' ? shellTag : `"${prefix.slice(1)}-${shellTag.slice(1)}`;
  const headers = { ...pageHeaders, 'cache-control': 'no-cache', etag: tag };
  if (asked['if-none-match'] === tag) return { status: 304, headers, empty: true };
  const text = prefix === '' ? shell : shell.replace(builtBase, `<base href="${prefix}/ui/" />`);
  return { type: 'text/html; charset=utf-8', text, headers };
}

function answerAsset(call: RouteCall, pages: BuiltPages | undefined): RouteAnswer {
  const file = pages?.assets.get(call.params.name ?? '');
  if (file === undefined) throw new HeadgateError('not_found', 'There is no such file of the dashboard.');
  const { bytes, encoding } = encoded(file, headerText(call, 'accept-encoding') ?? '');
  const headers = {
    ...pageHeaders,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  };
  return { type: file.type, bytes, headers };
}

function encoded({ plain, brotli, gzip }: BuiltFile, accepted: string) {
  if (brotli !== undefined && /\bbr\b/.test(accepted)) return { bytes: brotli, encoding: 'br' };
  if (gzip !== undefined && /\bgzip\b/.test(accepted)) return { bytes: gzip, encoding: 'gzip' };
  return { bytes: plain, encoding: undefined };
}

/** A fresh checkout whose pages were not built by `npm ci` builds them now. */
function answerUnbuilt({ log }: Pick<EdgeServices, 'log'>): RouteAnswer {
  const isBuilding = buildInBackground(log);
  const said = isBuilding
    ? 'The dashboard is being built. This page loads again by itself.'
    : 'The dashboard is not built. Run <code>npm ci &amp;&amp; npm run build:dashboard</code>, then load this page again.';
  return {
    status: 503,
    type: 'text/html; charset=utf-8',
    text: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
${isBuilding ? '<meta http-equiv="refresh" content="1">\n' : ''}<title>Headgate</title>
<p>${said}</p>
<p>The interface is ready: see <a href="/docs">its reference</a>.</p>
`,
    headers: { ...pageHeaders, 'cache-control': 'no-store', 'retry-after': '1' },
  };
}

/** What pages of the dashboard may load and do; a test compares it byte for byte (docs/spec/dashboard.md#pages). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Sent with every file of the dashboard, beside the headers of all answers. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};
