import type { BuiltinSlug, FilterAction, ScanScope } from '../core/guardrail.ts';
import type { Span } from './span.ts';

/** A filter as a scan uses it, with the strictest action of all guardrails that have it. Plain data. */
export interface ScanFilter {
  readonly what:
    | { readonly kind: 'builtin'; readonly slug: Exclude<BuiltinSlug, 'regex-prompt-injection'> }
    | { readonly kind: 'pattern'; readonly pattern: string }
    | { readonly kind: 'injection'; readonly scope: ScanScope };
  /** Undefined where guardrails only observe. */
  readonly action: FilterAction | undefined;
  /** What replaces a piece of text that is redacted. */
  readonly placeholder: string;
}

/** What a scan looks for. Plain data, so that it can go to another thread. */
export interface ScanRules {
  readonly filters: readonly ScanFilter[];
  /** Phrases that are no prompt injection. */
  readonly allowedPhrases: readonly string[];
}

/** A text to scan. */
export interface ScannedText {
  readonly text: string;
  /** Whether the user wrote it. */
  readonly isUser: boolean;
  /** Whether it is a name or an id, in which no names of people are looked for. */
  readonly isName?: boolean;
  /** Whether no model reads it: then it is no prompt injection. */
  readonly isUnseen?: boolean;
  /** What another detector found in it, by the index of its filter. */
  readonly found?: readonly FilterSpan[];
}

/** A piece of a text, and the index of the filter that found it. */
export interface FilterSpan extends Span {
  readonly filter: number;
}

/** A piece of a text that is replaced, by which filter. */
export interface Redaction extends FilterSpan {
  readonly placeholder: string;
}

/** What a filter found in a request. */
export interface FilterHit {
  /** Its index in the rules. */
  readonly filter: number;
  /** Of prompt injection: pieces of text and names, each once. */
  readonly snippets: readonly string[];
  /** Of prompt injection: the names of the patterns. */
  readonly names: readonly string[];
}

/** The outcome of a scan. */
export interface ScanResult {
  /** In the order of the filters; none where nothing was found. */
  readonly hits: readonly FilterHit[];
  /** Redacted texts by their index, and what was replaced in them; texts that stay as they are are missing. */
  readonly redacted: readonly (readonly [index: number, text: string, redactions: readonly Redaction[]])[];
  /** Why names and addresses were not recognised, where they should have been. */
  readonly unrecognised?: 'timed_out' | 'failed';
}
