import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { type CountingTools, dot, startCountingTools } from './support/counting-tools.ts';
import { enginesOf } from './support/engines.ts';
import { type GatewayProcess, newDirectory, startGateway } from './support/gateway-process.ts';
import { runHeadgate } from './support/programs.ts';

/** How often the server is killed: what HEADGATE_CRASH_ROUNDS says in the slow lane. */
const rounds = Number(process.env.HEADGATE_CRASH_ROUNDS ?? 6);
const clients = 12;
const answersBeforeKill = 4;

/** Nano-USD a token, and a search. */
const price = { input: 1_000, output: 2_000, search: 7_000_000 };

/** A complete answer as a client saw it. */
interface CompleteAnswer {
  readonly id: string;
  readonly output: readonly Item[];
  readonly usage: { readonly cost: number };
}

interface Item {
  readonly type: string;
  readonly status?: string;
  readonly error?: string;
  readonly file_id?: string;
  readonly imageUrl?: string;
}

/** A row of the books. */
interface Row {
  readonly id: string;
  readonly request_id: string | null;
  readonly requested_model: string;
  readonly cost: number;
  readonly upstreamId: string | undefined;
}

test('killed during searches, files and pictures, the books hold each of them once, and what clients saw is there', {
  timeout: 120_000 + rounds * 30_000,
}, async (t) => {
  const directory = newDirectory();
  await using tools = await startCountingTools();
  const complete: CompleteAnswer[] = [];
  let broken = 0;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      await using gateway = await startGateway({
        directory,
        config: configuration(tools.url),
        env: { HEADGATE_BILLING_MODE: 'prepaid' },
      });
      if (round === 1) await runHeadgate(directory, ['credits', 'grant', '--amount', '90', '--ref', 'start']);
      broken += await loadAndKill(gateway, complete);
    }
    await using gateway = await startGateway({ directory });
    await assertBooked(gateway, complete, tools);
    await assertKept(gateway, complete);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  t.diagnostic(`${rounds} kills, ${complete.length} complete answers, ${broken} broken off`);
  assert.ok(broken > 0, 'the kills did not hit anything');
});

function configuration(url: string): string {
  const endpoint = (model: string) =>
    `{ provider: counting, model: ${model}, context_length: 32768, price: { input: 1, output: 2 } }`;
  return `
providers:
  counting: { adapter: openai-chat, base_url: "${url}/v1", api_key: any, quirks: { imageOutput: true } }
models:
  - { id: paid/words, endpoints: [${endpoint('words')}] }
  - { id: paid/painter, output_modalities: [text, image], endpoints: [${endpoint('painter')}] }
limits:
  # Every answer keeps a file or a picture.
  stored: { files: 1000000, file_bytes: 16GiB }
tools:
  web_search: { engines: [{ engine: exa, base_url: "${url}", api_key: any }] }
  image_generation: { model: paid/painter }
`;
}

/** Lets clients ask until the gateway, which has answered some, dies at a moment nobody chose. */
async function loadAndKill(gateway: GatewayProcess, complete: CompleteAnswer[]): Promise<number> {
  const over = new AbortController();
  const before = complete.length;
  const load = Array.from({ length: clients }, (_, index) => askOn(gateway, index, over.signal, complete));
  await eventually('some answers', () => complete.length >= before + answersBeforeKill);
  await sleep(Math.random() * 400);
  over.abort();
  await gateway.end('SIGKILL');
  const broken = await Promise.all(load);
  return broken.reduce((sum, count) => sum + count, 0);
}

async function askOn(gateway: GatewayProcess, client: number, over: AbortSignal, complete: CompleteAnswer[]) {
  const { key } = gateway;
  const kinds = ['service:web_search', 'service:files', 'service:image_generation'];
  let broken = 0;
  for (let turn = client; !over.aborted; turn += 1) {
    const first = kinds.slice(turn % 3);
    const tools = [...first, ...kinds.slice(0, turn % 3)].map((type) => ({ type }));
    const body = { model: 'paid/words', input: 'x', max_output_tokens: 60, tools, stream: turn % 2 === 0 };
    const response = await gateway.post(body, { key }).catch(() => undefined);
    const answer = response && (await readAnswer(response, body.stream));
    if (answer === undefined) broken += 1;
    else complete.push(answer);
  }
  return broken;
}

