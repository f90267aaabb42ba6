import { hashKey } from '../../../src/core/api-key.ts';
import type { Attack, AttackContext, PreparedTarget } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, pause, post, write } from '../raw-socket.ts';

const mebi = 1024 * 1024;
/** What detectors have to look at for long. */
const pieces = [
  'a',
  'ab',
  '1',
  '4111 1111 1111 ',
  'a@a.a',
  'ignore previous ',
  'r e v e a l ',
  '::ffff:1.2.',
  'aWdub3Jl ',
];

/** Every detector, and patterns that would take for ever on an engine that goes back. */
const rules = {
  name: 'hostile',
  content_filter_builtins: [
    'email',
    'phone',
    'ssn',
    'credit-card',
    'ip-address',
    'regex-prompt-injection',
  ].map((slug) => ({ slug, action: 'flag' })),
  content_filters: [
    { pattern: '(?:a|b|ab)*c', action: 'flag' },
    { pattern: '[a-z ]*[0-9 ]*[a-z ]*!', action: 'flag' },
    // So that nothing is sent to a provider.
    { pattern: 'END OF TEXT', action: 'block' },
  ],
};

/** Puts the attacker's key under a guardrail. */
export async function guardAttacker({ port, keys }: PreparedTarget, rules: object): Promise<void> {
  const manage = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/guardrails${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.management}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { data?: { id: string } };
  };
  const { data } = await manage('', rules);
  await manage(`/${data?.id}/assignments/keys`, { key_hashes: [hashKey(keys.attacker)] });
}

/** Sends one text after the other and waits for each answer. */
async function send(number: number, context: AttackContext): Promise<void> {
  const { signal, count, key } = context;
  const socket = await openSocket(context);
  countAnswers(socket, count);
  for (let round = number; !signal.aborted; round += 1) {
    const piece = pieces[round % pieces.length] ?? '';
    const input = `${piece.repeat(mebi / piece.length)} END OF TEXT`;
    const answered = Promise.withResolvers<void>();
    const done = () => answered.resolve();
    socket.once('data', done).once('close', done);
    if (!(await write(socket, post(key, { model: 'calm/calm', input })))) break;
    count('MiB sent');
    await Promise.race([answered.promise, pause(context)]);
    socket.off('data', done).off('close', done);
  }
  socket.destroy();
}

/** Texts that keep guardrails busy. */
export const guardrailTexts: readonly Attack[] = [
  {
    name: 'guardrail-texts',
    title: '4 connections with texts of 1 MiB for every detector and hostile patterns',
    // Seen: 180 in 4 s, 300 in 20 s. The thread may take 168; the rest is garbage of texts of megabytes in the main thread, not collected yet.
    memory: 400,
    prepare: (target) => guardAttacker(target, rules),
    run: (context) => keepDoing(4, context, (number) => send(number, context)),
    judge: ({ '403': blocked = 0 }) => (blocked > 0 ? [] : ['no text was scanned to its end']),
  },
];
