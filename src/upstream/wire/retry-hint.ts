/** Response headers in the HTTP client's form: lowercase names, repeated ones as arrays. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The first value of a header; undefined when missing or blank. */
export function headerText(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined || first.trim() === '' ? undefined : first;
}

/**
 * Seconds after which, by the provider's headers, a retry may succeed, rounded up; undefined without such a header.
 * Reads `retry-after-ms` first, then `retry-after` in seconds or as an HTTP date.
 * @param now Unix time in milliseconds, for dates.
 */
export function readRetryHint(headers: ResponseHeaders, now: number): number | undefined {
  const exact = Number(headerText(headers, 'retry-after-ms') ?? Number.NaN);
  return wholeSeconds(exact / 1000) ?? readRetryAfter(headerText(headers, 'retry-after'), now);
}

/** Seconds in a month; a longer wait must mean something else. */
const longestWait = 30 * 86_400;

/** Seconds rounded up; undefined when they are not a plausible wait. */
export function wholeSeconds(seconds: number | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  return seconds >= 0 && seconds <= longestWait ? Math.ceil(seconds) : undefined;
}

function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (!Number.isNaN(seconds)) return wholeSeconds(seconds);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : wholeSeconds(Math.max(date - now, 0) / 1000);
}
