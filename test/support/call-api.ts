/** What a route answered. */
export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  readonly body: any;
}

/** Asks a route of a gateway, by its path under `/api/v1`, with a raw key and a JSON body where there is one. */
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
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
