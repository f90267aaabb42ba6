import { Secret } from './secret.ts';

/** An HTTP proxy. */
export interface ProxyAddress {
  /** Scheme, host and port, without credentials. */
  readonly origin: string;
  /** The header `Proxy-Authorization`. */
  readonly authorization?: Secret;
}

/** How one provider is reached: never through a proxy, or through this one. */
export type OwnProxy = 'none' | ProxyAddress;

/**
 * Reads the address of a proxy as variables of the environment hold it: with a scheme or, as `HOST:PORT`, for plain HTTP.
 * @throws RangeError that says what is allowed and shows nothing of the text, which may hold a password.
 */
export function readProxyAddress(text: string): ProxyAddress {
  const refused = new RangeError('an http:// or https:// proxy such as http://proxy.example:3128');
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (
    url === null ||
    !isHttp ||
    url.hostname === '' ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw refused;
  const { username, password, protocol, host, port } = url;
  const origin = `${protocol}//${port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host}`;
  if (username === '' && password === '') return { origin };
  let user: string;
  try {
    user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    throw refused;
  }
  return { origin, authorization: new Secret(`Basic ${Buffer.from(user).toString('base64')}`) };
}
