/** What a route answered. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  readonly body: any;
}

/** Asks a route of a gateway, by its path under `/api/v1`, with a raw key and, where there is one, a body: a text as it is. */
export async function callApi(
  gateway: { readonly url: string },
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiAnswer> {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}
