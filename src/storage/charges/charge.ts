import { largestUsd, type NanoUsd } from '../../core/money.ts';
import { cachedInput, totalInput, type Usage } from '../../core/usage.ts';
import type { Generation } from '../../ports/generations.ts';
import {
  type Charge,
  type ChargeRow,
  chargePlace,
  readChargeLine,
  readChargeLines,
  type StoredTerms,
} from '../sql/charge-columns.ts';
import type { SqlConnection } from '../sql/database.ts';
import { sql } from '../sql/statement.ts';
import { flag } from '../sql/values.ts';

/** The members of a generation that have columns of their own. */
type InColumns =
  | 'id'
  | 'requestId'
  | 'accountId'
  | 'keyHash'
  | 'workspaceId'
  | 'createdAt'
  | 'settledAt'
  | 'requestedModel'
  | 'model'
  | 'provider'
  | 'endpointTag'
  | 'isByok'
  | 'cost'
  | 'listCost';

/** Flags; one that is not set is left out. */
export type FlagDetail = 'lapsed' | 'streamed' | 'cancelled' | 'usageEstimated' | 'insured' | 'unpriced';

/** Members as JSON keeps them. Every one must be named, or a new one would be lost. */
type Stored<Name extends keyof Generation> = {
  // Money is decimal text.
  readonly [One in Name]: One extends 'cacheDiscount'
    ? string | undefined
    : One extends FlagDetail
      ? true | undefined
      : Generation[One];
};

/** What JSON keeps of a generation besides its columns. */
export type ChargeDetails = Stored<Exclude<keyof Generation, InColumns>>;

/**
 * A generation as one line of text: the values of `chargeColumns` as a JSON array, a tab, the details as a JSON
 * object, a line feed. One generation must never spoil the batch it is booked in, so counts and durations are
 * made whole, or left out when they are no number at all.
 * @throws RangeError when a sum of money does not fit 64 bits or a time is no number.
 */
export function chargeLine(generation: Generation): string {
  const usage = wholeUsage(generation.usage);
  const columns = JSON.stringify([
    generation.id,
    generation.accountId,
    generation.keyHash,
    generation.workspaceId,
    time(generation.createdAt),
    time(generation.settledAt),
    generation.requestedModel,
    generation.model,
    generation.provider,
    generation.endpointTag,
    flag(generation.isByok),
    totalInput(usage),
    usage.output,
    usage.reasoning,
    money(generation.cost),
    money(generation.listCost),
    cachedInput(usage),
    // The first turn of a request, which most are, needs no link to itself.
    generation.requestId === generation.id ? undefined : generation.requestId,
  ]);
  return `${columns}\t${JSON.stringify(detailsOf(generation, usage))}\n`;
}

function detailsOf(generation: Generation, usage: Usage): ChargeDetails {
  return {
    // First, where `isLapsed` looks for it.
    lapsed: generation.lapsed,
    upstreamId: generation.upstreamId,
    userAgent: generation.userAgent,
    serviceTier: generation.serviceTier,
    streamed: generation.streamed || undefined,
    cancelled: generation.cancelled || undefined,
    finishReason: generation.finishReason,
    nativeFinishReason: generation.nativeFinishReason,
    errorType: generation.errorType,
    latency: count(generation.latency),
    generationTime: count(generation.generationTime),
    usage,
    usageEstimated: generation.usageEstimated || undefined,
    implausibleUsage: generation.implausibleUsage,
    insured: generation.insured || undefined,
    unpriced: generation.unpriced,
    cacheDiscount: generation.cacheDiscount?.toString(),
    routedBy: generation.routedBy,
    routedTask: generation.routedTask,
    attempts: generation.attempts,
    sessionId: generation.sessionId,
    externalUser: generation.externalUser,
    httpReferer: generation.httpReferer,
    origin: generation.origin,
    appTitle: generation.appTitle,
    preset: generation.preset,
    presetId: generation.presetId,
    credentialId: generation.credentialId,
    mediaInput: count(generation.mediaInput),
    mediaOutput: count(generation.mediaOutput),
    audioInputs: count(generation.audioInputs),
    pipeline: generation.pipeline,
  };
}

function wholeUsage(usage: Usage): Usage {
  const whole: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  for (const name of Object.keys(usage) as (keyof Usage)[]) whole[name] = count(usage[name]);
  return whole;
}

function count(value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  const whole = Math.round(value);
  return Number.isSafeInteger(whole) ? whole : undefined;
}

function time(value: number): number {
  const whole = Math.round(value);
  if (!Number.isSafeInteger(whole)) throw new RangeError(`${value} is not a time in Unix milliseconds`);
  return whole;
}

/** An amount as a number where one holds it exactly, else as text. */
function money(amount: NanoUsd): number | string {
  if (amount > largestUsd || amount < -largestUsd) throw new RangeError('An amount exceeds 64 bits.');
  const number = Number(amount);
  return Number.isSafeInteger(number) ? number : amount.toString();
}

/** The charge as one line that can wait to be booked: its charge line, and the terms, if any, as a third part. */
export function waitingLine({ line, terms }: Charge): string {
  if (terms === undefined) return line;
  const { feeBasisPoints, monthlyAllowance } = terms;
  const stored: StoredTerms = { feeBasisPoints, monthlyAllowance: monthlyAllowance.toString() };
  return `${line.slice(0, -1)}\t${JSON.stringify(stored)}\n`;
}

interface HeldRow {
  readonly id: string;
  readonly line: string;
}

/** Keeps a charge line, with or without terms, that the database refused. Keeping it again changes nothing. */
export async function holdCharge(db: SqlConnection, line: string): Promise<void> {
  const id = String(readChargeLine(line)[chargePlace.id]);
  await db.change(
    sql`insert into held_charges (id, line) values (${id}, ${line}) on conflict (id) do nothing`,
  );
}

/** The charges that are kept. */
export async function heldCharges(db: SqlConnection): Promise<readonly ChargeRow[]> {
  return (await heldRows(db)).flatMap(({ line }) => readChargeLines(line));
}

/**
 * Books the charges that are kept and forgets those that were booked.
 * @param book Resolves with whether the database accepts the line now.
 */
export async function retryHeldCharges(
  db: SqlConnection,
  book: (line: string) => Promise<boolean>,
): Promise<void> {
  for (const { id, line } of await heldRows(db)) {
    if (await book(line)) await db.change(sql`delete from held_charges where id = ${id}`);
  }
}

function heldRows(db: SqlConnection): Promise<readonly HeldRow[]> {
  return db.rows<HeldRow>(sql`select id, line from held_charges order by id`);
}
