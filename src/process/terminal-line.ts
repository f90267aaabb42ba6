import { visible } from '../cli/format-table.ts';
import { isObject, parseJson } from '../util/json.ts';

/**
 * Formats a log line for a terminal: a request becomes one sentence instead of a list of members. Other lines, and
 * those with an error, stay unchanged.
 */
export function terminalLine(line: string): string {
  const record = parseJson(line);
  if (!isObject(record) || 'err' in record) return line;
  const msg = sentences.get(String(record.msg))?.(record);
  if (msg === undefined) return line;
  const { level, time } = record;
  return `${JSON.stringify({ level, time, msg: visible(msg) })}\n`;
}

type LogRecord = Readonly<Record<string, unknown>>;

const sentences = new Map<string, (record: LogRecord) => string>([
  ['served', (record) => callSentence('served', record)],
  ['failed', (record) => callSentence('failed', record)],
  [
    'request refused',
    ({ method, path, status, reason, ...rest }) =>
      `refused ${method} ${path}: ${status} ${reason}${origin(rest, [rest.key ?? rest.client])}`,
  ],
]);

function callSentence(verb: string, record: LogRecord): string {
  const { model, provider, finish, error, failures, input, output, duration, cost, key } = record;
  const facts = [
    finish === 'cancelled' && 'the client left',
    typeof error === 'string' && error,
    ...(Array.isArray(failures) ? failures.filter(isObject).map(failureOf) : []),
    typeof input === 'number' && `tokens ${input} in`,
    typeof output === 'number' && `${output} out`,
    `${duration} ms`,
    costOf(cost),
  ];
  const by = provider === undefined ? '' : ` by ${provider}`;
  return `${verb} ${model}${by}: ${facts.filter((fact) => fact !== false).join(', ')}${origin(record, [key])}`;
}

function failureOf({ tag, reason, code }: LogRecord): string {
  return `${tag} failed (${code === undefined ? reason : `${reason} ${code}`})`;
}

function costOf(cost: unknown): string {
  if (typeof cost !== 'number') return 'no price';
  return `${cost.toFixed(9).replace(/\.?0+$/, '')} USD`;
}

/** The parts that lead from the terminal to the record, the key and the process. */
function origin({ id, worker }: LogRecord, more: readonly unknown[]): string {
  const words = [id, ...more, worker === undefined ? undefined : `worker ${worker}`];
  return ` (${words.filter((word) => word !== undefined).join(', ')})`;
}
