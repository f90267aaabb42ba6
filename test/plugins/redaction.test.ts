import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { type BuiltinFilter, type CustomFilter, plainRules } from '../../src/core/guardrail.ts';
import { Secret } from '../../src/util/secret.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import type { Script } from '../fake-upstream/fake-upstream.ts';
import { type LocalSite, sendJson, startSite } from '../server-tools/local-site.ts';
import { calls, startToolWorld } from '../server-tools/tool-world.ts';
import { configOf } from '../support/gateway.ts';
import { saying } from '../support/made-pdf.ts';
import { readMetrics } from '../support/read-metrics.ts';

/** A value of each kind, with the detector or the pattern that finds it. */
const kinds: readonly (readonly [value: string, by: BuiltinFilter['slug'] | { readonly pattern: string }])[] =
  [
    ['jane.doe+tag@example.com', 'email'],
    ['555-123-4567', 'phone'],
    ['123-45-6789', 'ssn'],
    ['4111 1111 1111 1111', 'credit-card'],
    ['192.168.7.13', 'ip-address'],
    ['EMP-123456', { pattern: 'EMP-\\d{6}' }],
    ['sk-live-Zx81yTq0', { pattern: 'sk-(?:live|test)-[A-Za-z0-9]{8,}' }],
    ['AKIAQ3EXAMPLE7KEY', { pattern: 'AKIA[A-Z0-9]{13}' }],
    ['DE44 5001 0517 5407 3249 31', { pattern: 'DE\\d{2}(?: ?\\d{4}){4} ?\\d{2}' }],
    ['X12.34-AB', { pattern: '[A-Z]\\d{2}\\.\\d{2}-[A-Z]{2}' }],
    ['Projekt Nordlicht', { pattern: '[Pp]rojekt\\s+Nordlicht' }],
    ['MRN0048812', { pattern: '\\bMRN\\d{7}\\b' }],
    ['B-XY 1234', { pattern: '[A-Z]{1,3}-[A-Z]{1,2} \\d{1,4}' }],
    ['1FA.P8', { pattern: '1F[A-Z]\\.P\\d' }],
    ['00:1b:44:11:3a:b7', { pattern: '(?:[0-9a-f]{2}:){5}[0-9a-f]{2}' }],
    ['2026-INV-77', { pattern: '(?<year>\\d{4})-INV-\\d+' }],
    ['ticket#9913', { pattern: 'ticket#\\d+' }],
    ['b1c2d3e4-0000-4000-8000-1234567890ab', { pattern: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}' }],
    ['Straße 5a', { pattern: 'Stra(?:ß|ss)e \\d+[a-z]?' }],
    ['db.intern.acme', { pattern: '[a-z]+\\.intern\\.acme' }],
  ];
const values = kinds.map(([value]) => value);
const all = values.join('; ');

const contentFilterBuiltins = kinds.flatMap(([, slug]): BuiltinFilter[] =>
  typeof slug === 'string' ? [{ slug, action: 'redact' }] : [],
);
const contentFilters = kinds.flatMap(([, by], index): CustomFilter[] =>
  typeof by === 'string' ? [] : [{ pattern: by.pattern, action: 'redact', label: `[KIND_${index}]` }],
);
const guardrailsOf = (rules: object): Config['guardrails'] => [
  { name: 'private', rules: { ...plainRules, ...rules }, apply: { all: true, workspaces: [], keys: [] } },
];
const redacting = guardrailsOf({ contentFilterBuiltins, contentFilters });

const answer: Script = { steps: chatStream('Good ', 'day.') };

/** A gateway whose search engine and engine for scans are a site, which pages may be fetched from. */
function start(site: LocalSite, scripts: readonly Script[], guardrails = redacting) {
  const { tools, plugins } = configOf({ models: [] });
  const apiKey = new Secret('site-key');
  return startToolWorld(
    { 'acme/atlas-4': scripts },
    {
      config: {
        guardrails,
        tools: {
          ...tools,
          webSearch: { engines: [{ engine: 'exa', baseUrl: site.url, apiKey }] },
          egress: { ...tools.egress, allow: [`127.0.0.1:${site.port}`] },
        },
        plugins: {
          ...plugins,
          fileParser: { ...plugins.fileParser, ocr: { apiKey, baseUrl: site.url, timeout: 60_000 } },
        },
      },
    },
  );
}
type World = Awaited<ReturnType<typeof start>>;

/** Answers searches, scans and pages, with every value in them. */
const siteOf = () =>
  startSite(({ url }, response) => {
    if (url === '/v1/ocr') {
      sendJson(response, {
        pages: [{ index: 0, markdown: all, images: [] }],
        usage_info: { pages_processed: 1 },
      });
    } else sendJson(response, { results: [{ url: 'https://sea.example/a', title: all, highlights: [all] }] });
  });

/** Fails where one of the values left: for the provider, or for anybody a tool or plugin asks. */
function checkNoneLeft(world: World, site: LocalSite): void {
  const sent = JSON.stringify(world.upstream('acme/atlas-4').requests.map(({ body }) => body));
  const asked = site.seen
    .filter(({ url }) => url !== '/v1/ocr')
    .map(({ url, body }) => `${decodeURIComponent(url)} ${body}`)
    .join('\n');
  for (const value of values) {
    assert.ok(!sent.includes(value), `${value} left for the provider: ${sent}`);
    assert.ok(!asked.includes(value), `${value} left for a tool: ${asked}`);
  }
}

/** Fails where one of the values is in logs, metrics or records. */
async function checkNoneKept({ gateway }: World): Promise<void> {
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  assert.ok(readMetrics(metrics).size > 0);
  const list = (await (await gateway.get('/api/v1/generations')).json()) as { data: { id: string }[] };
  assert.ok(list.data.length > 0);
  const records = list.data.map(async ({ id }) => (await gateway.get(`/api/v1/generation?id=${id}`)).text());
  const kept = [...gateway.log, metrics, ...(await Promise.all(records))].join('\n');
  for (const value of values) assert.ok(!kept.includes(value), `${value} was kept`);
}

/** How often the place of a value of each kind is in what the provider got. */
function placeholdersIn(text: string): number {
  const names = ['[EMAIL]', '[PHONE]', '[SSN]', '[CREDIT_CARD]', '[IP_ADDRESS]'];
  return [...names, ...contentFilters.map(({ label }) => label ?? '')].filter((one) => text.includes(one))
    .length;
}

test('of 20 kinds of values none leaves in messages, arguments, outputs, definitions and schemas', async () => {
  await using site = await siteOf();
  await using world = await start(site, [answer]);
  const body = await world.ask({
    instructions: all,
    input: [
      { role: 'user', content: all },
      { type: 'function_call', call_id: 'c1', name: 'send', arguments: JSON.stringify({ [all]: [all] }) },
      { type: 'function_call_output', call_id: 'c1', output: all },
      { role: 'user', content: 'Go on.' },
    ],
    tools: [
      {
        type: 'function',
        name: 'send',
        description: all,
        parameters: { type: 'object', properties: { to: { type: 'string', enum: values } } },
      },
    ],
    text: {
      format: { type: 'json_schema', name: 'answer', schema: { type: 'object', description: all } },
    },
  });
  assert.equal(body.httpStatus, 200, JSON.stringify(body));
  checkNoneLeft(world, site);
  assert.equal(placeholdersIn(JSON.stringify(world.upstream('acme/atlas-4').requests)), kinds.length);
  await checkNoneKept(world);
});

test('none leaves in files that the gateway reads: PDFs by either engine, texts, and their names', async () => {
  await using site = await siteOf();
  const text = Buffer.from(all).toString('base64');
  // One line each, because what lies outside the page is not read; 373 is the letter in the font's encoding.
  const lines = values.map((value) => value.replace('ß', '\\373')).join(') Tj 0 -20 Td (');
  const pdf = saying(lines).toString('base64');
  const files: readonly (readonly [file: object, engine: string])[] = [
    [{ filename: `${all}.txt`, file_data: text }, 'cloudflare-ai'],
    [{ filename: `${all}.pdf`, file_data: pdf }, 'cloudflare-ai'],
    [{ filename: 'scan.pdf', file_data: pdf }, 'mistral-ocr'],
  ];
  for (const [file, engine] of files) {
    await using world = await start(site, [answer]);
    const body = await world.ask({
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Read it.' },
            { type: 'input_file', ...file },
          ],
        },
      ],
      plugins: [{ id: 'file-parser', pdf: { engine } }],
    });
    assert.equal(body.httpStatus, 200, JSON.stringify(body));
    checkNoneLeft(world, site);
    assert.equal(placeholdersIn(JSON.stringify(world.upstream('acme/atlas-4').requests)), kinds.length);
    await checkNoneKept(world);
  }
});

