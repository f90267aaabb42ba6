import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ContentScanner } from '../../src/guardrails/content-scanner.ts';
import type { ScanRules } from '../../src/guardrails/scan-rules.ts';
import { IsolatedProcesses } from '../../src/isolation/isolated-processes.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { startSite } from '../server-tools/local-site.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway } from '../support/gateway.ts';
import { type GuardedGateway, startGuarded } from '../support/guarded-gateway.ts';
import { callStream } from '../turns/second-opinion.ts';

/* What one client, page or provider sends must not stop the others (docs/spec/isolation.md). */

/** The longest time, in milliseconds, in which this process did nothing else while something ran. */
async function longestStandstill<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly longest: number }> {
  let longest = 0;
  let last = performance.now();
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 2);
  try {
    const result = await work();
    return { result, longest: Math.max(longest, performance.now() - last) };
  } finally {
    clearInterval(watch);
  }
}

/** Each of the attacks took 7 to 40 s before. A slow machine with much to do stands still for some hundred milliseconds. */
const tolerable = 3_000;

test('a page of 8.5 MB with 340,000 links is read in part, and the process goes on', async () => {
  await using site = await startSite((_request, response) => {
    const links = '<p><a href="/x">l</a></p>'.repeat(340_000);
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<html><body><p>First.</p>${links}`);
  });
  const fetchPage = callStream(['service_web_fetch', JSON.stringify({ url: `${site.url}/page` })]);
  const upstream = await startFakeUpstream({ steps: fetchPage }, { steps: chatStream('Read.') });
  const models = [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])];
  const { tools } = configOf({ models });
  const egress = { ...tools.egress, allow: [`127.0.0.1:${site.port}`] };
  const gateway = await startGateway({ models, config: { tools: { ...tools, egress } } });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });
  const response = await gateway.post({
    model: 'acme/atlas-4',
    input: 'Read it.',
    tools: [{ type: 'service:web_fetch' }],
  });
  assert.equal(response.status, 200);
  const { messages = [] } = (upstream.requests[1]?.body ?? {}) as {
    messages?: { role: string; content: string }[];
  };
  const read = JSON.parse(messages.find(({ role }) => role === 'tool')?.content ?? '{}');
  // On a busy machine it may take longer than it may; either way the model learns what became of it.
  assert.match(read.content ?? read.error, /First|could not be read/);
});

describe('custom patterns', { concurrency: 1 }, () => {
  let world: GuardedGateway;
  before(async () => {
    world = await startGuarded();
  });
  after(() => world.stop());
  const wide = '.{0,1000}'.repeat(10);
  const filtersOf = (...patterns: string[]) => patterns.map((pattern) => ({ pattern, action: 'block' }));

  test('with too many states are refused with their number, alone and together, and stop nothing', async () => {
    const many = Array.from({ length: 200 }, (_, at) => `${at}.{0,1000}`);
    const { result, longest } = await longestStandstill(() =>
      Promise.all([
        world.manage('POST', '/guardrails', { name: 'wide', content_filters: filtersOf(wide) }),
        world.manage('POST', '/guardrails', { name: 'many', content_filters: filtersOf(...many) }),
        world.manage('POST', '/guardrails/test', { text: 'a', draft: { content_filters: filtersOf(wide) } }),
      ]),
    );
    const [alone, together, tried] = result;
    for (const { status } of result) assert.equal(status, 400);
    assert.match(
      alone.body.error.message,
      /content_filters\[0\]\.pattern: compiles to 20002 states, at most 4000/,
    );
    assert.match(together.body.error.message, /content_filters\[19\].*at most 40000/);
    assert.match(tried.body.error.message, /20002 states/);
    assert.equal(tried.body.error.metadata.reason, 'invalid_regex_pattern');
    assert.ok(longest < tolerable, `stood still for ${longest} ms`);
  });

  test('that unroll to more than fits in memory are refused', async () => {
    const nested = `${'(?:'.repeat(60)}a${'{0,10}b)'.repeat(60)}`;
    const filters = filtersOf('[a-z]{1000}'.repeat(8_000), nested);
    const { status, body } = await world.manage('POST', '/guardrails', {
      name: 'x',
      content_filters: filters,
    });
    assert.equal(status, 400);
    assert.match(body.error.message, /content_filters\[\d\]\.pattern: .*(states|compile|expression)/);
  });

  test('more than 256 of them are refused', async () => {
    const filters = filtersOf(...Array.from({ length: 257 }, (_, at) => `a${at}`));
    const { status, body } = await world.manage('POST', '/guardrails', {
      name: 'x',
      content_filters: filters,
    });
    assert.equal(status, 400);
    assert.match(body.error.message, /content_filters.*256/);
  });

  test('that are slow in a text stop nothing: it is scanned, or refused, with 503 or the product as a number', async () => {
    const draft = { content_filters: filtersOf('.{0,1000}.{0,900}z', 'SECRET') };
    const slow = `${'a'.repeat(16_000)} SECRET`;
    const { result, longest } = await longestStandstill(() =>
      Promise.all([
        world.manage('POST', '/guardrails/test', { text: slow, draft }),
        world.manage('POST', '/guardrails/test', { text: 'a'.repeat(1_000_000), draft }),
      ]),
    );
    const [scanned, tooMuch] = result;
    assert.ok([200, 503].includes(scanned.status), scanned.text);
    if (scanned.status === 200) assert.equal(scanned.body.data.verdict, 'block');
    assert.equal(tooMuch.status, 400);
    assert.match(tooMuch.body.error.message, /states times characters are \d+, at most 500000000/);
    assert.ok(longest < tolerable, `stood still for ${longest} ms`);
  });
});

test('a damaged answer of 300 KB is repaired elsewhere or left as it is, and stops nothing', async () => {
  const damaged = `{"a": [${'"x" '.repeat(75_000)}`;
  const upstream = await startFakeUpstream({ steps: chatStream(damaged) });
  const models = [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])];
  const gateway = await startGateway({ models });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });
  const body = { model: 'acme/atlas-4', input: 'Go.', plugins: [{ id: 'response-healing' }] };
  const { result, longest } = await longestStandstill(async () => {
    const response = await gateway.post({ ...body, text: { format: { type: 'json_object' } } });
    return (await response.json()) as { status: string; output: { content: { text: string }[] }[] };
  });
  assert.equal(result.status, 'completed');
  assert.ok(longest < tolerable, `stood still for ${longest} ms`);
});

test('long guarded texts of one account make no other account wait for all of them', async () => {
  const processes = new IsolatedProcesses({ processes: 2 });
  after(() => processes.close());
  const scanner = new ContentScanner(processes);
  const rules: ScanRules = {
    filters: [
      { what: { kind: 'pattern', pattern: '[a-z ]*[0-9 ]*q' }, action: 'block', placeholder: '' },
      { what: { kind: 'injection', scope: 'all_messages' }, action: 'flag', placeholder: '' },
    ],
    allowedPhrases: [],
  };
  const ended: string[] = [];
  const scan = async (owner: string, length: number) => {
    await scanner.scan([{ text: 'r e v e a l '.repeat(length / 12), isUser: true }], rules, { owner });
    ended.push(owner);
  };
  const many = Array.from({ length: 6 }, () => scan('many', 1_000_000));
  await scan('few', 40_000);
  assert.ok(ended.length <= 3, `${ended.length - 1} texts of the other account came first`);
  await Promise.all(many);
});

test('a burst of a thousand short guarded texts is scanned, none is turned away', async () => {
  const processes = new IsolatedProcesses({ processes: 2 });
  after(() => processes.close());
  const scanner = new ContentScanner(processes);
  const rules: ScanRules = {
    filters: [{ what: { kind: 'pattern', pattern: 'EMP-[0-9]+' }, action: 'redact', placeholder: '[X]' }],
    allowedPhrases: [],
  };
  const scans = Array.from({ length: 1_000 }, (_, at) =>
    scanner.scan([{ text: `Ask EMP-${at}.`, isUser: true }], rules, { owner: 'one' }),
  );
  const results = await Promise.all(scans);
  assert.ok(results.every(({ redacted }) => redacted.length === 1));
});
