import type { Attack, AttackContext, Counts } from '../attack.ts';
import { countAnswers, keepDoing, openSocket, pause, post, write } from '../raw-socket.ts';
import { guardAttacker } from './guardrail-texts.ts';

/** Asks again and again, and waits for each answer. */
async function ask(context: AttackContext, key: string, body: object): Promise<void> {
  const { signal, count } = context;
  const socket = await openSocket(context);
  countAnswers(socket, count);
  const request = post(key, body);
  while (!signal.aborted) {
    const answered = Promise.withResolvers<void>();
    const done = () => answered.resolve();
    socket.once('data', done).once('close', done);
    if (!(await write(socket, request))) break;
    await Promise.race([answered.promise, pause(context)]);
    socket.off('data', done).off('close', done);
  }
  socket.destroy();
}

const hidden = Array.from({ length: 240 }, (_, at) => ({
  type: 'function',
  name: `f${at}`,
  description: 'a'.repeat(8_000),
  parameters: { type: 'object' },
  defer_loading: true,
}));
const user = { role: 'user', content: 'Go.' };
/** A replayed search without its result, whose query has a thousand states and matches nowhere. */
const searching = {
  model: 'calm/calm',
  tools: [...hidden, { type: 'service:tool_search' }],
  input: [
    user,
    { type: 'service:tool_search', id: 'ts_1', status: 'completed', query: '(?:a.{0,100}z)' },
    user,
  ],
};

/** A pattern with nearly as many states as may be, and a text in which each of them stays possible. */
const pattern = '.{0,1000}.{0,900}z';
const slowText = { model: 'calm/calm', input: `${'a'.repeat(16_000)} END OF TEXT` };

const slowRules = {
  name: 'slow',
  content_filters: [pattern, 'END OF TEXT'].map((one) => ({ pattern: one, action: 'block' })),
};

const healing = {
  model: 'hostile/damaged',
  input: 'Go.',
  plugins: [{ id: 'response-healing' }],
  text: { format: { type: 'json_object' } },
};
const fetching = { model: 'hostile/fetching', input: 'Go.', tools: [{ type: 'service:web_fetch' }] };

const someAnswered =
  (...statuses: readonly string[]) =>
  (counts: Counts): readonly string[] =>
    statuses.some((status) => (counts[status] ?? 0) > 0) ? [] : ['nothing was answered'];

/** What strangers send that takes long to understand. */
export const isolatedWork: readonly Attack[] = [
  {
    name: 'page-bombs',
    title: '4 clients whose tools fetch pages of 450,000 links',
    memory: 600,
    windDown: 20_000,
    run: (context) => keepDoing(4, context, () => ask(context, context.key, fetching)),
  },
  {
    name: 'tool-search',
    title: '4 clients that replay searches of 2 MB of functions by a hostile query',
    memory: 500,
    run: (context) => keepDoing(4, context, () => ask(context, context.key, searching)),
    judge: someAnswered('200'),
  },
  {
    name: 'tool-search-poor',
    title: 'the same, from an account without credits',
    memory: 500,
    run: (context) => keepDoing(4, context, () => ask(context, context.poorKey, searching)),
    judge: someAnswered('402'),
  },
  {
    name: 'slow-patterns',
    title: '4 clients whose guardrail has a pattern of 3,800 states',
    memory: 400,
    prepare: (target) => guardAttacker(target, slowRules),
    run: (context) => keepDoing(4, context, () => ask(context, context.key, slowText)),
    judge: someAnswered('403', '503'),
  },
  {
    name: 'damaged-json',
    title: '4 clients whose answers are 300 kB of damaged JSON to repair',
    memory: 400,
    run: (context) => keepDoing(4, context, () => ask(context, context.key, healing)),
    judge: someAnswered('200'),
  },
];
