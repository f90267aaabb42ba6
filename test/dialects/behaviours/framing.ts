import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedAnswer } from '../dialect-script.ts';
import type { Got, Stage } from '../support/stage.ts';
import type { Behaviour } from './behaviour.ts';

const call = { id: 'call_w1', name: 'get_tide', arguments: ['{"port":', '"Ærø 漢字"}'] };
const answer: ScriptedAnswer = {
  utterances: [{ say: ['Grüße ', '漢字 👩‍🚀', '.'] }, { call: [call] }],
  finish: 'tool_calls',
  usage: { input: 9, output: 7 },
};
const tools = [{ type: 'function', name: 'get_tide', parameters: { type: 'object' } }];

/** The events of an answer, without what differs from one request to the next. */
function story({ events }: Got): string {
  const ids = new Map<string, string>();
  return JSON.stringify(events)
    .replace(/"(created|completed)_at":\d+/g, '"$1_at":0')
    .replace(/"(?:resp|msg|rs|fc|call)_[A-Za-z0-9]+"/g, (id) => {
      const known = ids.get(id) ?? `"id${ids.size}"`;
      ids.set(id, known);
      return known;
    });
}

async function tell(stage: Stage, how: { pieceSize?: number; pause?: number }): Promise<string> {
  stage.deliver({ ...stage.dialect.answer(answer, true), ...how });
  const got = await stage.ask({ stream: true, tools });
  assert.equal(got.body.status, 'completed', JSON.stringify(got.body));
  return textDeltasJoined(story(got));
}

/** How many deltas a text comes in depends on how its bytes arrive; that they join to the same does not. */
function textDeltasJoined(told: string): string {
  const events = JSON.parse(told) as { type: string; delta?: string }[];
  return JSON.stringify(
    events.filter(({ type }) => !type.endsWith('.delta')).map((event) => ({ ...event, sequence_number: 0 })),
  );
}

/** How bytes travel. */
export const framing: readonly Behaviour[] = [
  {
    name: 'byte by byte, all at once, and in odd pieces: the same story',
    async run(stage) {
      const whole = await tell(stage, {});
      for (const pieceSize of [1, 7, 61, 1_000_000]) assert.equal(await tell(stage, { pieceSize }), whole);
    },
  },
  {
    name: 'a slow trickle is kept alive',
    async run(stage) {
      stage.deliver({ ...stage.dialect.answer(answer, true), delay: 300, pause: 20 });
      stage.gateway.setServer({ keepAlive: 100 });
      const got = await stage.ask({ stream: true, tools });
      stage.gateway.setServer({ keepAlive: 60_000 });
      assert.equal(got.body.status, 'completed');
      assert.ok(got.comments.length >= 1, 'no comment while nothing came');
    },
  },
  {
    name: 'bytes that are no UTF-8 do no harm',
    async run(stage) {
      const { status, headers, body } = stage.dialect.answer(answer, true);
      const spoilt = body.map((piece) => {
        const at = piece.indexOf('漢');
        if (at === -1) return piece;
        const copy = Buffer.from(piece);
        copy[at] = 0xff;
        return copy;
      });
      stage.deliver({ status, headers, body: spoilt });
      const got = await stage.ask({ stream: true, tools });
      assert.ok(got.status === 200 || got.status >= 500, JSON.stringify(got.body));
    },
  },
  {
    name: 'an event without end does not eat the memory',
    async run(stage) {
      const { status, headers } = stage.dialect.answer(answer, true);
      const endless = Buffer.alloc(1_000_000, 'a');
      stage.deliver({ status, headers, body: Array.from({ length: 80 }, () => endless) });
      const got = await stage.ask({ stream: true });
      assert.ok(got.status >= 500, JSON.stringify(got.body).slice(0, 300));
    },
  },
  {
    name: 'a client that leaves closes the provider’s connection, and the next is served',
    async run(stage) {
      stage.deliver({ ...stage.dialect.answer(answer, true), pause: 200 }, ({ streamed }) =>
        stage.dialect.answer(answer, streamed),
      );
      const abort = new AbortController();
      const leaving = fetch(`${stage.gateway.url}/api/v1/responses`, {
        method: 'POST',
        signal: abort.signal,
        headers: { authorization: `Bearer ${stage.gateway.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'acme/atlas-4', input: 'Hello', stream: true, tools }),
      });
      const left = stage.provider.left;
      while (stage.provider.seen.length === 0) await sleep(5);
      abort.abort();
      await assert.rejects(leaving.then((response) => response.text()));
      while (stage.provider.left === left) await sleep(5);
      assert.equal((await stage.ask({ tools })).body.status, 'completed');
    },
  },
];
