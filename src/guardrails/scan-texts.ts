import type { BuiltinSlug } from '../core/guardrail.ts';
import {
  findCreditCards,
  findEmails,
  findIpAddresses,
  findPhones,
  findSocialSecurityNumbers,
} from './detectors/personal-data.ts';
import { detectInjection } from './injection/detect-injection.ts';
import { applyRedactions } from './joined-texts.ts';
import type {
  FilterHit,
  FilterSpan,
  Redaction,
  ScanFilter,
  ScannedText,
  ScanResult,
  ScanRules,
} from './scan-rules.ts';
import type { Span } from './span.ts';
import { type TextWindow, windowsOf } from './text-windows.ts';

const detectors: Partial<Record<BuiltinSlug, (text: string) => readonly Span[]>> = {
  email: findEmails,
  phone: findPhones,
  ssn: findSocialSecurityNumbers,
  'credit-card': findCreditCards,
  'ip-address': findIpAddresses,
};

const mostSnippets = 20;

/** Texts to scan in a child process. */
export interface ScanJob {
  readonly texts: readonly ScannedText[];
  readonly rules: ScanRules;
}

/** `scanTexts` as a task of a child process. */
export function scanJob({ texts, rules }: ScanJob): ScanResult {
  return scanTexts(texts, rules);
}

/**
 * Runs every built-in filter over every text as it was written, then redacts all of them together
 * (docs/spec/guardrails.md#content-filters). Takes time linear in the texts.
 */
export function scanTexts(texts: readonly ScannedText[], rules: ScanRules): ScanResult {
  const hits = new Map<number, { snippets: Set<string>; names: Set<string> }>();
  const redacted: [number, string, readonly Redaction[]][] = [];
  for (const [index, scanned] of texts.entries()) {
    const found = scanOne(scanned, rules, (filter, snippets, names) => {
      const hit = hits.get(filter) ?? { snippets: new Set(), names: new Set() };
      hits.set(filter, hit);
      for (const name of names) hit.names.add(name);
      for (const snippet of snippets) if (hit.snippets.size < mostSnippets) hit.snippets.add(snippet);
    });
    const redactions = redactionsOf(found, rules.filters);
    const text = applyRedactions(scanned.text, redactions);
    if (text !== scanned.text) redacted.push([index, text, redactions]);
  }
  const inOrder = [...hits].sort(([one], [other]) => one - other);
  return {
    hits: inOrder.map(
      ([filter, { snippets, names }]): FilterHit => ({
        filter,
        snippets: [...snippets],
        names: [...names],
      }),
    ),
    redacted,
  };
}

type Report = (filter: number, snippets: readonly string[], names: readonly string[]) => void;

function scanOne(
  { text, isUser, isUnseen, found = [] }: ScannedText,
  { filters, allowedPhrases }: ScanRules,
  report: Report,
): readonly FilterSpan[] {
  const spans: FilterSpan[] = [...found];
  for (const { filter } of found) report(filter, [], []);
  if (text === '') return spans;
  for (const window of windowsOf(text)) {
    for (const [filter, { what }] of filters.entries()) {
      if (!reads(what, isUser, isUnseen)) continue;
      const pieces = findIn(window, what, allowedPhrases, (snippets, names) =>
        report(filter, snippets, names),
      );
      // No span of its own: then nothing else of the text may stay.
      if (pieces === 'whole') spans.push({ start: 0, end: text.length, filter });
      else for (const { start, end } of pieces) spans.push({ start, end, filter });
    }
  }
  return spans;
}

/** Whether a filter reads such a text. */
function reads(what: ScanFilter['what'], isUser: boolean, isUnseen = false): boolean {
  return what.kind !== 'injection' || (!isUnseen && (isUser || what.scope !== 'user_only'));
}

/** What a filter finds in a window, as spans of the whole text. */
function findIn(
  { text, at, owns }: TextWindow,
  what: ScanFilter['what'],
  allowedPhrases: readonly string[],
  report: (snippets: readonly string[], names: readonly string[]) => void,
): readonly Span[] | 'whole' {
  const inText = (spans: readonly Span[]) =>
    at === 0 ? spans : spans.map(({ start, end }) => ({ start: start + at, end: end + at }));
  // Customers' patterns are found before (content-scanner.ts).
  if (what.kind === 'pattern') return [];
  if (what.kind === 'builtin') {
    const pieces = findBuiltin(what.slug, text).filter(owns);
    if (pieces.length > 0) report([], []);
    return inText(pieces);
  }
  const injection = detectInjection(text, allowedPhrases);
  if (injection === undefined) return [];
  report(injection.snippets, injection.names);
  return injection.isWhole ? 'whole' : inText(injection.spans);
}

function findBuiltin(slug: BuiltinSlug, text: string): readonly Span[] {
  return detectors[slug]?.(text) ?? [];
}

/** What filters redact: of pieces that overlap the longest one, then that of the earlier filter. */
function redactionsOf(found: readonly FilterSpan[], filters: readonly ScanFilter[]): readonly Redaction[] {
  const wanted = found.filter(({ filter }) => filters[filter]?.action === 'redact');
  if (wanted.length === 0) return [];
  return withoutOverlaps(wanted).map((span) => ({
    ...span,
    placeholder: filters[span.filter]?.placeholder ?? '',
  }));
}

/**
 * Pieces that do not overlap, in the order of the text. A piece that overlaps another one partly is joined with it, so
 * that nothing of either is left.
 */
function withoutOverlaps(spans: readonly FilterSpan[]): readonly FilterSpan[] {
  const sorted = spans.toSorted((one, other) => one.start - other.start || other.end - one.end);
  const kept: FilterSpan[] = [];
  for (const span of sorted) {
    const last = kept.at(-1);
    if (last === undefined || span.start >= last.end) kept.push(span);
    else kept[kept.length - 1] = joined(last, span);
  }
  return kept;
}

function joined(one: FilterSpan, other: FilterSpan): FilterSpan {
  const lengths = one.end - one.start - (other.end - other.start);
  const { filter } = lengths > 0 || (lengths === 0 && one.filter < other.filter) ? one : other;
  return { start: one.start, end: Math.max(one.end, other.end), filter };
}
