import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import type { Modality } from '../../src/core/catalogue.ts';
import { plainRules } from '../../src/core/guardrail.ts';
import { Secret } from '../../src/util/secret.ts';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { type LocalSite, sendJson, startSite } from '../server-tools/local-site.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway } from '../support/gateway.ts';
import { onePage, saying, streamOf } from '../support/made-pdf.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { parseStream } from '../support/read-stream.ts';

const pdf = saying('High water is at noon.');
const inBase64 = (bytes: Buffer) => bytes.toString('base64');
const hash = createHash('sha256').update(pdf).digest('hex');
const file = { type: 'input_file', filename: 'tides.pdf', file_data: inBase64(pdf) };
const asking = (...files: object[]) => [
  { role: 'user', content: [{ type: 'input_text', text: 'When?' }, ...files] },
];
const metadata = { 'x-service-metadata': 'enabled' };
const local = [{ id: 'file-parser', pdf: { engine: 'cloudflare-ai' } }];
const scans = [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }];

type Parsed = { hash: string; name: string; content: { type: string; text: string }[] };
interface Shown {
  readonly type: string;
  readonly name: string;
  readonly data: Record<string, unknown>;
  readonly cost_usd: number;
}
const entryOf = (body: { service_metadata: { pipeline?: Shown[] } }) =>
  body.service_metadata.pipeline?.find(({ name }) => name === 'file-parser');

describe('a PDF is text for every dialect, streamed or not', { concurrency: 3 }, () => {
  for (const dialect of dialects) {
    describe(dialect.adapter, { concurrency: 1 }, () => {
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        stage = await setStage(dialect);
      });
      after(() => stage.strike());
      for (const stream of [false, true]) {
        test(stream ? 'streamed' : 'whole', async () => {
          stage.say({
            utterances: [{ say: ['At ', 'noon.'] }],
            finish: 'stop',
            usage: { input: 9, output: 2 },
          });
          const got = await stage.ask({ input: asking(file), plugins: local, stream }, metadata);
          assert.equal(got.text, 'At noon.');
          const sent = JSON.stringify(stage.lastSeen);
          assert.match(sent, /tides\.pdf.*Page 1.*High water is at noon\./);
          assert.ok(!sent.includes(inBase64(pdf).slice(0, 40)));
          const message = got.body.output.find(({ type }: { type: string }) => type === 'message');
          const [annotation] = message.content[0].annotations as { type: string; file: Parsed }[];
          assert.deepEqual([annotation?.type, annotation?.file.hash], ['file', hash]);
          assert.match(
            annotation?.file.content[0]?.text ?? '',
            /^\[File "tides\.pdf", 1 page\]\n\n\[Page 1\]\n\nHigh water is at noon\./,
          );
          assert.deepEqual(entryOf(got.body)?.data, {
            engine: 'cloudflare-ai',
            files: 1,
            pages: 1,
            reused: 0,
          });
          if (!stream) return;
          const added = got.events.filter(({ type }) => type === 'response.output_text.annotation.added');
          assert.equal(added.length, 1);
        });
      }
    });
  }
});

const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

interface WorldSettings {
  readonly scripts?: readonly Script[];
  readonly reads?: readonly Modality[];
  readonly limits?: Partial<Config['plugins']['fileParser']['limits']>;
  readonly guardrails?: Config['guardrails'];
  /** Adapters of the providers, in the order of attempts. */
  readonly adapters?: readonly string[];
}

