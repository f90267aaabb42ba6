/** Response headers as the HTTP client gives them: names in lower case, repeated ones as arrays. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The first value of a header, or undefined when it is missing or blank. */
export function headerText(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined || first.trim() === '' ? undefined : first;
}

/**
 * Seconds after which the provider says a retry may succeed, rounded up, or undefined when its headers
 * name no such time: `retry-after-ms` first, then `retry-after` in seconds or as an HTTP date.
 * @param now Unix time in milliseconds, for dates.
 */
export function readRetryHint(headers: ResponseHeaders, now: number): number | undefined {
  const exact = Number(headerText(headers, 'retry-after-ms') ?? Number.NaN);
  return wholeSeconds(exact / 1000) ?? readRetryAfter(headerText(headers, 'retry-after'), now);
}

/** Seconds in a month: whoever names a longer wait means something else. */
const longestWait = 30 * 86_400;

/** Seconds rounded up, or undefined when they are no sensible wait. */
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
