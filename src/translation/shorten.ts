import { shortensFor } from '../core/compression.ts';
import { type ContentPart, type Item, isSystem } from '../core/request.ts';
import { countTokens } from '../util/count-tokens.ts';
import type { JsonObject } from '../util/json.ts';
import type { RequestRewriter } from './request-rewriter.ts';

/** The part of a context that stays free because estimates miss, and its least size in tokens. */
const reserve = 0.02;
const leastReserve = 64;
/** The output that is expected where the request limits none. */
const usualOutput = 4096;
/** The part of a context that such an output may take at most. */
const outputShare = 0.25;

/** Whether the gateway sees to it that a conversation is not too long for the endpoint. */
export function isShortened({ request, destination }: RequestRewriter): boolean {
  const why = shortensFor(request, destination);
  if (why !== 'asked') return why === 'default';
  return request.compression === true || destination.support['truncation.auto'] !== 'native';
}

/**
 * Leaves out the middle of a conversation that is too long for the endpoint (docs/spec/plugins.md#context-compression), where
 * the request asks for it and the endpoint does not do it itself, or where its context is small. Tokens are estimated;
 * without a known context only messages are counted.
 */
export function shorten(rewriter: RequestRewriter): void {
  const { destination, request } = rewriter;
  if (!isShortened(rewriter)) return;
  const isAsked = shortensFor(request, destination) === 'asked';
  if (request.truncation === 'auto') rewriter.change({ truncation: 'disabled' });
  const { items, tools, instructions, format } = request;
  const besides = estimateTokens(instructions ?? '') + countTokens(JSON.stringify({ tools, format }));
  const kept = middleOut(items, budgetFor(rewriter) - besides, destination.support.mostMessages);
  if (kept === items) return;
  rewriter.change({ items: kept });
  // A request that asked for it is not altered: the pipeline alone reports it.
  if (!isAsked) rewriter.noteField('input', 'dropped', 'the middle of it, because the context is small');
  rewriter.entries.push({
    type: 'context_compression',
    name: 'context-compression',
    data: { engine: 'middle-out', ...countsOf(items, kept) },
  });
}

/** What was left: of a lone text in characters, else in items. */
function countsOf(items: readonly Item[], kept: readonly Item[]): JsonObject {
  const [prompt, short] = [lonePrompt(items), lonePrompt(kept)];
  return prompt === undefined || short === undefined
    ? { input_type: 'messages', original_count: items.length, compressed_count: kept.length }
    : { input_type: 'prompt', original_count: prompt.length, compressed_count: short.length };
}

function lonePrompt([item, ...others]: readonly Item[]): string | undefined {
  if (item?.kind !== 'message' || item.role !== 'user' || others.length > 0) return undefined;
  const [part, ...more] = item.content;
  return part?.kind === 'text' && more.length === 0 ? part.text : undefined;
}

/** The number of tokens that the input may have. */
function budgetFor({ request, destination: { endpoint, model } }: RequestRewriter): number {
  const context = endpoint.contextLength ?? model.contextLength;
  if (context === undefined) return Number.POSITIVE_INFINITY;
  const usual = Math.min(endpoint.maxCompletionTokens ?? usualOutput, usualOutput);
  const output = request.maxOutputTokens ?? Math.min(usual, Math.floor(context * outputShare));
  return context - output - Math.max(leastReserve, Math.ceil(context * reserve));
}

/** Items that must not be separated. */
interface Unit {
  /** Indexes of its items, in order. */
  readonly places: number[];
  readonly tokens: number;
}

/** Tokens a message takes besides its content. */
const tokensOfMessage = 4;
/** Room that is worth filling with a part of a unit, and the least a shortened text keeps, in tokens. */
const leastFill = 128;
const leastText = 256;

/**
 * Leaves out the middle of a conversation until it fits (docs/spec/plugins.md#context-compression). System messages, settings, the
 * last user message and the last step stay; half of the rest of the room goes to the oldest units, the other half to the
 * newest. Calls stay with their outputs, reasoning with what follows it.
 * @param budget Tokens the items may have.
 * @param mostMessages Messages the endpoint takes.
 * @returns The same array when everything fits.
 */