/** A gateway whose engine for scans is a site, which may be fetched from. */
async function start(ocr: LocalSite | undefined, { scripts, reads, limits, ...others }: WorldSettings = {}) {
  const upstream = await startFakeUpstream(...(scripts ?? [{ steps: chatStream('At ', 'noon.') }]));
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const model = { ...modelOf('acme/atlas-4', [north]), inputModalities: reads ?? (['text'] as const) };
  const config = configOf({ models: [model] });
  const settings = { apiKey: new Secret('scan-key'), baseUrl: ocr?.url, timeout: 60_000 };
  const gateway = await startGateway({
    models: [model],
    config: {
      plugins: {
        ...config.plugins,
        fileParser: {
          limits: { ...config.plugins.fileParser.limits, ...limits },
          ...(ocr && { ocr: settings }),
        },
      },
      ...(ocr && {
        tools: { ...config.tools, egress: { ...config.tools.egress, allow: [`127.0.0.1:${ocr.port}`] } },
      }),
      ...(others.guardrails && { guardrails: others.guardrails }),
    },
  });
  return {
    gateway,
    upstream,
    // biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
    async ask(body: object, path = 'responses'): Promise<{ status: number; body: any }> {
      const response = await fetch(`${gateway.url}/api/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}`, ...metadata },
        body: JSON.stringify({ model: 'acme/atlas-4', ...body }),
      });
      return { status: response.status, body: await response.json() };
    },
    /** The content of the user's message as the provider got it last. */
    content(): { type: string; text?: string }[] {
      const last = upstream.requests.at(-1)?.body as { messages: { content: never }[] } | undefined;
      return last?.messages.at(-1)?.content ?? [];
    },
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await upstream.close();
    },
  };
}

const picture = `data:image/jpeg;base64,${Buffer.from('picture').toString('base64')}`;
/** What the engine answers: pages with pictures. */
const scanOf = (pages: number, images: number) => ({
  pages: Array.from({ length: pages }, (_, index) => ({
    index,
    markdown: `Scanned page ${index + 1}.`,
    images: Array.from({ length: images }, (_, number) => ({ id: `img-${number}`, image_base64: picture })),
  })),
  usage_info: { pages_processed: pages },
});
const ocrSite = (answer: object = scanOf(2, 0), status = 200) =>
  startSite((request, response) => {
    if (request.url === '/tides.pdf') response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf);
    else if (request.url === '/tides.txt') response.writeHead(200).end('Low water is at six.');
    else if (request.url === '/v1/ocr') sendJson(response, answer, status);
    else response.writeHead(404).end();
  });

