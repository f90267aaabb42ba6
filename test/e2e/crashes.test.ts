import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { type BookedCall, readBooks } from './support/books.ts';
import { type CountedCall, startCountingUpstream } from './support/counting-upstream.ts';
import { type GatewayProcess, newDirectory, startGateway } from './support/gateway-process.ts';
import { runHeadgate } from './support/programs.ts';

/** How often the server is killed: what HEADGATE_CRASH_ROUNDS says in the slow lane, 200 and more. */
const rounds = Number(process.env.HEADGATE_CRASH_ROUNDS ?? 16);

/** After how many kills the three logs are compared; always after the last one. */
const roundsBetweenChecks = 8;
const clients = 24;
/** Few, so that many are in the making when it dies; enough to see that it served, however slow the machine is. */
const answersBeforeKill = 10;

/** Nano-USD a token. */
const price = { input: 1_000, output: 2_000 };

/** An answer a client saw complete: the terminal event, or the whole body. */
interface CompleteAnswer {
  readonly id: string;
  /** USD, as the answer itself says. */
  readonly cost: number;
}

test('killed under load again and again, the books hold every answer a client saw complete, once', {
  timeout: 60_000 + rounds * 15_000,
}, async (t) => {
  const directory = newDirectory();
  await using upstream = await startCountingUpstream();
  const config = configuration(upstream.baseUrl);
  const complete: CompleteAnswer[] = [];
  let broken = 0;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      await using gateway = await startGateway({
        directory,
        config,
        env: { HEADGATE_BILLING_MODE: 'prepaid' },
      });
      if (round === 1) await runHeadgate(directory, ['credits', 'grant', '--amount', '90', '--ref', 'start']);
      const seen = await loadAndKill(gateway);
      complete.push(...seen.complete);
      broken += seen.broken;
      if (round % roundsBetweenChecks === 0 || round === rounds) {
        await assertBooked(gateway, complete, upstream.calls);
      }
    }
    await using gateway = await startGateway({ directory });
    assert.equal((await gateway.post({ model: 'paid/words', input: 'still here' })).status, 200);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  t.diagnostic(`${rounds} kills, ${complete.length} complete answers, ${broken} broken off`);
  assert.ok(broken > 0, 'the kills did not hit anything');
});

function configuration(baseUrl: string): string {
  const endpoint = `{ provider: counting, model: words, context_length: 32768, price: { input: 1, output: 2 } }`;
  return `
providers:
  counting: { adapter: openai-chat, base_url: "${baseUrl}", api_key: any }
models:
  - { id: paid/words, endpoints: [${endpoint}] }
`;
}

/** Lets clients ask until the gateway, which has answered some, dies at a moment nobody chose. */
async function loadAndKill(gateway: GatewayProcess) {
  const over = new AbortController();
  const complete: CompleteAnswer[] = [];
  const load = Array.from({ length: clients }, (_, index) => askOn(gateway, index, over.signal, complete));
  await eventually('some answers', () => complete.length >= answersBeforeKill);
  await sleep(Math.random() * 600);
  over.abort();
  await gateway.end('SIGKILL');
  const broken = await Promise.all(load);
  return { complete, broken: broken.reduce((sum, count) => sum + count, 0) };
}

/** Compares what clients saw, what the provider would bill and what the books hold. */
async function assertBooked(
  gateway: GatewayProcess,
  complete: readonly CompleteAnswer[],
  calls: ReadonlyMap<string, CountedCall>,
): Promise<void> {
  const verdict = await runHeadgate(gateway.directory, ['ledger', 'verify']);
  assert.equal(verdict.code, 0, verdict.stdout + verdict.stderr);
  const booked = await readBooks(gateway.directory);
  const byId = new Map(booked.map((call) => [call.id, call]));
  assert.equal(byId.size, booked.length, 'a call is booked twice');
  for (const { id, cost } of complete) {
    assert.equal(byId.get(id)?.cost, Math.round(cost * 1e9), `${id} was seen complete`);
    const call = calls.get(byId.get(id)?.upstreamId ?? '');
    assert.ok(call !== undefined, `${id} was answered by the provider`);
    assert.equal(byId.get(id)?.cost, call.input * price.input + call.output * price.output);
  }
  assertChargedOnce(booked);
}

/** No call the provider answered may stand in the books under two generations. */
function assertChargedOnce(booked: readonly BookedCall[]): void {
  const charged = booked.filter(({ upstreamId }) => upstreamId !== undefined);
  assert.equal(new Set(charged.map(({ upstreamId }) => upstreamId)).size, charged.length);
}

/**
 * One client: asks again and again, streamed and whole in turn, until the gateway has gone. Adds what it saw complete
 * and gives how many were broken off.
 */
async function askOn(
  gateway: GatewayProcess,
  client: number,
  over: AbortSignal,
  complete: CompleteAnswer[],
): Promise<number> {
  let broken = 0;
  const { key } = gateway;
  for (let turn = client; !over.aborted; turn += 1) {
    const body = { model: 'paid/words', input: 'x', max_output_tokens: 60, stream: turn % 2 === 0 };
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
  const body = streamed ? terminalIn(text) : wholeIn(text);
  if (body === undefined) return undefined;
  return { id: response.headers.get('x-generation-id') ?? '', cost: body.usage.cost };
}

function terminalIn(text: string): Body | undefined {
  const data = /^data: (\{"type":"response\.(?:completed|incomplete)".*\})\n\n/m.exec(text)?.[1];
  return data === undefined ? undefined : JSON.parse(data).response;
}

function wholeIn(text: string): Body | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Body = { readonly usage: { readonly cost: number } };