export function middleOut(
  items: readonly Item[],
  budget: number,
  mostMessages = Number.POSITIVE_INFINITY,
): readonly Item[] {
  const sizes = items.map(sizeOf);
  const total = sizes.reduce((sum, tokens) => sum + tokens, 0);
  if (total <= budget && items.length <= mostMessages) return items;
  const fixed = fixedPlaces(items);
  const units = unitsOf(items, sizes, fixed);
  const fixedTokens = sizes.reduce((sum, tokens, place) => (fixed.has(place) ? sum + tokens : sum), 0);
  const room = budget - fixedTokens;
  if (room <= 0) return shortenFixed(items, sizes, fixed, budget);
  const counted = dropByCount(units, fixed.size, mostMessages);
  const { kept, next, used } = keepEnds(counted, room);
  const places = new Set([...fixed, ...kept.flatMap((unit) => unit.places)]);
  const filler = next === undefined ? undefined : fill(items, next, room - used);
  return items.flatMap((item, place): readonly Item[] => {
    if (places.has(place)) return [item];
    return filler?.place === place ? [filler.item] : [];
  });
}

function sizeOf(item: Item): number {
  return estimateTokens(item) + tokensOfMessage;
}

/**
 * What is never left out: system messages, settings, the last user message and the last step after it. Earlier steps of a
 * long turn with tools may go.
 */
function fixedPlaces(items: readonly Item[]): ReadonlySet<number> {
  const question = items.findLastIndex(isUserMessage);
  const step = lastStep(items);
  const fixed = new Set<number>();
  for (const [place, item] of items.entries()) {
    const isSetting =
      item.kind === 'additional_tools' || item.kind === 'configuration_update' || item.kind === 'compaction';
    if (isSystem(item) || isSetting || place === question || place >= step) fixed.add(place);
  }
  return keepPairs(items, fixed);
}

/** Where the last step begins: the model goes on after a question or after outputs, or a question is asked. */
function lastStep(items: readonly Item[]): number {
  for (let place = items.length - 1; place > 0; place -= 1) {
    const [item, before] = [items[place], items[place - 1]];
    if (item === undefined || before === undefined) continue;
    if (isUserMessage(item) && !isUserMessage(before)) return place;
    if (!isAnswer(item) && (isAnswer(before) || isUserMessage(before))) return place;
  }
  return 0;
}

function isUserMessage(item: Item): boolean {
  return item.kind === 'agent_message' || (item.kind === 'message' && item.role === 'user');
}

function isAnswer(item: Item): boolean {
  return item.kind === 'call_output' || (item.kind === 'hosted' && item.type.endsWith('_output'));
}

/** A call whose output is fixed is fixed too, and the other way round. */
function keepPairs(items: readonly Item[], fixed: Set<number>): ReadonlySet<number> {
  const ids = new Set([...fixed].map((place) => idOf(items[place])).filter((id) => id !== undefined));
  for (const [place, item] of items.entries()) if (ids.has(idOf(item) ?? Symbol())) fixed.add(place);
  return fixed;
}

function idOf(item: Item | undefined): string | symbol | undefined {
  if (item?.kind === 'call' || item?.kind === 'call_output') return item.callId;
  if (item?.kind !== 'hosted') return undefined;
  const id = item.fields.call_id ?? item.fields.approval_request_id ?? item.id;
  return typeof id === 'string' ? id : undefined;
}

/** The free items in units, in the order of their first items. */
function unitsOf(
  items: readonly Item[],
  sizes: readonly number[],
  fixed: ReadonlySet<number>,
): readonly Unit[] {
  const units: { places: number[]; tokens: number }[] = [];
  const byCall = new Map<string | symbol, (typeof units)[number]>();
  let thought: (typeof units)[number] | undefined;
  for (const [place, item] of items.entries()) {
    if (fixed.has(place)) {
      thought = undefined;
      continue;
    }
    const id = idOf(item);
    const known = id === undefined ? undefined : byCall.get(id);
    const unit = known ?? thought ?? { places: [], tokens: 0 };
    if (unit.places.length === 0) units.push(unit);
    unit.places.push(place);
    unit.tokens += sizes[place] ?? 0;
    if (id !== undefined) byCall.set(id, unit);
    // Parallel calls follow the one thought that led to them.
    const isOpen = item.kind === 'reasoning' || (item.kind === 'call' && thought !== undefined);
    thought = isOpen ? unit : undefined;
  }
  return units;
}

/** The oldest and the newest units, as many as there may be messages; those at the border go whole. */
function dropByCount(units: readonly Unit[], fixedCount: number, most: number): readonly Unit[] {
  const count = units.reduce((sum, unit) => sum + unit.places.length, 0);
  const free = Math.max(0, most - fixedCount);
  if (count <= free) return units;
  const head = takeWhile(units, Math.floor(free / 2), ({ places }) => places.length);
  const rest = units.slice(head.length);
  const tail = takeWhile(rest.toReversed(), Math.ceil(free / 2), ({ places }) => places.length);
  return [...head, ...tail.toReversed()];
}

