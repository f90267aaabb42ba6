import type { PublicError } from '../public-dialect.ts';

const known = /^prompt is too long: \d+ tokens > \d+ maximum/;

/** What agents look for beside the words. */
const mark = 'capability_rejected: prompt_too_long';

/**
 * The message of a prompt that exceeds the context, in the words by which agents of this format shorten their
 * conversation (docs/spec/messages.md#errors); undefined for any other error.
 */
export function overflowMessage({ type, message, metadata }: PublicError): string | undefined {
  if (type !== 'context_length_exceeded' || known.test(message)) return undefined;
  const tokens = metadata.availability?.tokens;
  if (tokens !== undefined) {
    const { input, output, available } = tokens;
    const start =
      input > available || output === 0
        ? `prompt is too long: ${Math.max(input, available + 1)} tokens > ${available} maximum`
        : `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${available}`;
    return `${start} (${mark}). ${message}`;
  }
  if (metadata.provider_name === undefined) return undefined;
  const [most, least] = numbersIn(message);
  const sizes = most === undefined || least === undefined ? '' : `: ${most} tokens > ${least} maximum`;
  return `prompt is too long${sizes} (${mark}). ${message}`;
}

/** Providers of other formats name both sizes in their own order; the larger one was needed. */
function numbersIn(message: string): readonly number[] {
  const numbers = message.replaceAll(/(?<=\d),(?=\d{3})/g, '').match(/\d{3,9}/g) ?? [];
  const sizes = [...new Set(numbers.map(Number))].sort((one, other) => other - one);
  return sizes.length === 2 ? sizes : [];
}
