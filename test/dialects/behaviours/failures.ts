import assert from 'node:assert/strict';
import type { ScriptedAnswer, ScriptedFailure } from '../dialect-script.ts';
import type { Stage } from '../support/stage.ts';
import { type Behaviour, modes } from './behaviour.ts';

const answer: ScriptedAnswer = {
  utterances: [{ say: ['It was a dark ', 'and stormy ', 'night.'] }],
  finish: 'stop',
  usage: { input: 9, output: 7 },
};

function refusing(
  kind: ScriptedFailure,
  status: number,
  errorType: string,
  look?: (problem: { message: string; metadata: Record<string, unknown> }, headers: Headers) => void,
): Behaviour {
  return {
    name: `refused before the first byte: ${kind}`,
    async run({ deliver, ask, dialect }) {
      deliver(dialect.failure(kind, 'Said the provider.', kind === 'rate_limit' ? 7 : undefined));
      for (const mode of modes) {
        const got = await ask(mode);
        assert.equal(got.status, status, JSON.stringify(got.body));
        assert.equal(got.body.error.metadata.error_type, errorType);
        look?.(got.body.error, got.headers);
      }
    },
  };
}

/** The pieces of a streamed answer up to a share of them. */
function beginning({ dialect }: Stage, share: number): readonly Buffer[] {
  const { body } = dialect.answer(answer, true);
  return body.slice(0, Math.max(1, Math.floor(body.length * share)));
}

/** The pieces up to the first that holds text, with it. */
function untilText(stage: Stage): readonly Buffer[] {
  const { body } = stage.dialect.answer(answer, true);
  const first = body.findIndex((piece) => piece.includes('dark'));
  return body.slice(0, first + 1);
}

async function brokenOff(stage: Stage, body: readonly Buffer[], broken: boolean): Promise<void> {
  const { status, headers } = stage.dialect.answer(answer, true);
  stage.deliver({ status, headers, body, broken });
  const got = await stage.ask({ stream: true });
  assert.equal(got.status, 200, JSON.stringify(got.body));
  assert.equal(got.body.status, 'failed', JSON.stringify(got.body));
  assert.match(got.text, /^It was a dark /);
  assert.equal(got.body.usage?.cost ?? 0, 0, 'insured');
}

/** What goes wrong, before and after the first byte. */
export const failures: readonly Behaviour[] = [
  refusing('rate_limit', 429, 'rate_limit_exceeded', (problem, headers) => {
    assert.equal(headers.get('retry-after'), '7');
    assert.match(problem.message, /7 s/);
  }),
  refusing('overloaded', 529, 'provider_overloaded'),
  refusing('server', 502, 'provider_unavailable'),
  refusing('authentication', 502, 'provider_unavailable', ({ metadata }) => {
    assert.equal(metadata.provider_name, 'NorthGPU');
  }),
  refusing('context_length', 400, 'context_length_exceeded'),
  refusing('invalid_request', 400, 'invalid_request'),
  {
    name: 'a page of HTML instead of an answer',
    async run({ deliver, ask }) {
      const body = [Buffer.from('<html><body>Bad gateway</body></html>')];
      deliver({ status: 200, headers: { 'content-type': 'text/html' }, body });
      for (const mode of modes) {
        const got = await ask(mode);
        assert.equal(got.status, 502, JSON.stringify(got.body));
      }
      deliver({ status: 503, headers: { 'content-type': 'text/html' }, body });
      for (const mode of modes) assert.ok((await ask(mode)).status >= 502);
    },
  },
  {
    name: 'an empty answer',
    async run({ deliver, ask, dialect }) {
      const { status, headers } = dialect.answer(answer, true);
      deliver({ status, headers, body: [] });
      const got = await ask({ stream: true });
      assert.equal(got.status, 502, JSON.stringify(got.body));
    },
  },
  {
    name: 'a failure as the first event is an HTTP error',
    async run({ deliver, ask, dialect }) {
      const event = dialect.failureEvent('overloaded', 'Too many.');
      if (event === undefined) return;
      const { status, headers } = dialect.answer(answer, true);
      deliver({ status, headers, body: [event] });
      const got = await ask({ stream: true });
      assert.ok(got.status >= 500, JSON.stringify(got.body));
      assert.equal(got.headers.get('content-type')?.startsWith('application/json'), true);
    },
  },
  {
    name: 'a failure in the middle ends the stream in order',
    async run(stage) {
      const event = stage.dialect.failureEvent('server', 'Something broke.');
      if (event === undefined) return;
      await brokenOff(stage, [...untilText(stage), event], false);
    },
  },
  {
    name: 'a malformed event in the middle',
    run: (stage) => brokenOff(stage, [...untilText(stage), stage.dialect.malformedEvent()], false),
  },
  {
    name: 'a connection that breaks in the middle',
    run: (stage) => brokenOff(stage, untilText(stage), true),
  },
  {
    name: 'an answer that ends before it says so',
    run: (stage) => brokenOff(stage, untilText(stage), false),
  },
  {
    name: 'cut anywhere: a legal stream or a clean error',
    async run(stage) {
      const { status, headers, body } = stage.dialect.answer(answer, true);
      const whole = Buffer.concat([...body]);
      for (let share = 0; share < 12; share++) {
        const piece = whole.subarray(0, Math.floor((whole.length * share) / 12));
        stage.deliver({ status, headers, body: [piece], broken: share % 2 === 0 });
        const got = await stage.ask({ stream: true });
        const fine =
          got.status === 200 ? ['failed', 'completed'].includes(got.body.status) : got.status >= 500;
        assert.ok(fine, `${share}: ${got.status} ${JSON.stringify(got.body)}`);
      }
    },
  },
  {
    name: 'events twice or out of order: a legal stream or a clean error',
    async run(stage) {
      const { status, headers, body } = stage.dialect.answer(answer, true);
      const orders = [
        body.flatMap((piece) => [piece, piece]),
        body.toReversed(),
        [...body.slice(1), ...body.slice(0, 1)],
        [...body.slice(0, 1), ...body.slice(2), ...body.slice(1, 2)],
      ];
      for (const order of orders) {
        stage.deliver({ status, headers, body: order });
        const got = await stage.ask({ stream: true });
        assert.ok(got.status === 200 || got.status >= 500, `${got.status} ${JSON.stringify(got.body)}`);
      }
    },
  },
  {
    name: 'the next request is served after a failure',
    async run(stage) {
      stage.deliver(stage.dialect.failure('server', 'Broken.'), ({ streamed }) =>
        stage.dialect.answer(answer, streamed),
      );
      assert.ok((await stage.ask()).status >= 500);
      assert.equal((await stage.ask()).text, 'It was a dark and stormy night.');
    },
  },
  {
    name: 'half an answer is enough to see that it is not whole',
    async run(stage) {
      const { status, headers } = stage.dialect.answer(answer, true);
      stage.deliver({ status, headers, body: beginning(stage, 0.5) });
      const got = await stage.ask({ stream: true });
      assert.ok(got.status >= 500 || got.body.status === 'failed', JSON.stringify(got.body));
    },
  },
];