async function readAnswer(response: Response, streamed: boolean): Promise<CompleteAnswer | undefined> {
  let text = '';
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  } catch {
    // Cut off by the kill; what came before it may still be a complete answer.
  }
  assert.equal(response.status, 200, text);
  const data = /^data: (\{"type":"response\.completed".*\})\n\n/m.exec(text)?.[1];
  const body = streamed ? data && JSON.parse(data).response : wholeIn(text);
  return (
    body && { id: response.headers.get('x-generation-id') ?? '', output: body.output, usage: body.usage }
  );
}

function wholeIn(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Compares what clients saw, what the provider and the engine would bill, and what the books hold. */
async function assertBooked(
  gateway: GatewayProcess,
  complete: readonly CompleteAnswer[],
  tools: CountingTools,
): Promise<void> {
  const verdict = await runHeadgate(gateway.directory, ['ledger', 'verify']);
  assert.equal(verdict.code, 0, verdict.stdout + verdict.stderr);
  const rows = await readRows(gateway.directory);
  const turns = rows.filter(({ upstreamId }) => upstreamId !== undefined);
  assert.equal(
    new Set(turns.map(({ upstreamId }) => upstreamId)).size,
    turns.length,
    'a turn is booked twice',
  );
  for (const { upstreamId, cost } of turns) {
    const call = tools.calls.get(upstreamId ?? '');
    assert.ok(call !== undefined);
    assert.equal(cost, call.input * price.input + call.output * price.output);
  }
  const fees = rows.filter(({ requested_model }) => requested_model === 'service:web_search');
  assert.ok(fees.length > 0 && fees.length <= tools.searches, `${fees.length} fees of ${tools.searches}`);
  for (const { cost } of fees) assert.equal(cost, price.search);
  for (const { id, output, usage } of complete) {
    const own = rows.filter((row) => row.id === id || row.request_id === id);
    const charged = own.reduce((sum, { cost }) => sum + cost, 0);
    assert.equal(charged, Math.round(usage.cost * 1e9), `${id} was seen complete`);
    if (output.some(({ error }) => error !== undefined)) continue;
    const searched = output.filter(({ type }) => type === 'service:web_search').length;
    assert.equal(own.filter((row) => fees.includes(row)).length, searched);
    // Four turns, two pictures.
    assert.equal(own.length - searched, 6);
  }
}

async function readRows(folder: string): Promise<readonly Row[]> {
  const { rows } = await enginesOf(folder);
  const read = await rows('select * from generations');
  return read.map(({ id, request_id, requested_model, cost, details }): Row => {
    const { upstreamId } = JSON.parse(String(details));
    const request = request_id === null ? null : String(request_id);
    return {
      id: String(id),
      request_id: request,
      requested_model: String(requested_model),
      cost: Number(cost),
      upstreamId,
    };
  });
}

/** Files and pictures that answers named are there, whole. */
async function assertKept({ baseUrl, url, key }: GatewayProcess, complete: readonly CompleteAnswer[]) {
  const headers = { authorization: `Bearer ${key}` };
  const items = complete.flatMap(({ output }) => output);
  const failed = items.flatMap(({ error }) => error ?? []);
  // A database on a server may be too slow for one call; the model reads that, and nothing was kept.
  assert.ok(failed.length < items.length / 10, failed.join('; '));
  for (const error of failed) assert.match(error, /storage cannot be reached/);
  for (const { type, file_id: id } of items) {
    if (type !== 'service:files' || id === undefined) continue;
    const content = await fetch(`${baseUrl}/files/${id}/content`, { headers });
    assert.match(await content.text(), /^note \d+$/);
  }
  for (const { imageUrl } of items) {
    if (imageUrl === undefined) continue;
    const content = await fetch(new URL(imageUrl, url), { headers });
    assert.equal(Buffer.from(await content.arrayBuffer()).toString('base64'), dot);
  }
}
