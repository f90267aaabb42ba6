import { HeadgateError } from '../core/errors.ts';
import { Slots } from '../waiting/slots.ts';
import type { ScanAsker, TextScanner } from './content-scanner.ts';
import type { PatternProblem } from './custom-pattern.ts';
import { type AnalyzerSettings, askAnalyzer, type Entity } from './entity-analyzer.ts';
import type { FilterSpan, ScanFilter, ScannedText, ScanResult, ScanRules } from './scan-rules.ts';
import type { Span } from './span.ts';

/** What the analyzer calls the entities of a filter. */
const entityOf: Readonly<Record<string, string>> = { 'person-name': 'PERSON', address: 'LOCATION' };

/** Questions to the analyzer at the same time, and those that wait. */
const questions = { atOnce: 8, waiting: 4_096 };
/** Characters of a question; longer texts are asked piece by piece, with an overlap. */
const pieceLength = 50_000;
const overlap = 200;
const noText = /^[^\p{L}]*$/u;

/**
 * Recognises names and addresses by the analyzer where a filter asks for them, and hands everything on to another scanner
 * (docs/spec/guardrails.md#names-and-addresses). Costs nothing where no filter does.
 */
export class EntityScanner implements TextScanner {
  readonly #settings: () => AnalyzerSettings | undefined;
  readonly #inner: TextScanner;
  readonly #slots = new Slots(questions.atOnce, questions.waiting);

  /** @param settings Of the moment; undefined where there is no analyzer. */
  constructor(settings: () => AnalyzerSettings | undefined, inner: TextScanner) {
    this.#settings = settings;
    this.#inner = inner;
  }

  checkPatterns(patterns: readonly string[], asker: ScanAsker): Promise<PatternProblem | undefined> {
    return this.#inner.checkPatterns(patterns, asker);
  }

  scan(texts: readonly ScannedText[], rules: ScanRules, asker: ScanAsker): ScanResult | Promise<ScanResult> {
    if (!rules.filters.some(isEntityFilter)) return this.#inner.scan(texts, rules, asker);
    return this.#scan(texts, rules, asker);
  }

  async #scan(texts: readonly ScannedText[], rules: ScanRules, asker: ScanAsker): Promise<ScanResult> {
    const { signal } = asker;
    const settings = this.#settings();
    let failure: ScanResult['unrecognised'];
    let found: readonly ScannedText[] = texts;
    if (settings === undefined) failure = 'failed';
    else {
      const limit = AbortSignal.timeout(settings.timeout);
      try {
        const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
        found = await Promise.all(texts.map((one) => this.#recognise(one, rules, settings, both)));
      } catch {
        signal?.throwIfAborted();
        failure = limit.aborted ? 'timed_out' : 'failed';
      }
    }
    if (failure !== undefined && refuses(settings, rules.filters)) throw notRecognised(failure);
    const result = await this.#inner.scan(found, rules, asker);
    return failure === undefined ? result : { ...result, unrecognised: failure };
  }

  async #recognise(
    scanned: ScannedText,
    { filters }: ScanRules,
    settings: AnalyzerSettings,
    signal: AbortSignal,
  ): Promise<ScannedText> {
    const { text } = scanned;
    if (scanned.isName === true || noText.test(text)) return scanned;
    const entities = [...new Set(filters.flatMap((filter) => entityNamed(filter) ?? []))];
    const asked = piecesOf(text).map(async ({ piece, at }) => {
      const found = await this.#slots.run(() => askAnalyzer(settings, piece, entities, signal), signal);
      if (found === undefined) throw new Error('As many texts as may wait are with the analyzer.');
      return found.map((entity) => ({ ...entity, start: entity.start + at, end: entity.end + at }));
    });
    const recognised = (await Promise.all(asked)).flat();
    const spans = recognised.flatMap((entity) => spansOf(entity, text, filters));
    return spans.length === 0 ? scanned : { ...scanned, found: [...(scanned.found ?? []), ...spans] };
  }
}

function spansOf({ type, start, end }: Entity, text: string, filters: readonly ScanFilter[]): FilterSpan[] {
  if (end <= start) return [];
  return filters.flatMap((scan, filter) => {
    if (entityNamed(scan) !== type) return [];
    const span = type === 'LOCATION' ? growAddress(text, { start, end }) : { start, end };
    return [{ ...span, filter }];
  });
}

function entityNamed({ what }: ScanFilter): string | undefined {
  return what.kind === 'builtin' ? entityOf[what.slug] : undefined;
}

function isEntityFilter(filter: ScanFilter): boolean {
  return entityNamed(filter) !== undefined;
}

/** Unless the operator decided, a request goes on that is not to be blocked. */
function refuses(settings: AnalyzerSettings | undefined, filters: readonly ScanFilter[]): boolean {
  if (settings?.onFailure !== undefined) return settings.onFailure === 'refuse';
  return filters.some((filter) => isEntityFilter(filter) && filter.action === 'block');
}

function notRecognised(failure: 'timed_out' | 'failed'): HeadgateError {
  const why = failure === 'timed_out' ? 'did not answer in time' : 'cannot be asked';
  return new HeadgateError(
    'service_unavailable',
    `The guardrails of this request look for names or addresses, and the analyzer ${why}.`,
  );
}

function piecesOf(text: string): readonly { readonly piece: string; readonly at: number }[] {
  if (text.length <= pieceLength) return [{ piece: text, at: 0 }];
  const pieces: { piece: string; at: number }[] = [];
  for (let at = 0; at < text.length; at += pieceLength - overlap) {
    pieces.push({ piece: text.slice(at, at + pieceLength), at });
    if (at + pieceLength >= text.length) break;
  }
  return pieces;
}

/** Characters beside a place that are looked at. */
const reach = 100;
const street =
  'street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|square|sq|way|place|pl|terrace|highway|hwy|parkway|pkwy';
/** A house number, up to five words and the kind of street, or a street of the German form, up to the place. */
const before = new RegExp(
  `(?:\\d{1,6}[A-Za-z]?[ \\t]+(?:[\\p{L}.'-]+[ \\t]+){1,5}(?:${street})\\.?|\\p{Lu}[\\p{L}-]*(?:straße|strasse|str\\.|weg|platz|allee|gasse)[ \\t]+\\d{1,5}[a-z]?)(?:,?[ \\t]+(?:apt|suite|unit|#)\\.?[ \\t]*[\\w-]{1,6})?,?[ \\t]*(?:\\d{4,5}[ \\t]+)?$`,
  'iu',
);
/** A state and a postal code, or a postal code, behind the place. */
const after = /^,?[ \t]*(?:[A-Z]{2}[ \t]+)?\d{5}(?:-\d{4})?(?!\d)/u;

/** The span of a place with the street line before it and the postal code behind it, where they stand on its line. */
export function growAddress(text: string, { start, end }: Span): Span {
  const left = text.slice(Math.max(0, start - reach), start);
  const right = text.slice(end, end + reach);
  const first = before.exec(left.slice(left.lastIndexOf('\n') + 1))?.[0].length ?? 0;
  const last = after.exec(right)?.[0].length ?? 0;
  return { start: start - first, end: end + last };
}
