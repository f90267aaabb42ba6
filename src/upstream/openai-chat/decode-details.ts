import type { Delta, OutputLogprob, ReasoningFormat, TokenLogprob } from '../../core/delta.ts';
import { reasoningFormats } from '../../core/reasoning-formats.ts';
import { isObject } from '../../util/json.ts';
import { parseDataUrl } from '../inline-file.ts';
import type { Lenient } from '../lenient.ts';
import { textOf } from '../lenient.ts';
import type { ChunkChoice, ChunkDelta, WireLogprob } from './chunk.ts';

/** Text and reasoning of a chunk, in whichever form. */
export interface Spoken {
  readonly thinking: string;
  readonly text: string;
}

/** Reads text and reasoning: plain members, or content as a list of parts that mixes both. */
export function decodeContent(delta: ChunkDelta): Spoken {
  const parts = Array.isArray(delta.content) ? delta.content : [];
  const thinking =
    textOf(delta.reasoning_content) ?? textOf(delta.reasoning) ?? parts.map(thoughtOf).join('');
  return { thinking, text: textOf(delta.content) ?? joinTexts(parts) };
}

/** The thought in a part of mixed content, in either of its two forms. */
function thoughtOf(part: unknown): string {
  if (!isObject(part)) return '';
  if (part.type === 'thinking') return joinTexts(part.thinking);
  return part.type === 'reasoning' ? joinTexts(part.summary) : '';
}

/** The picture of an entry: the base64 of its data URL, or its address. */
export function decodePicture(entry: { readonly image_url?: unknown } | null): string | undefined {
  const url = textOf(isObject(entry?.image_url) ? entry.image_url.url : entry?.image_url);
  return url === undefined ? undefined : (parseDataUrl(url)?.base64 ?? url);
}

/**
 * Reads reasoning in typed pieces. Their text is used only where the chunk has no plain reasoning; blobs and
 * signatures are always used, because they appear nowhere else.
 */
export class ReasoningDetails {
  readonly #block: number;
  #emitted = '';

  constructor(block: number) {
    this.#block = block;
  }

  decode(delta: ChunkDelta, spoken: boolean, into: Delta[]): void {
    const block = this.#block;
    for (const detail of delta.reasoning_details ?? []) {
      const text = spoken ? '' : this.#fresh(textOf(detail.text) ?? '');
      const summary = textOf(detail.summary);
      if (text !== '') into.push({ kind: 'thinking', block, text });
      if (summary !== undefined && !spoken) into.push({ kind: 'summary', block, text: summary });
      const encrypted = textOf(detail.data);
      const signature = textOf(detail.signature);
      if (encrypted === undefined && signature === undefined) continue;
      into.push({ kind: 'seal', block, format: formatOf(detail.format), encrypted, signature });
    }
  }

  /**
   * The new text of a piece. One provider documents that it repeats everything from the beginning each time, but it
   * does not always do so.
   */
  #fresh(text: string): string {
    const repeats = text.startsWith(this.#emitted);
    const fresh = repeats ? text.slice(this.#emitted.length) : text;
    this.#emitted += fresh;
    return fresh;
  }
}

/** The pieces of speech in a delta or a message. */
export function decodeSpeech(audio: NonNullable<ChunkDelta['audio']>): Delta[] {
  const id = textOf(audio.id);
  const data = textOf(audio.data);
  const transcript = textOf(audio.transcript);
  const expiresAt = Number.isInteger(audio.expires_at) ? (audio.expires_at ?? undefined) : undefined;
  const isEmpty = [id, data, transcript, expiresAt].every((member) => member === undefined);
  return isEmpty ? [] : [{ kind: 'audio', id, data, transcript, expiresAt }];
}

/** The log probabilities of a chunk's tokens; undefined without any. */
export function decodeLogprobs(choice: ChunkChoice): OutputLogprob[] | undefined {
  const tokens = choice.logprobs?.content;
  if (!Array.isArray(tokens) || tokens.length === 0) return undefined;
  return tokens.map((token) => ({
    ...decodeToken(token),
    top_logprobs: (token.top_logprobs ?? []).map(decodeToken),
  }));
}

function decodeToken(entry: Lenient<WireLogprob>): TokenLogprob {
  const token = textOf(entry.token) ?? '';
  const bytes = Array.isArray(entry.bytes)
    ? entry.bytes.filter((byte) => typeof byte === 'number')
    : undefined;
  const logprob = typeof entry.logprob === 'number' ? entry.logprob : 0;
  return { token, logprob, bytes: bytes ?? [...Buffer.from(token)] };
}

function joinTexts(parts: unknown): string {
  if (!Array.isArray(parts)) return textOf(parts) ?? '';
  return parts.map((part) => (isObject(part) ? (textOf(part.text) ?? '') : '')).join('');
}

function formatOf(value: unknown): ReasoningFormat {
  return reasoningFormats.find((format) => format === value) ?? 'unknown';
}
