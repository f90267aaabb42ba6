/**
 * An address as it may be shown: without user and password, and with the values of its query and its fragment hidden.
 * A text that is no address is shown as it is.
 */
export function shownUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  const { protocol, host, pathname, searchParams, hash } = url;
  if (url.username === '' && url.password === '' && url.search === '' && hash === '') return address;
  const user = url.username === '' && url.password === '' ? '' : '[secret]@';
  const names = [...searchParams.keys()].map((name) => `${name}=[secret]`);
  const query = url.search === '' ? '' : `?${names.join('&')}`;
  return `${protocol}//${user}${host}${pathname}${query}${hash === '' ? '' : '#[secret]'}`;
}