function keepEnds(units: readonly Unit[], room: number) {
  const head = takeWhile(units, room / 2, ({ tokens }) => tokens);
  const used = sumOf(head);
  const rest = units.slice(head.length).toReversed();
  const tail = takeWhile(rest, room - used, ({ tokens }) => tokens);
  return { kept: [...head, ...tail], next: rest[tail.length], used: used + sumOf(tail) };
}

function sumOf(units: readonly Unit[]): number {
  return units.reduce((sum, { tokens }) => sum + tokens, 0);
}

function takeWhile(
  units: readonly Unit[],
  most: number,
  sizeOfUnit: (unit: Unit) => number,
): readonly Unit[] {
  let sum = 0;
  const end = units.findIndex((unit) => {
    sum += sizeOfUnit(unit);
    return sum > most;
  });
  return end < 0 ? units : units.slice(0, end);
}

/** A part of the unit next to the newest ones, where it is one message and room is left. */
function fill(items: readonly Item[], { places }: Unit, room: number) {
  const [place] = places;
  if (room < leastFill || places.length !== 1 || place === undefined) return undefined;
  const item = items[place];
  if (item?.kind !== 'message') return undefined;
  const texts = item.content.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const short = cutMiddle(texts.join('\n'), room - tokensOfMessage);
  if (short === undefined) return undefined;
  return { place, item: { ...item, content: [{ kind: 'text', text: short }] as const } };
}

/** Where even what is fixed is too long: only that stays, and its longest texts lose their middles, system texts last. */
function shortenFixed(
  items: readonly Item[],
  sizes: readonly number[],
  fixed: ReadonlySet<number>,
  budget: number,
): readonly Item[] {
  const kept = items.map((item, place) => ({ item, tokens: sizes[place] ?? 0, place }));
  const left = kept.filter(({ place }) => fixed.has(place));
  let excess = left.reduce((sum, { tokens }) => sum + tokens, 0) - budget;
  const order = left.toSorted(
    (one, other) => Number(isSystem(one.item)) - Number(isSystem(other.item)) || other.tokens - one.tokens,
  );
  for (const entry of order) {
    if (excess <= 0) break;
    const shorter = shortenTexts(entry.item, Math.max(leastText, entry.tokens - excess));
    excess -= entry.tokens - sizeOf(shorter);
    entry.item = shorter;
  }
  return left.map(({ item }) => item);
}

function shortenTexts(item: Item, tokens: number): Item {
  if (item.kind === 'message') return { ...item, content: shortenParts(item.content, tokens) };
  return item.kind === 'call_output' ? { ...item, output: shortenParts(item.output, tokens) } : item;
}

function shortenParts(parts: readonly ContentPart[], tokens: number): readonly ContentPart[] {
  const longest = parts.reduce(
    (most, part) => Math.max(most, part.kind === 'text' ? part.text.length : 0),
    0,
  );
  const others = parts.reduce((sum, part) => sum + (isLongest(part, longest) ? 0 : estimateTokens(part)), 0);
  return parts.map((part) => {
    if (part.kind !== 'text' || part.text.length !== longest) return part;
    return { ...part, text: cutMiddle(part.text, tokens - others) ?? part.text };
  });
}

function isLongest(part: ContentPart, longest: number): boolean {
  return part.kind === 'text' && part.text.length === longest;
}

/** A text with equal parts of its beginning and its end; undefined where nothing of use would stay. */
function cutMiddle(text: string, tokens: number): string | undefined {
  const whole = estimateTokens(text);
  if (whole <= tokens) return text;
  const share = Math.floor((text.length * Math.max(0, tokens - 16)) / whole / 2);
  if (share < 16) return undefined;
  const removed = text.length - 2 * share;
  const [head, tail] = [text.slice(0, share), text.slice(text.length - share)];
  return `${head}\n[… ${removed} characters left out …]\n${tail}`.toWellFormed();
}

/** Rough cost of a picture, a page or a minute of audio. */
const tokensOfMedia = 1000;
/** Texts that begin with so many base64 characters are media or sealed. */
const longestWord = 2048;
const letters = /^[A-Za-z0-9+/=:;,._-]*$/;

/**
 * Estimates the tokens of any part of a request: all its texts, and media at a flat rate. Log probabilities are not
 * sent to a model and do not count.
 */
export function estimateTokens(value: unknown): number {
  if (typeof value === 'string') return isMedia(value) ? tokensOfMedia : countTokens(value);
  if (typeof value !== 'object' || value === null) return 1;
  let tokens = 0;
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined && name !== 'logprobs') tokens += estimateTokens(member);
  }
  return tokens;
}

function isMedia(text: string): boolean {
  return text.length > longestWord && letters.test(text.slice(0, longestWord));
}
