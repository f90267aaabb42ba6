/** What every route of the public interface begins with. */
export const apiBase = '/api/v1';

/** A request's path, without what is asked of it. */
export function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}
