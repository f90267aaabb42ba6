import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { checkContract } from '../support/contract.ts';
import type { DialectScript, ScriptedAnswer, Utterance } from './dialect-script.ts';
import { dialects } from './dialects.ts';
import { publicClients } from './support/public-clients.ts';
import { type Stage, setStage } from './support/stage.ts';

/** More in the slow lane: HEADGATE_FUZZ_RUNS. */
const numRuns = Number(process.env.HEADGATE_FUZZ_RUNS ?? 5);
const maxPieces = 4_000;
const tools = [{ type: 'function', name: 'get_tide', parameters: { type: 'object' } }];

/** What can happen to the events of a stream on their way. */
type EngineFault =
  | { readonly kind: 'drop' | 'double' | 'swap'; readonly at: number }
  | { readonly kind: 'cut'; readonly at: number; readonly keep: number }
  | { readonly kind: 'spoil'; readonly at: number; readonly byte: number; readonly value: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'swell'; readonly at: number; readonly size: number };

const at = fc.nat(1000);
const engineFault: fc.Arbitrary<EngineFault> = fc.oneof(
  fc.record({ kind: fc.constantFrom('drop' as const, 'double' as const, 'swap' as const), at }),
  fc.record({ kind: fc.constant('cut' as const), at, keep: fc.nat(200) }),
  fc.record({ kind: fc.constant('spoil' as const), at, byte: fc.nat(5000), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('insert' as const), at, bytes: fc.uint8Array({ maxLength: 60 }) }),
  fc.record({ kind: fc.constant('swell' as const), at, size: fc.nat(200_000) }),
);
const words = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { minLength: 1, maxLength: 5 });

function utterancesOf(dialect: DialectScript): fc.Arbitrary<Utterance[]> {
  const call = words.map((said): Utterance => {
    const json = JSON.stringify({ port: said.join('') });
    return { call: [{ id: 'call_z1', name: 'get_tide', arguments: [json.slice(0, 5), json.slice(5)] }] };
  });
  const thought = words.map((think): Utterance => ({ think }));
  const said = words.map((say): Utterance => ({ say }));
  return fc.array(fc.oneof(said, call, ...(dialect.cannot.has('think') ? [] : [thought])), {
    minLength: 1,
    maxLength: 3,
  });
}

function befall(pieces: readonly Buffer[], engineFaults: readonly EngineFault[]): Buffer[] {
  const result = [...pieces];
  for (const event of engineFaults) {
    if (result.length === 0) break;
    const index = event.at % result.length;
    const piece = result[index] ?? Buffer.alloc(0);
    if (event.kind === 'drop') result.splice(index, 1);
    else if (event.kind === 'double') result.splice(index, 0, piece);
    else if (event.kind === 'swap') result.splice(0, 0, ...result.splice(index, 1));
    else if (event.kind === 'insert') result.splice(index, 0, Buffer.from(event.bytes));
    else result[index] = damage(piece, event);
  }
  return result;
}

/** Bytes a piece: what has swollen comes in larger ones, or a hundred thousand writes would take seconds. */
function atLeast(size: number, body: readonly Buffer[]): number {
  return Math.max(size, Math.ceil(body.reduce((sum, { length }) => sum + length, 0) / maxPieces));
}

function damage(piece: Buffer, event: EngineFault): Buffer {
  if (event.kind === 'cut') return piece.subarray(0, event.keep);
  if (event.kind === 'swell') return Buffer.concat([piece, Buffer.alloc(event.size, 'x')]);
  if (event.kind !== 'spoil' || piece.length === 0) return piece;
  const copy = Buffer.from(piece);
  copy[event.byte % piece.length] = event.value;
  return copy;
}

const schemas: Readonly<Record<string, string>> = { chat: 'ChatResult', messages: 'MessagesResult' };
const clients = publicClients.filter(({ name }) => schemas[name] !== undefined);

/** Asks in another public dialect: what comes is legal there, whatever happened to the provider's stream. */
async function askIn(name: string, { gateway }: Stage, stream: boolean): Promise<void> {
  const client = clients.find((one) => one.name === name);
  assert.ok(client);
  const parameters = { type: 'object' };
  const asked = client.body({ text: 'Hello', tools: [{ name: 'get_tide', parameters }] }, 'acme/atlas-4');
  const response = await fetch(gateway.url + client.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ ...asked, stream }),
  });
  const text = await response.text();
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    // The readers check framing, grammar and contract, of streams that failed as well.
    client.gather(text);
    return;
  }
  const isMessages = client.name === 'messages';
  if (response.status === 200) checkContract(schemas[client.name] ?? '', JSON.parse(text));
  else checkContract(isMessages ? 'AnthropicMessagesErrorResponse' : 'BadRequestResponse', JSON.parse(text));
}

describe('mishaps', { concurrency: 3 }, () => {
  for (const dialect of dialects) {
    describe(`${dialect.adapter} under mishaps`, { concurrency: 1 }, () => {
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        stage = await setStage(dialect);
      });
      after(() => stage.strike());

      test('every stream is legal or a clean error, in any pieces', async () => {
        const pieceSize = fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined });
        await fc.assert(
          fc.asyncProperty(
            utterancesOf(dialect),
            fc.array(engineFault, { maxLength: 4 }),
            pieceSize,
            fc.boolean(),
            fc.constantFrom(...clients.map(({ name }) => name)),
            async (utterances, engineFaults, size, broken, name) => {
              const script: ScriptedAnswer = { utterances, finish: 'stop', usage: { input: 9, output: 7 } };
              const { status, headers, body } = dialect.answer(script, true);
              const fallen = befall(body, engineFaults);
              stage.deliver({
                status,
                headers,
                body: fallen,
                pieceSize: size && atLeast(size, fallen),
                broken,
              });
              // Whatever is read is checked against framing, grammar and contract.
              const got = await stage.ask({ stream: true, tools });
              await askIn(name, stage, true);
              stage.say(script);
              await askIn(name, stage, false);
              if (got.status !== 200) {
                assert.ok([400, 502, 503, 524, 529].includes(got.status), JSON.stringify(got.body));
                return;
              }
              assert.ok(['completed', 'incomplete', 'failed'].includes(got.body.status));
              if (engineFaults.length === 0 && !broken)
                assert.equal(got.body.status, 'completed', JSON.stringify(got.body));
            },
          ),
          { numRuns },
        );
      });
    });
  }
});
