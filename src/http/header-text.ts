import type { ReceivedRequest } from './received-request.ts';

/** A request header as one text; undefined when it is absent or empty. */
export function headerText({ headers }: Pick<ReceivedRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text === undefined || text === '' ? undefined : text;
}
