import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bareProxy, externalGateway, type Gateway } from './gateways.ts';
import { headgate, headgateWith } from './headgate.ts';
import type { Effort } from './workbench.ts';

/** Parts that compare a gateway with the bare proxy. */
export const coreParts = ['unstreamed', 'streamed', 'events', 'paced', 'latency', 'memory'] as const;
/**
 * Parts that compare Headgate with itself: one public dialect and another, small and large, one set of engines and the other, one process and two;
 * the bare proxy with itself, without and with Headgate's promises; where requests wait within Headgate; without and with viewers of the dashboard.
 */
const headgateParts = ['dialects', 'scale', 'engines', 'processes', 'floors', 'stages', 'viewers'] as const;
/** What a run can measure, in this order. */
export const partNames = [...coreParts, ...headgateParts] as const;
/** One of them. */
export type PartName = (typeof partNames)[number];

/** Limit of batches in a warm-up, of a normal and of a quick run. */
const [normalBatches, quickBatches] = [12, 6];

/** The options of the command line. */
export interface Options {
  readonly json: boolean;
  readonly parts: readonly PartName[];
  readonly effort: Effort;
  /** The gateway with which the subject is compared. */
  readonly yardstick: Gateway;
  readonly subject: Gateway;
  /** Whether to install Portkey's gateway and measure it too. */
  readonly portkey: boolean;
  /** Whether the subject is Headgate, for which there are goals. */
  readonly isHeadgate: boolean;
  readonly upstreamPort: number;
  /** Write CPU profiles here and summarize the subject's. */
  readonly profileDirectory: string | undefined;
}

/** Shown by `--help`. */
export const help = `Usage: npm run bench -- [options]

  --json               one JSON object on standard output; measures as --quick does unless told otherwise
  --all                every part, with Portkey's gateway beside: the default of a report for people
  --quick              only ${coreParts.join(', ')}
  --only PART          ${partNames.join(', ')}; may be given several times
  --portkey            Portkey's gateway beside, also in a run of some parts
  --seconds N          length of one throughput phase (1.5)
  --rounds N           how often each gateway is measured (3)
  --connections N      connections of a throughput phase (64)
  --open-streams N     streams of the memory phase (10000)
  --profile DIR        write CPU profiles of the gateways to DIR and print where the time went
  --before DIR         compare with the Headgate of another checkout, by turns, instead of the bare proxy
  --against-itself     measure a second bare proxy instead of Headgate: shows the noise of the machine
  --target URL         measure a gateway that already runs, at this full address, instead of Headgate
  --name NAME          its name in the report
  --header 'K: V'      a header it needs; may be given several times
  --dialect D          responses or chat: the requests it takes (responses)
  --model ID           the model to ask it for
  --target-pid N       its process, for CPU and memory
  --upstream-port N    listen here as upstream, so that it can be told beforehand
`;

/**
 * Reads the command line; undefined means that the help text was requested. @throws Error for an unknown option.
 */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean' },
      json: { type: 'boolean' },
      all: { type: 'boolean' },
      quick: { type: 'boolean' },
      portkey: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      seconds: { type: 'string', default: '1.5' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
      'open-streams': { type: 'string', default: '10000' },
      profile: { type: 'string' },
      before: { type: 'string' },
      'against-itself': { type: 'boolean' },
      target: { type: 'string' },
      name: { type: 'string', default: 'target' },
      header: { type: 'string', multiple: true },
      dialect: { type: 'string', default: 'responses' },
      model: { type: 'string', default: 'bench/atlas-4' },
      'target-pid': { type: 'string' },
      'upstream-port': { type: 'string', default: '0' },
    },
  });
  if (values.help === true) return undefined;
  const subject = chooseSubject(values);
  const { before } = values;
  // The goals are about the bare proxy, and parts of Headgate beside itself have no place for a second one.
  const isHeadgate = subject === headgate && before === undefined;
  const everything = isHeadgate && (values.all === true || !(values.json === true || values.quick === true));
  return {
    json: values.json === true,
    parts:
      values.only === undefined ? (everything ? partNames : coreParts) : readParts(values.only, isHeadgate),
    portkey: values.portkey === true || (everything && values.only === undefined),
    isHeadgate,
    effort: {
      seconds: positive('seconds', values.seconds),
      rounds: positive('rounds', values.rounds),
      connections: positive('connections', values.connections),
      warmUpBatches: everything || values.only !== undefined ? normalBatches : quickBatches,
      openStreams: positive('open-streams', values['open-streams']),
    },
    yardstick:
      before === undefined
        ? bareProxy('bare proxy')
        : headgateWith({ name: 'before', checkout: resolve(before) }),
    subject,
    upstreamPort: Number(values['upstream-port']),
    profileDirectory: values.profile,
  };
}

function readParts(only: readonly string[], isHeadgate: boolean): readonly PartName[] {
  const possible: readonly PartName[] = isHeadgate ? partNames : coreParts;
  const unknown = only.find((name) => !possible.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: must be one of ${possible.join(', ')}`);
  return possible.filter((part) => only.includes(part));
}

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`--${name} ${value}: must be a number above zero`);
  return number;
}

interface SubjectValues {
  readonly 'against-itself'?: boolean | undefined;
  readonly target?: string | undefined;
  readonly name: string;
  readonly header?: readonly string[] | undefined;
  readonly dialect: string;
  readonly model: string;
  readonly 'target-pid'?: string | undefined;
}

function chooseSubject(values: SubjectValues): Gateway {
  if (values['against-itself'] === true) return bareProxy('bare proxy again');
  if (values.target === undefined) return headgate;
  return externalGateway({
    name: values.name,
    url: new URL(values.target),
    headers: Object.fromEntries((values.header ?? []).map(readHeader)),
    dialect: values.dialect === 'chat' ? 'chat' : 'responses',
    model: values.model,
    pid: values['target-pid'] === undefined ? undefined : Number(values['target-pid']),
  });
}

function readHeader(header: string): [string, string] {
  const colon = header.indexOf(':');
  if (colon < 1) throw new Error(`--header ${header}: must be written as 'name: value'`);
  return [header.slice(0, colon).trim().toLowerCase(), header.slice(colon + 1).trim()];
}
