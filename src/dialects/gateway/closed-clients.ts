/** Clients whose schemas of answers list every kind of annotation, by a word of their user agent. */
const closed = /\bai-sdk\/(?:openai|azure)\b/;

/** Whether a client fails at annotations of kinds that it does not know (docs/spec/plugins.md#annotations). */
export function hidesFiles(userAgent: string | undefined): boolean {
  return userAgent !== undefined && closed.test(userAgent);
}
