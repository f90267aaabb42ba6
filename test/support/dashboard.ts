/** A browser of tests: keeps the cookie and the token, and says what browsers say of their pages. */
export class TestBrowser {
  readonly url: string;
  cookie = '';
  csrf = '';

  constructor(url: string) {
    this.url = url;
  }

  /** Calls a path below the root as a page of the dashboard does. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...(this.csrf === '' ? {} : { 'x-headgate-csrf': this.csrf }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
    const json = (text === '' ? undefined : JSON.parse(text)) as any;
    const given = response.headers.get('set-cookie');
    if (given !== null) this.cookie = given.split(';')[0] ?? '';
    if (typeof json?.data?.csrf === 'string') this.csrf = json.data.csrf;
    return { status: response.status, headers: response.headers, body: json };
  }

  /** Logs in with a key. */
  login(key: string) {
    return this.call('POST', '/ui/session', { key });
  }
}
