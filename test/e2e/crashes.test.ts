import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBooks } from './support/books.ts';
import { type GatewayProcess, newDirectory, startGateway } from './support/gateway-process.ts';
import { runHeadgate } from './support/programs.ts';

const rounds = 4;
const clients = 24;
const config = `
providers:
  slow: { adapter: sandbox, tokens_per_second: 400 }
models:
  - { id: slow/lorem, endpoints: [{ provider: slow, model: lorem, price: { input: 1, output: 2 } }] }
`;

/** An answer a client saw complete: the terminal event, or the whole body. */
interface CompleteAnswer {
  readonly id: string;
  /** USD, as the answer itself says. */
  readonly cost: number;
}

test('killed under load again and again, the books hold every answer a client saw complete, once', async (t) => {
  const directory = newDirectory();
  const complete: CompleteAnswer[] = [];
  let broken = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      await using gateway = await startGateway({ directory, config });
      const over = new AbortController();
      const load = Array.from({ length: clients }, (_, index) => askOn(gateway, index, over.signal));
      await sleep(300 + Math.random() * 900);
      over.abort();
      await gateway.end('SIGKILL');
      for (const answers of await Promise.all(load)) {
        complete.push(...answers.complete);
        broken += answers.broken;
      }
      await assertBooked(gateway, complete);
    }
    await using gateway = await startGateway({ directory });
    assert.equal((await gateway.post({ model: 'sandbox/echo', input: 'still here' })).status, 200);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  t.diagnostic(`${rounds} kills, ${complete.length} complete answers, ${broken} broken off`);
  assert.ok(complete.length > 50 && broken > 0, 'the kills did not hit anything');
});

async function assertBooked(gateway: GatewayProcess, complete: readonly CompleteAnswer[]): Promise<void> {
  const verdict = await runHeadgate(gateway.directory, ['ledger', 'verify']);
  assert.equal(verdict.code, 0, verdict.stdout + verdict.stderr);
  const booked = readBooks(gateway.dataDirectory);
  const costs = new Map(booked.map(({ id, cost }) => [id, cost]));
  assert.equal(costs.size, booked.length, 'a call is booked twice');
  for (const { id, cost } of complete) {
    assert.equal(costs.get(id), Math.round(cost * 1e9), `${id} was seen complete`);
  }
}

/** One client: asks again and again, streamed and whole in turn, until the gateway has gone. */
async function askOn(gateway: GatewayProcess, client: number, over: AbortSignal) {
  const complete: CompleteAnswer[] = [];
  let broken = 0;
  const { key } = gateway;
  for (let turn = client; !over.aborted; turn += 1) {
    const body = {
      model: turn % 3 === 0 ? 'slow/lorem' : 'sandbox/lorem',
      input: 'x',
      max_output_tokens: 16 + ((turn * 37) % 200),
      stream: turn % 2 === 0,
    };
    const response = await gateway.post(body, { key }).catch(() => undefined);
    const answer = response && (await readAnswer(response, body.stream));
    if (answer === undefined) broken += 1;
    else complete.push(answer);
  }
  return { complete, broken };
}

async function readAnswer(response: Response, streamed: boolean): Promise<CompleteAnswer | undefined> {
  assert.equal(response.status, 200);
  let text = '';
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  } catch {
    // Cut off by the kill; what came before it may still be a complete answer.
  }
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