test('none leaves in what the plugin searches for, and none reaches the model with results', async () => {
  await using site = await siteOf();
  await using world = await start(site, [answer]);
  // A query is 400 characters, so the values go in turns.
  for (let at = 0; at < values.length; at += 5) {
    const input = `Find ${values.slice(at, at + 5).join('; ')}`;
    const body = await world.ask({ input, plugins: [{ id: 'web' }] });
    assert.equal(body.httpStatus, 200, JSON.stringify(body));
  }
  const queries = site.seen.map(({ body }) => JSON.parse(body).query).join('\n');
  assert.equal(placeholdersIn(queries), kinds.length, queries);
  checkNoneLeft(world, site);
  await checkNoneKept(world);
});

test('none leaves in arguments that the model writes for a tool of the gateway', async () => {
  await using site = await siteOf();
  const page = `${site.url}/?q=${values.map(encodeURIComponent).join('&q=')}`;
  const turn = calls(['service_web_search', { query: all }], ['service_web_fetch', { url: page }]);
  await using world = await start(site, [turn, answer]);
  const body = await world.ask({
    tools: [{ type: 'service:web_search' }, { type: 'service:web_fetch' }],
  });
  assert.equal(body.httpStatus, 200, JSON.stringify(body));
  const query = JSON.parse(site.seen.find(({ url }) => url === '/search')?.body ?? '{}').query;
  assert.equal(placeholdersIn(query), kinds.length, query);
  checkNoneLeft(world, site);
  await checkNoneKept(world);
});

test('a filter that blocks keeps a call from being made, and the model reads why', async () => {
  await using site = await siteOf();
  const rules = { contentFilterBuiltins: [{ slug: 'email', action: 'block' }] };
  const turn = calls(['service_web_search', { query: `Who is ${values[0]}?` }]);
  await using world = await start(site, [turn, answer], guardrailsOf(rules));
  const body = await world.ask({ tools: [{ type: 'service:web_search' }] });
  assert.equal(body.httpStatus, 200, JSON.stringify(body));
  assert.equal(site.seen.length, 0);
  const [, second] = world.upstream('acme/atlas-4').requests;
  assert.match(JSON.stringify(second?.body), /blocked by a guardrail: Email address/);
  assert.ok(!JSON.stringify(second?.body).includes(values[0] ?? ''));
});
