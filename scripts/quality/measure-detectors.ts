import {
  findCreditCards,
  findEmails,
  findIpAddresses,
  findPhones,
  findSocialSecurityNumbers,
} from '../../src/guardrails/detectors/personal-data.ts';
import type { Span } from '../../src/guardrails/span.ts';
import { type PersonalKind, personalKinds } from './personal-values.ts';
import { SeededRandom } from './seeded-random.ts';

/** How well a detector finds what it should, and nothing else. */
export interface DetectorQuality {
  readonly slug: string;
  /** Texts with a value, and as many that only look like it. */
  readonly examples: number;
  /** Of the pieces found, the share that are values. */
  readonly precision: number;
  /** Of the values, the share that was found whole. */
  readonly recall: number;
  /** The recall of each way to write the value. */
  readonly formats: readonly number[];
  /** Some texts that were judged wrong. */
  readonly mistakes: readonly string[];
}

type Detector = (text: string) => readonly Span[];

const detectors: readonly (readonly [slug: string, find: Detector, kind: PersonalKind])[] = [
  ['email', findEmails, personalKinds.email],
  ['phone', findPhones, personalKinds.phone],
  ['ssn', findSocialSecurityNumbers, personalKinds.ssn],
  ['credit-card', findCreditCards, personalKinds['credit-card']],
  ['ip-address', findIpAddresses, personalKinds['ip-address']],
];

const sentences: readonly ((value: string) => string)[] = [
  (value) => `Please write to ${value} before Friday.`,
  (value) => `${value} is what the customer gave us.`,
  (value) => `{"id": 7, "value": "${value}", "ok": true}`,
  (value) => `name,value\nx,${value}\ny,none`,
  (value) => `Contact: ${value}`,
  (value) => `Why is ${value} in the log, and who put it there?`,
  (value) => `<td>${value}</td>`,
  (value) => `- ${value}\n- nothing else`,
];
const mostMistakes = 5;

/** Lets each detector look at generated texts. A value that was found in part is both missed and a false alarm. */
export function measureDetectors(examples: number, seed: number): readonly DetectorQuality[] {
  return detectors.map(([slug, find, kind]) => ({
    slug,
    examples,
    ...measure(find, kind, examples, new SeededRandom(seed)),
  }));
}

function measure(
  find: Detector,
  { formats, lookalikes }: PersonalKind,
  examples: number,
  random: SeededRandom,
) {
  const found = formats.map(() => 0);
  const mistakes: string[] = [];
  let alarms = 0;
  for (let at = 0; at < examples; at += 1) {
    const format = at % formats.length;
    const { text, value } = readMarks(random.pick(sentences)(marked(formats[format]?.(random) ?? '')));
    const spans = find(text);
    const isFound = spans.some(({ start, end }) => start <= value.start && end >= value.end);
    if (isFound) found[format] = (found[format] ?? 0) + 1;
    const wrong = spans.filter(({ start, end }) => !isFound || start >= value.end || end <= value.start);
    alarms += wrong.length;
    if ((!isFound || wrong.length > 0) && mistakes.length < mostMistakes) mistakes.push(text);
  }
  for (let at = 0; at < examples; at += 1) {
    const text = random.pick(sentences)(lookalikes[at % lookalikes.length]?.(random) ?? '');
    const spans = find(text);
    alarms += spans.length;
    if (spans.length > 0 && mistakes.length < 2 * mostMistakes) mistakes.push(text);
  }
  const right = found.reduce((sum, count) => sum + count, 0);
  return {
    precision: right / (right + alarms),
    recall: right / examples,
    formats: found.map((count) => (count * formats.length) / examples),
    mistakes,
  };
}

function marked(written: string): string {
  return written.includes('⟦') ? written : `⟦${written}⟧`;
}

function readMarks(text: string): { readonly text: string; readonly value: Span } {
  const [start, end] = [text.indexOf('⟦'), text.indexOf('⟧') - 1];
  return { text: text.replace('⟦', '').replace('⟧', ''), value: { start, end } };
}