for (const [what, claimed, pages, billed] of [
  ['more pages than it sent', 1_000_000, 2, 2],
  ['1e308 pages', 1e308, 2, 2],
  ['two thousand pages, and sends them', 2_000, 2_000, 1_000],
  ['fewer than no pages', -5, 2, 2],
  ['half a page', 0.5, 2, 2],
] as const) {
  test(`an engine that charges for ${what} is paid for ${billed}`, async () => {
    await using site = await ocrSite({ ...scanOf(pages, 0), usage_info: { pages_processed: claimed } });
    await using world = await start(site);
    const { gateway } = world;
    for (const stream of [false, true]) {
      const seen = gateway.log.length;
      const response = await gateway.post({
        model: 'acme/atlas-4',
        input: asking(file),
        plugins: scans,
        stream,
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      const id = response.headers.get('x-generation-id') ?? '';
      const fee = (await gateway.storage.generations.ofRequest(id)).find(
        ({ model }) => model === 'service:file_parser',
      );
      assert.equal(fee?.cost, BigInt(billed) * 2_000_000n);
      const isBounded = claimed > pages || pages > billed;
      assert.deepEqual(fee.implausibleUsage, isBounded ? ['pages'] : undefined);
      assert.equal(fee.usageEstimated, isBounded);
      const lines = gateway.log.slice(seen).map((line) => JSON.parse(line));
      const line = lines.find((one) => one.id === fee.id);
      assert.deepEqual([line.level, line.implausible], isBounded ? [40, ['pages']] : [30, undefined]);
    }
    const metrics = readMetrics(await (await fetch(`${gateway.url}/metrics`)).text());
    const counted = metrics.get('headgate_implausible_usage_total{provider="service:file_parser"}');
    assert.equal(counted, claimed > pages || pages > billed ? 2 : undefined);
  });
}

test('a scan is asked for by the wire format of the engine, charged by the page, and not charged again', async () => {
  await using site = await ocrSite();
  await using world = await start(site);
  const first = await world.ask({ input: asking(file), plugins: scans });
  const [asked] = site.seen;
  const { document, ...others } = JSON.parse(asked?.body ?? '');
  assert.deepEqual(others, { model: 'mistral-ocr-latest', include_image_base64: true, image_limit: 8 });
  assert.equal(document.type, 'document_url');
  assert.equal(document.document_url, `data:application/pdf;base64,${inBase64(pdf)}`);
  assert.equal(asked?.headers.authorization, 'Bearer scan-key');
  const entry = entryOf(first.body);
  assert.deepEqual(entry?.data, { engine: 'mistral-ocr', files: 1, pages: 2, reused: 0 });
  assert.equal(entry?.cost_usd, 0.004);
  // 11 tokens in and 2 out, and two pages.
  const model = first.body.usage.cost - 0.004;
  assert.ok(model > 0 && model < 0.001, String(first.body.usage.cost));
  const message = first.body.output[0];
  const again = await world.ask({
    input: [...asking(file), message, { role: 'user', content: 'And low?' }],
    plugins: scans,
  });
  assert.equal(again.status, 200);
  assert.equal(site.seen.length, 1);
  assert.deepEqual(entryOf(again.body)?.data, { files: 1, pages: 0, reused: 1 });
  assert.match(JSON.stringify(world.upstream.requests.at(-1)?.body), /Scanned page 2\./);
  assert.ok(again.body.usage.cost < 0.001);
  const foreign = { ...message, content: [{ ...message.content[0], annotations: [] }] };
  await world.ask({
    input: [...asking(file), foreign, { role: 'user', content: 'And low?' }],
    plugins: scans,
  });
  assert.equal(site.seen.length, 2);
  const spent = await callApi(world.gateway, world.gateway.key, 'GET', '/key');
  assert.ok(spent.body.data.usage > 0.008);
});

test('a new file beside one that was read before: both are reported', async () => {
  await using world = await start(undefined);
  const { body: first } = await world.ask({ input: asking(file), plugins: local });
  const other = { ...file, filename: 'moon.pdf', file_data: inBase64(saying('The moon is full.')) };
  const input = [...asking(file), first.output[0], ...asking(other)];
  const { body } = await world.ask({ input, plugins: local });
  assert.deepEqual(entryOf(body)?.data, { engine: 'cloudflare-ai', files: 2, pages: 1, reused: 1 });
});

test('its fee is a record of its own that refers to the request, and counts as usage', async () => {
  await using site = await ocrSite();
  await using world = await start(site);
  const { gateway } = world;
  const response = await gateway.post({ model: 'acme/atlas-4', input: asking(file), plugins: scans });
  const { usage } = (await response.json()) as { usage: { cost: number } };
  const id = response.headers.get('x-generation-id') ?? '';
  const [fee, ...others] = await gateway.storage.generations.ofRequest(id);
  assert.deepEqual([fee?.model, fee?.cost, others.length], ['service:file_parser', 4_000_000n, 0]);
  const { body } = await callApi(gateway, gateway.key, 'GET', `/generation?id=${id}`);
  assert.deepEqual([body.data.total.total_cost, body.data.total.generations], [usage.cost, 2]);
  const used = await gateway.storage.generations.usage(0, 'model', gateway.account.id);
  assert.ok(used.some((row) => JSON.stringify(Object.values(row), asText).includes('"service:file_parser"')));
});

test('eight pictures of all files go to a model that sees, none to one that does not; all text is kept', async () => {
  await using site = await ocrSite(scanOf(10, 2));
  for (const [reads, count] of [
    [['text', 'image'], 8],
    [['text'], 0],
  ] as const) {
    await using world = await start(site, { reads });
    const other = { ...file, file_data: inBase64(saying('Another.')) };
    const { status } = await world.ask({ input: asking(file, other), plugins: scans });
    assert.equal(status, 200);
    const sent = JSON.stringify(world.content());
    assert.equal(sent.match(/image_url":\{/g)?.length ?? 0, count);
    assert.equal(sent.match(/Scanned page 10\./g)?.length, 2);
  }
});

test('when every provider fails, the error holds what was read', async () => {
  await using site = await ocrSite();
  await using world = await start(site, { scripts: [{ status: 500, headers: {}, steps: ['{}'] }] });
  const { status, body } = await world.ask({ input: asking(file), plugins: scans });
  assert.equal(status, 502);
  const [annotation] = body.error.metadata.file_annotations as { type: string; file: Parsed }[];
  assert.deepEqual([annotation?.type, annotation?.file.hash], ['file', hash]);
  const spent = await callApi(world.gateway, world.gateway.key, 'GET', '/key');
  assert.equal(spent.body.data.usage, 0.004);
  const retried = await world.ask({
    input: [
      ...asking(file),
      { role: 'assistant', content: [{ type: 'output_text', text: 'Hm.', annotations: [annotation] }] },
      { role: 'user', content: 'Again' },
    ],
    plugins: scans,
  });
  assert.equal(retried.status, 502);
  assert.equal(site.seen.length, 1);
});

test('an engine that is not named gives way to the one of the gateway; a named one is an error', async () => {
  for (const [status, named] of [
    [500, 502],
    [422, 400],
  ] as const) {
    await using site = await ocrSite({ message: 'no' }, status);
    await using world = await start(site);
    const fallen = await world.ask({ input: asking(file) });
    assert.deepEqual(entryOf(fallen.body)?.data, {
      engine: 'cloudflare-ai',
      failed_engine: 'mistral-ocr',
      files: 1,
      pages: 1,
      reused: 0,
    });
    assert.match(JSON.stringify(world.content()), /High water/);
    const refused = await world.ask({ input: asking(file), plugins: scans });
    assert.equal(refused.status, named);
    assert.match(refused.body.error.message, /OCR engine/);
    assert.equal(refused.body.usage, undefined);
  }
});

test('an address goes to the engine itself, and is fetched for the gateway', async () => {
  await using site = await ocrSite();
  await using world = await start(site);
  const url = `${site.url}/tides.pdf`;
  const input = asking({ type: 'input_file', file_url: url });
  assert.equal((await world.ask({ input, plugins: scans })).status, 200);
  assert.equal(JSON.parse(site.seen[0]?.body ?? '').document.document_url, url);
  assert.equal((await world.ask({ input, plugins: local })).status, 200);
  assert.equal(site.seen[1]?.url, '/tides.pdf');
  assert.match(JSON.stringify(world.content()), /tides\.pdf.*High water/);
  const text = asking({ type: 'input_file', file_url: `${site.url}/tides.txt` });
  assert.equal((await world.ask({ input: text, plugins: local })).status, 200);
  assert.match(JSON.stringify(world.content()), /Low water is at six/);
  for (const [address, problem] of [
    [`${site.url}/none.pdf`, /none\.pdf.*404/],
    ['http://10.0.0.1/secret.pdf', /secret\.pdf.*not on the public internet/],
  ] as const) {
    const { status, body } = await world.ask({
      input: asking({ type: 'input_file', file_url: address }),
      plugins: local,
    });
    assert.equal(status, 400);
    assert.match(body.error.message, problem);
  }
});

test('a file of the workspace is read by its id', async () => {
  await using world = await start(undefined);
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', new Blob([Uint8Array.from(pdf)], { type: 'application/pdf' }), 'stored.pdf');
  const uploaded = await fetch(`${world.gateway.url}/api/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.gateway.key}` },
    body: form,
  });
  const { id } = (await uploaded.json()) as { id: string };
  const { status, body } = await world.ask({ input: asking({ type: 'input_file', file_id: id }) });
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(JSON.stringify(world.content()), /stored\.pdf.*High water/);
});

test('a model that reads files gets the file itself; text is text for all', async () => {
  await using world = await start(undefined, { reads: ['text', 'file'] });
  const native = await world.ask({ input: asking(file) });
  assert.equal(native.status, 200);
  assert.ok(JSON.stringify(world.content()).includes(inBase64(pdf)));
  assert.equal(entryOf(native.body), undefined);
  const off = await world.ask({ input: asking(file), plugins: [{ id: 'file-parser', enabled: false }] });
  assert.equal(off.status, 200);
  assert.ok(JSON.stringify(world.content()).includes(inBase64(pdf)));
  assert.equal((await world.ask({ input: asking(file), plugins: local })).status, 200);
  assert.match(JSON.stringify(world.content()), /High water/);
  const text = { type: 'input_file', filename: 'a.csv', file_data: 'data:text/csv;base64,YSxiCjEsMgo=' };
  const inlined = await world.ask({ input: asking(text) });
  assert.equal(inlined.status, 200);
  assert.match(JSON.stringify(world.content()), /a\.csv.*a,b\\n1,2/);
  assert.deepEqual(entryOf(inlined.body)?.data, { files: 1, pages: 0, reused: 0 });
  await world.ask({ input: asking(file, text) });
  assert.match(JSON.stringify(world.content()), new RegExp(`${inBase64(pdf).slice(0, 40)}.*a,b`));
});

const locked = onePage(streamOf(Buffer.from('x'), '/FlateDecode'))
  .toString('latin1')
  .replace(
    '/Root 1 0 R',
    `/Root 1 0 R /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (${'o'.repeat(32)}) /U (${'u'.repeat(32)}) >> /ID [(a) (b)]`,
  );
const refusals: readonly (readonly [string, object, object, number, RegExp])[] = [
  ['locked', { file_data: inBase64(Buffer.from(locked, 'latin1')) }, {}, 400, /"x\.pdf" is encrypted/],
  ['broken', { file_data: inBase64(Buffer.from('%PDF-1.7 nothing')) }, {}, 400, /"x\.pdf" is a broken PDF/],
  [
    'of another kind',
    { file_data: inBase64(Buffer.from([0x50, 0x4b, 3, 4, 0])) },
    {},
    400,
    /"x\.pdf" is neither/,
  ],
  ['for the model alone', {}, { pdf: { engine: 'native' } }, 400, /"x\.pdf" cannot be read by the model/],
  ['for no engine', {}, { pdf: { engine: 'mistral-ocr' } }, 400, /plugins\.file_parser\.ocr/],
  ['of nobody', { file_data: undefined, file_id: 'file_hg_1' }, {}, 404, /file_hg_1/],
  ['too large', { file_data: inBase64(Buffer.alloc(3000)) }, {}, 413, /"x\.pdf" is larger than 2048/],
  [
    'not for the gateway',
    {},
    { enabled: false, pdf: undefined },
    400,
    /"x\.pdf" cannot be read by the model/,
  ],
];
for (const [what, source, entry, status, problem] of refusals) {
  test(`a file ${what}: ${status}`, async () => {
    await using world = await start(undefined, { limits: { file: 2048 } });
    const plugins = [{ id: 'file-parser', ...entry }];
    const input = asking({ ...file, filename: 'x.pdf', ...source });
    const { status: got, body } = await world.ask({ input, plugins });
    assert.equal(got, status, JSON.stringify(body));
    assert.match(body.error?.message ?? '', problem);
    assert.equal(world.upstream.requests.length, 0);
  });
}

const rule = (action: 'block' | 'redact'): Config['guardrails'][number] => ({
  name: 'mail',
  rules: { ...plainRules, contentFilterBuiltins: [{ slug: 'email', action }] },
  apply: { all: true, workspaces: [], keys: [] },
});

test('what is read passes the guardrails before any provider sees it', async () => {
  const bytes = saying('Write to jane.doe@example.com today.');
  const input = asking({ ...file, file_data: inBase64(bytes) });
  await using strict = await start(undefined, { guardrails: [rule('block')] });
  const blocked = await strict.ask({ input });
  assert.equal(blocked.status, 403);
  assert.equal(strict.upstream.requests.length, 0);
  assert.ok(!JSON.stringify(blocked.body).includes('jane.doe'));
  await using soft = await start(undefined, { guardrails: [rule('redact')] });
  const { body } = await soft.ask({ input });
  assert.match(JSON.stringify(soft.content()), /Write to \[EMAIL\] today/);
  const filters = (body.service_metadata.pipeline as Shown[]).filter(({ name }) => name === 'content-filter');
  assert.equal(filters.length, 1);
});

describe('annotations in the other dialects', () => {
  const chatFile = { type: 'file', file: { filename: 'tides.pdf', file_data: inBase64(pdf) } };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'When?' }, chatFile] }];

  test('chat: on the message, and taken back from it', async () => {
    await using site = await ocrSite();
    await using world = await start(site);
    const { body } = await world.ask({ messages, plugins: scans }, 'chat/completions');
    const [{ message }] = body.choices;
    assert.equal(message.annotations[0].file.hash, hash);
    const next = [...messages, message, { role: 'user', content: 'And low?' }];
    assert.equal((await world.ask({ messages: next, plugins: scans }, 'chat/completions')).status, 200);
    assert.equal(site.seen.length, 1);
    const streamed = await fetch(`${world.gateway.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${world.gateway.key}` },
      body: JSON.stringify({ model: 'acme/atlas-4', messages, plugins: scans, stream: true }),
    });
    assert.match(
      await streamed.text(),
      new RegExp(`"annotations":\\[\\{"type":"file","file":\\{"hash":"${hash}`),
    );
  });

  test('messages: on the message, and taken back from it', async () => {
    await using site = await ocrSite();
    await using world = await start(site);
    const document = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: inBase64(pdf) },
    };
    const first = [{ role: 'user', content: [{ type: 'text', text: 'When?' }, document] }];
    const asked = { max_tokens: 100, plugins: scans };
    const { body } = await world.ask({ ...asked, messages: first }, 'messages');
    assert.equal(body.annotations[0].file.hash, hash);
    const { role, content, annotations } = body;
    const next = [...first, { role, content, annotations }, { role: 'user', content: 'And low?' }];
    assert.equal((await world.ask({ ...asked, messages: next }, 'messages')).status, 200);
    assert.equal(site.seen.length, 1);
  });

  test('the AI SDK, which fails at them, gets none', async () => {
    await using world = await start(undefined);
    for (const [path, body] of [
      ['responses', { input: asking(file) }],
      ['chat/completions', { messages }],
    ] as const) {
      const response = await fetch(`${world.gateway.url}/api/v1/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${world.gateway.key}`,
          'user-agent': 'ai/6.0.1 ai-sdk/openai/3.0.141 ai-sdk/provider-utils/4.0.0 runtime/node.js/26',
        },
        body: JSON.stringify({ model: 'acme/atlas-4', ...body }),
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      assert.doesNotMatch(text, /"type":"file"/);
      assert.match(JSON.stringify(world.content()), /High water/);
    }
  });

  test('one that is none is refused with its place', async () => {
    await using world = await start(undefined);
    const said = { role: 'assistant', content: 'Hm.', annotations: [{ type: 'file', file: { hash: 'x' } }] };
    const { status, body } = await world.ask({ messages: [...messages, said] }, 'chat/completions');
    assert.equal(status, 400);
    assert.match(body.error.message, /messages\[1\]\.annotations\[0\]\.file\.hash/);
  });
});

test('a stream shows what was read before its first word', async () => {
  await using site = await ocrSite();
  await using world = await start(site);
  const { events } = parseStream(
    await (await world.gateway.post({ model: 'acme/atlas-4', input: asking(file), stream: true })).text(),
  );
  const types = events.map(({ type }) => type);
  const added = types.indexOf('response.output_text.annotation.added');
  assert.equal(types[added - 1], 'response.content_part.added');
});
